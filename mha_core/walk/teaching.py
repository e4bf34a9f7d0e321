"""What a lecturer says at each stage, and what students get wrong there; what to ask is the ``note`` of its words.

One table by kind of step, or by operation where a step is new; what is said aloud is computed from the example.
"""

from __future__ import annotations

from typing import NamedTuple

from mha_core.compute.derive import Cell, arithmetic, derive
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, allow_matrix, key_tokens
from mha_core.numbers import fixed, trimmed
from mha_core.vocabulary import ENTRY
from mha_core.walk.stages import Stage
from mha_core.walk.summary import NEAR
from mha_core.walk.text import Sentence

MOST_TERMS = 4
"""A cell of more terms than this is not worked out aloud."""
MOST_NAMED = 20
"""Longest token that is named aloud, in characters."""


class Teaching(NamedTuple):
    """What to say, what to work out or read off aloud (empty where nothing is), and what students get wrong."""

    say: Sentence
    aloud: Sentence
    wrong: Sentence


_POSITIONED = (
    N_("Point at one row: this is the row of its position, the same for whatever token stands there."),
    N_(
        "“Attention reads from left to right.” It sees a set of rows; order is only in the numbers added here."
    ),
)

_STAGES = {
    "tokens": (
        N_("Read the tokens aloud and keep one of them in mind: we follow it to the end."),
        N_("“A token is a word.” It may be a piece of one, or a sign; what counts is that each gets a row."),
    ),
    "inputs": (
        N_("Rows are tokens, columns are features; say it once more than you think is needed."),
        N_(
            "Rows and columns are mixed up: some books write each token as a column, and all products turn round."
        ),
    ),
    "given": (
        N_("These numbers were handed to us; from here on we compute."),
        N_("“So this head has no weights.” It has; this example only begins after them."),
    ),
    "head": (
        N_("The same steps again, at once: no head waits for what another has found."),
        N_(
            "“Head 2 goes on from head 1.” It starts at the beginning, as head 1 does; heads run side by side."
        ),
    ),
    "closing": (
        N_("Go back to the token that you kept in mind: what did it take along, and from whom?"),
        N_("“The largest weight says what the model means.” It says where a value came from, not why."),
    ),
}

_STEPS = {
    "q": (
        N_("One matrix for all tokens: W_Q is learned, the same row rule is applied to each of them."),
        N_("“Every token has a W_Q of its own.” Only its query is its own; the matrix belongs to the head."),
    ),
    "k": (
        N_("Another matrix than for queries: what a token offers may differ from what it looks for."),
        N_("“Keys are names of tokens.” They are rows of numbers, made by a matrix as queries are."),
    ),
    "v": (
        N_("Values are not compared with anything: they are what is carried over in the end."),
        N_(
            "“Values must be as wide as keys.” Only queries and keys meet in a product; d_v may be any width."
        ),
    ),
    "scores": (
        N_("Row i asks, column j answers: find row and column with a finger before you multiply."),
        N_(
            "The table is taken for symmetric: W_Q and W_K may differ, so i with j need not score as j with i."
        ),
    ),
    "scaled_scores": (
        N_("Nothing changes places here, all scores of the head are divided by one number."),
        N_("Dividing by d_k, or by d_model, in place of √d_k; or dividing the weights after softmax."),
    ),
    "masked_scores": (
        N_("The mask comes before softmax, which shares out the weight among the keys that are left."),
        N_("A hidden score is set to 0: e^0 is 1, so the pair would get weight after all."),
    ),
    "weights": (
        N_("Go along one row: powers, their sum, the shares. Then let the room add up the row."),
        N_("Softmax is taken down the columns; here it goes row by row, for each query by itself."),
    ),
    "head_outputs": (
        N_("A weighted mean: point at a weight, at its row of V, and at where the mixture lies."),
        N_("“It picks the token with the largest weight.” It mixes all of them; only a weight of 1 picks."),
    ),
    "concat": (
        N_("Slide the blocks together with your hands: as many rows as before, the columns add up."),
        N_("The heads are added, or averaged; they stand side by side, and each keeps columns of its own."),
    ),
    "output": (
        N_("Here the heads meet for the first time: every number of a row reads all of them."),
        N_("W_O is left out with one head. It belongs to the layer, however many heads there are."),
    ),
    "angles": (
        N_("Each column has a speed: read one column downwards, it grows by the same step."),
        N_("Positions are counted from 1; most programs count from 0, where every angle is 0."),
    ),
    "positional_encoding": _POSITIONED,
    "x_positioned": (
        N_("Added, not appended: the row stays as wide as it was."),
        N_(
            "“Then the token's own numbers are lost.” They are moved by a row that is known for every position."
        ),
    ),
    "q_rotated": (
        N_("Draw two axes and turn an arrow: its length stays, its direction tells the position."),
        N_("“Rotary positions are added to X.” They turn queries and keys, after the projections."),
    ),
    "k_rotated": (
        N_("The same turning for keys: what is left in a product is the difference of both angles."),
        N_("Values are turned as well. They are not: only what is compared is."),
    ),
    "q_norms": (
        N_("Pythagoras once a row: square, add up, take the root."),
        N_("The root is forgotten, or the sum is taken down a column."),
    ),
    "k_norms": (
        N_("The same for the keys: one length a row."),
        N_("The root is forgotten, or the sum is taken down a column."),
    ),
    "q_unit": (
        N_("All arrows end on a circle now; only where they point can still differ."),
        N_("Softmax is mistaken for this step: here squares sum to 1, there the shares do."),
    ),
    "k_unit": (
        N_("Keys end on the circle too: a product of two of them cannot leave −1 to 1."),
        N_("“A score of 1 is a weight of 1.” Softmax is still to come."),
    ),
    "q_a": (
        N_("A learned matrix between query and key: it decides which features may meet."),
        N_("W_a is taken for W_Q: W_Q makes the query, W_a the comparison."),
    ),
    "k_a": (
        N_("Queries and keys come from different worlds and are brought into one before they are added."),
        N_("W_a and U_a are taken for one matrix: each side has its own."),
    ),
    "pair_sums": (
        N_("A row for every pair: read the label of one, it names the query and the key."),
        N_("“Q and K are added.” Every row of one is added to every row of the other."),
    ),
    "pair_tanh": (
        N_("Small numbers pass nearly as they are, large ones are held at −1 and 1."),
        N_("tanh is taken for softmax: it works on each number by itself, nothing sums to 1."),
    ),
    "linear_biases": (
        N_("Nothing is learned here: a slope that is fixed for the head, times a distance."),
        N_("The sign is turned: with a positive slope what is far loses, and what is near keeps its score."),
    ),
    "biased_scores": (
        N_("Lay the table of distances over the table of scores, cell by cell."),
        N_("“The bias decides.” It only shifts; a score that is large enough wins from afar."),
    ),
    "context_angles": (
        N_("Keys have positions of their own: they stand in another text."),
        N_("The positions of the queries are used for the keys too, which stand elsewhere."),
    ),
    "context_positional_encoding": _POSITIONED,
    "context_positioned": (
        N_("The context gets its positions just as X does."),
        N_("“Only X needs positions.” Without them the context would be a heap of rows."),
    ),
}
"""By step: what to say, and what students get wrong."""

_BY_A_NUMBER = (
    N_("Nothing changes places here, all scores of the head are divided by one number."),
    N_("The weights are divided in place of the scores: after softmax they would no longer add up."),
)

_ANY = (
    N_("Pick one cell, let the room name the cells that it is made of, and only then show them."),
    N_("A number is read from the wrong row or column: let everybody point at it first."),
)

_SUM = N_("Aloud: {line}")
_LARGEST = N_("The largest number here is {number}: “{query}” with “{key}”.")
_SHARE = N_("“{query}” gives the largest weight of all, {number}, to “{key}”.")
_LARGEST_AT = N_("The largest number here is {number}, at {count} places: one is “{query}” with “{key}”.")
_SHARE_AT = N_("The largest weight of all, {number}, stands at {count} places: one is “{query}” → “{key}”.")
_HIDDEN = N_("{hidden} of {all} pairs are hidden here.")


def of_stage(trace: Trace, stage: Stage) -> Teaching:
    """What belongs to a stage; of a further head, to the whole of it."""
    if stage.kind == "step":
        return of_step(trace, stage.steps[0], stage.head)
    say, wrong = _STAGES[stage.kind]
    return Teaching(Sentence(say), Sentence(""), Sentence(wrong))


def of_step(trace: Trace, step: Step, head: int | None) -> Teaching:
    """What belongs to a step, of one head where it is a head's."""
    by_a_number = step.name == "scaled_scores" and trace.example.scale != "sqrt_dk"
    say, wrong = _BY_A_NUMBER if by_a_number else _STEPS.get(step.name, _ANY)
    return Teaching(Sentence(say), _aloud(trace, step, head), Sentence(wrong))


def _aloud(trace: Trace, step: Step, head: int | None) -> Sentence:
    rows = trace.matrix(step.name, head)
    allow = allow_matrix(trace.example) if step.op == "masked_fill" else None
    if allow:
        cells = [allowed for row in allow for allowed in row]
        return Sentence(_HIDDEN, {"hidden": cells.count(False), "all": len(cells)})
    if step.op == "softmax" or ENTRY[step.name].score:
        number, row, col = max(
            (number, -i, -j) for i, cells in enumerate(rows) for j, number in enumerate(cells)
        )
        if number in (0.0, NEG_INF):
            return Sentence("")
        names = {"query": trace.example.tokens[-row], "key": key_tokens(trace.example)[-col]}
        values: dict[str, object] = {name: token[:MOST_NAMED] for name, token in names.items()}
        count = sum(number - other <= NEAR * abs(number) for cells in rows for other in cells)
        one, several = (_SHARE, _SHARE_AT) if step.op == "softmax" else (_LARGEST, _LARGEST_AT)
        values["number"] = fixed(number, 2) if step.op == "softmax" else trimmed(number, 2)
        return Sentence(one, values) if count == 1 else Sentence(several, values | {"count": count})
    first = derive(trace, Cell(step.name, head, 0, 0))
    if not 1 < len(first.terms) <= MOST_TERMS:
        return Sentence("")
    return Sentence(_SUM, {"line": arithmetic(first, 2)})
