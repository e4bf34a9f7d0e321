"""What a notebook's cell shows of an example: its page, in a frame, in one language."""

import gzip
import json
import re
import subprocess
import sys
from base64 import b85decode
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

import mha_core
from mha_core import built_in, from_arrays, library, trace
from mha_core.example.files import parse
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_view.notebook import page
from mha_view.notebook.frame import framed
from mha_view.page.source import script as source

MOST = 256_000
"""Bytes of a cell with a built-in example."""
HOSTILE = "\"'></iframe><script>alert(1)</script>"


def document(shown):
    """The document in the one frame of a cell."""
    (text,) = re.fullmatch(r'<iframe [^<>]* srcdoc="([^"<>]*)"></iframe>', shown).groups()
    return unescape(text)


def unpacked(shown):
    """What the document in a cell unpacks, by id; its script, which has none, is "script"."""
    (packed,) = re.findall(r'id="script">(.*?)</script>', document(shown))
    elements = json.loads(gzip.decompress(b85decode(packed.translate(str.maketrans(",./", "&<>")))))
    return {properties.get("id", name): properties["textContent"] for name, properties in elements}


@pytest.mark.parametrize("name", library())
def test_a_cell_of_every_built_in_example_is_small(name):
    assert len(page(built_in(name)).encode()) <= MOST


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_the_example_in_the_shell_s_language_alone(language, monkeypatch):
    monkeypatch.setenv("LANGUAGE", language)
    shown = page(built_in("causal"))
    data = json.loads(unpacked(shown)["data"])
    assert [*data["languages"]] == [language]
    assert f'<html lang="{LANGUAGE[language].tag}">' in document(shown)
    assert parse(json.dumps(data["file"]).encode()) == built_in("causal")


def test_a_trace_shows_the_page_of_its_example():
    example = built_in("programming")
    assert page(trace(example)) == page(example)


def test_a_visitor_s_text_is_markup_neither_in_the_notebook_nor_in_the_frame():
    example = replace(built_in("first"), title=HOSTILE, tokens=(HOSTILE, "<b>", "&"))
    shown = page(example)
    assert HOSTILE not in shown
    assert HOSTILE not in document(shown)
    assert document(shown).count("<script") == document(page(built_in("first"))).count("<script")
    assert json.loads(unpacked(shown)["data"])["languages"]["en"]["explore"]["labels"]["n_q"][0] == HOSTILE


def test_the_frame_s_sandbox_allows_scripts_and_nothing_else():
    attributes = re.match("<iframe (.*?)>", framed("<p>", "A < B", height="4em"))[1]
    assert 'sandbox="allow-scripts" title="A &lt; B"' in attributes
    assert "height: 4em" in attributes
    assert 'srcdoc="&lt;p&gt;"' in attributes


def test_its_scripts_ask_for_nothing_and_the_policy_forbids_it():
    shown = page(built_in("first"))
    assert not re.search(
        r"\bfetch\(|XMLHttpRequest|EventSource|\bimport\(|sendBeacon", unpacked(shown)["script"]
    )
    assert "default-src 'none'" in document(shown)
    assert "connect-src 'none'" in document(shown)


def test_of_a_large_example_it_has_the_sizes_and_says_why():
    row = (1.0,) * 64
    heads = [{"w_q": [row] * 64, "w_k": [row] * 64, "w_v": [row] * 64}] * 16
    shown = page(from_arrays(x=[row] * 64, heads=heads, title="<b>"))
    assert shown.startswith("<table><caption>&lt;b&gt;</caption><tr><th>n_q</th><td>64</td></tr>")
    assert "computed numbers" in shown


def test_without_the_package_it_has_the_sizes_and_says_what_is_missing(monkeypatch):
    source.cache_clear()
    monkeypatch.setitem(sys.modules, "rjsmin", None)
    shown = page(built_in("first"))
    assert shown.endswith("<p>this requires the package rjsmin: pip install -r requirements-notebook.txt</p>")
    assert "<tr><th>n_q</th><td>3</td></tr>" in shown


def test_in_a_checkout_an_example_and_a_trace_show_it_without_an_entry_point():
    example = built_in("first")
    assert example._repr_html_() == trace(example)._repr_html_() == page(example)


ALONE = """
import mha_core as mha
print(mha.built_in("first")._repr_html_())
"""


def test_without_a_package_that_renders_it_an_example_is_text(tmp_path):
    (tmp_path / "mha_core").symlink_to(Path(mha_core.__file__).parent)
    command = [sys.executable, "-c", ALONE]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout == "None\n"


def test_a_widget_without_its_package_is_one_sentence_that_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "mha_view.notebook.widget", raising=False)
    with pytest.raises(mha_core.ExportError) as caught:
        from mha_view.notebook import Widget  # noqa: F401
    assert (
        str(caught.value) == "this requires the package anywidget: pip install -r requirements-notebook.txt"
    )
