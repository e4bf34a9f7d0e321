"""Every picture of every kind of example: valid Plotly, without markup from tokens, with a title and a text."""

import ast
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest
from hypothesis import given

import mha_view.figures
from mha_core import trace
from mha_view.figures import FIGURES
from tests.core.strategies import examples
from tests.sizes import each, tries, turns
from tests.view.samples import NASTY, TRACES, draw, every_figure, sample, texts
from tests.view.test_labels import TEX

OF_THE_WHOLE = {"saturation"}
"""Pictures of means over heads and queries, which name none of them."""


@each("name, theme", turns(TRACES, ["light", "dark"]))
def test_plotly_accepts_every_picture(name, theme):
    for figure in every_figure(TRACES[name], theme=theme).values():
        assert set(figure.payload) == {"data", "layout"}
        go.Figure(figure.payload)


@each("name", TRACES)
def test_a_point_says_which_number_it_is(name):
    """So that the page can find a picture's cell in the tables, and the other way round."""
    computed, matrices = TRACES[name], set()
    last = len(computed.example.tokens) - 1
    for figure in every_figure(computed, query=last).values():
        for drawn in figure.payload["data"]:
            if "meta" not in drawn:
                continue
            source = drawn["meta"]
            rows = computed.matrix(source["matrix"], source["head"])
            matrices.add(source["matrix"])
            if drawn["type"] == "heatmap":
                assert len(drawn["z"]) == len(rows)
                for shown, row in zip(drawn["z"], rows, strict=True):
                    assert all(a in (None, b) for a, b in zip(shown, row, strict=True))
            else:
                assert drawn["y"] == rows[source["row"]]
    assert "weights" in matrices


@given(examples(claims=False))
@tries(6)
def test_every_example_can_be_drawn(example):
    computed = trace(example)
    for query in (0, len(example.tokens) - 1):
        for figure in every_figure(computed, query=query).values():
            go.Figure(figure.payload)
            assert figure.alt


@pytest.mark.parametrize("heads", range(1, 17))
def test_one_to_sixteen_heads(heads):
    figures = every_figure(sample(3, heads, d_out=2))
    assert len(figures) == len(FIGURES)
    for name, figure in figures.items():
        go.Figure(figure.payload)
        assert name in OF_THE_WHOLE or f"Head {heads}" in " ".join(texts(figure.payload))


@each("name", TRACES)
def test_titles_names_and_sizes(name):
    figures = every_figure(TRACES[name])
    assert len({figure.name for figure in figures.values()}) == len(figures)
    for figure in figures.values():
        assert re.fullmatch(r"[a-z0-9-]+", figure.name)
        assert figure.title
        assert 0 < figure.min_width <= 6000
        assert 150 <= figure.payload["layout"]["height"] <= 6000


@pytest.mark.parametrize("name", FIGURES)
def test_pictures_say_who_looks_at_whom(name):
    computed = TRACES["first"]
    alt = draw(computed, name).alt
    assert name in OF_THE_WHOLE or any(token in alt for token in computed.example.tokens)
    assert re.search(r"\d", alt)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_background_is_the_pages(theme):
    for figure in every_figure(TRACES["wide"], theme=theme).values():
        assert figure.payload["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_themes_differ_in_nothing_but_colours():
    light, dark = (every_figure(TRACES["nasty"], theme=theme) for theme in ("light", "dark"))
    for name in light:
        blank = [re.sub(r"#[0-9a-f]{6,8}\b", "#", repr(figures[name])) for figures in (light, dark)]
        assert blank[0] == blank[1]
        assert light[name] != dark[name]


def test_no_token_reaches_plotly_as_markup():
    tags = {"<br>", "<sub>", "</sub>"}
    for query in range(len(NASTY)):
        for figure in every_figure(TRACES["nasty"], query=query).values():
            for text in texts(figure.payload):
                assert set(re.findall(r"<[^<>]*>", text)) <= tags
                assert not TEX.search(text)
            templates = [part.get("hovertemplate") for part in figure.payload["data"]]
            assert not any(templates)  # there Plotly would expand a token's %{…}


def test_pictures_do_not_import_streamlit_plotly_or_pandas():
    for path in Path(mha_view.figures.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] in ("streamlit", "plotly", "pandas") for name in names), path


def test_every_text_can_be_translated():
    """Every text goes through gettext, and a translation may use its values in any order."""

    def shout(text):
        return re.sub(r"(\{\w+\})|([^{}]+)", lambda part: part[1] or part[2].upper(), text)

    for name, picture in FIGURES.items():
        figure = picture.build(TRACES["nasty"], theme="light", words=shout, query=0)
        assert figure.title.replace("<img onerror=…", "").upper() == figure.title.replace(
            "<img onerror=…", ""
        ), name
        assert "Head" not in " ".join(texts(figure.payload))
