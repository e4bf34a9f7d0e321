"""The report of a check: sentences, JSON (``mha-check/1``) and Markdown, in either language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mha_core.check.catalogue import EVERY_MISTAKE, PROJECTIONS, formula_of, message_of
from mha_core.check.invariants import MESSAGES as FINDINGS
from mha_core.check.invariants import Finding, invariants
from mha_core.check.outcome import Cause, Checked, Verdict, WrongCell
from mha_core.check.remarks import explained, puzzling, remark
from mha_core.check.search import EXPONENTIALS, Rounding
from mha_core.check.slips import SLIP, slip_message
from mha_core.check.summary import Say, place, summary
from mha_core.compute.backward import declared_step
from mha_core.compute.derive import Cell, arithmetic, derive, letter, relation
from mha_core.compute.graph import divisor_text, formula, symbol
from mha_core.errors import N_, CellError
from mha_core.example.model import NEG_INF, Example, text_in
from mha_core.messages import catalogue
from mha_core.numbers import trimmed
from mha_core.vocabulary import COMPUTED, noun

FORMAT = "mha-check/1"


def cause_kind(verdict: Verdict, cause: Cause, language: str) -> str:
    """The sentence of a cause, with "perhaps" if it explains so few numbers that something else may as well."""
    say = catalogue(language).gettext
    example = verdict.trace.example
    divisor = divisor_text(example)
    if 0 < len(cause.rounded) <= _MOST_ROUNDED and cause.rounded[0].decimals in _ROUNDED_TO:
        sentences = [_rounded(cause.rounded, say)]
    elif cause.ways:
        sentences = [slip_message(SLIP[cause.ids[0]], cause.ways, example, say)]
    else:
        sentences = [say(message_of(label, cause.cell.name)).format(divisor=divisor) for label in cause.ids]
    what = sentences[0]
    if len(sentences) > 1:
        what = say(N_("Two at once: {one} {other}")).format(one=sentences[0], other=sentences[1])
    if explained(verdict.steps[cause.cell.name], cause) < _ENOUGH:
        what = say(N_("Possibly {what}")).format(what=_lowercased(what))
    return what


_ENOUGH: Final = 3
"""A cause that explains at least this many wrong numbers is reported as a fact: fewer may have another cause."""


def _lowercased(sentence: str) -> str:
    """A sentence with a small first letter, to follow another word; a symbol at its start stays as it is."""
    begins_with_a_word = sentence[1:2].islower() or sentence.startswith("A ")
    return sentence[0].lower() + sentence[1:] if begins_with_a_word else sentence


def cause_message(verdict: Verdict, cause: Cause, language: str) -> str:
    """The sentence of a cause with its place, unless it is everywhere."""
    say = catalogue(language).gettext
    example = verdict.trace.example
    what = cause_kind(verdict, cause, language)
    where = []
    if cause.heads is not None and len(example.heads) > 1:
        numbers = ", ".join(str(head + 1) for head in cause.heads)
        where.append(say(N_("head {number}")).format(number=numbers))
    if cause.rows is not None:
        where.append(say(N_("row {number}")).format(number=", ".join(str(row + 1) for row in cause.rows)))
    if cause.ways and SLIP[cause.ids[0]].whole == "cell":
        where.append(say(N_("column {number}")).format(number=cause.cell.col + 1))
    return say(N_("{place}: {what}")).format(place=say(N_(", ")).join(where), what=what) if where else what


def cause_told(verdict: Verdict, cause: Cause, language: str) -> str:
    """The sentence of a cause, and of swapped digits the number that has them in order, where that is wrong itself.

    An exercise does not say it: the number would be given away.
    """
    say, what = catalogue(language).gettext, cause_message(verdict, cause, language)
    if cause.ids != ("digits_swapped",):
        return what
    number = next((part for part in cause.ways[0].named if isinstance(part, str)), "")
    right = f"{_correct(verdict, cause.cell):.{len(number.partition('.')[2])}f}"
    if number in ("", right):
        return what
    told = say(N_("Your earlier numbers give {number}.")).format(number=number)
    return say(N_("{one} {other}")).format(one=what, other=told)


_MOST_ROUNDED: Final = 3
"""How many places of rounding are named; if more are possible, the sentence only says that there was rounding."""
_ROUNDED_TO: Final = {
    0: N_("{steps} rounded to whole numbers"),
    1: N_("{steps} rounded to one decimal"),
    2: N_("{steps} rounded to 2 decimals"),
    3: N_("{steps} rounded to 3 decimals"),
}


def _rounded(rounded: Sequence[Rounding], say: Say) -> str:
    """What was rounded on the way and to how many digits, with each of several possibilities."""
    alternatives = []
    for names, decimals in rounded:
        steps = say(N_(", ")).join(
            say(_EXPONENTIALS) if name == EXPONENTIALS else noun(name, say) for name in names
        )
        alternatives.append(say(_ROUNDED_TO[decimals]).format(steps=steps))
    return say(N_("Rounded in an earlier step: {what}.")).format(what=say(N_(" or ")).join(alternatives))


_EXPONENTIALS: Final = N_("exponentials")


def cause_lines(verdict: Verdict, cause: Cause, language: str = "en") -> tuple[str, str]:
    """The right calculation of a cell that a cause explains, and the author's: two lines of mathematics."""
    example, cell = verdict.trace.example, cause.cell
    wrong = next(w for w in verdict.steps[cell.name].wrong if w.cell == cell)
    step_name = _made_at(cause, example)
    declared = declared_step(example, step_name)
    right = f"{symbol(step_name, example)} = {formula(declared, example)}" if declared else ""
    changed = formula_of(cause.ids[0], step_name, example, catalogue(language).gettext)  # "" of a slip
    yours = f"{symbol(step_name, example)} = {changed}" if changed else ""
    written = f"{letter(example, cell)} = {cause.written or trimmed(wrong.claimed, 10)}"
    return _line(right, right_line(verdict, cell)), _line(yours, written)


def _made_at(cause: Cause, example: Example) -> str:
    """The step of a cause's cell, or an earlier one if the mistake can only be made there."""
    steps = [step for mistake in EVERY_MISTAKE if mistake.id == cause.ids[0] for step in mistake.steps]
    if not steps or cause.cell.name in steps:
        return cause.cell.name
    return next((step for step in steps if declared_step(example, step)), steps[0])


def _line(formula: str, numbers: str) -> str:
    return f"{formula};  {numbers}" if formula else numbers


def right_line(verdict: Verdict, cell: Cell, decimals: int = 4) -> str:
    """The right calculation of a cell with its numbers: ``Q[2, 1] = 3·1 + 4·0 = 3``."""
    name = letter(verdict.trace.example, cell)
    try:
        return f"{name} = {arithmetic(derive(verdict.trace, cell), decimals)}"
    except CellError:  # given, or a copy of the step before
        value = _correct(verdict, cell)
        sign = relation([[value]], lambda size: trimmed(size, decimals))
        return f"{name} {sign} {trimmed(value, decimals)}"


def _correct(verdict: Verdict, cell: Cell) -> float:
    return next(
        (w.correct for step in verdict.steps.values() for w in step.wrong + step.doubtful if w.cell == cell),
        0.0,
    )


def finding_message(verdict: Verdict, finding: Finding, language: str) -> str:
    """The sentence of a finding."""
    say = catalogue(language).gettext
    values = {
        name: trimmed(value, 4) if isinstance(value, float) else value
        for name, value in finding.values.items()
    }
    where = place(verdict, finding.cell, say, finding.whole)
    return say(FINDINGS[finding.id]).format(place=where, **values)


def following_messages(verdict: Verdict, name: str, language: str) -> list[str]:
    """A sentence on each wrong matrix of a step in which every error only follows from earlier numbers."""
    say = catalogue(language).gettext
    own: dict[int | None, bool] = {}
    for wrong in verdict.steps[name].wrong:
        own[wrong.cell.head] = own.get(wrong.cell.head, False) or wrong.own
    heads = [head for head, by_itself in own.items() if not by_itself]
    what = say(_COPIED if name == "concat" else _following(verdict, name))
    if len(heads) == len(own) or None in heads:
        return [what] if heads else []
    places = [say(N_("head {number}")).format(number=head + 1) for head in heads if head is not None]
    return [say(N_("{place}: {what}")).format(place=wrong, what=what) for wrong in places]


def _following(verdict: Verdict, name: str) -> str:
    shares = verdict.in_columns and name in PROJECTIONS
    return N_("Same cause.") if shares else N_("Wrong, but computed correctly from your earlier numbers.")


_COPIED: Final = N_("Copied from the heads, where it is already wrong.")


def unexplained(step: Checked, language: str) -> str:
    """The sentence on errors that have no explanation or too many."""
    return catalogue(language).gettext(_UNDECIDED if step.undecided else _UNEXPLAINED)


def unexplained_message(verdict: Verdict, name: str, language: str) -> str:
    """The same with the first such number's place and a remark on it."""
    say, step = catalogue(language).gettext, verdict.steps[name]
    first = puzzling(step)[0]
    where, what = place(verdict, first.cell, say), unexplained(step, language)
    remark_sentence = remark(verdict, first, language)
    placed, both = say(N_("{place}: {what}")), say(N_("{one} {other}"))
    if not step.causes and sum(wrong.own for wrong in step.wrong) == 1:
        return placed.format(place=where, what=both.format(one=what, other=remark_sentence))
    return both.format(
        one=what, other=placed.format(place=where[0].upper() + where[1:], what=remark_sentence)
    )


def remark_message(verdict: Verdict, wrong: WrongCell, language: str) -> str:
    """The remark on an unexplained number, with its place in its table."""
    say = catalogue(language).gettext
    row = say(N_("row {number}")).format(number=wrong.cell.row + 1)
    column = say(N_("column {number}")).format(number=wrong.cell.col + 1)
    where = say(N_(", ")).join((row, column))
    return say(N_("{place}: {what}")).format(place=where, what=remark(verdict, wrong, language))


_UNEXPLAINED: Final = N_("No known mistake explains this.")
_UNDECIDED: Final = N_("Several different slips would give this number.")


def as_json(verdict: Verdict, language: str = "en") -> dict[str, Any]:
    """The report as data: what ``python -m mha_core check`` prints."""
    steps = {}
    for name, step in verdict.steps.items():
        steps[name] = {
            "status": step.status,
            "wrong": [_wrong(cell) for cell in step.wrong],
            "causes": [
                {
                    "id": "+".join(cause.ids),
                    "message": cause_message(verdict, cause, language),
                    "heads": cause.heads and list(cause.heads),
                    "rows": cause.rows and list(cause.rows),
                    "right": cause_lines(verdict, cause, language)[0],
                    "yours": cause_lines(verdict, cause, language)[1],
                }
                for cause in step.causes
            ],
        }
        for kind in ("doubtful", "coarse", "nearly", "float32", "constant"):
            if cells := getattr(step, kind):
                steps[name][kind] = [_wrong(cell) for cell in cells]
        if following := following_messages(verdict, name, language):
            steps[name]["follows"] = following
        if step.unexplained:
            steps[name]["message"] = unexplained_message(verdict, name, language)
    return {
        "format": FORMAT,
        "ok": verdict.ok if any(step.given for step in verdict.steps.values()) else None,
        "first_wrong": None if verdict.first_wrong is None else _cell(verdict.first_wrong),
        "steps": steps,
        "free_checks": [
            {"id": finding.id, "message": finding_message(verdict, finding, language), **_cell(finding.cell)}
            for finding in invariants(verdict.trace)
        ],
    }


def _wrong(cell: WrongCell) -> dict[str, Any]:
    place = {name: value for name, value in _cell(cell.cell).items() if name != "step"}
    return place | {
        "claimed": _json_number(cell.claimed),
        "correct": _json_number(cell.correct),
        "own": cell.own,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {"step": cell.name, "head": cell.head, "row": cell.row, "col": cell.col}


def _json_number(value: float) -> float | str:
    return "-inf" if value == NEG_INF else value


def as_markdown(verdict: Verdict, language: str = "en") -> str:
    """The report as Markdown, for a file."""
    say = catalogue(language).gettext
    title = text_in(verdict.trace.example.title, language)
    heading = say(N_("Check: {title}")).format(title=_escaped(title))
    lines = [f"# {heading}", "", summary(verdict, language), ""]
    first = verdict.first_wrong
    if first is not None:
        lines += [say(N_("Start here: {place}.")).format(place=place(verdict, first, say)), ""]
    for name in COMPUTED:
        step = verdict.steps.get(name)
        if step is not None and step.given:
            lines += _step_lines(verdict, name, language)
    findings = invariants(verdict.trace)
    if findings:
        impossible = say(N_("Impossible for any X and W"))
        lines += [f"## {impossible}", ""]
        lines += [f"- {finding_message(verdict, one, language)}" for one in findings] + [""]
    return "\n".join(lines)


def _step_lines(verdict: Verdict, name: str, language: str) -> list[str]:
    say, step = catalogue(language).gettext, verdict.steps[name]
    lines = [f"## {noun(name, say)} {symbol(name, verdict.trace.example)}", ""]
    if not step.wrong and not step.doubtful and not step.coarse:
        return [*lines, say(N_("Right.")), ""]
    of_right, of_yours = say(N_("right")), say(N_("yours"))
    for cause in step.causes:
        right, yours = cause_lines(verdict, cause, language)
        lines += [f"- **{cause_message(verdict, cause, language)}**"]
        lines += [f"  - {of_right}: `{right}`", f"  - {of_yours}: `{yours}`"]
    if step.unexplained:
        lines.append(f"- **{unexplained_message(verdict, name, language)}**")
    lines += [f"- {message}" for message in following_messages(verdict, name, language)]
    header = [say(N_("place")), of_yours, of_right, ""]
    lines += ["", f"| {' | '.join(header)} |", "| --- | ---: | ---: | --- |"]
    for cell in step.wrong:
        follows = (
            N_("copied from the heads") if name == "concat" else N_("carried over from an earlier number")
        )
        follows = N_("the same cause") if verdict.in_columns and name in PROJECTIONS else follows
        kind = say(N_("wrong on its own") if cell.own else follows)
        lines.append(_row(verdict, cell, kind, say))
    for cell in step.doubtful:
        lines.append(_row(verdict, cell, say(N_("rounded incorrectly")), say))
    for cell in step.coarse:
        lines.append(_row(verdict, cell, say(N_("rounded too much to tell")), say))
    return [*lines, ""]


def _row(verdict: Verdict, cell: WrongCell, kind: str, say: Say) -> str:
    where = place(verdict, cell.cell, say)
    return f"| {where} | {trimmed(cell.claimed, 10)} | {trimmed(cell.correct, 6)} | {kind} |"


def _escaped(text: str) -> str:
    """A visitor's text, escaped so that Markdown shows it as plain text."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]<>()#+-.!|&~" else c for c in " ".join(text.split()))
