"""A content package: items and a manifest that lists them, as a ZIP file that is the same for the same content."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_CP: Final = "http://www.imsglobal.org/xsd/imscp_v1p1"
_DATE: Final = (2026, 1, 1, 0, 0, 0)
"""Of every file: a package does not depend on when it was made."""


def packed(items: Sequence[tuple[str, str]], kind: str) -> bytes:
    """Items by name, each a resource of this kind."""
    resources = "".join(
        f'<resource identifier="{name}" type="{kind}" href="{name}.xml"><file href="{name}.xml"/></resource>'
        for name, _ in items
    )
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="{_CP}" identifier="mha-bank">'
        f"<organizations/><resources>{resources}</resources></manifest>\n"
    )
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as package:
        for name, text in [("imsmanifest", manifest), *items]:
            package.writestr(ZipInfo(f"{name}.xml", _DATE), text, ZIP_DEFLATED)
    return out.getvalue()
