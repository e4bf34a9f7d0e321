"""Every step of an example as LaTeX or Markdown: formulas and numbers follow from the declared computation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mha_core.compute.derive import relation
from mha_core.compute.graph import formula, symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Rows, Trace, input_matrix
from mha_core.errors import N_
from mha_core.example.model import Example, has_values, key_tokens, mask_sentences, text_in
from mha_core.export.text import is_cjk, latex, markdown
from mha_core.messages import CJK_CLASS, LANGUAGE, catalogue
from mha_core.numbers import rounded
from mha_core.vocabulary import ENTRY, LAYER_INPUTS, NAMES, PER_HEAD, PER_HEAD_INPUTS, STARTS, TARGETS, noun

DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Table:
    """One matrix to print: the heads that have it (empty for the whole layer), its symbol, numbers and labels."""

    heads: range
    symbol: str
    rows: Rows
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, the equation of the matrices under it ("" where they are given), and these matrices."""

    heading: str
    equation: str
    tables: tuple[Table, ...]


def sections(computed: Trace, words: Callable[[str], str]) -> Iterator[Section]:
    """The inputs, then every step in the order of the computation."""
    example = computed.example
    given = [
        _table(example, name, head, rows)
        for names, heads in ((LAYER_INPUTS, [None]), (PER_HEAD_INPUTS, list(range(len(example.heads)))))
        for head in heads
        for name in names
        if (rows := input_matrix(example, name, head)) is not None
    ]
    if given:
        yield Section(words(N_("Given")), "", tuple(given))
    starts = [
        _table(example, name, head, rows)
        for head in range(len(example.heads))
        for name in STARTS
        if (rows := input_matrix(example, name, head)) is not None
    ]
    if starts:
        yield Section(words(N_("Heads that start at a later step")), "", tuple(starts))
    for step in computed.steps:
        yield Section(
            _capital(words(NAMES[step.name])),
            _equation(step, example),
            tuple(_step_tables(computed, step)),
        )
    yield from _backward_sections(computed, words)


def _backward_sections(computed: Trace, words: Callable[[str], str]) -> Iterator[Section]:
    """The target of a goal, its loss, and the derivative by every matrix; nothing where there is no goal."""
    example = computed.example
    if example.learning is None:
        return
    target = TARGETS[example.learning.step]
    names = (
        (target, "given_rows") if None in example.learning.targets and target not in PER_HEAD else (target,)
    )
    heads: Sequence[int | None] = range(len(example.heads)) if target in PER_HEAD else (None,)
    tables = (
        _table(example, name, head, rows)
        for name in names
        for head in heads
        if (rows := input_matrix(example, name, head)) is not None
    )
    yield Section(_capital(noun(target, words)), "", tuple(tables))
    places = list(computed.declared_backward.places())
    for name, step in computed.declared_backward.by_name().items():
        tables = (
            _table(example, name, head, computed.matrix(name, head))
            for one, head in places
            if one.name == name
        )
        yield Section(_capital(noun(name, words)), _equation(step, example), tuple(tables))


def _step_tables(computed: Trace, step: Step) -> Iterator[Table]:
    """The step's matrix in every head that computes it, or the layer's one."""
    example = computed.example
    if not step.per_head:
        yield _table(example, step.name, None, computed.matrix(step.name))
        return
    for head, rows in enumerate(computed.values[step.name]):
        if rows is not None and input_matrix(example, step.name, head) is None:
            yield _table(example, step.name, head, rows)


def _table(example: Example, name: str, head: int | None, rows: Rows) -> Table:
    down, across = ENTRY[name].axes
    heads = range(0)
    if head is not None:
        group = len(example.heads) // (example.kv_heads or len(example.heads)) if ENTRY[name].shared else 1
        heads = range(head, head + group)
    return Table(
        heads,
        _letter(name, example),
        rows,
        _labels(example, down, len(rows)),
        _labels(example, across, len(rows[0])),
    )


def _letter(name: str, example: Example) -> str:
    return "head_i" if name == "head_outputs" else symbol(name, example)


def _equation(step: Step, example: Example) -> str:
    """The step in symbols, with the row or the pair where symbols alone would be ambiguous."""
    left, first = _letter(step.name, example), symbol(step.operands[0].name, example)
    match step.op:
        case "norm":
            return f"{left}[i] = √(Σ {first}[i]²)"
        case "rms":
            return f"{left}[i] = √(mean {first}[i]² + {symbol('eps', example)})"
        case "sinusoid":
            return f"{left} = sin {first}, cos {first}"
        case "rotate":
            return _rotation(step, example)
        case "add" | "multiply" if step.index == "(ij)c":
            left += "[i, j]"
        case "row_sums":
            return f"{left}[i] = Σ {first}[i, j]·{symbol(step.operands[1].name, example)}[i, j]"
        case "total" if step.index == "j":
            return f"{left}[j] = Σ {first}[i, j]"
    return f"{left} = {formula(step, example)}"


def _rotation(step: Step, example: Example) -> str:
    """``(Q_R[i, m], Q_R[i, m + 2]) = rotate((Q[i, m], Q[i, m + 2]), Θ[i, m])``: which columns are rotated together."""
    halves = example.positions is not None and example.positions.pairs == "half"
    pair = ("m", f"m + {example.dims.d_freq}") if halves else ("2m − 1", "2m")
    rotated, rows, angles = (symbol(name, example) for name in (step.name, *step.operand_names))
    left, right = (", ".join(f"{sign}[i, {col}]" for col in pair) for sign in (rotated, rows))
    return f"({left}) = rotate(({right}), {angles}[i, m])"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _labels(example: Example, axis: str, count: int) -> tuple[str, ...]:
    """Tokens along an axis of tokens, two tokens along an axis of pairs, else numbers from 1."""
    queries, keys = example.tokens, key_tokens(example)
    if axis == "1":
        return ("",)
    if axis == "n_q·n_k":
        return tuple(f"{query}, {key}" for query in queries for key in keys)
    tokens = {"n_q": queries, "n_k": keys}.get(axis, ())
    return tokens if len(tokens) == count else tuple(str(index + 1) for index in range(count))


# --- LaTeX -----------------------------------------------------------------------------------------------------

_TOKENS = re.compile(
    r"(?<![A-Za-z_√{])d(?P<slope>\([^)]*\)|‖[A-Z]‖|[A-Z]\u0302|(?:Concat|head|[A-Z]|m(?![a-z])|[a-z](?=_))(?:_[A-Za-z0-9]+)?)"
    r"(?P<turned>ᵀ)?|‖(?P<length>[^‖]+)‖|(?<! )\|(?P<size>[^|]+)\||√\((?P<root>.+)\)|(?P<hat>[A-Z])\u0302"
    r"|_(?P<below>[A-Za-z0-9]+)|(?P<word>[A-Za-z]{2,})|√d_k|[·∘÷ᵀ×Σ√−∞|²Θωℓ½]"
)
_SIGNS = {
    "·": r" \cdot ",
    "∘": r" \circ ",
    "ℓ": r"\ell ",
    "½": r"\tfrac{1}{2}",
    "÷": r" \div ",
    "×": r" \times ",
    "ᵀ": r"^{\top}",
    "²": r"^{2}",
    "Σ": r"\sum ",
    "∞": r"\infty ",
    "−": "-",
    "|": r" \mid ",
    "√": r"\surd ",
    "√d_k": r"\sqrt{d_k}",
    "Θ": r"\Theta ",
    "ω": r"\omega ",
}
_AROUND = {
    "length": r"\lVert {}\rVert ",
    "size": r"\lvert {}\rvert ",
    "root": r"\sqrt{{{}}}",
    "hat": r"\hat{{{}}}",
}
_FUNCTIONS = ("sin", "cos", "tanh", "ln")


def latex_formula(text: str) -> str:
    """A formula of the declared computation, such as ``softmax(S/√d_k)``, in LaTeX."""

    def sign(match: re.Match[str]) -> str:
        if match["slope"]:
            slope = rf"\frac{{\partial L}}{{\partial {latex_formula(match['slope'].strip('()'))}}}"
            return rf"\left({slope}\right)^{{\top}}" if match["turned"] else slope
        kind, part = match.lastgroup, match[match.lastgroup or 0]
        if kind is None:
            return _SIGNS[part]
        if kind == "below":
            return f"_{{{part}}}" if len(part) == 1 else rf"_{{\mathrm{{{part}}}}}"
        if kind == "word":
            return rf"\{part} " if part in _FUNCTIONS else rf"\operatorname{{{part}}}"
        return _AROUND[kind].format(latex_formula(part))

    return _TOKENS.sub(sign, text)


def latex_document(computed: Trace, decimals: int | None = None, language: str = "en") -> str:
    """A document of every step, to be compiled with XeLaTeX, LuaLaTeX or Tectonic."""
    decimals = DECIMALS if decimals is None else decimals
    example = computed.example
    words: Callable[[str], str] = catalogue(language).gettext
    title = text_in(example.title, language) or words(N_("An example"))
    body = "\n".join(_latex_section(section, decimals, words) for section in sections(computed, words))
    return _PREAMBLE.format(
        document_class=CJK_CLASS if is_cjk(title + body) else LANGUAGE[language].document_class,
        title=latex(title),
        decimals=words(N_("Numbers are rounded to {decimals} {decimals:decimal|decimals}.")).format(
            decimals=decimals
        ),
        body=body,
        mask_notes=_mask_notes(computed, words, latex),
    )


_PREAMBLE = r"""% xelatex, lualatex or tectonic
\documentclass{{{document_class}}}
\usepackage[margin=2cm]{{geometry}}
\usepackage{{amsmath}}
\usepackage{{graphicx}}
\usepackage{{textcomp}}
\setlength{{\parindent}}{{0pt}}
\postdisplaypenalty=10000 % a formula stays with its matrices
% A matrix that is wider than the page is made to fit.
\newcommand{{\fitted}}[1]{{%
  \resizebox{{\ifdim\width>\linewidth\linewidth\else\width\fi}}{{!}}{{$\displaystyle #1$}}\par\medskip}}
\title{{{title}}}
\date{{}}
\begin{{document}}
\maketitle
{decimals}{mask_notes}

{body}
\end{{document}}
"""


def _latex_section(section: Section, decimals: int, words: Callable[[str], str]) -> str:
    lines = [rf"\section*{{{latex(section.heading)}}}"]
    if section.equation:
        lines.append(rf"\[ {latex_formula(section.equation)} \]")
    lines += [_latex_table(table, decimals, words) for table in section.tables]
    return "\n".join(lines) + "\n"


def _latex_table(table: Table, decimals: int, words: Callable[[str], str]) -> str:
    """One matrix with its labels, as an array."""
    head = rf"\text{{{latex(_heads(table.heads, words))}: }}" if table.heads else ""
    across = " & ".join(("", *(rf"\text{{{latex(label)}}}" for label in table.column_labels)))
    rows = [
        " & ".join((rf"\text{{{latex(label)}}}", *(_latex_number(n, decimals) for n in numbers)))
        for label, numbers in zip(table.row_labels, table.rows, strict=True)
    ]
    columns = "r|" + "r" * len(table.rows[0])
    body = " \\\\\n".join([across + r" \\ \hline", *rows]).replace(r"\hline \\", r"\hline")
    sign = {"=": "=", "≈": r"\approx"}[relation(table.rows, lambda number: rounded(number, decimals))]
    return (
        rf"\fitted{{{head}{latex_formula(table.symbol)} {sign} \begin{{array}}{{{columns}}}" + "\n"
        f"{body}\n" + r"\end{array}}"
    )


def _latex_number(number: float, decimals: int) -> str:
    return rounded(number, decimals).replace("inf", r"\infty")


# --- Markdown --------------------------------------------------------------------------------------------------


def markdown_document(computed: Trace, decimals: int | None = None, language: str = "en") -> str:
    """Every step as headings, formulas and tables."""
    decimals = DECIMALS if decimals is None else decimals
    example = computed.example
    words: Callable[[str], str] = catalogue(language).gettext
    title = text_in(example.title, language) or words(N_("An example"))
    note = words(N_("Numbers are rounded to {decimals} {decimals:decimal|decimals}.")).format(
        decimals=decimals
    )
    parts = [f"# {markdown(title)}", note + _mask_notes(computed, words, markdown)]
    for section in sections(computed, words):
        parts.append(f"## {markdown(section.heading)}")
        if section.equation:
            parts.append(f"`{section.equation}`")
        for table in section.tables:
            head = f"{markdown(_heads(table.heads, words))}, " if table.heads else ""
            parts += [f"{head}`{table.symbol}`", _markdown_table(table, decimals)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table, decimals: int) -> str:
    lines = [
        "| " + " | ".join(("", *(markdown(label) for label in table.column_labels))) + " |",
        "|" + "---:|" * (len(table.rows[0]) + 1),
    ]
    for label, numbers in zip(table.row_labels, table.rows, strict=True):
        cells = (rounded(number, decimals).replace("-", "−").replace("inf", "∞") for number in numbers)
        lines.append("| " + " | ".join((f"**{markdown(label)}**" if label.strip() else "", *cells)) + " |")
    return "\n".join(lines)


def _heads(heads: range, words: Callable[[str], str]) -> str:
    if len(heads) == 1:
        return words(N_("Head {number}")).format(number=heads[0] + 1)
    return words(N_("Heads {first}–{last}")).format(first=heads[0] + 1, last=heads[-1] + 1)


def _mask_notes(computed: Trace, words: Callable[[str], str], escaped: Callable[[str], str]) -> str:
    """Sentences about the mask that its numbers do not show."""
    said = (words(template).format(**values) for template, values in mask_sentences(computed.example))
    return "".join(f" {escaped(sentence)}" for sentence in said) + _fully_masked_note(
        computed, words, escaped
    )


def _fully_masked_note(computed: Trace, words: Callable[[str], str], escaped: Callable[[str], str]) -> str:
    """A sentence on queries that may attend to nothing, where there are any."""
    example = computed.example
    queries = sorted({i for head in computed.fully_masked for i, row in enumerate(head) if row})
    if not queries:
        return ""
    tokens = ", ".join(f"{i + 1} ({escaped(example.tokens[i])})" for i in queries)
    sentence = words(
        N_("Queries that are not allowed to attend to any key get weights 0 and head output 0: {tokens}.")
    )
    if not has_values(example):
        sentence = words(N_("Queries that are not allowed to attend to any key get weights 0: {tokens}."))
    return " " + sentence.replace("{tokens}", tokens)
