"""A page without a server: small, closed to everything but its own script, and safe with a visitor's text."""

import gzip
import json
import re
import sys
from base64 import b64encode, b85decode
from dataclasses import replace
from hashlib import sha256

import pytest

from mha_core import built_in, library, trace
from mha_core.__main__ import main
from mha_core.example.files import parse
from mha_core.example.lecture import Lecture
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_ui.command import _add
from mha_view.page import as_page
from mha_view.page.source import script as source
from tests.apply import apply
from tools.examples import sized

MOST = 400_000
"""Bytes of a page of a built-in example."""
HOSTILE = "</script><script>alert(1)</script><!-- \"'&\u2028"


def page(name="first", **options):
    example = built_in(name) if isinstance(name, str) else name
    return as_page(trace(example), **options)


def content(html, kind):
    """The content of the script element with this id, or with this type where it has no id."""
    (found,) = re.findall(rf"<script type=\"[^\"]*\"{kind}>(.*?)</script>", html, re.DOTALL)
    return found


def data_of(html):
    return json.loads(content(html, ' id="data"'))


def policy(html):
    (found,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    return dict(part.split(" ", 1) for part in found.split("; "))


def packed(html):
    """The elements that the document unpacks, by id; its script, which has none, is "script"."""
    elements = json.loads(
        gzip.decompress(b85decode(content(html, ' id="script"').translate(str.maketrans(",./", "&<>"))))
    )
    return {properties.get("id", name): properties["textContent"] for name, properties in elements}


def digest(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("name", library())
def test_every_built_in_example_makes_a_small_page_that_names_no_other_place(name):
    html = page(name)
    assert len(html.encode()) <= MOST
    script = packed(html)["script"]
    assert set(re.findall(r"\w+://[^\"\s]*", html + script)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bfetch\(|XMLHttpRequest|EventSource|\bimport\(|sendBeacon", script)


def test_the_policy_allows_the_page_s_own_scripts_and_stylesheets_and_no_request():
    html = page()
    rules = policy(html)
    *styles, script = packed(html).values()
    (unpacking,) = re.findall(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    assert rules["script-src"].split() == [digest(unpacking), digest(script)]
    assert rules["style-src-elem"].split() == [*map(digest, styles)]
    assert len(styles) == 3
    assert rules["img-src"] == "data:"
    for name in ("default-src", "connect-src", "base-uri", "form-action"):
        assert rules[name] == "'none'"
    assert html.index("Content-Security-Policy") < html.index("<title>")


def test_a_visitor_s_text_is_never_markup():
    example = replace(built_in("first"), title=HOSTILE, note=HOSTILE, tokens=(HOSTILE, "<b>", "&amp;"))
    html = page(example)
    assert html.count("<script") == page().count("<script")
    assert html.count("<!--") == 0
    texts = data_of(html)["languages"]["en"]
    assert texts["explore"]["labels"]["n_q"] == [HOSTILE, "<b>", "&amp;"]
    assert texts["walk"]["title"] == HOSTILE
    assert "<title>&lt;/script&gt;" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_in_every_language_and_its_own_for_a_browser_in_another(language):
    html = page(language=language)
    assert f'<html lang="{LANGUAGE[language].tag}">' in html
    data = data_of(html)
    assert data["first"] == language
    assert data["languages"].keys() == LANGUAGE.keys()
    assert {texts["words"]["lang"] for texts in data["languages"].values()} == {"en", "zh-CN"}
    assert all(word for texts in data["languages"].values() for word in texts["words"].values())


def test_the_file_in_it_is_the_example_s_without_what_only_its_lecturer_sees():
    example = replace(built_in("first"), lecture=Lecture(minutes=20))
    assert parse(json.dumps(data_of(page(example))["file"]).encode()) == built_in("first")


def test_a_causal_mask_is_not_painted_but_a_mask_of_numbers_is():
    masks = {
        name: data_of(page(name))["languages"]["zh"]["explore"]["matrices"]["mask"]
        for name in ("causal", "padding")
    }
    assert [masks["causal"]["edit"], masks["padding"]["edit"]] == [False, True]


def test_a_sentence_of_one_s_own_is_the_title_of_its_page():
    edit = {"op": "sentence", "which": "tokens", "tokens": ["we", "agree"]}
    assert "<title>“we agree”</title>" in page(replace(apply(built_in("first"), edit), title=None))


def test_the_largest_example_has_a_page_too():
    assert data_of(page(sized(32, 8, 8)))["languages"]["en"]["explore"]["dims"]["n_q"] == 32


# --- on the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def run(capfd, monkeypatch):
    """Runs ``mha page``: the status, what it writes, and its lines on standard error."""

    def command(*arguments, language="en"):
        monkeypatch.setenv("LANGUAGE", language)
        try:
            status: object = main(("page", *arguments), prog="mha", add_commands=_add)
        except SystemExit as end:
            status = end.code
        output = capfd.readouterr()
        return status, output.out, output.err.splitlines()

    return command


def test_the_command_line_writes_the_page_in_the_shell_s_language(run):
    status, html, lines = run("first", "--app", "https://course.example/attention", language="zh")
    assert (status, lines) == (0, [])
    assert '<html lang="zh-CN">' in html
    assert data_of(html)["app"] == "https://course.example/attention"


def test_it_reads_a_file_with_so_many_decimals(run, tmp_path):
    file = tmp_path / "own.mha.json"
    file.write_text(
        '{"format": "mha-example/1", "tokens": ["a"], "x": [[1]], "heads": [{"w_q": [[1]], "w_k": [[1]]}]}'
    )
    _, html, _ = run(str(file), "--decimals", "2")
    assert data_of(html)["languages"]["en"]["explore"]["decimals"] == 2
    assert "app" in data_of(html)
    assert data_of(html)["app"] == ""


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["none.json"], "none.json: there is no such file"),
        (
            ["none"],
            "none: there is no such file, and no such built-in example; the examples are: "
            + ", ".join(library()),
        ),
        (["first", "--decimals", "99"], "expected 0 to 15 decimals, got 99"),
        (
            ["first", "--app", "javascript:alert(1)"],
            "mha page: argument --app: expected an address such as https://course.example, got 'javascript:alert(1)'",
        ),
        (
            ["first", "--app", "https://"],
            "mha page: argument --app: expected an address such as https://course.example, got 'https://'",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(run, arguments, line):
    assert run(*arguments) == (2, "", [line])


def test_without_the_package_one_sentence_says_how_to_install_it(run, monkeypatch):
    source.cache_clear()
    monkeypatch.setitem(sys.modules, "rjsmin", None)
    status, html, (line,) = run("first")
    assert (status, html) == (2, "")
    assert line == "this requires the package rjsmin: pip install -r requirements.txt"
