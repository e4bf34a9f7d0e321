"""Lesson 4: a head output is a weighted mean of V's rows; on the current example."""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core import Trace, built_in, trace
from mha_core.compute.metrics import outputs_between
from mha_core.compute.trace import Rows
from mha_core.edit.edit import SetScale
from mha_core.edit.edits import apply
from mha_core.errors import N_
from mha_core.example.model import MAX_NUMBER, divisor, has_values
from mha_ui import state
from mha_ui.lessons.controls import prepare
from mha_ui.lessons.lesson import heading, shown, table
from mha_ui.notes import note, status_line
from mha_ui.pictures import draw, theme
from mha_view.figures.hulls import hulls_figure
from mha_view.figures.labels import number
from mha_view.figures.layout import head_name
from mha_view.figures.ranges import column_ranges, inside, ranges_figure, values_of
from mha_view.lessons.lesson import Choice, Lesson, Question

SHARPNESS: Final = (0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0)
"""What the scores are multiplied by: at 0.01 all keys are nearly alike, at 100 one has nearly everything."""
FACTOR: Final = Choice(
    "sharpness", N_("Multiply all scores by"), {one: f"× {one:g}" for one in SHARPNESS}, 1.0
)


def sharpened(current: Trace, factor: float) -> Trace:
    """The example with its scores multiplied by ``factor``: its divisor is divided by it."""
    if factor == 1:
        return current
    wanted = (divisor(current.example) or 1.0) / factor
    size = min(MAX_NUMBER, max(1 / MAX_NUMBER, abs(wanted)))
    edit = SetScale(value=size if wanted > 0 else -size)
    return trace(apply(current.example, edit), current.backend)


def _live(work: state.Work) -> None:
    words, look = work.words, theme()
    heading(words(N_("Where the head outputs lie")))
    plain = shown(work, "weighted-mean", "scaled", outputs_between)
    if not has_values(plain.example):
        note(plain.example, work.language)
        status_line(
            words(
                N_(
                    "This example stops at the attention weights, so it has no outputs. Open one with V below."
                )
            )
        )
        return
    with st.container(key="lesson-controls"):
        prepare("lessons.sharpness", FACTOR.start)
        factor = st.select_slider(
            words(FACTOR.label),
            SHARPNESS,
            key="lessons.sharpness",
            format_func=FACTOR.options.__getitem__,
        )
    computed = sharpened(plain, factor)
    note(computed.example, work.language)
    if computed.example.dims.d_v == 2:
        draw("among", hulls_figure(computed, theme=look, words=words))
    else:
        draw("ranges", ranges_figure(computed, theme=look, words=words))
    _verdict(work, computed)
    _columns(work, computed)


def _verdict(work: state.Work, computed: Trace) -> None:
    """How many outputs lie within the range of their column. Only given weights can lead outside it."""
    words = work.words
    count = within = 0
    for head in range(len(computed.example.heads)):
        ranges, outputs = column_ranges(values_of(computed, head)), _alive(computed, head)
        count += len(outputs)
        within += sum(inside(row, ranges) for row in outputs)
    if within == count:
        status_line(
            words(
                N_(
                    "All {count} head outputs lie between the smallest and the largest number in each column "
                    "of V."
                )
            ).format(count=count)
        )
    else:
        status_line(
            words(
                N_(
                    "{within} of {count} head outputs lie within the range of their column. Weights "
                    "given directly need not form an average."
                )
            ).format(within=within, count=count)
        )


def _alive(computed: Trace, head: int) -> Rows:
    """The head's outputs, without those of queries that can attend to no key."""
    rows = zip(computed.values["head_outputs"][head], computed.fully_masked[head], strict=True)
    return [row for row, dead in rows if not dead]


def _columns(work: state.Work, computed: Trace) -> None:
    """Every column of every head: the range of V, and how much of it the outputs take up."""
    words = work.words
    rows = []
    for head in range(len(computed.example.heads)):
        reached = column_ranges(_alive(computed, head))
        for column, (low, high) in enumerate(column_ranges(values_of(computed, head))):
            ends = map(number, reached[column]) if reached else ("–", "–")
            rows.append([f"{head_name(words, head)} [{column + 1}]", number(low), *ends, number(high)])
    table(
        [
            words(N_("column")),
            words(N_("V, smallest")),
            words(N_("output, smallest")),
            words(N_("output, largest")),
            words(N_("V, largest")),
        ],
        rows,
        words(N_("Each column of V, and the range of the outputs in it")),
    )


def _beyond() -> int:
    """What leaves the range of V in an example with W_O: 0 head outputs, 1 the layer's output, 2 both, 3 neither."""
    computed = trace(built_in("output-projection"))
    heads = range(len(computed.example.heads))
    ranges = [column_ranges(values_of(computed, head)) for head in heads]
    inner = all(inside(row, ranges[head]) for head in heads for row in computed.values["head_outputs"][head])
    most = max(high for columns in ranges for _, high in columns)
    outer = any(one > most for row in computed.values["output"] for one in row)
    return {(True, True): 1, (False, True): 2, (False, False): 0, (True, False): 3}[inner, outer]


OUTPUTS: Final = Lesson(
    title=N_("What an output can and cannot be"),
    lede=N_("A head never invents anything: its output is always a weighted average of V's rows."),
    text=(
        N_(
            "Weights are never negative and sum to 1. A head output is therefore a weighted average of V's "
            "rows. In each column, it lies between that column's smallest and largest numbers. As a point, "
            "it lies in the convex hull of the rows."
        ),
        N_(
            "If one key gets all the weight, the output is that key's row of V: a corner of the hull. If "
            "all weights are equal, the output is the plain average, in the middle. All other weights give "
            "points in between. With more keys than $d_v+1$, different weights can lead to the same point, "
            "and the output no longer tells you which weights produced it."
        ),
        N_(
            "Everything outside the hull is out of reach, whatever the queries and keys are. They only "
            "choose a place inside the hull. The hull itself changes only if V changes, and V depends only "
            "on X, $W_V$ and its bias. Only later steps can leave the hull: $W_O$ with its bias, the "
            "residual connection, the next layers."
        ),
    ),
    formula=r"\begin{gathered}\text{head}_i=\sum_j a_{ij}\,v_j\\ a_{ij}\ge 0,\quad\sum_j a_{ij}=1\end{gathered}",
    live=_live,
    own_controls=(FACTOR,),
    experiment=N_(
        "Move the slider from × 0.01 to × 100 and watch the outputs move from the middle to "
        "the corners. Then open an example with $W_O$ in Explore: which numbers of O lie "
        "outside the range of V?"
    ),
    examples=("output-projection", "scaled"),
    question=Question(
        text=N_("Which of these can be larger than every number in its column of V?"),
        options=(
            N_("A head output"),
            N_("The layer's output, after $W_O$"),
            N_("Both"),
            N_("Neither"),
        ),
        right=_beyond,
        because=N_(
            "A head output cannot. It cannot be smaller than all of them either. The layer's "
            "output can: $W_O$ adds up the numbers of all heads with factors of any size and "
            "sign, and then $b_O$ is added. There is one exception, by convention: a query that "
            "is not allowed to attend to any key gets 0, even if 0 is outside the range."
        ),
    ),
    puzzle="exactly-one",
)
