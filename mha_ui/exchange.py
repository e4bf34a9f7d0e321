"""Exporting an example as code, and importing a layer of a weight file: two dialogs and the buttons that open them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import streamlit as st

from mha_core import MhaError
from mha_core.errors import N_
from mha_core.example.model import MAX_HEADS, MAX_SIZE
from mha_core.export import MOST_DECIMALS, TARGETS, export
from mha_core.interop import (
    KIND_NAMES,
    Layer,
    Slice,
    Weights,
    input_matrices,
    layers,
    open_layer,
    read_weights,
)
from mha_core.messages import catalogue
from mha_ui import state
from mha_ui.address import app_address
from mha_ui.bench import receive_edits
from mha_ui.download import downloader
from mha_ui.panel import panel
from mha_ui.upload import uploader
from mha_view.language import sentence
from mha_view.page import as_page

Choice = TypeVar("Choice")

MENU: Final = "frame.menu"
"""The menu that these buttons are in: whether it is open."""
START: Final = "frame.start"
_EXPORT: Final = "export.open"
_IMPORT: Final = "import.open"
SHARE: Final = "frame.menu-share"
"""Share, where the head has no room for it: the button at the top does what it says (web/share)."""
MENU_BUTTONS: Final = (SHARE, START, _EXPORT, _IMPORT)
"""The buttons that close it."""
_TARGET: Final = "export.target"
_DECIMALS: Final = "export.decimals"
_FILE: Final = "import.file"
_LAYER: Final = "import.layer"
_NUM_HEADS: Final = "import.num_heads"
_HEADS: Final = "import.heads"
_INPUTS: Final = "import.inputs"
_ROWS: Final = "import.rows"
_D_MODEL: Final = "import.d_model"
_D_HEAD: Final = "import.d_head"
_TOKENS: Final = "import.tokens"
_LAYER_WIDGETS: Final = (_NUM_HEADS, _HEADS, _INPUTS, _D_MODEL, _D_HEAD)
MAX_UPLOAD_MB: Final = 50
_MOST_CHOICES: Final = 200
_FIRST_ROWS: Final = "0, 1, 2, 3"


def export_button(work: state.Work) -> None:
    """The button that opens the current example as code or as a document."""
    if closing_button(work.words(N_("Export")), _EXPORT):
        receive_edits()  # including what was typed just before the click
        st.dialog(work.words(N_("Export")), width="large")(panel)("export", _export, back=False)


def page_button(work: state.Work) -> None:
    """The button that downloads the example as a page which needs no server."""
    holder, app = (
        state.holder(),
        app_address(),
    )  # the click may come after an edit that has not drawn the button again

    def page() -> bytes:
        work = holder.work
        return as_page(work.trace, work.language, work.looking.decimals, app).encode()

    label = work.words(N_("Download as an interactive page"))
    downloader(label, page, "attention.html", key="frame.page", width="stretch")


def import_button(work: state.Work) -> None:
    """The button that opens a layer of a weight file."""
    if closing_button(work.words(N_("Import")), _IMPORT):
        st.dialog(work.words(N_("Import a layer")), width="large")(panel)("import", _import, back=False)


def closing_button(label: str, key: str) -> bool:
    """One of the menu's buttons, which closes before the page answers."""
    return st.button(label, key=key, width="stretch", on_click=state.set_widget, args=(MENU, False))


# --- export ----------------------------------------------------------------------------------------------------


def _export(work: state.Work) -> None:
    words = work.words
    names = catalogue(work.language).gettext
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        target = st.selectbox(
            words(N_("Export as")),
            list(TARGETS),
            format_func=lambda name: names(TARGETS[name].label),
            key=_TARGET,
            width=320,
        )
        decimals = st.number_input(
            words(N_("Decimals")),
            min_value=0,
            max_value=MOST_DECIMALS,
            value=None,
            key=_DECIMALS,
            placeholder=words(N_("automatic")),
            width=140,
        )
    try:
        text = export(work.example, target, decimals, work.language)
    except MhaError as error:
        st.error(sentence(error, work.language))
        return
    with row:
        downloader(
            words(N_("Download")), text.encode(), f"attention.{TARGETS[target].suffix}", key="export.download"
        )
    if TARGETS[target].suffix == "py":
        st.caption(words(N_("You can run it as it is. Its last lines assert these numbers.")))
    st.code(text, language=TARGETS[target].syntax, wrap_lines=True)


# --- import ----------------------------------------------------------------------------------------------------


def _import(work: state.Work) -> None:
    words = work.words
    st.caption(
        words(
            N_(
                "Import attention layers of torch.nn.MultiheadAttention, Keras, BERT, GPT-2 or Llama "
                "from a .pt state dict or a .safetensors file. No code in the file is run, and the "
                "file is not stored."
            )
        )
    )
    uploads = uploader(
        work,
        words(N_("A .pt or .safetensors file, up to {most} MB")).format(most=MAX_UPLOAD_MB),
        key=_FILE,
        most=MAX_UPLOAD_MB,
        on_change=_forget,
        args=(_LAYER, *_LAYER_WIDGETS),
    )
    if not uploads:
        return
    try:
        weights = read_weights(uploads[0].getvalue(), uploads[0].name)
        all_layers = layers(weights)
        layer = _chosen_layer(work, all_layers)
        num_heads = _chosen_count(work, layer)
        part = _chosen_slice(work, weights, layer, num_heads)
        if st.button(words(N_("Open in Explore")), key="import.do", type="primary"):
            declared_heads = None if layer.heads is None and num_heads == layer.likely_heads else num_heads
            state.change(state.open_example, open_layer(weights, layer, part, declared_heads))
            st.rerun()
    except MhaError as error:
        st.error(sentence(error, work.language))


def _chosen_layer(work: state.Work, all_layers: tuple[Layer, ...]) -> Layer:
    by_label = {f"{layer.name}  ({KIND_NAMES[layer.kind]})".strip(): layer for layer in all_layers}
    labels = list(by_label)
    return by_label[_select(work.words(N_("Layer")), labels, _LAYER, labels[0], resets=_LAYER_WIDGETS)]


def _chosen_count(work: state.Work, layer: Layer) -> int:
    """How many heads the layer has: the visitor says so where the file does not; the number preset is a guess."""
    options = list(layer.possible_heads[:_MOST_CHOICES])
    label, likely = work.words(N_("Number of heads in the layer")), layer.likely_heads
    chosen = _select(label, options, _NUM_HEADS, likely, disabled=len(options) == 1, resets=(_HEADS, _D_HEAD))
    if layer.heads is None:
        text = work.words(
            N_(
                "The file does not say how many heads there are. {likely} {likely:head|heads} of {d_k} columns "
                "is a guess; see num_attention_heads in the model's config.json."
            )
        )
        st.caption(text.format(likely=likely, d_k=layer.width // likely))
    return chosen


def _chosen_slice(work: state.Work, weights: Weights, layer: Layer, num_heads: int) -> Slice:
    words = work.words
    options = list(range(num_heads))
    chosen = state.widget_value(_HEADS)
    state.set_widget(_HEADS, [head for head in chosen if head in options] if chosen else options[:2])
    heads = st.multiselect(
        words(N_("Heads to open")),
        options,
        format_func=lambda head: str(head + 1),
        key=_HEADS,
        max_selections=MAX_HEADS,
    )
    with st.container(horizontal=True):
        d_model = _number(words(N_("Columns of X to use")), _D_MODEL, layer.d_query, 8)
        d_head = _number(words(N_("Columns of each head to use")), _D_HEAD, layer.width // num_heads, 4)
        matrices = ["", *input_matrices(weights, layer)[:_MOST_CHOICES]]
        inputs = _select(
            words(N_("Rows of X to use")),
            matrices,
            _INPUTS,
            "",
            format_option=lambda name: name or words(N_("random")),
        )
        if not inputs:
            return Slice(
                tuple(heads), d_model, d_head, _number(words(N_("Number of tokens")), _TOKENS, MAX_SIZE, 4)
            )
        rows = st.text_input(
            words(N_("Which rows, counted from 0")), value=_FIRST_ROWS, max_chars=400, key=_ROWS
        )
    numbers = tuple(int(part) for part in rows.replace("，", ",").split(",") if part.strip().isdecimal())
    return Slice(tuple(heads), d_model, d_head, max(1, len(numbers)), inputs=inputs, rows=numbers)


def _select(
    label: str,
    options: list[Choice],
    key: str,
    default: Choice,
    *,
    disabled: bool = False,
    format_option: Callable[[Choice], str] = str,
    resets: tuple[str, ...] = (),
) -> Choice:
    """A selectbox whose choice falls back to ``default`` where it is no longer among the options.

    ``resets``: the widgets that start again when another option is chosen.
    """
    if state.widget_value(key) not in options:
        state.set_widget(key, default)
    return st.selectbox(
        label, options, key=key, disabled=disabled, format_func=format_option, on_change=_forget, args=resets
    )


def _forget(*keys: str) -> None:
    """Forget the values of these widgets, which belong to the previous choice."""
    for key in keys:
        state.set_widget(key, None)


def _number(label: str, key: str, most: int, default: int) -> int:
    """A whole number from 1 to ``most``, or to the bench's largest size if that is less."""
    most = min(most, MAX_SIZE)
    state.set_widget(key, min(state.widget_value(key) or default, most))
    return int(st.number_input(label, min_value=1, max_value=most, key=key))
