"""What the text around a grid calls it: its left side, the formula before it, the sentence and the headings above.

``Q_1 = X W_Q = [[1, 2]]`` has the left side ``Q_1`` and the formula ``X W_Q``. Marks of LaTeX, Markdown and of programs
are taken away first, so that ``names`` sees the same letters in every format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mha_core.read.document import Document
from mha_core.read.grids import Grid

MOST_BEFORE: Final = 1500
"""How many characters before a grid are looked at."""
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹ₖᵥᵀ", "01234567890123456789kvT")
_WORDS_OF_LATEX: Final = (
    (re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\{[^{}]*\})?"), " "),
    (re.compile(r"\\(?:label|tag\*?|color|vspace|hspace|ref|cite)\s*\{[^{}]*\}"), " "),
    (re.compile(r"\\(?:textcolor)\s*\{[^{}]*\}"), " "),
    (re.compile(r"\\(?:section|subsection|subsubsection|paragraph|caption)\*?\s*\{([^{}]*)\}"), r"\n# \1\n"),
    (re.compile(r"\\(?:text|textbf|textit|mathbf|mathrm|mathit|mathsf|boldsymbol|bm|operatorname\*?|emph|hat|tilde|vec"
                r"|mathcal|mathbb|underbrace|overline|texttt)(?![a-zA-Z])\s*"), ""),
    (re.compile(r"\\(?:left|right|bigl?|bigr?|Bigl?|Bigr?|displaystyle|limits|centering|small"
        r"|item)(?![a-zA-Z])\s*[.]?"), " "),
    (re.compile(r"\\(?:top|intercal)(?![a-zA-Z])"), "T"),
    (re.compile(r"\\(?:approx|simeq|equiv|doteq)(?![a-zA-Z])|≈|≃|:=|←|\\leftarrow|\\gets"), "="),
    (re.compile(r"\\(?:cdot|times|otimes)(?![a-zA-Z])|[×·∙@]"), " · "),
    (re.compile(r"\\(?:rightarrow|Rightarrow|to|implies|longrightarrow)(?![a-zA-Z])|[→⇒⟹]|=>|->"), "="),
    (re.compile(r"\\[td]?frac\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}\s*\{((?:[^{}]"
        r"|\{[^{}]*\})*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\sqrt"), "√"),
    (re.compile(r"\\(?:quad|qquad|hfill|newline)(?![a-zA-Z])"), " ; "),
    (re.compile(r"\\(alpha|beta|sigma|omega)(?![a-zA-Z])"), r"\1"),
    (re.compile(r"\\\\(?:\\\\)?(?:\[[^\]]*\])?"), "\n"),
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"\\([_*#&%$\[\]()])"), r"\1"),
    (re.compile(r"[$&`]|\*\*|__(?=\s|$)"), " "),
)  # fmt: skip
_OPENING: Final = re.compile(
    r"(?:[\s(\[{|]|\b(?:torch|np|numpy|tf|jnp|nn|pd|mx)\s*\.\s*\w+\s*\(|\b(?:tensor|array|matrix|Parameter|DataFrame|list|Tensor"
    r"|Matrix|FloatTensor|constant|asarray)\s*\(?|Parameter containing:|\bOut\[\d+\]:)+$"
)
_BREAK: Final = re.compile(r"\n\s*\n|\n(?!\s*=)|[。；;!?！？]|\.\s|,\s|，|、|#|\|")
_SENTENCE: Final = re.compile(r"\n\s*\n|\n\s*(?=[#*\-\d])|[。！？!?]|\.\s(?=[A-Z\\$])")
_GLUE: Final = re.compile(r"(?:softmax|sqrt|√|T|\^|[\s=()\[\]{}/÷·*+\-.,\d_]|d_?k)*$", re.IGNORECASE)
_HEADING: Final = re.compile(
    r"^\s*(?:#+\s*.+|.{0,80}[:：]\s*|\*\*.{1,80}\*\*.*|-{2,}.{1,80}-{2,}|={2,}.{1,80}={2,}|>>>.*)$"
)
_HASH: Final = re.compile(r"\n[ \t]*#+ ?|^[ \t]*# ?")
_TIMES_WO: Final = re.compile(r"[\s\]})]*·?\s*\{?W\}?[\s_^{]*[Oo][\s}]*(?:\+.{1,12})?=\s*$")
_LEAD_IN: Final = re.compile(
    r"^(?:[-*•]\s+|(?:and|so|then|again|here|thus|hence|where|with|uses?|has|have|by|are|is|we (?:obtain|get|have)"
    r"|以及|和|与|则|有|得|最后|最终|于是|因此|再)\s+)+",
    re.IGNORECASE,
)
_MOST_HEADINGS: Final = 30
_ONE_OVER: Final = re.compile(r"\(?1\)?\s*/[\s(){}√\d.d_k]+·?")
_NEXT: Final = re.compile(r"(?:[\s,;，；、]|\band\b|[和与及])*")
"""What parts two grids of one list."""
_LEFT: Final = 80
"""The longest left side, in characters."""


@dataclass(frozen=True, slots=True)
class Label:
    """The texts around a grid, most telling first.

    ``left``: what is before the first ``=``, or before a colon. ``formula``: what is after it. ``sentence``: the last
    one before. ``headings``: short lines above, the nearest first; ``near`` of them are behind the grid before.
    ``operand``: how the grid is only an operand ("/" divided, "(" in a softmax, "W" before W_O, "·" in another
    product), else "".
    ``chained``: it follows the grid before in one chain of equations. ``turn``: which of several grids after one
    sentence it is. ``spoken``: the left side is a phrase before a colon or a line of its own. ``paragraph``: all
    that is before the grid in its paragraph.
    """

    left: str = ""
    formula: str = ""
    sentence: str = ""
    headings: tuple[str, ...] = ()
    operand: str = ""
    chained: bool = False
    turn: int = 0
    spoken: bool = False
    near: int = 0
    paragraph: str = ""


def plain(text: str) -> str:
    """The text without the marks of its format."""
    for pattern, replacement in _WORDS_OF_LATEX:
        text = pattern.sub(replacement, text)
    return text.translate(_SUBSCRIPTS)


def labels(document: Document, grids: Sequence[Grid]) -> list[Label]:
    """The label of each grid; the grids are in the order of the text."""
    text, found = document.text, list[Label]()
    for index, grid in enumerate(grids):
        before = grids[index - 1] if index else None
        if grid.part is not None and grid.part[0] and before is not None:
            found.append(found[-1])
            continue
        in_table = _in_table(text, grid.start) if grid.found != "table" else None
        if in_table is not None:
            found.append(Label(left=in_table[0], headings=(in_table[1],), paragraph=in_table[1]))
            continue
        edge = before.end if before is not None else 0
        if document.output_start(grid.start) > edge:
            before, edge = None, document.output_start(grid.start)
        raw = _before(document, max(edge, grid.start - MOST_BEFORE), grid)
        gap = _OPENING.sub("", plain(raw).rstrip())
        chained = before is not None and len(gap) < 80 and "\n\n" not in raw and bool(_GLUE.match(gap))
        chained = chained and (
            (not gap.strip() and (grid.found != "brackets" or "\n" not in raw))
            or gap.lstrip(" )]}\n")[:1] in ("=", "/", "·", "*", "+", "^", "T", "÷")
        )
        after = _after(text, grids, index)
        headings = _headings(text, grid.start)
        if (
            chained
            and before is not None
            and (gap.strip() or found[-1].operand or found[-1].left)
            and grid.label == ""
        ):
            operand = after or _in_product(gap, found[-1])
            found.append(
                Label(found[-1].left, found[-1].formula, found[-1].sentence, headings, operand, True)
            )
            continue
        near = sum(bool(_HEADING.match(line)) for line in raw.split("\n")[:-1])
        left, formula, spoken = _equation(gap)
        operand = after if (formula or left) and (after != "W" or "W" in formula) else ""
        if re.search(r"softmax[\s{}(]*$", formula or left, re.IGNORECASE) and _leads_on(text, grids, index):
            operand = "("
        if _ONE_OVER.fullmatch(formula.split("=")[-1].strip()) and _leads_on(text, grids, index):
            operand = "/"
        sentence = _sentence(gap)
        turn = 0
        if before is not None and _NEXT.fullmatch(gap) and not grid.label:
            left = ""
            sentence, turn = found[-1].sentence, found[-1].turn + 1
            if found[-1].spoken:
                sentence = sentence or found[-1].left
        found.append(
            Label(
                grid.label or left,
                formula,
                sentence,
                headings,
                operand,
                False,
                turn,
                spoken and not grid.label,
                near,
                plain(text[max(text.rfind("\n\n", 0, grid.start), grid.start - MOST_BEFORE, 0) : grid.start]),
            )
        )
    return found


def _before(document: Document, start: int, grid: Grid) -> str:
    """The text before a grid, without the signs of comments in a program."""
    raw = document.text[start : grid.start]
    return _HASH.sub("\n", raw) if document.format == "py" and grid.found != "program" else raw


def _in_table(text: str, at: int) -> tuple[str, str] | None:
    """For a matrix in a cell of a table: what its row is called, and its column."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if not line.lstrip().startswith("|") or line.count("|") < 2:
        return None
    above = text[: at - len(line)].split("\n")[:-1]
    top = len(above)
    while top and above[top - 1].lstrip().startswith("|"):
        top -= 1
    heads = (above[top] if top < len(above) else "").split("|")
    column = line.count("|")
    heading = plain(heads[column]).strip() if column < len(heads) else ""
    name = plain(line.split("|")[1]).strip()
    number = re.fullmatch(r"\D*(\d)\D*", heading)
    if number:  # Q_i below i = 1
        name = re.sub(r"(?<=[A-Za-z])_?\{?i\}?(?![a-z])|\^\{?\(i\)\}?", "", name)
        name, heading = f"{name}_{number[1]}", f"head {number[1]}"
    return (name, heading) if name else (heading, name)


def _after(text: str, grids: Sequence[Grid], index: int) -> str:
    """Why a grid is only an operand of what follows it: "/" where it is divided, else "·", or "" where it is none."""
    grid = grids[index]
    if index + 1 == len(grids) or (grid.found == "table" and grid.shape[0] > 1):
        return ""
    following = grids[index + 1]
    raw = text[grid.end : min(following.start, grid.end + 160)]
    gap = _OPENING.sub("", plain(raw))
    if following.start - grid.end > 160 or "\n\n" in raw:
        return ""
    if _TIMES_WO.match(gap):
        return "W"
    if not _GLUE.match(gap):
        return ""
    gap = re.sub(r"^(?:\s*\^\s*\{?T\}?|\s*T\b)", "", gap).lstrip(" \n]}")
    if gap.startswith(")") and "=" in gap:
        return "("
    if re.match(r"[/÷]", gap):
        return "/"
    if "\n" in raw.strip(" ") and not gap.strip():
        return ""
    return "" if gap.startswith(("=", ",")) or (not gap.strip() and grid.found != "latex") else "·"


def _leads_on(text: str, grids: Sequence[Grid], index: int) -> bool:
    """Whether another grid is set equal to this one."""
    if index + 1 == len(grids):
        return False
    return bool(re.fullmatch(r"[\s&\\]*=[\s&]*", text[grids[index].end : grids[index + 1].start]))


def _in_product(gap: str, before: Label) -> str:
    return "·" if before.operand == "·" and "=" not in gap else ""


def _equation(gap: str) -> tuple[str, str, bool]:
    """(left side, formula, whether it is a phrase before a colon or a line of its own)."""
    gap = gap.rstrip()
    start = 0
    for found in _BREAK.finditer(gap):
        if gap[found.end() :].strip(" ") and not _inside(gap, found.start()):
            start = found.end()
    statement = gap[start:].strip()
    if statement.startswith("=") and start:
        earlier = _equation(gap[: start - 1])
        return earlier[0], f"{earlier[1]} {statement}", earlier[2]
    parts = [part.strip() for part in statement.split("=")]
    if len(parts) > 2 and not parts[0]:  # S = [[1]] => A = [[1]]
        parts = parts[1:]
    if len(parts) > 1:
        return _last_clause(parts[0])[-_LEFT:], " = ".join(parts[1:]), False
    line = re.split(r"[.。!?！？]\s+|。", gap.split("\n")[-1].strip("#|>* -").rstrip(":： "))[-1].strip()
    return (line if len(line) <= _LEFT else ""), "", True


def _last_clause(text: str) -> str:
    """What is behind the last colon: ``for head 1: Q``."""
    text = re.split(r"[:：]\s?", text)[-1]
    if text.count("(") > text.count(")"):  # what \\( and \\[ of LaTeX leave
        text = text[text.rindex("(") + 1 :]
    return _LEAD_IN.sub("", text.strip().removeprefix("["))


def _inside(text: str, at: int) -> bool:
    """Whether a comma or a semicolon lies between brackets."""
    pairs = (("(", ")"), ("[", "]")) if text[at] in ",;；，" else ()
    return any(text.count(a, 0, at) > text.count(b, 0, at) and text.find(b, at) > 0 for a, b in pairs)


def _sentence(gap: str) -> str:
    parts = [part.strip() for part in _SENTENCE.split(gap.rstrip().rstrip(":："))]
    parts = [part for part in parts if part]
    return parts[-1][-400:] if parts else ""


def _headings(text: str, at: int) -> tuple[str, ...]:
    """Short lines above that announce something, the nearest first."""
    lines = text[max(0, at - 6 * MOST_BEFORE) : at].split("\n")[:-1]
    found = [line for line in reversed(lines) if len(line) <= 120 and _HEADING.match(line)]
    return tuple(plain(line).strip("#*- =:：>|") for line in found[:_MOST_HEADINGS])
