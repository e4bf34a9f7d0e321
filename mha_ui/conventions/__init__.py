"""The page Notation: the example as other texts and libraries write it, beside how it is written here.

Each of the five sections is its own component, with data from the core (``model.py``). The browser places the numbers
and computes none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_core.example.model import has_own_masks, mask_of
from mha_core.messages import LANGUAGE
from mha_core.notation import demonstrate, has_pairings, is_masked, pairings
from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.component import component
from mha_ui.conventions.model import (
    Data,
    agreement,
    dead_payload,
    masks_payload,
    missed,
    numbers,
    packed_payload,
    pairs_payload,
    rows_payload,
    torch_version,
    ui_words,
)
from mha_ui.notes import status_line
from mha_ui.panel import panel
from mha_ui.shell import alert
from mha_view import bundle

_STYLE: Final = bundle.style("conventions/page.css")
_HEAD: Final = "conventions.head"
_QUERY: Final = "conventions.query"
_MASKED_HEAD: Final = "conventions.masked_head"
_OPENED: Final = "conventions.opened"


def conventions_page() -> None:
    """The whole page: frame and five sections."""
    st.html(f"<style>{_STYLE}</style>")
    frame.frame(shell.CONVENTIONS)
    panel("conventions", _sections, instead=keep_address)


def _sections(work: state.Work) -> None:
    words, shared = work.words, numbers(work)
    if work.message:
        alert(work.message.text)
    _section(
        work,
        "rows",
        words(
            N_(
                "Texts that write W·X use the same numbers, transposed: tokens are columns, every "
                "matrix is transposed (X′ = Xᵀ), and softmax runs down each column. They usually "
                "leave out the primes."
            )
        ),
    )
    _draw("rows", rows_payload(work, shared))
    _section(
        work,
        "packed",
        words(
            N_(
                "Libraries store one matrix for all heads. Head i is a slice of it: columns "
                "(i−1)·d_k up to, but not including, i·d_k."
            )
        ),
    )
    _draw("packed", packed_payload(work, shared))
    _masks(work, shared)
    _section(
        work,
        "dead",
        words(
            N_(
                "If all keys of a query are masked, there is nothing to attend to. Its weights are "
                "then zeros, NaN, or all equal, depending on the library and on how its layer is "
                "called."
            )
        ),
    )
    _dead(work, shared)
    _pairs(work, shared)
    keep_address(work)


def _section(work: state.Work, name: str, *paragraphs: str) -> None:
    title = escape(ui_words(work.language)[f"section_{name}"])
    text = "".join(f"<p>{_with_subscripts(paragraph)}</p>" for paragraph in paragraphs if paragraph)
    st.html(
        f'<header class="mha-section" id="section-{name}" lang="{work.language}"><h2>{title}</h2>{text}</header>'
    )


def _with_subscripts(text: str) -> str:
    return re.sub(r"(?<=[A-Za-zω])_(\w+)", r"<sub>\1</sub>", escape(text))


def _draw(part: str, data: Data) -> None:
    mount = component("conventions", "conventions", "conventions.js", css="conventions.css")
    mount(key=f"conventions.{part}", data=data)


def _masks(work: state.Work, shared: Data) -> None:
    """The mask in every library's form; a menu chooses the head if heads have masks of their own."""
    words, example = work.words, work.example
    own = has_own_masks(example)
    _section(
        work,
        "masks",
        words(
            N_(
                "The same mask in the form that each library expects. Hatched pairs are masked in all of them."
            )
        ),
        words(N_("The heads of this example have different masks. Choose a head to see its mask."))
        if own
        else "",
        ""
        if own or example.mask
        else words(N_("This example has no mask, so a causal mask is shown instead.")),
    )
    if not own:
        _draw("masks", masks_payload(work, shared))
        return
    heads = [head for head in range(len(example.heads)) if is_masked(example, head)]
    head = _choose(_MASKED_HEAD, words(N_("Head")), heads, heads[0], lambda index: str(index + 1))
    if mask_of(example, head) is None:
        status_line(words(N_("This head has no mask, so a causal mask is shown instead.")))
    _draw("masks", masks_payload(work, shared, head))


def _dead(work: state.Work, shared: Data) -> None:
    """One query with every key hidden: menus for its head and query, and each library's result."""
    words, example = work.words, work.example
    heads = [head for head in range(len(example.heads)) if is_masked(example, head)]
    if not heads:
        text = words(N_("Each head is given its weights directly, so a mask has no effect."))
        st.html(f'<p class="mha-said">{escape(text)}</p>')
        return
    if state.widget_value(_OPENED) != work.history.opened:
        # Another example starts with its own first head and its own dead query.
        for key, value in ((_HEAD, None), (_QUERY, None), (_OPENED, work.history.opened)):
            state.set_widget(key, value)
    with st.container(horizontal=True, key="conventions-choice"):
        head = _choose(_HEAD, words(N_("Head")), heads, heads[0], lambda index: str(index + 1))
        queries = list(range(len(example.tokens)))
        dead = [query for query, is_dead in enumerate(work.trace.fully_masked[head]) if is_dead]
        query = _choose(
            _QUERY,
            words(N_("Query")),
            queries,
            dead[0] if dead else work.looking.query,
            lambda index: f"{index + 1} {example.tokens[index]}" + (" ∅" if index in dead else ""),
        )
    shown = demonstrate(example, head, query)
    _draw("dead", dead_payload(work, shared, shown))
    already = (
        N_("This example's own mask masks all keys for this query.")
        if shown.already
        else N_("In this table only, all keys are masked for this query. The example itself is unchanged.")
    )
    live = words(
        N_(
            "Computed just now by torch {version}. For Keras and BERT, the app applies the library's "
            "rule without running the library."
        )
    ).format(version=torch_version)
    between = LANGUAGE[work.language].between
    status_line(between.join((words(already), agreement(shown, example, work.language), live)))


def _pairs(work: state.Work, shared: Data) -> None:
    """Rotary positions: a row of Q rotated in both ways, and the error of reading one pairing as the other."""
    words, shown = work.words, pairings(work.example)
    _section(
        work,
        "pairs",
        words(
            N_(
                "Rotary positions rotate the columns of Q and K in pairs: pair m turns by the angle "
                "position · ω_m. Libraries use two conventions for which columns form a pair. Both give "
                "the same layer if the columns of W_Q and W_K are reordered. A weights file does not say "
                "which order it uses."
            )
        ),
        ""
        if has_pairings(work.example)
        else words(
            N_(
                "This example rotates fewer than two pairs of columns, so a small example with two pairs "
                "is shown instead."
            )
        ),
    )
    _draw("pairs", pairs_payload(work, shared, shown))
    status_line(missed(shown, work.language))


def _choose(key: str, label: str, options: list[int], default: int, show: Callable[[int], str]) -> int:
    before = state.widget_value(key)
    state.set_widget(key, before if before in options else default)
    return st.selectbox(label, options, format_func=show, key=key, width=220)
