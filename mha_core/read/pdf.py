"""PDF: the text that pypdf gets out of it. Where matrices are drawn rather than written, there is nothing to read."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from mha_core.errors import N_, ReadError, needs
from mha_core.read.document import Document, Region

MAX_PAGES: Final = 100


def from_pdf(data: bytes) -> Document:
    """The document of a PDF file: corrections are made in its text, not in the file.

    Raises ``ReadError`` where it has no text.
    """
    with needs("pypdf", "read", ReadError):
        from pypdf import PdfReader
    try:
        pages = PdfReader(BytesIO(data)).pages
        count = len(pages)
        texts = [page.extract_text(extraction_mode="layout") for page in pages] if count <= MAX_PAGES else []
    except Exception:  # noqa: BLE001  # a broken file raises whatever its parser meets
        raise ReadError(N_("this PDF file cannot be read")) from None
    if count > MAX_PAGES:
        raise ReadError(N_("the file has more than {most} pages"), most=MAX_PAGES)
    text = "\n\n".join(texts)
    if not text.strip():
        raise ReadError(N_("this PDF file contains no text; its pages are pictures"))
    return Document(text, text, range(len(text)), (Region("prose", 0, len(text)),), "pdf", writable=False)
