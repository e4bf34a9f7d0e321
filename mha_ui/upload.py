"""A place to drop a file, which says in the reader's language when a file is too large."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from typing import Any

import streamlit as st

from mha_core.errors import N_
from mha_ui import state


def uploader(
    work: state.Work,
    label: str,
    *,
    key: str,
    most: int,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    many: bool = False,
) -> Any:
    """Streamlit's uploader for a file of ``most`` MB, or for ``many`` of them.

    A larger one never leaves the browser. Streamlit says so in English, to who hovers; here the sentence is its own
    words' place, for screen readers, and below the file. Its button's word is English too, and ours stands there.
    """
    sentence = work.words(N_("The file was not uploaded: files of up to {most} MB are taken."))
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
        return st.file_uploader(
            label,
            key=key,
            on_change=on_change,
            args=args,
            max_upload_size=most,
            accept_multiple_files=many,
        )
