"""Sentences about the steps, by name: for the walkthrough, and for the presenter.

One table, in the order of the computation. A step that is not in it is described by its operation.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mha_core.errors import N_


class Wording(NamedTuple):
    """Sentences in English, as templates; "" where they are read off the operation and the example.

    For the presenter: what to ``say``, and what students get ``wrong``. For everybody: ``what`` happens, ``why``, and a
    ``note`` with a question to ask.
    """

    say: str
    wrong: str
    what: str = ""
    why: str = ""
    note: str = ""


_SAY_POSITIONS = N_(
    "Point at one row: this is the row of its position, the same for whatever token stands there."
)
_WRONG_POSITIONS = N_(
    "“Attention reads from left to right.” It sees a set of rows; order is only in the numbers added here."
)

WORDING: Final[dict[str, Wording]] = {
    "angles": Wording(
        what=N_("Each position times each frequency gives an angle."),
        why=N_("Fast frequencies tell neighbours apart, slow ones tell far from near."),
        note=N_("Ask: after how many positions does the first angle come round again?"),
        say=N_("Each column has a speed: read one column downwards, it grows by the same step."),
        wrong=N_("Positions are counted from 1; most programs count from 0, where every angle is 0."),
    ),
    "positional_encoding": Wording(
        what=N_("Sine and cosine of every angle stand side by side."),
        why=N_("Every position gets a row of its own, and rows of near positions are alike."),
        note=N_("Ask: why is one sine alone not enough?"),
        say=_SAY_POSITIONS,
        wrong=_WRONG_POSITIONS,
    ),
    "x_positioned": Wording(
        what=N_("The row of its position is added to every token."),
        why=N_("Without it, and without a mask, attention would not notice if the tokens changed places."),
        note=N_("Ask: what would happen to the outputs if two tokens were exchanged?"),
        say=N_("Added, not appended: the row stays as wide as it was."),
        wrong=N_(
            "“Then the token's own numbers are lost.” They are moved by a row that is known for every position."
        ),
    ),
    "context_angles": Wording(
        say=N_("Keys have positions of their own: they stand in another text."),
        wrong=N_("The positions of the queries are used for the keys too, which stand elsewhere."),
    ),
    "context_positional_encoding": Wording(
        say=_SAY_POSITIONS,
        wrong=_WRONG_POSITIONS,
    ),
    "context_positioned": Wording(
        say=N_("The context gets its positions just as X does."),
        wrong=N_("“Only X needs positions.” Without them the context would be a heap of rows."),
    ),
    "q": Wording(
        what=N_("Each row of {rows} times {weights} gives that token's query: {width} numbers."),
        why=N_("The query says what this token is looking for."),
        note=N_("Ask: which cell of W_Q would you change to make the first token look for something else?"),
        say=N_("One matrix for all tokens: W_Q is learned, the same row rule is applied to each of them."),
        wrong=N_(
            "“Every token has a W_Q of its own.” Only its query is its own; the matrix belongs to the head."
        ),
    ),
    "k": Wording(
        what=N_("Each row of {rows} times {weights} gives that token's key: {width} numbers."),
        why=N_("The key says what a token can be found by; queries will be compared with it."),
        note=N_("Ask: why does a token need a key of its own, apart from its query?"),
        say=N_("Another matrix than for queries: what a token offers may differ from what it looks for."),
        wrong=N_("“Keys are names of tokens.” They are rows of numbers, made by a matrix as queries are."),
    ),
    "v": Wording(
        what=N_("Each row of {rows} times {weights} gives that token's value: {width} numbers."),
        why=N_("The value is what a token hands over when another attends to it."),
        note=N_("Ask: could the value be as wide as we like? What must be as wide as the key?"),
        say=N_("Values are not compared with anything: they are what is carried over in the end."),
        wrong=N_(
            "“Values must be as wide as keys.” Only queries and keys meet in a product; d_v may be any width."
        ),
    ),
    "q_rotated": Wording(
        what=N_("Each query is turned, two neighbouring numbers at a time, by the angles of its position."),
        why=N_(
            "Turned queries and keys meet in a product that depends on how far apart they stand, not on where."
        ),
        note=N_("Ask: does turning change a query's length?"),
        say=N_("Draw two axes and turn an arrow: its length stays, its direction tells the position."),
        wrong=N_("“Rotary positions are added to X.” They turn queries and keys, after the projections."),
    ),
    "k_rotated": Wording(
        what=N_("Each key is turned by the angles of its own position."),
        why=N_(
            "Only the difference of the two angles is left in the score: the distance between the tokens."
        ),
        note=N_("Ask: what happens to the scores if all positions move on by one?"),
        say=N_("The same turning for keys: what is left in a product is the difference of both angles."),
        wrong=N_("Values are turned as well. They are not: only what is compared is."),
    ),
    "q_norms": Wording(
        what=N_("The length of each query: the root of the sum of its squares."),
        why=N_("It will be divided out, so that only the direction counts."),
        note=N_("Ask: which query is the longest, and would it win every comparison?"),
        say=N_("Pythagoras once a row: square, add up, take the root."),
        wrong=N_("The root is forgotten, or the sum is taken down a column."),
    ),
    "k_norms": Wording(
        what=N_("The length of each key: the root of the sum of its squares."),
        why=N_("It will be divided out, so that no key is chosen for its length alone."),
        note=N_("Ask: which key is the longest?"),
        say=N_("The same for the keys: one length a row."),
        wrong=N_("The root is forgotten, or the sum is taken down a column."),
    ),
    "q_unit": Wording(
        what=N_("Each query is divided by its length."),
        why=N_("All queries are now of length 1 and differ in direction only."),
        note=N_("Ask: what would change if a query were twice as long?"),
        say=N_("All arrows end on a circle now; only where they point can still differ."),
        wrong=N_("Softmax is mistaken for this step: here squares sum to 1, there the shares do."),
    ),
    "k_unit": Wording(
        what=N_("Each key is divided by its length."),
        why=N_("The dot product of two rows of length 1 is the cosine of the angle between them."),
        note=N_("Ask: between which two numbers must every score lie now?"),
        say=N_("Keys end on the circle too: a product of two of them cannot leave −1 to 1."),
        wrong=N_("“A score of 1 is a weight of 1.” Softmax is still to come."),
    ),
    "q_a": Wording(
        what=N_("Each query is multiplied with W_a before it meets the keys."),
        why=N_(
            "W_a is learned: it decides which features of a query count, and for which features of a key."
        ),
        note=N_("Ask: with which W_a would this be the plain dot product?"),
        say=N_("A learned matrix between query and key: it decides which features may meet."),
        wrong=N_("W_a is taken for W_Q: W_Q makes the query, W_a the comparison."),
    ),
    "k_a": Wording(
        what=N_("Each key is multiplied with U_a before it meets the queries."),
        why=N_("Query and key are brought into one space, in which they can be added."),
        note=N_("Ask: why can query and key have different widths here, and not with a dot product?"),
        say=N_("Queries and keys come from different worlds and are brought into one before they are added."),
        wrong=N_("W_a and U_a are taken for one matrix: each side has its own."),
    ),
    "pair_sums": Wording(
        what=N_("For every pair of a query and a key, their two rows are added."),
        why=N_("A small network looks at each pair by itself: this is its input."),
        note=N_("Ask: how many rows does this table have, and why?"),
        say=N_("A row for every pair: read the label of one, it names the query and the key."),
        wrong=N_("“Q and K are added.” Every row of one is added to every row of the other."),
    ),
    "pair_tanh": Wording(
        what=N_("Every number goes through tanh, which keeps it between −1 and 1."),
        why=N_("tanh bends: so the score can depend on the pair in ways that no dot product can."),
        note=N_("Ask: what happens to differences between large numbers?"),
        say=N_("Small numbers pass nearly as they are, large ones are held at −1 and 1."),
        wrong=N_("tanh is taken for softmax: it works on each number by itself, nothing sums to 1."),
    ),
    "scores": Wording(
        what=N_(
            "Every query meets every key: row i, column j holds the dot product of row i of {rows} and row j of {keys}."
        ),
        why=N_(
            "A score is the product of both rows' lengths and the cosine of the angle between them: large where long "
            "rows point the same way, negative where they point apart."
        ),
        note=N_("Ask: which query and which key fit best here? Read it off the largest number."),
        say=N_("Row i asks, column j answers: find row and column with a finger before you multiply."),
        wrong=N_(
            "The table is taken for symmetric: W_Q and W_K may differ, so i with j need not score as j with i."
        ),
    ),
    "scaled_scores": Wording(
        say=N_("Nothing changes places here, all scores of the head are divided by one number."),
        wrong=N_("Dividing by d_k, or by d_model, in place of √d_k; or dividing the weights after softmax."),
    ),
    "linear_biases": Wording(
        what=N_("Each pair gets minus the head's slope times the distance between the two tokens."),
        why=N_("So a head with a positive slope prefers what is near, the more the steeper it is."),
        note=N_("Ask: which head looks farther?"),
        say=N_("Nothing is learned here: a slope that is fixed for the head, times a distance."),
        wrong=N_(
            "The sign is turned: with a positive slope what is far loses, and what is near keeps its score."
        ),
    ),
    "biased_scores": Wording(
        what=N_("The bias of its distance is added to every score."),
        why=N_("Far keys lose a little before softmax; no position needs to be learned."),
        note=N_("Ask: how far must a key be to lose against its neighbour?"),
        say=N_("Lay the table of distances over the table of scores, cell by cell."),
        wrong=N_("“The bias decides.” It only shifts; a score that is large enough wins from afar."),
    ),
    "masked_scores": Wording(
        say=N_("The mask comes before softmax, which shares out the weight among the keys that are left."),
        wrong=N_("A hidden score is set to 0: e^0 is 1, so the pair would get weight after all."),
    ),
    "weights": Wording(
        say=N_("Go along one row: powers, their sum, the shares. Then let the room add up the row."),
        wrong=N_("Softmax is taken down the columns; here it goes row by row, for each query by itself."),
    ),
    "head_outputs": Wording(
        what=N_("Each row of weights mixes the rows of V: weight times value, added up."),
        why=N_(
            "So a token's output is made of the values that it attends to, each in the measure of its weight."
        ),
        note=N_("Ask: where would the output be if one weight were 1 and all others 0?"),
        say=N_("A weighted mean: point at a weight, at its row of V, and at where the mixture lies."),
        wrong=N_(
            "“It picks the token with the largest weight.” It mixes all of them; only a weight of 1 picks."
        ),
    ),
    "concat": Wording(
        say=N_("Slide the blocks together with your hands: as many rows as before, the columns add up."),
        wrong=N_(
            "The heads are added, or averaged; they stand side by side, and each keeps columns of its own."
        ),
    ),
    "output": Wording(
        what=N_("Each row of Concat times W_O gives the token's output: {width} numbers."),
        why=N_("W_O mixes what the heads found, and makes rows as wide as the next layer wants them."),
        note=N_("Ask: which rows of W_O belong to head 1? They stand where head 1 stands in Concat."),
        say=N_("Here the heads meet for the first time: every number of a row reads all of them."),
        wrong=N_("W_O is left out with one head. It belongs to the layer, however many heads there are."),
    ),
}
"""The sentences by step."""

ANY: Final = Wording(
    what=N_("{symbol} is computed from {operands}, cell by cell."),
    why=N_("The cells that light up are all that a number depends on."),
    note=N_("Ask: which of these numbers would you change to make this one larger?"),
    say=N_("Pick one cell, let the room name the cells that it is made of, and only then show them."),
    wrong=N_("A number is read from the wrong row or column: let everybody point at it first."),
)
"""For a step that has no sentences yet."""
