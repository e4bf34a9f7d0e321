"""An example and its claimed numbers, written out as authors write: one function for each format and habit.

A writer returns the text. ``heading`` and ``sentence`` differ between the styles on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from mha_core.example.model import Example

ZH = {
    "x": "输入矩阵",
    "context": "编码器输出",
    "w_q": "查询权重矩阵",
    "w_k": "键权重矩阵",
    "w_v": "值权重矩阵",
    "q": "查询矩阵",
    "k": "键矩阵",
    "v": "值矩阵",
    "scores": "注意力分数",
    "scaled_scores": "缩放后的分数",
    "masked_scores": "掩码后的分数",
    "weights": "注意力权重",
    "head_outputs": "头输出",
    "concat": "拼接结果",
    "w_o": "输出权重矩阵",
    "output": "最终输出",
}
EN = {
    "x": "Input",
    "context": "Encoder output",
    "w_q": "Query weights",
    "w_k": "Key weights",
    "w_v": "Value weights",
    "q": "Queries",
    "k": "Keys",
    "v": "Values",
    "scores": "Raw scores",
    "scaled_scores": "Scaled scores",
    "masked_scores": "Masked scores",
    "weights": "Attention weights",
    "head_outputs": "Head output",
    "concat": "Concatenation",
    "w_o": "Output projection",
    "output": "Final output",
}
VARIABLES = {
    "x": "X",
    "context": "encoder_output",
    "w_q": "W_q",
    "w_k": "W_k",
    "w_v": "W_v",
    "q": "Q",
    "k": "K",
    "v": "V",
    "scores": "scores",
    "scaled_scores": "scaled_scores",
    "masked_scores": "masked_scores",
    "weights": "attn_weights",
    "head_outputs": "head_out",
    "concat": "concat",
    "w_o": "W_o",
    "output": "output",
}


def matrices(example: Example) -> Iterator[tuple[str, int | None, list[list[str | None]]]]:
    """Every matrix that the example gives or claims, in the order of the computation: name, head from 0, cells."""
    if example.x:
        yield "x", None, _digits(example.x)
    if example.context:
        yield "context", None, _digits(example.context)
    for g, head in enumerate(example.heads):
        for name in ("w_q", "w_k", "w_v", "q", "k", "v", "weights"):
            if getattr(head, name):
                yield name, g, _digits(getattr(head, name))
        for name, claim in (example.claimed or {}).items():
            if name not in ("concat", "output") and claim[g] is not None:
                yield name, g, [list(map(_text, row)) for row in claim[g]]
    claimed = example.claimed or {}
    if "concat" in claimed:
        yield "concat", None, [list(map(_text, row)) for row in claimed["concat"]]
    if example.w_o:
        yield "w_o", None, _digits(example.w_o)
    if "output" in claimed:
        yield "output", None, [list(map(_text, row)) for row in claimed["output"]]


def _digits(matrix) -> list[list[str | None]]:
    return [
        [f"{number:g}" if float(f"{number:g}") == number else repr(number) for number in row]
        for row in matrix
    ]


def _text(claim) -> str | None:
    return None if claim is None else str(claim)


def _divisor(example: Example, language: str) -> str:
    if example.scale == "none":
        return "Scores are not scaled here." if language == "en" else "这里不缩放。"
    return "Scores are divided by √d_k." if language == "en" else "分数要除以 √d_k。"


def _mask(example: Example, language: str) -> str:
    if example.mask != "causal":
        return ""
    return " A causal mask hides later tokens." if language == "en" else "使用因果掩码。"


def _latex(rows, environment="bmatrix") -> str:
    cells = [[{None: "?", "-inf": r"-\infty"}.get(cell, cell) for cell in row] for row in rows]
    body = " \\\\\n".join(" & ".join(row) for row in cells)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


def _symbol(name: str, head: int | None, count: int) -> str:
    """The letters of papers: ``W^Q_1``."""
    sub = f"_{{{head + 1}}}" if head is not None and count > 1 else ""
    letters = {
        "x": "X",
        "context": r"\text{Context}",
        "q": "Q",
        "k": "K",
        "v": "V",
        "w_q": "W^Q",
        "w_k": "W^K",
        "w_v": "W^V",
        "weights": "A",
        "head_outputs": "Z",
        "w_o": "W^O",
        "output": r"\text{Output}",
        "concat": r"\text{Concat}",
        "masked_scores": r"\text{Masked}",
    }
    if name == "scores":
        return f"Q{sub} K{sub}^\\top"
    if name == "scaled_scores":
        return f"\\frac{{Q{sub} K{sub}^\\top}}{{\\sqrt{{d_k}}}}"
    return letters[name] + sub


def markdown_latex(example: Example) -> str:
    """Display formulas with a left side."""
    count = len(example.heads)
    blocks = [
        f"Next comes this one:\n\n$$\n{_symbol(n, g, count)} = {_latex(rows)}\n$$"
        for n, g, rows in matrices(example)
    ]
    return (
        "\n\n".join(["# A small attention layer", _divisor(example, "en") + _mask(example, "en"), *blocks])
        + "\n"
    )


def markdown_tables(example: Example) -> str:
    """Headings and tables with bars."""
    out = ["# Attention by hand", _divisor(example, "en") + _mask(example, "en")]
    for name, head, rows in matrices(example):
        title = EN[name] + (f", head {head + 1}" if head is not None and len(example.heads) > 1 else "")
        width = len(rows[0])
        lines = [f"|   | {' | '.join(f'c{j + 1}' for j in range(width))} |", "|---" * (width + 1) + "|"]
        lines += [
            f"| t{i + 1} | {' | '.join('' if c is None else c for c in row)} |" for i, row in enumerate(rows)
        ]
        out += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(out) + "\n"


def chinese(example: Example) -> str:
    """Chinese with a section for each head, and pmatrix."""
    out, last = ["# 手算注意力", _divisor(example, "zh") + _mask(example, "zh")], None
    for name, head, rows in matrices(example):
        if head is not None and len(example.heads) > 1 and head != last:
            out.append(f"## 第{'一二三四'[head]}个头")
        last = head if head is not None else last
        out.append(f"{ZH[name]}为:\n\n$${_latex(rows, 'pmatrix')}$$")
    return "\n\n".join(out) + "\n"


def tex(example: Example) -> str:
    """A LaTeX article with aligned equations."""
    out = [
        r"\documentclass{article}",
        r"\begin{document}",
        r"\section{A worked layer}",
        _divisor(example, "en") + _mask(example, "en"),
    ]
    for name, head, rows in matrices(example):
        sub = f"^{{({head + 1})}}" if head is not None and len(example.heads) > 1 else ""
        letter = {"w_q": f"W_Q{sub}", "w_k": f"W_K{sub}", "w_v": f"W_V{sub}", "w_o": "W_O"}.get(name)
        letter = (
            letter
            or {
                "q": "Q",
                "k": "K",
                "v": "V",
                "x": "X",
                "scores": "S",
                "weights": "A",
                "head_outputs": "O",
            }.get(name, "")
            + sub
        )
        if name in ("context", "scaled_scores", "masked_scores", "concat", "output"):
            letter = (
                r"\mathrm{"
                + {
                    "context": "Context",
                    "scaled_scores": "Scaled",
                    "masked_scores": "Masked",
                    "concat": "Concat",
                    "output": "MultiHead",
                }[name]
                + "}"
                + sub
            )
        columns = "c" * len(rows[0])
        body = _latex(rows, "array").replace("{array}", "{array}{" + columns + "}", 1)
        out.append(f"\\begin{{align}}\n  {letter} &= \\left[{body}\\right] % checked\n\\end{{align}}")
    return "\n\n".join([*out, r"\end{document}"]) + "\n"


def html(example: Example) -> str:
    """A page with a caption and a table for every matrix."""
    out = [
        "<!DOCTYPE html><html><head><title>Attention</title><style>td{color:red}</style></head>",
        "<body><h1>Attention, step by step</h1>",
    ]
    out.append(f"<p>{_divisor(example, 'en')}{_mask(example, 'en')}</p>")
    for name, head, rows in matrices(example):
        sub = f" (head {head + 1})" if head is not None and len(example.heads) > 1 else ""
        cells = "\n".join(
            "<tr>"
            + "".join(f"<td>{'' if c is None else c.replace('-inf', '&minus;&infin;')}</td>" for c in row)
            + "</tr>"
            for row in rows
        )
        out.append(f"<h3>{EN[name]}{sub}</h3>\n<table>\n{cells}\n</table>")
    return "\n".join([*out, "</body></html>"]) + "\n"


def notebook(example: Example) -> str:
    """Inputs as assignments, results as prints of torch."""
    cells = [_markdown_cell("# Attention in torch\n\n" + _divisor(example, "en") + _mask(example, "en"))]
    claims = set(example.claimed or {})
    given = [one for one in matrices(example) if one[0] not in claims]
    source = "import torch\n\n" + "\n".join(
        f"{_variable(name, head, example)} = torch.tensor({_python(rows)})" for name, head, rows in given
    )
    cells.append(_code_cell(source, ""))
    for name, head, rows in matrices(example):
        if name in claims:
            variable = _variable(name, head, example)
            cells.append(_code_cell(f"{variable} = step()\nprint({variable})", _torch(rows)))
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
    )


def _variable(name: str, head: int | None, example: Example) -> str:
    return VARIABLES[name] + (f"_{head + 1}" if head is not None and len(example.heads) > 1 else "")


def _python(rows) -> str:
    return (
        "["
        + ", ".join("[" + ", ".join("float('nan')" if c is None else c for c in row) + "]" for row in rows)
        + "]"
    )


def _torch(rows) -> str:
    lines = ["[" + ", ".join("nan" if c is None else c.rjust(8) for c in row) + "]" for row in rows]
    return "tensor([" + ",\n        ".join(lines) + "], grad_fn=<MmBackward0>)\n"


def _markdown_cell(text: str) -> dict[str, object]:
    return {"cell_type": "markdown", "id": "a", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code_cell(source: str, printed: str) -> dict[str, object]:
    outputs = (
        [{"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)}]
        if printed
        else []
    )
    return {
        "cell_type": "code",
        "id": "b",
        "metadata": {},
        "execution_count": 1,
        "source": source.splitlines(keepends=True),
        "outputs": outputs,
    }


def plain_text(example: Example) -> str:
    """Notes with NumPy's prints, without commas."""
    out = ["Notes on attention", _divisor(example, "en") + _mask(example, "en")]
    for name, head, rows in matrices(example):
        title = EN[name] + (f" of head {head + 1}" if head is not None and len(example.heads) > 1 else "")
        lines = ["[" + " ".join("nan" if c is None else c for c in row) + "]" for row in rows]
        out.append(f"{title}:\n[" + "\n ".join(lines) + "]")
    return "\n\n".join(out) + "\n"


def program(example: Example) -> str:
    """A program with comments; results are literals too."""
    out = [
        '"""Check a layer by hand."""',
        "import numpy as np",
        f"# {_divisor(example, 'en')}{_mask(example, 'en')}",
    ]
    for name, head, rows in matrices(example):
        out.append(f"{_variable(name, head, example)} = np.array({_python(rows).replace('-inf', '-np.inf')})")
    return "\n".join(out) + "\n"


STYLES: dict[str, tuple[str, Callable[[Example], str]]] = {
    "markdown_latex": ("md", markdown_latex),
    "markdown_tables": ("md", markdown_tables),
    "chinese": ("md", chinese),
    "tex": ("tex", tex),
    "html": ("html", html),
    "notebook": ("ipynb", notebook),
    "plain_text": ("txt", plain_text),
    "program": ("py", program),
}
