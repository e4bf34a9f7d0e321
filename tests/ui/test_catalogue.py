"""The catalogues are complete, and the tool that checks them reports what is missing."""

import ast
import importlib.util
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from mha_core.messages import LANGUAGES
from mha_core.messages import catalogue as core_catalogue
from mha_view.language import words_in

ROOT = Path(__file__).resolve().parents[2]


def load():
    """``tools/catalogue.py``, which is a command and in no package."""
    spec = importlib.util.spec_from_file_location("catalogue", ROOT / "tools" / "catalogue.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load()
tool.extract = cache(tool.extract)  # the sources stay as they are while the tests run
every_catalogue = pytest.mark.parametrize(
    ("domain", "language"), [(domain, language) for domain in tool.DOMAINS for language in tool.TRANSLATIONS]
)


@every_catalogue
def test_every_message_is_translated(domain, language):
    assert tool.check(domain, language) == []


def test_every_language_but_the_sources_has_its_catalogues():
    assert set(tool.TRANSLATIONS) == set(LANGUAGES) - {"en"}


@every_catalogue
def test_every_extracted_message_is_used(domain, language):
    """The app reads the compiled catalogue, whose texts differ from those in the code."""
    words = words_in(language) if domain == "mha_view" else core_catalogue(language).gettext
    messages = [message.id for message in tool.extract(domain) if message.id]
    assert len(messages) > 40
    assert [text for text in messages if words(text) == text] == []


def test_messages_are_found_in_every_way_that_the_code_marks_them():
    core = {message.id for message in tool.extract("mha_core")}
    assert {
        "the link is damaged or incomplete",
        "this is not an edit",
        "the last one cannot be removed",
    } <= core
    page = {message.id for message in tool.extract("mha_view")}
    assert {"Attention weights", "{reason}. Showing “{title}” instead.", "Explore"} <= page


def marked(source):
    """The texts that a source file marks, as Python reads it: in f-strings too, and handed to ``words_in(…)``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.func if isinstance(node.func, ast.Call) else node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            handed_over = isinstance(node.func, ast.Call) and name == "words_in"
            if handed_over or (node.func is called and name in tool.KEYWORDS):
                yield node.args[0].value


@pytest.mark.parametrize("domain", tool.DOMAINS)
def test_the_extractor_misses_no_message(domain):
    """It does not look into f-strings, and what it misses would never be translated."""
    paths = [ROOT / part for part in tool.DOMAINS[domain]]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    texts = {text for file in files for text in marked(file.read_text("utf-8"))}
    assert texts == {message.id for message in tool.extract(domain) if message.id}


def test_what_follows_the_name_of_a_head_has_a_space_before_it():
    """The name ends with a number: “头 2 是”, not “头 2是”."""
    heads = re.compile(r"\{(head|first|second|who)\}[\u4e00-\u9fff]")
    texts = [
        str(message.string) for domain in tool.DOMAINS for message in tool._read(tool._po(domain, "zh"), "zh")
    ]
    assert [text for text in texts if heads.search(text)] == []


# --- a catalogue that lacks something ----------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the catalogues and a source of five messages; each change to it must be seen."""
    module = load()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "DOMAINS", {"pages": ("pages", "app.py", "not_there")})
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "one.py").write_text(
        'N_("input")\nwords(N_("scores"))\nself.words("weights {n}")\n'
    )
    (tmp_path / "app.py").write_text('print("no message")\nN_("A")\nN_("B")\n')
    assert module.check("pages", "zh") == ["pages/locales/zh/LC_MESSAGES/pages.po: is missing"]
    module.update("pages", "zh")
    translate(
        module, {"input": "输入", "scores": "分数", "weights {n}": "第 {n} 个权重", "A": "甲", "B": "乙"}
    )
    assert module.check("pages", "zh") == []
    return module


def po(module):
    return module.ROOT / "pages" / "locales" / "zh" / "LC_MESSAGES" / "pages.po"


def translate(module, texts):
    """Write translations as a translator would, and compile."""
    lines = po(module).read_text("utf-8")
    for english, chinese in texts.items():
        lines = re.sub(rf'(msgid "{re.escape(english)}"\nmsgstr ")[^"]*"', rf'\g<1>{chinese}"', lines)
    po(module).write_text(lines, "utf-8")
    module.update("pages", "zh")


def complaints(module):
    """What is wrong, without the place."""
    place = po(module).relative_to(module.ROOT).with_suffix("")
    return [text.removeprefix(str(place)) for text in module.check("pages", "zh")]


def test_a_new_message_is_reported_until_it_is_translated(copy):
    (copy.ROOT / "app.py").write_text('N_("A")\nN_("B")\nN_("new")\n')
    assert complaints(copy) == [".po: not in the catalogue: 'new'"]
    assert copy.update("pages", "zh")
    assert complaints(copy) == [".po: no translation: 'new'"]
    translate(copy, {"new": "新"})
    assert complaints(copy) == []


def test_a_removed_message_is_reported_and_dropped(copy):
    (copy.ROOT / "app.py").write_text('N_("A")\n')
    assert complaints(copy) == [".po: no longer in the code: 'B'"]
    copy.update("pages", "zh")
    assert complaints(copy) == []
    assert "乙" not in po(copy).read_text("utf-8")


def test_an_empty_translation_is_reported(copy):
    translate(copy, {"scores": ""})
    assert complaints(copy) == [".po: no translation: 'scores'"]


def test_other_fields_than_the_english_are_reported(copy):
    translate(copy, {"weights {n}": "第 {m} 个权重"})
    assert complaints(copy) == [".po: other {fields} than the English: 'weights {n}'"]


def test_a_doubtful_translation_is_reported(copy):
    text = po(copy).read_text("utf-8").replace('msgid "scores"', '#, fuzzy\nmsgid "scores"')
    po(copy).write_text(text, "utf-8")
    assert ".po: no translation: 'scores'" in complaints(copy)


def test_a_translation_that_is_not_compiled_is_reported(copy):
    po(copy).write_text(po(copy).read_text("utf-8").replace("输入", "输入值"), "utf-8")
    assert complaints(copy) == [".mo: is not compiled from its .po; run make catalogue"]
    copy.update("pages", "zh")
    assert complaints(copy) == []
    po(copy).with_suffix(".mo").unlink()
    assert complaints(copy) == [".mo: is not compiled from its .po; run make catalogue"]


def test_the_command_says_what_is_missing_and_fails(copy, capsys):
    assert copy.main("check") == 0
    assert capsys.readouterr().out == ""
    translate(copy, {"scores": ""})
    assert copy.main("check") == 1
    assert capsys.readouterr().out == "pages/locales/zh/LC_MESSAGES/pages.po: no translation: 'scores'\n"


def test_a_check_writes_nothing_and_an_update_twice_changes_nothing(copy):
    before = {path: path.read_bytes() for path in copy.ROOT.rglob("*") if path.is_file()}
    copy.check("pages", "zh")
    copy.update("pages", "zh")
    assert {path: path.read_bytes() for path in copy.ROOT.rglob("*") if path.is_file()} == before


def test_a_compiled_catalogue_does_not_say_when_it_was_made(copy):
    compiled = po(copy).with_suffix(".mo").read_bytes()
    assert b"charset=utf-8" in compiled
    assert b"Date" not in compiled


@every_catalogue
def test_a_translation_taken_from_the_real_catalogue_is_missed(domain, language, tmp_path, monkeypatch):
    module = load()
    shutil.copytree(ROOT / domain / "locales", tmp_path / domain / "locales")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "extract", tool.extract)
    whole = set(module.check(domain, language))
    file = tmp_path / domain / "locales" / language / "LC_MESSAGES" / f"{domain}.po"
    message = next(message.id for message in module.extract(domain) if message.id and len(message.id) < 60)
    text = re.sub(rf'(msgid "{re.escape(message)}"\nmsgstr )"[^"]+"', r'\1""', file.read_text("utf-8"))
    file.write_text(text, "utf-8")
    module.update(domain, language)
    missing = f"{file.relative_to(tmp_path)}: no translation: {message!r}"
    assert missing not in whole
    assert missing in module.check(domain, language)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("What each token takes along", "“takes along” is to be avoided"),
        ("The number stands here.", "“stands” is to be avoided"),
        ("Open on the bench", "“bench” is to be avoided"),
        ("Ask the telephones", "“telephones” is to be avoided"),
        ("“abc” is no number.", "“is no number” is to be avoided"),
        ("Loading...", "three dots"),
        ('Press "Share this" now', "straight quotes"),
    ],
)
def test_an_english_sentence_that_breaks_the_voice_guide_is_reported(copy, text, fault):
    (copy.ROOT / "app.py").write_text(f"N_({text!r})\nN_('A')\nN_('B')\n")
    copy.update("pages", "zh")
    translated = re.sub(r'msgstr ""\n(?=\n|\Z)', 'msgstr "译文"\n', po(copy).read_text("utf-8"))
    po(copy).write_text(translated, "utf-8")
    assert f".po: {fault}: {text!r}" in complaints(copy)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("在演算台上打开", "“演算台” is to be avoided"),
        ("每个词元带走什么", "“带走” is to be avoided"),
        ("I和programming并列", "no space between Chinese and Latin"),
    ],
)
def test_a_chinese_sentence_that_breaks_the_voice_guide_is_reported(copy, text, fault):
    translate(copy, {"scores": text})
    assert complaints(copy) == [f".po: {fault}: 'scores'"]


@pytest.mark.parametrize("text", ["最关注:", "第 {n} 个,权重", "权重(第 {n} 个", "好!"])
def test_ascii_punctuation_in_chinese_is_reported(copy, text):
    translate(copy, {"weights {n}": text if "{n}" in text else text + " {n}"})
    assert complaints(copy) == [".po: ASCII punctuation in Chinese: 'weights {n}'"]
