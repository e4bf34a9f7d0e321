"""The whole walk of an example to take away: one self-contained HTML page, or Markdown with LaTeX.

Both are made from ``walk``'s stages, with the trace's numbers and ``derive``'s arithmetic. What a visitor wrote
(title, note, tokens) is text in them, never markup. The page asks for nothing from outside, so it opens anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from unicodedata import east_asian_width

from mha_core.compute.derive import Cell, arithmetic, derive, relation
from mha_core.compute.graph import formula, symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Rows, Trace
from mha_core.errors import N_, ExportError
from mha_core.example.model import NEG_INF, key_tokens, text_in
from mha_core.messages import catalogue
from mha_core.vocabulary import AXES, LAYER_INPUTS, PER_HEAD_INPUTS
from mha_core.walk.stages import Stage, layout_of, looked_at, operands_of, powers_of, result_of, walk
from mha_core.walk.text import Sentence, Words

MOST_SUMS = 64
"""Of a step with more cells than this, the arithmetic of the first ones is written out."""

MOST_NUMBERS = 30_000
"""Computed numbers of an example up to which the whole walk is written out: a second's work, and some megabytes."""

_HEAD = N_("head {head}")
_KEYS = {
    "title": N_("Multi-head attention, step by step"),
    "query": N_("query"),
    "looks": N_("looks most at"),
    "looks_list": N_("looks most at:"),
    "nothing": N_("nothing"),
    "sum": N_("sum"),
    "first": N_("and so on for the other {count} numbers."),
    "source": N_("Source: {source}"),
    "dead": N_("A query that may attend to nothing gets weights 0: there is nothing to share out."),
    "shifted": N_("The largest score of each row is subtracted first; that changes no weight."),
}


class _Told:
    """One walk in one language: what both formats read."""

    def __init__(self, trace: Trace, language: str, decimals: int) -> None:
        check_size(trace)
        self.trace = trace
        self.example = trace.example
        self.language = language
        self.decimals = decimals
        self.stages = walk(trace)

    def say(self, name: str, **values: object) -> str:
        return Sentence(_KEYS[name], values).said(self.language)

    def said(self, sentence: Sentence) -> str:
        return sentence.said(self.language)

    @property
    def title(self) -> str:
        return text_in(self.example.title, self.language) or self.say("title")

    @property
    def note(self) -> str:
        return text_in(self.example.note, self.language)

    def heading(self, number: int, stage: Stage) -> str:
        told = f"{number}. {self.said(stage.words.title)}"
        if stage.kind == "step" and stage.head is not None:
            told += f" · {catalogue(self.language).gettext(_HEAD).format(head=stage.head + 1)}"
        return told

    def labels(self, name: str, axis: int, count: int) -> list[str]:
        """What the rows (axis 0) or columns (axis 1) of a matrix are called: tokens, else numbers from 1."""
        letter = AXES[name][axis] if name in AXES else ""
        if letter == "1":
            return [""]
        tokens = {"n_q": self.example.tokens, "n_k": key_tokens(self.example)}.get(letter, ())
        return [tokens[i] if i < len(tokens) else str(i + 1) for i in range(count)]

    def symbol(self, name: str, head: int | None) -> str:
        return symbol(name, self.example).replace("head_i", f"head_{(head or 0) + 1}")

    def show(self, rows: Rows, *, given: bool) -> Callable[[float], str]:
        """How the numbers of a matrix are written: given ones as they are, whole ones without decimals."""
        if given:
            return shortest
        whole = all(number == NEG_INF or number == int(number) for row in rows for number in row)
        return lambda number: rounded(number, 0 if whole else self.decimals)

    def relation(self, name: str, head: int | None) -> str:
        """= where a matrix is written with all its digits, ≈ where a number of it is rounded."""
        rows = self.trace.matrix(name, head)
        return relation(rows, self.show(rows, given=self.given(name, head)))

    def given(self, name: str, head: int | None) -> bool:
        if name in LAYER_INPUTS or name in PER_HEAD_INPUTS:
            return True
        return head is not None and getattr(self.example.heads[head], name, None) is not None

    def sums(self, step: Step, head: int | None) -> Iterator[tuple[Cell, str]]:
        """Each cell of a step with its line of arithmetic, at most ``MOST_SUMS`` of them."""
        rows = self.trace.matrix(step.name, head)
        cells = [Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0]))]
        for cell in cells[:MOST_SUMS]:
            yield cell, arithmetic(derive(self.trace, cell), self.decimals)

    def remarks(self, step: Step, head: int | None) -> Iterator[str]:
        """What is to be said about a softmax beside its numbers."""
        rows = powers_of(self.trace, step, head or 0) if step.op == "softmax" else ()
        for name in ("shifted",) * any(row.shift for row in rows) + ("dead",) * any(
            not row.total for row in rows
        ):
            yield self.say(name)

    def left_out(self, step: Step, head: int | None) -> int:
        """How many cells ``sums`` leaves out."""
        rows = self.trace.matrix(step.name, head)
        return max(0, len(rows) * len(rows[0]) - MOST_SUMS)


def check_size(trace: Trace) -> None:
    """Raise ``ExportError`` where the walk has more numbers than a page should."""
    matrices = [
        m
        for step in trace.steps
        for m in (trace.values[step.name] if step.per_head else [trace.values[step.name]])
    ]
    count = sum(len(rows) * len(rows[0]) for rows in matrices if rows)
    if count > MOST_NUMBERS:
        raise ExportError(
            N_(
                "this walk has {count} computed numbers, and a page takes at most {most}: take fewer tokens or heads, "
                "or save the example as a file"
            ),
            count=count,
            most=MOST_NUMBERS,
        )


def shortest(number: float) -> str:
    """A given number as it was written: the shortest text that reads back as the same number."""
    if number == NEG_INF:
        return "−∞"
    text = repr(number)
    return (text[:-2] if text.endswith(".0") else text).replace("-", "−")


def rounded(number: float, decimals: int) -> str:
    """A computed number at a fixed count of decimals; one that is very large as a power of ten."""
    if number == NEG_INF:
        return "−∞"
    if abs(number) >= 1e9:
        return re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{number:.3e}").replace("-", "−")
    text = f"{number:.{decimals}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "−")


# --- HTML ------------------------------------------------------------------------------------------------------


def as_html(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as one HTML page, complete in itself: no script, nothing fetched, made to be printed too.

    Every number of the trace stands in a cell whose ``data-cell`` names it: ``weights|0|1|2``. Raises
    ``ExportError`` for a walk of more numbers than ``MOST_NUMBERS``.
    """
    told = _Told(trace, language, decimals)
    parts = [f"<h1>{escape(told.title)}</h1>"]
    if told.note:
        parts.append(f'<p class="note" dir="auto">{escape(told.note)}</p>')
    if told.example.source:
        parts.append(
            f'<p class="source" dir="auto">{escape(told.say("source", source=told.example.source))}</p>'
        )
    headings = [told.heading(number, stage) for number, stage in enumerate(told.stages, 1)]
    links = (
        f'<li><a href="#{stage.id}">{escape(heading.partition(". ")[2])}</a></li>'
        for stage, heading in zip(told.stages, headings, strict=True)
    )
    parts.append(f"<nav><ol>{''.join(links)}</ol></nav>")
    for stage, heading in zip(told.stages, headings, strict=True):
        body = "".join(_html_stage(told, stage))
        parts.append(f'<section id="{stage.id}"><h2>{escape(heading)}</h2>{body}</section>')
    lang = "zh-CN" if language == "zh" else language
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(told.title)}</title><style>{_STYLE}</style></head>\n<body><main>"
        + "\n".join(parts)
        + "</main></body></html>\n"
    )


def _html_stage(told: _Told, stage: Stage) -> Iterator[str]:
    yield _html_words(told, stage.words)
    match stage.kind:
        case "tokens":
            yield _html_tokens(told)
        case "inputs" | "given":
            names = dict.fromkeys((part.matrix, part.head) for part in stage.parts)
            yield f'<div class="row">{"".join(_html_matrix(told, *name) for name in names)}</div>'
        case "step":
            yield _html_step(told, stage.steps[0], stage.head)
        case "head":
            for step, words in zip(stage.steps, stage.step_words, strict=True):
                yield f"<h3>{escape(told.said(words.title))}</h3>{_html_step(told, step, stage.head)}"
        case "closing":
            yield _html_closing(told)


def _html_words(told: _Told, words: Words) -> str:
    return f"<p>{_html_rich(told.said(words.what))} <em>{_html_rich(told.said(words.why))}</em></p>"


def _html_tokens(told: _Told) -> str:
    rows = [told.example.tokens]
    if told.example.context is not None:
        rows.append(key_tokens(told.example))
    lists = ("".join(f"<li><bdi>{escape(token)}</bdi></li>" for token in row) for row in rows)
    return "".join(f'<ol class="tokens">{items}</ol>' for items in lists)


def _html_step(told: _Told, step: Step, head: int | None) -> str:
    name = _html_symbol(told.symbol(step.name, head))
    right = formula(step, told.example)
    equation = f'<p class="formula">{name} = {_html_symbol(right)}</p>'
    picture = _html_softmax(told, step, head) if step.op == "softmax" else _html_picture(told, step, head)
    items = "".join(
        f"<li>{_html_symbol(told.symbol(cell.name, head))}[{cell.row + 1}, {cell.col + 1}] = "
        f"{_html_line(line)}</li>"
        for cell, line in told.sums(step, head)
    )
    more = told.left_out(step, head)
    rest = f"<p>{escape(told.say('first', count=more))}</p>" if more else ""
    return f'{equation}{picture}<ul class="sums">{items}</ul>{rest}'


def _html_picture(told: _Told, step: Step, head: int | None) -> str:
    result = _html_matrix(told, step.name, head)
    drawn = [
        _html_matrix(told, operand.name, owner, turned=operand.index == "jk")
        for operand, owner in operands_of(told.trace, step, head)
    ]
    if layout_of(step) == "product":
        left, above, *bias = drawn
        above += "".join(bias)
        room = _html_room(told, step, head)
        return f'<div class="product"{room}><div></div><div>{above}</div><div>{left}</div><div>{result}</div></div>'
    return f'<div class="row">{"".join(drawn)}<span class="arrow">→</span>{result}</div>'


def _html_room(told: _Told, step: Step, head: int | None) -> str:
    """Widths that the factor above and the result share, so that column j stands above its column."""
    cells, labels = [], []
    for name, owner in (
        *((operand.name, of) for operand, of in operands_of(told.trace, step, head)),
        (step.name, head),
    ):
        rows = told.trace.matrix(name, owner)
        show = told.show(rows, given=told.given(name, owner))
        cells += [show(number) for row in rows for number in row]
        labels += [*told.labels(name, 0, len(rows)), *told.labels(name, 1, len(rows[0]))]
    cell, label = (max(map(_width, texts)) for texts in (cells + labels, labels))
    return f' style="--cell:{min(cell, 14):.1f}ch;--label:{min(label, 14):.1f}ch"'


def _width(text: str) -> float:
    """About how many digits wide a text stands: a Chinese character takes nearly two."""
    return sum(1.8 if east_asian_width(sign) in "WF" else 1.0 for sign in text)


def _html_softmax(told: _Told, step: Step, head: int | None) -> str:
    """Scores, their powers with the row's sum, and the weights."""
    rows = powers_of(told.trace, step, head or 0)
    source, owner = step.operands[0].name, head  # softmax reads its own head's scores
    powers = [list(row.powers) for row in rows]
    show = told.show(powers, given=False)
    queries, keys = (told.labels(step.name, axis, len(powers[0]) if axis else len(powers)) for axis in (0, 1))
    lines = (
        _html_row(
            label, [f"<td>{show(power)}</td>" for power in row.powers] + [f"<th>{show(row.total)}</th>"]
        )
        for label, row in zip(queries, rows, strict=True)
    )
    shifted = any(row.shift for row in rows)
    caption = "<i>e</i><sup>s − max</sup>" if shifted else "<i>e</i><sup>s</sup>"
    head_row = (
        "".join(f"<th><bdi>{escape(key)}</bdi></th>" for key in keys) + f"<th>{escape(told.say('sum'))}</th>"
    )
    table = f"<table><caption>{caption}</caption><tr><td></td>{head_row}</tr>{''.join(lines)}</table>"
    note = "".join(f"<p>{escape(remark)}</p>" for remark in told.remarks(step, head))
    scores, weights = _html_matrix(told, source, owner), _html_matrix(told, step.name, head, bars=True)
    arrow = '<span class="arrow">→</span>'
    return f'<div class="row">{scores}{arrow}{table}{arrow}{weights}</div>{note}'


def _html_matrix(
    told: _Told, name: str, head: int | None, *, turned: bool = False, bars: bool = False
) -> str:
    rows = told.trace.matrix(name, head)
    show = told.show(rows, given=told.given(name, head))
    down, across = (told.labels(name, axis, len(rows[0]) if axis else len(rows)) for axis in (0, 1))
    order = [[(i, j) for j in range(len(rows[0]))] for i in range(len(rows))]
    if turned:
        down, across = across, down
        order = [list(column) for column in zip(*order, strict=True)]
    where = "" if head is None else str(head)

    def cell(i: int, j: int) -> str:
        bar = f' style="--bar:{rows[i][j]:.4f}"' if bars else ""
        return f'<td data-cell="{name}|{where}|{i}|{j}"{bar}>{show(rows[i][j])}</td>'

    lines = (_html_row(label, [cell(i, j) for i, j in line]) for label, line in zip(down, order, strict=True))
    caption = _html_symbol(told.symbol(name, head) + ("ᵀ" if turned else ""))
    head_row = "".join(f"<th><bdi>{escape(label)}</bdi></th>" for label in across)
    return f"<table><caption>{caption}</caption><tr><td></td>{head_row}</tr>{''.join(lines)}</table>"


def _html_row(label: str, cells: list[str]) -> str:
    return f"<tr><th><bdi>{escape(label)}</bdi></th>{''.join(cells)}</tr>"


def _html_closing(told: _Told) -> str:
    keys, heads = key_tokens(told.example), looked_at(told.trace)
    name = catalogue(told.language).gettext(_HEAD)
    titles = "".join(f"<th>{escape(name.format(head=head + 1))}</th>" for head in range(len(heads)))
    lines = []
    for query, token in enumerate(told.example.tokens):
        found = (head[query] for head in heads)
        cells = [
            f"<td>{escape(told.say('nothing'))}</td>"
            if one is None
            else f"<td><bdi>{escape(keys[one[0]])}</bdi> {rounded(one[1], told.decimals)}</td>"
            for one in found
        ]
        lines.append(_html_row(token, cells))
    looks = escape(told.say("looks"))
    table = (
        f'<table class="looks"><caption>{looks}</caption><tr><td></td>{titles}</tr>{"".join(lines)}</table>'
    )
    end = result_of(told.example)
    result = "" if end is None else _html_matrix(told, end, None)
    return f'<div class="row">{result}{table}</div>'


def _html_symbol(text: str) -> str:
    """``W_Q`` with its subscript, ``Kᵀ`` with its superscript."""
    return '<span class="symbol">' + re.sub(r"_(\w+?)(?=\b|ᵀ)", r"<sub>\1</sub>", escape(text)) + "</span>"


def _html_rich(text: str) -> str:
    """A sentence of ours, its W_Q with a subscript and its e^−∞ with a superscript."""
    text = re.sub(r"(?<=[A-Za-z])_([A-Za-z]\w*)", r"<sub>\1</sub>", escape(text), flags=re.ASCII)
    return re.sub(r"\^([−\d∞]+)", r"<sup>\1</sup>", text)


_POWER = re.compile(r"e\^(?:\(((?:[^()]|\([^()]*\))*)\)|([\d.]+(?:e[+−]?\d+)?))")
"""e to a power in a line of arithmetic: to anything in parentheses, or to a number."""


def _html_line(line: str) -> str:
    """A line of arithmetic: what stands above e as a superscript, what follows _ as a subscript."""
    line = _POWER.sub(lambda power: f"e<sup>{power[1] or power[2]}</sup>", escape(line))
    return re.sub(r"_([^\W_]+)", r"<sub>\1</sub>", line)


_STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6eaf0); --paper: light-dark(#ffffff, #12161c);
  --line: light-dark(#dfe3ea, #2c3440); --muted: light-dark(#566171, #9aa5b5); --soft: light-dark(#f6f7f9, #1b212a);
  --weight: light-dark(#8fd0dc, #0d7089); }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1.05rem; margin-bottom: 0; }
em { color: var(--muted); font-style: normal; } .note, .source { color: var(--muted); }
nav ol { columns: 12rem; } a { color: inherit; }
.symbol, .formula { font-family: "STIX Two Math", "Cambria Math", Georgia, "Noto Serif", serif; }
.formula { font-size: 1.25rem; margin: 0.4rem 0; }
.row { display: flex; flex-wrap: wrap; gap: 1rem 1.4rem; align-items: center; overflow-x: auto; }
.product { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem 1.2rem; overflow-x: auto; }
.product > div { align-self: end; }
.product td { box-sizing: border-box; min-width: calc(var(--cell) + 1rem); }
.product :is(td:first-child, tr:not(:first-child) th) { box-sizing: border-box; min-width: calc(var(--label) + 1rem); }
.product tr:not(:first-child) th { text-align: right; }
.arrow { font-size: 1.5rem; color: var(--muted); }
table { border-spacing: 2px; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.1rem 0.3rem; }
th { font-weight: 400; color: var(--muted); padding: 0.1rem 0.4rem; max-width: 10rem; overflow-wrap: anywhere; }
td { text-align: right; padding: 0.15rem 0.5rem; border-radius: 4px; min-width: 2.4em; }
td[data-cell] { background: var(--soft); }
td[style] { background: linear-gradient(90deg, var(--weight) calc(var(--bar) * 100%), var(--soft) 0); }
.sums { columns: 22rem; padding-left: 1.2rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.sums li { break-inside: avoid; }
.tokens { display: flex; flex-wrap: wrap; gap: 0.6rem; list-style: none; padding: 0; }
.tokens li { border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.9rem; font-size: 1.2rem; }
@media print {
  :root { color-scheme: light; } @page { margin: 15mm; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } nav { display: none; }
  /* A heading, its sentence and its formula stand with the picture that follows them. */
  h2, h3, h2 + p, .formula { break-after: avoid; break-inside: avoid; }
  table, .row, .product { break-inside: avoid; overflow: visible; }
  td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


# --- Markdown with LaTeX ---------------------------------------------------------------------------------------


def as_markdown(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as Markdown, its formulas in LaTeX between dollar signs."""
    told = _Told(trace, language, decimals)
    parts = [f"# {_plain(told.title)}"]
    parts += [_plain(text) for text in (told.note,) if text]
    if told.example.source:
        parts.append(_plain(told.say("source", source=told.example.source)))
    for number, stage in enumerate(told.stages, 1):
        parts += [f"## {told.heading(number, stage)}", *_markdown_stage(told, stage)]
    return "\n\n".join(parts) + "\n"


def _markdown_stage(told: _Told, stage: Stage) -> Iterator[str]:
    yield f"{_markdown_rich(told.said(stage.words.what))} {_markdown_rich(told.said(stage.words.why))}"
    match stage.kind:
        case "tokens":
            yield " · ".join(_plain(token) for token in told.example.tokens)
            if told.example.context is not None:
                yield " · ".join(_plain(token) for token in key_tokens(told.example))
        case "inputs" | "given":
            for name, head in dict.fromkeys((part.matrix, part.head) for part in stage.parts):
                yield f"$$\n{_tex(told.symbol(name, head))} {_tex_told(told, name, head)}\n$$"
        case "step":
            yield from _markdown_step(told, stage.steps[0], stage.head)
        case "head":
            for step, words in zip(stage.steps, stage.step_words, strict=True):
                yield f"### {told.said(words.title)}"
                yield from _markdown_step(told, step, stage.head)
        case "closing":
            yield _markdown_closing(told)


def _markdown_rich(text: str) -> str:
    """A sentence of ours, its symbols between dollar signs."""
    text = re.sub(r"√?[A-Za-z]_[A-Za-z]\w*", lambda match: f"${_tex(match[0])}$", text, flags=re.ASCII)
    return text.replace("e^−∞", "$e^{-\\infty}$")


def _markdown_step(told: _Told, step: Step, head: int | None) -> Iterator[str]:
    name = _tex(told.symbol(step.name, head))
    lines = [f"{name} &= {_tex(formula(step, told.example))}"]
    if layout_of(step) == "product":
        operands = operands_of(told.trace, step, head)
        first, second, *bias = (
            _tex_matrix(told, operand.name, owner, turned=operand.index == "jk")
            for operand, owner in operands
        )
        sign = "≈" if any(told.relation(operand.name, owner) == "≈" for operand, owner in operands) else "="
        sums = " + ".join([f"{first} {second}", *(_ones(told, step, head) + one for one in bias)])
        lines.append(f"&{_tex_line(sign)} {sums}")
    lines.append(f"&{_tex_told(told, step.name, head)}")
    yield "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"
    yield from told.remarks(step, head)
    yield "\n".join(
        f"- ${_tex_cell(name, cell.row + 1, cell.col + 1)} = {_tex_line(line)}$"
        for cell, line in told.sums(step, head)
    )
    more = told.left_out(step, head)
    if more:
        yield told.say("first", count=more)


def _ones(told: _Told, step: Step, head: int | None) -> str:
    """A column of ones, which hands a bias to every row."""
    count = len(told.trace.matrix(step.name, head))
    return "\\begin{pmatrix} " + " \\\\ ".join(["1"] * count) + " \\end{pmatrix} "


def _tex_cell(name: str, row: object, col: object) -> str:
    """A cell of a matrix: a name that has a subscript itself stands in parentheses."""
    return f"{f'({name})' if '_' in name or '/' in name else name}_{{{row},{col}}}"


def _tex_matrix(told: _Told, name: str, head: int | None, *, turned: bool = False) -> str:
    rows = told.trace.matrix(name, head)
    show = told.show(rows, given=told.given(name, head))
    laid = [list(column) for column in zip(*rows, strict=True)] if turned else rows
    body = " \\\\ ".join(" & ".join(_tex_line(show(number)) for number in row) for row in laid)
    return f"\\begin{{pmatrix}} {body} \\end{{pmatrix}}"


def _tex_told(told: _Told, name: str, head: int | None) -> str:
    """A matrix after the sign that says whether its numbers are rounded."""
    return f"{_tex_line(told.relation(name, head))} {_tex_matrix(told, name, head)}"


def _tex(text: str) -> str:
    """A formula as the graph writes it, such as ``softmax(S/√d_k)``, in LaTeX."""

    def name(match: re.Match[str]) -> str:
        word, under = match[1], match[2]
        told = word if len(word) == 1 else f"\\mathrm{{{word}}}"
        return told + (f"_{{{under}}}" if under else "")

    found = re.sub(r"([A-Za-z]+)(?:_([A-Za-z0-9]+))?", name, text)
    found = re.sub(r"√(\w(?:_\{\w+\})?)", r"\\sqrt{\1}", found)
    for sign, tex in (("ᵀ", "^{\\top}"), ("·", " \\cdot "), ("÷", " \\div "), (" | ", " \\mid "), ("−", "-")):
        found = found.replace(sign, tex)
    return found


def _tex_line(line: str) -> str:
    """A line of arithmetic in LaTeX."""
    copied = re.match(r"(\S+)\[(\d+), (\d+)\]", line)  # head_2[1, 1] ≈ 4.9999
    if copied:
        return _tex_cell(_tex(copied[1]), copied[2], copied[3]) + _tex_line(line[copied.end() :])
    line = _POWER.sub(lambda power: f"e^{{{power[1] or power[2]}}}", line)
    line = re.sub(r"(?<=\d)e([+−]?)(\d+)", r"\\cdot 10^{\1\2}", line)
    for sign, tex in (
        ("−∞", "-\\infty"),
        ("·", " \\cdot "),
        ("÷", "\\div"),
        ("≈", "\\approx"),
        ("→", "\\to"),
        ("−", "-"),
        ("^{+", "^{"),
    ):
        line = line.replace(sign, tex)
    return line


def _markdown_closing(told: _Told) -> str:
    keys, heads = key_tokens(told.example), looked_at(told.trace)
    name = catalogue(told.language).gettext(_HEAD)
    titles = [name.format(head=head + 1) for head in range(len(heads))]
    lines = [f"| {told.say('query')} | " + " | ".join(titles) + " |", "| --- |" + " --- |" * len(heads)]
    for query, token in enumerate(told.example.tokens):
        found = (head[query] for head in heads)
        cells = (
            told.say("nothing") if one is None else f"{_plain(keys[one[0]])} {rounded(one[1], told.decimals)}"
            for one in found
        )
        lines.append(f"| {_plain(token)} | " + " | ".join(cells) + " |")
    looks = f"{told.say('looks_list')}\n\n" + "\n".join(lines)
    end = result_of(told.example)
    if end is None:
        return looks
    return f"$$\n{_tex(told.symbol(end, None))} {_tex_told(told, end, None)}\n$$\n\n{looks}"


def _plain(text: str) -> str:
    """A visitor's text as text: one line, and nothing in it means anything to Markdown, LaTeX or HTML."""
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~&^\"':=/@])", r"\\\1", one_line)
