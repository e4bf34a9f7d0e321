"""The catalogues: ``update`` brings them up to date with the code, ``check`` fails where a translation is missing.

    python tools/catalogue.py update     extract, merge into every *.po, compile *.mo
    python tools/catalogue.py check      the same without writing: says what is missing, exit status 1

English is in the code, in ``N_("…")``; each other language has one ``.po`` a package. The compiled ``.mo`` is
committed, so that running the app needs no Babel.
"""

from __future__ import annotations

import io
import re
import sys
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
DOMAINS = {"mha_core": ("mha_core",), "mha_view": ("mha_view", "mha_ui", "mha_api", "app.py", "pages")}
"""Domain (and package with its ``locales``) → the sources of its messages."""
TRANSLATIONS = ("zh",)
CHANGING = (
    "POT-Creation-Date",
    "PO-Revision-Date",
    "Generated-By",
    "Project-Id-Version",
    "Report-Msgid-Bugs-To",
    "Last-Translator",
    "Language-Team",
)
"""Babel's header lines that change by themselves."""
_HALF_WIDTH = re.compile(r"[\u4e00-\u9fff] ?[,:;!?](?!\S)|[\u4e00-\u9fff][,:;!?(]|[,:;!?)][\u4e00-\u9fff]")
"""A comma, colon or bracket of ASCII beside a Chinese character, where a full-width one belongs."""
_QUOTED = re.compile(r'"([^"]*)"')
_NO_SPACE = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")
GLOSSARY = ROOT / "docs" / "glossary.md"
KEYWORDS = {"N_": None, "words": None}


class _Timeless(Catalog):
    """A catalogue without the time in its header, which Babel would write."""

    mime_headers = (("Content-Type", "text/plain; charset=utf-8"),)


def main(command: str) -> int:
    """Run one command over every domain and language."""
    complaints = []
    for domain in DOMAINS:
        for language in TRANSLATIONS:
            complaints += check(domain, language) if command == "check" else update(domain, language)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def extract(domain: str) -> Catalog:
    """Every message of a domain's source files, with its places."""
    template = Catalog(domain=domain)
    for part in DOMAINS[domain]:
        path = ROOT / part
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            for line, message, _, _ in extract_from_file("python", file, keywords=KEYWORDS):
                template.add(message, locations=[(str(file.relative_to(ROOT)), line)])
    return template


def update(domain: str, language: str) -> list[str]:
    """Merge the code's messages into the catalogue and compile it; returns what is missing then."""
    po = _po(domain, language)
    catalogue = _read(po, language) if po.exists() else Catalog(locale=language, domain=domain)
    catalogue.update(extract(domain), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    po.parent.mkdir(parents=True, exist_ok=True)
    po.write_bytes(_po_text(catalogue))
    po.with_suffix(".mo").write_bytes(_mo(catalogue))
    return _missing(po, catalogue)


def check(domain: str, language: str) -> list[str]:
    """What is missing or outdated in the catalogue."""
    po = _po(domain, language)
    if not po.exists():
        return [f"{po.relative_to(ROOT)}: is missing"]
    catalogue = _read(po, language)
    wanted = {message.id for message in extract(domain) if message.id}
    known = {message.id for message in catalogue if message.id}
    complaints = [
        f"{po.relative_to(ROOT)}: not in the catalogue: {text!r}" for text in sorted(wanted - known)
    ]
    complaints += [
        f"{po.relative_to(ROOT)}: no longer in the code: {text!r}" for text in sorted(known - wanted)
    ]
    complaints += _missing(po, catalogue)
    mo = po.with_suffix(".mo")
    if not mo.exists() or mo.read_bytes() != _mo(catalogue):
        complaints.append(f"{mo.relative_to(ROOT)}: is not compiled from its .po; run make catalogue")
    return complaints


def _missing(po: Path, catalogue: Catalog) -> list[str]:
    complaints = []
    for message in catalogue:
        if not message.id:
            continue
        if not message.string or message.fuzzy:
            complaints.append(f"{po.relative_to(ROOT)}: no translation: {message.id!r}")
        elif _fields(message.id) != _fields(message.string):
            complaints.append(f"{po.relative_to(ROOT)}: other {{fields}} than the English: {message.id!r}")
        else:
            complaints += [
                f"{po.relative_to(ROOT)}: {fault}: {message.id!r}"
                for fault in (*english_faults(str(message.id)), *chinese_faults(str(message.string)))
            ]
    return complaints


def english_faults(text: str) -> list[str]:
    """Where an English message breaks docs/voice.md, as far as a machine can tell."""
    faults = [f"“{word}” is to be avoided" for word, pattern in _avoided_english() if pattern.search(text)]
    faults += ["three dots"] * ("..." in text)
    return faults + ["straight quotes"] * any(
        " " in part for part in _QUOTED.findall(text)
    )  # a single value is code


def chinese_faults(text: str) -> list[str]:
    """The same for a Chinese message."""
    _, words = avoided()
    faults = [f"“{word}” is to be avoided" for word in words if word in text]
    faults += ["ASCII punctuation in Chinese"] * bool(_HALF_WIDTH.search(text))
    return faults + ["no space between Chinese and Latin"] * bool(
        _NO_SPACE.search(re.sub(r"\{\w*\}", "", text))
    )


@cache
def _avoided_english() -> list[tuple[str, re.Pattern[str]]]:
    return [(word, re.compile(rf"\b{re.escape(word)}\b", re.I)) for word in avoided()[0]]


@cache
def avoided() -> tuple[list[str], list[str]]:
    """The English and the Chinese terms that the glossary says to avoid."""
    text = GLOSSARY.read_text("utf-8")
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    terms = [term.strip() for *_, last in rows[1:] for term in last.split(",")]
    terms += [
        term.strip()
        for term in " ".join(text.partition("sound translated:")[2].split()).rstrip(".").split(",")
    ]
    english = [term for term in terms if term.isascii() and term.strip("- ")]
    return english, [term for term in terms if term and not term.isascii()]


def _fields(text: object) -> set[str]:
    return set(re.findall(r"\{\w*", str(text)))


def _po(domain: str, language: str) -> Path:
    return ROOT / domain / "locales" / language / "LC_MESSAGES" / f"{domain}.po"


def _read(po: Path, language: str) -> Catalog:
    with po.open("rb") as stream:
        return read_po(stream, locale=language)


def _po_text(catalogue: Catalog) -> bytes:
    """The catalogue without line numbers, dates and versions, which change by themselves."""
    bare = Catalog(locale=catalogue.locale, domain=catalogue.domain, fuzzy=False, header_comment="")
    for message in catalogue:
        if message.id:
            files = sorted({(file, 0) for file, _ in message.locations})
            bare.add(message.id, message.string, locations=files)
    out = io.BytesIO()
    write_po(out, bare, width=110, omit_header=False, include_lineno=False, sort_by_file=True)
    text = out.getvalue().decode()
    text = re.sub(rf'"({"|".join(CHANGING)}):.*\n', "", text)
    return text.lstrip("#\n ").encode()


def _mo(catalogue: Catalog) -> bytes:
    """Compiled with only the character set in its header, so that it depends on the texts alone."""
    bare = _Timeless(locale=None, header_comment="")
    for message in catalogue:
        if message.id and message.string:
            bare.add(message.id, message.string)
    out = io.BytesIO()
    write_mo(out, bare)
    return out.getvalue()


if __name__ == "__main__":
    if sys.argv[1:] not in (["check"], ["update"]):
        sys.exit(str(__doc__))
    sys.exit(main(sys.argv[1]))
