"""The walk as Markdown, its formulas in LaTeX. A visitor's own texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mha_core.compute.graph import formula
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace
from mha_core.example.model import key_tokens
from mha_core.messages import LANGUAGE
from mha_core.numbers import fixed
from mha_core.walk.handout import EXPONENTIAL, Handout
from mha_core.walk.stages import Stage, layout_of, looked_at, operands_of, result_of


def as_markdown(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as Markdown, its formulas in LaTeX between dollar signs."""
    handout = Handout(trace, language, decimals)
    parts = [f"# {_escaped(handout.title)}"]
    parts += [_escaped(text) for text in (handout.note, handout.source, handout.rounded) if text]
    for number, stage in enumerate(handout.stages, 1):
        parts += [f"## {handout.heading(number, stage)}", *_markdown_stage(handout, stage)]
    return "\n\n".join(parts) + "\n"


def _markdown_stage(handout: Handout, stage: Stage) -> Iterator[str]:
    texts = (_markdown_rich(handout.text(text)) for text in (stage.words.what, stage.words.why))
    yield LANGUAGE[handout.language].between.join(texts)
    match stage.kind:
        case "tokens":
            yield " · ".join(_escaped(token) for token in handout.example.tokens)
            if handout.example.context is not None:
                yield " · ".join(_escaped(token) for token in key_tokens(handout.example))
        case "inputs" | "given":
            for name, head in dict.fromkeys((part.matrix, part.head) for part in stage.parts):
                yield f"$$\n{_tex(handout.symbol(name, head))} {_tex_result(handout, name, head)}\n$$"
        case "step":
            yield from _markdown_step(handout, stage.steps[0], stage.head)
        case "head":
            for step, words in zip(stage.steps, stage.step_words, strict=True):
                yield f"### {handout.text(words.title)}"
                yield from _markdown_step(handout, step, stage.head)
        case "closing":
            yield _markdown_closing(handout)


def _markdown_rich(text: str) -> str:
    """A sentence of ours, its symbols between dollar signs."""
    text = re.sub(r"√?\b[A-Za-z]_[A-Za-z]\w*", lambda match: f"${_tex(match[0])}$", text, flags=re.ASCII)
    return text.replace("e^−∞", "$e^{-\\infty}$")


def _markdown_step(handout: Handout, step: Step, head: int | None) -> Iterator[str]:
    name = _tex(handout.symbol(step.name, head))
    lines = [f"{name} &= {_tex(formula(step, handout.example))}"]
    if layout_of(step) == "product":
        operands = operands_of(handout.trace, step, head)
        first, second, *bias = (
            _tex_matrix(handout, operand.name, owner, transposed=operand.index == "jk")
            for operand, owner in operands
        )
        sign = (
            "≈" if any(handout.relation(operand.name, owner) == "≈" for operand, owner in operands) else "="
        )
        sums = " + ".join([f"{first} {second}", *(_ones(handout, step, head) + row for row in bias)])
        lines.append(f"&{_tex_line(sign)} {sums}")
    lines.append(f"&{_tex_result(handout, step.name, head)}")
    yield "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"
    yield from map(handout.say, handout.remarks(step, head))
    yield "\n".join(
        f"- ${_tex_cell(name, derivation.cell.row + 1, derivation.cell.col + 1)} = {_tex_line(line)}$"
        for derivation, line in handout.sums(step, head)
    )
    more = handout.left_out(step, head)
    if more:
        yield handout.say("first", count=more)


def _ones(handout: Handout, step: Step, head: int | None) -> str:
    """A column of ones, which adds a bias to every row."""
    count = len(handout.trace.matrix(step.name, head))
    return "\\begin{pmatrix} " + " \\\\ ".join(["1"] * count) + " \\end{pmatrix} "


def _tex_cell(name: str, row: object, col: object) -> str:
    """A cell of a matrix: a name that has a subscript already is put in parentheses."""
    return f"{f'({name})' if '_' in name or '/' in name else name}_{{{row},{col}}}"


def _tex_matrix(handout: Handout, name: str, head: int | None, *, transposed: bool = False) -> str:
    rows = handout.trace.matrix(name, head)
    show = handout.show(rows, given=handout.given(name, head))
    shown = zip(*rows, strict=True) if transposed else rows
    body = " \\\\ ".join(" & ".join(_tex_line(show(number)) for number in row) for row in shown)
    return f"\\begin{{pmatrix}} {body} \\end{{pmatrix}}"


def _tex_result(handout: Handout, name: str, head: int | None) -> str:
    """A matrix after the sign that says whether its numbers are rounded."""
    return f"{_tex_line(handout.relation(name, head))} {_tex_matrix(handout, name, head)}"


def _tex(text: str) -> str:
    """A formula as the graph writes it, such as ``softmax(S/√d_k)``, in LaTeX."""

    def name(match: re.Match[str]) -> str:
        word, under = match[1], match[2]
        letters = word if len(word) == 1 else f"\\mathrm{{{word}}}"
        return letters + (f"_{{{under}}}" if under else "")

    latex = re.sub(r"([A-Za-z]+)(?:_([A-Za-z0-9]+))?", name, text)
    latex = re.sub(r"√(\w(?:_\{\w+\})?)", r"\\sqrt{\1}", latex)
    for sign, tex in (("ᵀ", "^{\\top}"), ("·", " \\cdot "), ("÷", " \\div "), (" | ", " \\mid "), ("−", "-")):
        latex = latex.replace(sign, tex)
    return latex


def _tex_line(line: str) -> str:
    """A line of arithmetic in LaTeX."""
    copied = re.match(r"(\S+)\[(\d+), (\d+)\]", line)  # head_2[1, 1] ≈ 4.9999
    if copied:
        return _tex_cell(_tex(copied[1]), copied[2], copied[3]) + _tex_line(line[copied.end() :])
    line = EXPONENTIAL.sub(lambda power: f"e^{{{power[1] or power[2]}}}", line)
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


def _markdown_closing(handout: Handout) -> str:
    keys, heads = key_tokens(handout.example), looked_at(handout.trace)
    titles = [handout.head(head) for head in range(len(heads))]
    lines = [f"| {handout.say('query')} | " + " | ".join(titles) + " |", "| --- |" + " --- |" * len(heads)]
    for query, token in enumerate(handout.example.tokens):
        cells = (
            f"{_escaped(handout.tied([keys[key] for key in look.keys]))} {fixed(look.weight, handout.decimals)}"
            if look
            else handout.say("nothing")
            for look in (head[query] for head in heads)
        )
        lines.append(f"| {_escaped(token)} | " + " | ".join(cells) + " |")
    looks = f"{handout.say('looks_list')}\n\n" + "\n".join(lines)
    end = result_of(handout.example)
    if end is None:
        return looks
    return f"$$\n{_tex(handout.symbol(end, None))} {_tex_result(handout, end, None)}\n$$\n\n{looks}"


def _escaped(text: str) -> str:
    """A visitor's text on one line, with everything escaped that Markdown, LaTeX or HTML would interpret."""
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~&^\"':=/@])", r"\\\1", one_line)
