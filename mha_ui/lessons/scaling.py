"""Lesson 2: why scores are divided by √d_k."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import streamlit as st

from mha_core.compute.scaling import SIZES, Comparison, Softmax, experiment
from mha_core.errors import N_
from mha_ui import state
from mha_ui.lessons.controls import draw_control, prepare
from mha_ui.lessons.lesson import heading, table
from mha_ui.notes import status_line
from mha_ui.pictures import draw, theme
from mha_view.figures.labels import number, weight
from mha_view.figures.scaling import one_query_figure, scaling_figure
from mha_view.lessons.lesson import Choice, Lesson, Question, Slider

MOST_SEED: Final = 999_999
MOST_KEYS: Final = 64
_SEED: Final = "lessons.seed"
KEYS: Final = Slider("keys", N_("Number of keys, nₖ"), 2, MOST_KEYS, 8, 1)
SIGMA: Final = Slider("sigma", N_("Standard deviation of the components, σ"), 0.25, 2, 1)
D_K: Final = Choice("d_k", N_("Show details for dₖ"), {size: str(size) for size in SIZES}, 64)
SEED: Final = Slider("seed", N_("Seed"), 0, MOST_SEED, 0, 1)


@lru_cache(maxsize=64)
def _rows(seed: int, n_k: int, sigma: float) -> tuple[Comparison, ...]:
    return experiment(seed, n_k, sigma)


def _live(work: state.Work) -> None:
    words = work.words
    heading(words(N_("The experiment: random queries and keys")))
    with st.container(key="lesson-controls"):
        n_k = int(draw_control(KEYS, "lessons.keys", words))
        sigma = float(draw_control(SIGMA, "lessons.sigma", words))
        prepare("lessons.d_k", D_K.start)
        d_k = st.select_slider(words(D_K.label), SIZES, key="lessons.d_k")
        with st.container(horizontal=True, vertical_alignment="bottom", key="lesson-seed"):
            prepare(_SEED, SEED.start)
            seed = st.number_input(words(SEED.label), 0, MOST_SEED, key=_SEED, width=130)
            st.button(words(N_("Sample again")), key="lessons.again", on_click=_next_seed)
    rows, at = _rows(seed, n_k, sigma), SIZES.index(d_k)
    look, row = theme(), rows[at]
    draw("scaling", scaling_figure(rows, n_k=n_k, sigma=sigma, at=at, theme=look, words=words))
    sentence = words(
        N_(
            "At dₖ = {d_k}, the scores have a standard deviation of {plain}; divided by √dₖ, {scaled}. "
            "The largest weight is {before} on average, and {after} after dividing."
        )
    )
    status_line(
        sentence.format(
            d_k=d_k,
            plain=number(row.plain.spread),
            scaled=number(row.scaled.spread),
            before=weight(row.plain.largest),
            after=weight(row.scaled.largest),
        )
    )
    draw("one-query", one_query_figure(row, theme=look, words=words))
    table(
        [
            "dₖ",
            words(N_("standard deviation")),
            "÷ √dₖ",
            words(N_("entropy")),
            "÷ √dₖ",
            words(N_("gradient")),
            "÷ √dₖ",
        ],
        [[str(row.d_k), *_cells(row)] for row in rows],
        words(N_("Each measure: not divided → divided by √dₖ")),
        at,
    )


def _next_seed() -> None:
    seed = state.widget_value(_SEED)
    state.set_widget(_SEED, (seed + 1) % (MOST_SEED + 1))


def _cells(row: Comparison) -> list[str]:
    plain, scaled = _numbers(row.plain), _numbers(row.scaled)
    return [cell for pair in zip(plain, scaled, strict=True) for cell in pair]


def _numbers(softmax: Softmax) -> tuple[str, ...]:
    return f"{softmax.spread:.2f}", f"{softmax.entropy:.2f}", f"{softmax.gradient:.3f}"


_SPREADS: Final = ("1", "2", "4", "16")


def _at_sigma_2() -> int:
    """The standard deviation of the scaled scores where components have the standard deviation 2, by experiment."""
    spread = _rows(0, 8, 2.0)[-1].scaled.spread
    return min(range(len(_SPREADS)), key=lambda at: abs(float(_SPREADS[at]) - spread))


SCALING: Final = Lesson(
    title=N_("Why divide by √dₖ"),
    lede=N_("One small divisor decides whether a head can still learn."),
    text=(
        N_(
            "Suppose the components of $q$ and $k$ are independent, with mean 0 and variance 1. Then "
            "each product $q_ck_c$ also has mean 0 and variance 1, and a score adds up $d_k$ of them. "
            "The variances of independent terms add, so a score has variance $d_k$: its typical size "
            "is 1 for $d_k=1$, but 22.6 for $d_k=512$."
        ),
        N_(
            "Softmax depends on the differences between scores, and the exponential magnifies them: if "
            "two scores are 20 apart, one key gets about 500 million times the attention of the other. "
            "Nearly all weight falls on one key, the entropy goes to 0, and so does the derivative. A "
            "small change in a score then changes almost nothing, so $W_Q$ and $W_K$ get almost no "
            "signal to learn from."
        ),
        N_(
            "Dividing by $\\sqrt{d_k}$ brings the variance back to 1, however wide the head is. "
            "How sharply a head focuses is then learned, not an accident of its width."
        ),
        N_(
            "The gradient here is the size of softmax's Jacobian $J$ (its Frobenius norm): how "
            "strongly the weights respond when the inputs of softmax change. It is 0 when one key has "
            "all the weight, small when many keys have equal weight, and never above ½."
        ),
    ),
    formula=r"\begin{gathered}\operatorname{Var}(q\cdot k)=\sum_{c=1}^{d_k}\operatorname{Var}(q_c k_c)=d_k\\"
    r"\operatorname{Var}\!\left(\frac{q\cdot k}{\sqrt{d_k}}\right)=\frac{d_k}{(\sqrt{d_k})^2}=1\end{gathered}",
    live=_live,
    own_controls=(KEYS, SIGMA, D_K, SEED),
    experiment=N_(
        "Two examples have the same queries and keys with $d_k=16$, one without a divisor, one with $\\sqrt{16}=4$. "
        "Compare their weights; then set the divisor to 2, to 8 and to 100."
    ),
    examples=("saturated", "scaled"),
    question=Question(
        text=N_("Set σ to 2. What is the standard deviation of the scaled scores now?"),
        options=_SPREADS,
        right=_at_sigma_2,
        because=N_(
            "Each product now has variance $2^2\\cdot2^2=16$ and a score $16\\,d_k$, so after dividing "
            "by $\\sqrt{d_k}$ the standard deviation is 4 for every $d_k$. A divisor of "
            "$\\sigma^2\\sqrt{d_k}=4\\sqrt{d_k}$ would make it 1. The square root of $d_k$ corrects only "
            "for the width. Initialization and layer normalization make sure that components start out "
            "with variance near 1."
        ),
    ),
    puzzle="too-sure",
    source=N_("Based on Vaswani et al. (2017), “Attention Is All You Need”, section 3.2.1, footnote 4"),
)
