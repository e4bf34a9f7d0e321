"""Experiment: two variants of the example, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from mha_core import MhaError
from mha_core.compare.variant import AS_IT_IS, Variant, varied
from mha_core.errors import N_
from mha_core.vocabulary import SCORING_CHOICES
from mha_ui import shell, state
from mha_ui.experiments.board import board
from mha_ui.experiments.experiment import (
    AS_GIVEN,
    MASKS,
    POSITIONS,
    Experiment,
    both,
    described,
    differences_in_words,
    left_out,
    open_on_the_bench,
    pane,
    sentence_with,
)
from mha_ui.notes import status_line

NAME: Final = "sides"
DEFAULT: Final = state.Sides(right=Variant(scoring="dot"))
_SIDES: Final = {"left": N_("Left"), "right": N_("Right")}
_SETTING: Final = "experiments.sides.setting"
_VALUE: Final = "experiments.sides.value"


def _live(work: state.Work) -> None:
    words = work.words
    chosen = work.looking.sides.get(NAME, DEFAULT)
    fitting = state.Sides(*(_fitting(work, variant) for variant in chosen))
    if fitting != chosen:
        left_out(work)
        work, chosen = state.change(state.choose_sides, NAME, fitting), fitting
    settings = _settings(work)
    setting = _changed(chosen.right, settings)
    sentence_with(
        words(N_("Change {setting} to {value}")),
        {
            "setting": partial(_setting_menu, work, settings, setting),
            "value": partial(_value_menu, work, settings[setting], getattr(chosen.right, setting)),
        },
        partial(_more, work, chosen, settings),
        partial(_opener, work, "right", chosen.right),
    )
    compared = both(work, chosen)
    status_line(differences_in_words(work, compared))
    titles = [described(variant, words) for variant in chosen]
    panes = [pane(work, *one) for one in zip((compared.left, compared.right), titles, strict=True)]
    board(panes, compared.differences)


class _Setting(NamedTuple):
    """A part of a variant: its label, and its values with their names."""

    label: str
    values: Mapping[str | int, str]


def _settings(work: state.Work) -> dict[str, _Setting]:
    """By the name of its field, each part of a variant that this example can have another value of."""
    words, heads = work.words, len(work.example.heads)
    scoring: dict[str | int, str] = {name: words(one.label) for name, one in SCORING_CHOICES.items()}
    settings = {
        "scoring": _Setting(words(N_("Scoring")), scoring),
        "positions": _Setting(
            words(N_("Positions")), {name: words(text) for name, text in POSITIONS.items()}
        ),
        "mask": _Setting(words(N_("Mask")), {name: words(text) for name, text in MASKS.items()}),
    }
    if heads > 1:
        counts: dict[str | int, str] = {n: str(n) for n in range(1, heads + 1) if heads % n == 0}
        settings["kv_heads"] = _Setting(words(N_("K, V heads")), counts)
    return settings


def _changed(variant: Variant, settings: Mapping[str, _Setting]) -> str:
    """The setting that the sentence names: the first that the variant changes, else the one that was chosen last."""
    last = state.widget_value(_SETTING)
    changed = (name for name in settings if getattr(variant, name) is not None)
    return next(changed, last if last in settings else next(iter(settings)))


def _setting_menu(work: state.Work, settings: Mapping[str, _Setting], chosen: str) -> None:
    state.set_widget(_SETTING, chosen)
    st.segmented_control(
        work.words(N_("Setting")),
        list(settings),
        format_func=lambda name: settings[name].label,
        key=_SETTING,
        on_change=_setting_chosen,
        label_visibility="collapsed",
        width="content",
    )


def _setting_chosen() -> None:
    """Another setting: the first value of it by which some number differs."""
    work, setting = state.current(), state.widget_value(_SETTING)
    if setting is None:  # a click on the chosen setting clears the choice
        return
    options = [_with(state.Sides(), "right", setting, value) for value in _settings(work)[setting].values]
    sides = next((sides for sides in options if _differs(work, sides.right)), options[0])
    state.change(state.choose_sides, NAME, sides)


def _differs(work: state.Work, variant: Variant) -> bool:
    try:
        return varied(work.example, variant) != work.example
    except MhaError:
        return False


def _value_menu(work: state.Work, setting: _Setting, chosen: str | int | None) -> None:
    options = _options(work, setting)
    state.set_widget(_VALUE, chosen if chosen in options else AS_GIVEN)
    st.selectbox(
        setting.label,
        list(options),
        format_func=options.__getitem__,
        key=_VALUE,
        on_change=_value_chosen,
        label_visibility="collapsed",
        width=220,
    )


def _value_chosen() -> None:
    work = state.current()
    chosen = work.looking.sides.get(NAME, DEFAULT)
    _choose("right", _changed(chosen.right, _settings(work)), state.widget_value(_VALUE))


def _more(work: state.Work, chosen: state.Sides, settings: Mapping[str, _Setting]) -> None:
    """All settings of both sides, folded away."""
    with (
        st.popover(work.words(N_("Both sides")), key="experiments.sides.more"),
        st.container(key="experiment-sides"),
    ):
        for side, variant in zip(_SIDES, chosen, strict=True):
            with st.container(key=f"experiment-{side}"):
                st.html(f"<h3>{work.words(_SIDES[side])}</h3>", width="content")
                for name, setting in settings.items():
                    _select(work, side, name, setting, getattr(variant, name))
                if side == "left":
                    _opener(work, side, variant)


def _opener(work: state.Work, side: str, variant: Variant) -> None:
    opened = st.button(
        work.words(N_("Open in Explore")), key=f"experiments.open.{side}", disabled=variant == AS_IT_IS
    )
    if opened:
        work = state.change(
            state.attempt, lambda work: open_on_the_bench(work, varied(work.example, variant))
        )
        st.switch_page(shell.BENCH, query_params=state.address(work))


def _fitting(work: state.Work, variant: Variant) -> Variant:
    """The part of a variant that the menus can show: the rest belongs to other experiments or other examples."""
    count = variant.kv_heads
    groups = count if count and len(work.example.heads) % count == 0 else None
    return Variant(scoring=variant.scoring, positions=variant.positions, mask=variant.mask, kv_heads=groups)


def _options(work: state.Work, setting: _Setting) -> Mapping[str | int, str]:
    """The values of a setting, and the choice to leave it as the example has it."""
    return {AS_GIVEN: work.words(N_("unchanged")), **setting.values}


def _select(work: state.Work, side: str, name: str, setting: _Setting, chosen: str | int | None) -> None:
    """A menu for one setting of a side."""
    key, options = f"experiments.{NAME}.{side}.{name}", _options(work, setting)
    state.set_widget(key, chosen if chosen in options else AS_GIVEN)
    st.selectbox(
        setting.label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=lambda: _choose(side, name, state.widget_value(key)),
    )


def _choose(side: str, name: str, value: str | int | None) -> None:
    sides = state.current().looking.sides.get(NAME, DEFAULT)
    state.change(state.choose_sides, NAME, _with(sides, side, name, None if value == AS_GIVEN else value))


def _with(sides: state.Sides, side: str, name: str, value: str | int | None) -> state.Sides:
    return sides._replace(**{side: replace(getattr(sides, side), **{name: value})})


SIDES: Final = Experiment(
    title=N_("Two variants"),
    question=N_("Change one setting: what else changes, and where do the differences begin?"),
    live=_live,
)
