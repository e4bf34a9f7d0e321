"""LaTeX and Markdown of every step: they compile, and their numbers are the trace's."""

import re
import shutil
import subprocess
from functools import lru_cache
from itertools import product
from math import isclose

import pytest
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMacroNode, LatexWalker

from mha_core import Example, Head, backend, built_in, library, trace, validate
from mha_core.compute.trace import input_matrix
from mha_core.example.model import NEG_INF, key_tokens
from mha_core.export import export
from mha_core.export.documents import latex_formula
from mha_core.export.text import latex, markdown
from mha_core.messages import LANGUAGES
from mha_core.numbers import rounded
from mha_core.vocabulary import LAYER_INPUTS, PER_HEAD_INPUTS
from tests.export.samples import HALVES, ROTARY, SAMPLES, changed
from tests.export.test_programs import HOSTILE, hostile
from tests.sizes import EVERY_STAGE, at_length, each, turns

EXAMPLES = {**library(), **SAMPLES}
HERE = backend("cpu", "float64")
DECIMALS = (None, 0, 2, 9)


def printed(example):
    """Every matrix that a document prints, in its order: the inputs, then the steps."""
    computed = trace(example, HERE)
    heads = range(len(example.heads))
    given = [input_matrix(example, name) for name in LAYER_INPUTS]
    given += [input_matrix(example, name, head) for head in heads for name in PER_HEAD_INPUTS]
    given += [input_matrix(example, name, head) for head in heads for name in ("q", "k", "v", "weights")]
    found = [rows for rows in given if rows is not None]
    for step in computed.steps:
        if not step.per_head:
            found.append(computed.matrix(step.name))
            continue
        own = [input_matrix(example, step.name, head) for head in heads]
        found += [rows for head, rows in enumerate(computed.values[step.name]) if rows and own[head] is None]
    return found


def assert_same_numbers(tables, example, decimals):
    wanted = printed(example)
    assert len(tables) == len(wanted)
    for table, rows in zip(tables, wanted, strict=True):
        assert [len(row) for row in table] == [len(row) for row in rows]
        for cells, numbers in zip(table, rows, strict=True):
            for cell, number in zip(cells, numbers, strict=True):
                if number == NEG_INF:
                    assert cell in (r"-\infty", "−∞")
                else:
                    assert abs(float(cell.replace("−", "-")) - number) <= 0.5 * 10**-decimals + 1e-15 * abs(
                        number
                    )


# --- LaTeX -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def parsed(text):
    """Its nodes, cached since tests use them more than once. The parser is strict: unbalanced braces raise."""
    nodes, _, _ = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    return nodes


def environments(text, name):
    """Every environment of this name."""
    found, waiting = [], list(parsed(text))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, LatexEnvironmentNode) and node.environmentname == name:
            found.append(node)
        inside = list(getattr(node, "nodelist", None) or [])
        arguments = getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
        waiting = [n for n in (*arguments, *inside) if n is not None] + waiting
    return found


def latex_tables(text):
    """The numbers of every array, without its labels."""
    tables = []
    for body in re.findall(r"\\begin\{array\}\{r\|r+\}\n(.*?)\n\\end\{array\}", text, re.DOTALL):
        head, *rows = body.split(r"\\")
        cells = [re.split(r"(?<!\\)&", row.replace(r"\hline", "")) for row in rows]
        assert all(len(row) == len(re.split(r"(?<!\\)&", head)) for row in cells)
        tables.append([[cell.strip() for cell in row[1:]] for row in cells])
    return tables


@each("name, decimals", turns(EXAMPLES, DECIMALS))
def test_latex_has_the_numbers_of_every_step(name, decimals):
    text = export(EXAMPLES[name], "latex", decimals)
    assert_same_numbers(latex_tables(text), EXAMPLES[name], 4 if decimals is None else decimals)


@each(
    "name, language",
    [
        *((name, "en") for name in (EXAMPLES if at_length() else dict.fromkeys([*EVERY_STAGE, *SAMPLES]))),
        *product(("padding", "hostile"), LANGUAGES),
    ],
)
def test_latex_parses(name, language):
    example = hostile() if name == "hostile" else EXAMPLES[name]
    text = export(example, "latex", language=language)
    assert len(environments(text, "document")) == 1
    arrays = environments(text, "array")
    assert len(arrays) == len(printed(example))
    allowed = {
        "documentclass", "usepackage", "setlength", "newcommand", "title", "date", "maketitle", "section", "fitted",
        "text", "textless", "textgreater", "textbackslash", "textbar", "textasciicircum", "textasciitilde",
        "textasciigrave", "textquotesingle", "textquotedbl", "operatorname", "mathrm", "cdot", "div", "sqrt", "top",
        "infty", "mid", "hline", "\\", "[", "]", "{", "}", "$", "&", "#", "_", "%", "parindent", "resizebox", "ifdim",
        "width", "linewidth", "else", "fi", "displaystyle", "par", "medskip", "sin", "cos", "tanh", "Theta", "omega",
        "lVert", "rVert", "lvert", "rvert", "sum", "hat", "postdisplaypenalty", "approx", "circ",
    }  # fmt: skip
    assert macros(text) <= allowed


@pytest.mark.parametrize("name", ["first", "output-projection", "padding", "saturated", "cosine"])
@pytest.mark.parametrize("decimals", [None, 2])
def test_latex_equals_where_every_digit_is_there_and_else_about(name, decimals):
    signs = re.findall(r"(\S+) \\begin\{array\}", export(EXAMPLES[name], "latex", decimals))
    places = 4 if decimals is None else decimals
    matrices = ([number for row in rows for number in row] for rows in printed(EXAMPLES[name]))
    exact = [
        all(number == NEG_INF or isclose(round(number, places), number, rel_tol=1e-12) for number in numbers)
        for numbers in matrices
    ]
    assert signs == ["=" if one else r"\approx" for one in exact]
    assert set(signs) == {"=", r"\approx"}


def macros(text):
    found, waiting = set(), list(parsed(text))
    while waiting:
        node = waiting.pop()
        if isinstance(node, LatexMacroNode):
            found.add(node.macroname)
        arguments = getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
        waiting += [n for n in (*arguments, *(getattr(node, "nodelist", None) or [])) if n is not None]
    return found


VARIANTS = ["additive", "bilinear", "cosine", "sinusoidal", "rotary", "alibi", "grouped-query"]


@pytest.mark.parametrize(
    "name",
    ["output-projection", "translation", "padding", "saturated", *VARIANTS, "ALiBi, added mask", "hostile"],
)
def test_latex_compiles(name, tmp_path):
    """With latexmk or tectonic where one is installed; elsewhere only the parsers above check the document."""
    example = hostile() if name == "hostile" else EXAMPLES[name]
    text = export(example, "latex")
    (tmp_path / "example.tex").write_text(text, "utf-8")
    latexmk, tectonic = shutil.which("latexmk"), shutil.which("tectonic")
    if latexmk and shutil.which("xelatex"):
        command = [latexmk, "-xelatex", "-interaction=nonstopmode", "-halt-on-error", "example.tex"]
    elif tectonic:
        command = [tectonic, "example.tex"]
    else:
        assert environments(text, "document")
        return
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert answer.returncode == 0, answer.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "example.pdf").stat().st_size > 5000
    log = (tmp_path / "example.log").read_text("utf-8", "replace") if latexmk else ""
    assert name == "hostile" or "Missing character" not in log


@pytest.mark.parametrize("target", ["latex", "markdown"])
def test_a_document_says_which_columns_are_turned_together(target):
    example = SAMPLES["rotary by halves, causal"]
    halves = "(Q_R[i, m], Q_R[i, m + 2]) = rotate((Q[i, m], Q[i, m + 2]), Θ[i, m])"
    neighbours = "(K_R[i, 2m − 1], K_R[i, 2m]) = rotate((K[i, 2m − 1], K[i, 2m]), Θ[i, m])"
    for formula, positions in ((halves, HALVES), (neighbours, ROTARY)):
        written = latex_formula(formula) if target == "latex" else f"`{formula}`"
        assert written in export(changed(example, positions=positions), target)


def test_formulas():
    assert latex_formula("softmax(S/√d_k)") == r"\operatorname{softmax}(S/\sqrt{d_k})"
    assert latex_formula("X·W_Q + b_Q") == r"X \cdot W_{Q} + b_{Q}"
    assert latex_formula("Q·Kᵀ") == r"Q \cdot K^{\top}"
    assert latex_formula("K_Rᵀ") == r"K_{R}^{\top}"
    assert latex_formula("‖Q_R‖[i] = √(Σ Q_R[i]²)") == r"\lVert Q_{R}\rVert [i] = \sqrt{\sum  Q_{R}[i]^{2}}"
    assert latex_formula("Q̂·K̂ᵀ") == r"\hat{Q} \cdot \hat{K}^{\top}"
    assert latex_formula("−m·|p − p_Cᵀ|") == r"-m \cdot \lvert p - p_{C}^{\top}\rvert "
    assert latex_formula("sin Θ, cos Θ") == r"\sin  \Theta , \cos  \Theta "
    assert latex_formula("[head_1 | head_2]") == r"[\operatorname{head}_{1}  \mid  \operatorname{head}_{2}]"


# --- Markdown --------------------------------------------------------------------------------------------------


def markdown_tables(text):
    tables = []
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        head, rule, *rows = block.strip().splitlines()
        assert re.fullmatch(r"\|(---:\|)+", rule)
        cells = [row.strip("|").split("|") for row in rows]
        assert {len(row) for row in [head.strip("|").split("|"), *cells]} == {rule.count("---:")}
        tables.append([[cell.strip() for cell in row[1:]] for row in cells])
    return tables


@each("name, decimals", turns(EXAMPLES, DECIMALS))
def test_markdown_has_the_numbers_of_every_step(name, decimals):
    text = export(EXAMPLES[name], "markdown", decimals)
    assert_same_numbers(markdown_tables(text), EXAMPLES[name], 4 if decimals is None else decimals)


def test_markdown_shows_a_visitor_s_text_as_text():
    text = export(hostile(), "markdown")
    assert len(markdown_tables(text)) == len(printed(hostile()))
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "<script" not in text
    assert r"&lt;script&gt;alert\(1\)&lt;\/script&gt;" in text
    assert markdown("*a*_b_`c`[d](e)|f#") == r"\*a\*\_b\_\`c\`\[d\]\(e\)&#124;f\#"


def test_documents_are_in_the_readers_language():
    text = export(built_in("first"), "markdown", language="zh")
    assert "# 思考 计算机 程序：两个头，手算一遍" in text
    assert "## 注意力权重" in text
    assert "第 1 个头" in text
    assert "四舍五入到小数点后 4 位" in text
    assert r"\section*{注意力权重}" in export(built_in("water"), "latex", language="zh")
    assert "{ctexart}" in export(built_in("first"), "latex")
    assert "{article}" in export(built_in("water"), "latex")


def test_every_step_of_a_variant_has_a_name_and_says_whose_rows_it_has():
    """No heading is a name from the file format; pairs are labelled by both tokens, shared matrices by their heads."""
    for name in VARIANTS:
        headings = re.findall(r"^## (.*)$", export(EXAMPLES[name], "markdown"), re.MULTILINE)
        assert all(heading[0].isupper() and "_" not in heading for heading in headings)
        headings = re.findall(r"^## (.*)$", export(EXAMPLES[name], "markdown", language="zh"), re.MULTILINE)
        assert not any(re.search("[A-Za-z]{5}", heading) for heading in headings)
    text = export(EXAMPLES["additive"], "markdown")
    assert "`Z[i, j] = Q_a[i] + K_a[j]`" in text
    assert r"| **小\, 大** |" in text
    text = export(EXAMPLES["grouped-query"], "markdown")
    assert "Heads 1–2, `W_K`" in text
    assert "Heads 3–4, `V`" in text
    assert "Head 2, `Q`" in text
    assert "`‖K‖[i] = √(Σ K[i]²)`" in export(EXAMPLES["cosine"], "markdown")


def test_a_heading_has_something_under_it():
    """Also where every head starts from Q and K, so that neither X nor any weight matrix is given."""
    head = Head(q=((1.0, 2.0),), k=((3.0, 4.0),), v=((5.0,),))
    text = export(validate(Example("start", ("a",), (head,))), "markdown")
    assert "## Heads that start at a later step" in text
    assert not re.search(r"^## [^\n]*\n+(?=## )", text, re.MULTILINE)
    assert "## Given" in export(EXAMPLES["first"], "markdown")


def test_a_query_that_sees_nothing_is_mentioned():
    assert r"head output 0: 3 (&lt;pad&gt;)." in export(built_in("padding"), "markdown")
    assert r"head output 0: 3 (\textless{}pad\textgreater{})." in export(built_in("padding"), "latex")


def test_tokens_label_rows_and_keys_label_columns():
    text = export(built_in("translation"), "markdown")
    assert "| | 我 | 喝 | 茶 |".replace("| |", "|  |") in text
    assert list(key_tokens(built_in("translation"))) == ["我", "喝", "茶"]
    assert "| **drink** |" in text


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (1.0, 4, "1"), (0.5, 4, "0.5"), (1 / 3, 4, "0.3333"), (0.99996, 4, "1.0000"), (-0.0, 4, "0"),
        (-0.00001, 4, "-0.0000"), (2.0, 0, "2"), (2.6, 0, "3"), (NEG_INF, 3, "-inf"), (100.0, 0, "100"),
        (1e12, 2, "1000000000000"),
    ],
)  # fmt: skip
def test_numbers(number, decimals, text):
    assert rounded(number, decimals) == text


def test_latex_text():
    assert latex(r"\input{a}_b^c~d#e%f&g$h") == (
        r"\textbackslash{}input\{a\}\_b\textasciicircum{}c\textasciitilde{}d\#e\%f\&g\$h"
    )
    assert latex("a\nb\u202e") == r"a\textbackslash{}u000ab\textbackslash{}u202e"
    assert len(HOSTILE) == len(changed(hostile()).tokens)
