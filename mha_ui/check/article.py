"""“Read an article” on the page Check: a text is read, what was guessed is corrected, and its wrong numbers are marked.

The text and what was chosen in it are stored in the session and, where they fit, in the address.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from json import dumps, loads
from pathlib import PurePath
from typing import Final, TypedDict

import streamlit as st

from mha_core.errors import MhaError, ReadError
from mha_core.example.share_link import MAX_TOKEN, pack, unpack
from mha_core.exercise.exercise import askable
from mha_core.read.choices import AS_READ, Choices, choices_in
from mha_core.read.formats import FORMATS, MAX_BYTES, read_document
from mha_core.read.report import Article, read_all
from mha_ui import shell, state
from mha_ui.address import keep_address
from mha_ui.check.article_words import ANOTHER, CORRECTED, words_of
from mha_ui.component import component
from mha_ui.download import downloader
from mha_view import payloads
from mha_view.article import article_payload, offered
from mha_view.language import sentence

_KEY: Final = "check.article"
_DESK: Final = "check.desk"
_PARAMETER: Final = "article"
_BLANK: Final = "open"
"""In an address: the page waits for a text."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a visitor reads. ``is_open``: the page shows it; ``refused``: why the last text could not be read.

    ``to``: the page that the visitor goes to next.
    """

    is_open: bool = False
    text: str = ""
    name: str = ""
    choices: Choices = AS_READ
    refused: MhaError | None = None
    to: str = ""


class ArticleData(TypedDict):
    """What the component is sent. ``article``: null where no text is open. ``most``: MB of the largest file.

    ``token``: the text and the choices in an address, "" where they are too large for one.
    """

    lang: str
    words: Mapping[str, str]
    name: str
    article: payloads.Article | None
    choices: Mapping[str, object]
    names: list[tuple[str, str]]
    refused: str
    token: str
    most: int
    formats: tuple[str, ...]


def desk() -> Desk:
    """This session's; at first, what the address says."""
    return state.of_session(_DESK, lambda: desk_at(st.query_params.get(_PARAMETER, "")))


def desk_at(token: str) -> Desk:
    """The desk that an address contains."""
    if token in ("", _BLANK):
        return Desk(is_open=bool(token))
    try:
        return _unpacked(token)
    except MhaError as error:
        return Desk(is_open=True, refused=error)


def _unpacked(token: str) -> Desk:
    text = unpack(token[:MAX_TOKEN])
    try:
        data = loads(text)
        choices = choices_in(data["choices"])
        opened, name = str(data["text"]), str(data["name"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return _unpacked("")  # which raises the sentence of a damaged link
    return with_text(Desk(is_open=True), opened, name, choices)


def token_of(shown: Desk) -> str:
    """The desk in an address, of any length."""
    if not shown.text:
        return _BLANK
    data = {"text": shown.text, "name": shown.name, "choices": asdict(shown.choices)}
    return pack(dumps(data, ensure_ascii=False))


def with_text(before: Desk, content: str | bytes, name: str, choices: Choices = AS_READ) -> Desk:
    """Read this text. One that is refused leaves the desk as it was, with the reason.

    Of a PDF file only its text stays.
    """
    name = PurePath(name.replace("\\", "/")).name[-80:]
    try:
        document = read_document(content, name)
    except ReadError as error:
        return replace(before, refused=error)
    name = name if document.writable else f"{PurePath(name).stem}.txt"
    outcome = _read(document.source, name, choices)
    if isinstance(outcome, ReadError):
        return replace(before, refused=outcome)
    return Desk(before.is_open, document.source, name, choices)


@lru_cache(maxsize=8)
def _read(text: str, name: str, choices: Choices) -> Article | ReadError:
    """An article, which is not read again while its page is shown."""
    try:
        return read_all(text, name, choices)
    except ReadError as error:
        return error


# --- what the browser sends -------------------------------------------------------------------------------------


def changed(before: Desk, sent: Mapping[str, object]) -> Desk:
    """The desk after what a visitor has done there; ``op`` says what."""
    match sent:
        case {"op": "read", "name": str(name), "text": str(text)}:
            return with_text(before, text, name)
        case {"op": "read", "name": str(name), "bytes": str(text)}:
            try:
                return with_text(before, b64decode(text, validate=True), name)
            except Base64Error:
                return before
        case {"op": "choose", "choices": dict(given)}:
            try:
                return with_text(before, before.text, before.name, choices_in(given))
            except ReadError as error:
                return replace(before, refused=error)
    return before


def _receive() -> None:
    sent = (state.widget_value(_KEY) or {}).get("act")
    if isinstance(sent, dict):
        before = desk()
        state.set_widget(_DESK, _opened(before, sent) if sent.get("op") == "open" else changed(before, sent))


def _close() -> None:
    state.set_widget(_DESK, Desk(is_open=True))


def _opened(before: Desk, sent: Mapping[str, object]) -> Desk:
    """Open an example of the text in Explore, in the tables, or as an exercise."""
    article, number = _read(before.text, before.name, before.choices), sent.get("example")
    if (
        not isinstance(article, Article)
        or not isinstance(number, int)
        or not 0 <= number < len(article.examples)
    ):
        return before
    example = article.examples[number].example
    state.change(state.open_example, example)
    if sent.get("to") == "explore":
        return replace(before, to=shell.BENCH)
    if sent.get("to") == "exercise":
        claimed = [name for name in askable(example) if name in (example.claimed or {})]
        state.change(state.set_exercise, tuple(claimed or askable(example)[-2:]), None)
    return replace(before, is_open=False)


def show(is_open: bool) -> None:
    """Show the article, or the tables."""
    state.set_widget(_DESK, replace(desk(), is_open=is_open))


# --- the page ---------------------------------------------------------------------------------------------------


def article_tools(work: state.Work) -> None:
    """The way to another text, and the corrected copy where something is to be corrected."""
    shown = desk()
    if shown.text:
        st.button(work.words(ANOTHER), key="check.another", on_click=_close)
    article = _read(shown.text, shown.name, shown.choices) if shown.text else None
    if isinstance(article, Article) and any(one.marks for one in article.examples):
        suffix = article.document.format if article.document.writable else "txt"
        file = f"{PurePath(shown.name).stem or 'article'}-corrected.{suffix}"
        label = work.words(CORRECTED)
        downloader(label, partial(_corrected, article), file, key="check.corrected")


def _corrected(article: Article) -> bytes:
    return article.corrected.encode()


def article_page(work: state.Work) -> None:
    """The text and what was read in it."""
    shown = desk()
    if shown.to:
        state.set_widget(_DESK, replace(shown, to=""))
        st.switch_page(shown.to)
    mount = component("article", "article", "article.js", css="article.css")
    mount(key=_KEY, data=payload(work, shown), on_act_change=_receive)
    keep_address(work, settings={_PARAMETER: _linked(shown, work) or _BLANK})


def _linked(shown: Desk, work: state.Work) -> str:
    """The desk in an address; "" where it is too large for one."""
    token = token_of(shown)
    return token if len(token) + len(state.address(work).get("s", "")) <= MAX_TOKEN else ""


def payload(work: state.Work, shown: Desk) -> ArticleData:
    """What the component is sent, in the visitor's language."""
    article = _read(shown.text, shown.name, shown.choices) if shown.text else None
    is_read = isinstance(article, Article)
    return {
        "lang": work.language,
        "words": words_of(work.language),
        "name": shown.name,
        "article": article_payload(article, work.language) if isinstance(article, Article) else None,
        "choices": asdict(shown.choices),
        "names": offered(work.language) if is_read else [],
        "refused": sentence(shown.refused, work.language) if shown.refused else "",
        "token": _linked(shown, work),
        "most": MAX_BYTES // 1_000_000,
        "formats": FORMATS,
    }
