"""A file uploader that says in the reader's language when a file is too large."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

import streamlit as st

from mha_core.errors import N_
from mha_ui import state

if TYPE_CHECKING:
    from streamlit.runtime.state.common import WidgetCallback
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def uploader(
    work: state.Work,
    label: str,
    *,
    key: str,
    most: int,
    on_change: WidgetCallback | None = None,
    args: tuple[str, ...] = (),
    many: bool = False,
) -> list[UploadedFile]:
    """Streamlit's uploader for a file of at most ``most`` MB, or for ``many`` of them; returns what was uploaded.

    A larger file never leaves the browser. Streamlit says so in English, in a tooltip. Our sentence replaces it for
    screen readers, and is also below the file. Our word replaces the English one on the button too.
    """
    sentence = work.words(N_("The file was not uploaded. Files can be up to {most} MB."))
    message = dumps(sentence.format(most=most), ensure_ascii=False)
    choose = dumps(work.words(N_("Choose files") if many else N_("Choose a file")), ensure_ascii=False)
    place = f"upload-{key.replace('.', '-')}"
    button = f'.st-key-{place} [data-testid="stFileUploaderDropzone"] button p'
    refused = f'.st-key-{place} [data-testid="stFileUploaderDropzone"]:has([aria-invalid="true"])'
    with st.container(key=place):
        st.html(
            f"<style>{button} {{ font-size: 0; }} {button}::after {{ content: {choose}; font-size: 0.875rem; }}"
            f"{refused} {{ flex-wrap: wrap; }} {refused}::after {{ content: {message}; flex-basis: 100%; }}"
            f"{refused} [role=alert] {{ font-size: 0; }} {refused} [role=alert]::after {{ content: {message}; }}"
            '[data-testid="stTooltipErrorContent"] { display: none; }</style>'
        )
        uploaded = st.file_uploader(
            label,
            key=key,
            on_change=on_change,
            args=args,
            max_upload_size=most,
            accept_multiple_files=many,
        )
    if isinstance(uploaded, list):
        return uploaded
    return [uploaded] if uploaded else []
