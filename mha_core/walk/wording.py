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


_SAY_POSITIONS = N_("Point at one row. It belongs to its position and is the same whatever token is there.")
_WRONG_POSITIONS = N_(
    "“Attention reads from left to right.” It sees a set of rows. Only the numbers added here carry the order."
)

WORDING: Final[dict[str, Wording]] = {
    "angles": Wording(
        what=N_("Each position times each frequency gives an angle."),
        why=N_("High frequencies tell neighbors apart; low frequencies tell far from near."),
        note=N_("Ask: after how many positions does the first angle repeat?"),
        say=N_(
            "Each column has its own speed: read down a column, and it grows by the same amount each time."
        ),
        wrong=N_("Counting positions from 1. Most programs count from 0, where every angle is 0."),
    ),
    "positional_encoding": Wording(
        what=N_("The sine and cosine of each angle are placed side by side."),
        why=N_("Each position gets its own row, and nearby positions have similar rows."),
        note=N_("Ask: why isn't a single sine enough?"),
        say=_SAY_POSITIONS,
        wrong=_WRONG_POSITIONS,
    ),
    "x_positioned": Wording(
        what=N_("Each token gets the row of its position added."),
        why=N_("Without this and without a mask, attention would not notice if tokens swapped places."),
        note=N_("Ask: what would happen to the outputs if two tokens were swapped?"),
        say=N_("Added, not appended: the row keeps its width."),
        wrong=N_(
            "“Then the token's own numbers are lost.” They are only shifted, by a row that is "
            "known for each position."
        ),
    ),
    "context_angles": Wording(
        say=N_("Keys have their own positions, because they belong to another text."),
        wrong=N_("Using the queries' positions for the keys too. Keys have their own."),
    ),
    "context_positional_encoding": Wording(
        say=_SAY_POSITIONS,
        wrong=_WRONG_POSITIONS,
    ),
    "context_positioned": Wording(
        say=N_("The context gets its positions just as X does."),
        wrong=N_("“Only X needs positions.” Without them, the context would be an unordered set of rows."),
    ),
    "q": Wording(
        what=N_(
            "Each row of {rows} times {weights} gives that token's query: {width} {width:number|numbers}."
        ),
        why=N_(
            "The query says what this token is looking for, like the words typed into a search box. In a "
            "real model, the numbers in W_Q are learned."
        ),
        note=N_("Ask: which number in W_Q would you change to make the first token look for something else?"),
        say=N_("One matrix for all tokens: W_Q is learned, and the same rule is applied to each row."),
        wrong=N_("“Each token has its own W_Q.” Only the query is its own. The matrix belongs to the head."),
    ),
    "k": Wording(
        what=N_("Each row of {rows} times {weights} gives that token's key: {width} {width:number|numbers}."),
        why=N_(
            "The key says what a token can be found by, like the title of a search result. Queries are "
            "compared with it."
        ),
        note=N_("Ask: why does a token need a key in addition to its query?"),
        say=N_("Not the same matrix as for queries: what a token offers can differ from what it looks for."),
        wrong=N_(
            "“Keys are names of tokens.” They are rows of numbers, made by a matrix, just like queries."
        ),
    ),
    "v": Wording(
        what=N_(
            "Each row of {rows} times {weights} gives that token's value: {width} {width:number|numbers}."
        ),
        why=N_(
            "The value is what a token hands over when another attends to it, like the page behind a "
            "search result."
        ),
        note=N_("Ask: can the value have any width? What must be as wide as the key?"),
        say=N_("Values are not compared with anything. They are what gets passed on in the end."),
        wrong=N_(
            "“Values must be as wide as keys.” Only queries and keys are multiplied together; "
            "d_v can be any width."
        ),
    ),
    "q_rms": Wording(
        what=N_("The root mean square of each query: the root of the mean of its squares."),
        why=N_("We will divide by it, so that all queries are about equally large."),
        note=N_("Ask: which query is the largest?"),
        say=N_("Square, take the mean, take the root, once per row. A tiny number keeps the root above 0."),
        wrong=N_("Taking the sum of the squares in place of their mean: that is the length."),
    ),
    "k_rms": Wording(
        what=N_("The root mean square of each key: the root of the mean of its squares."),
        why=N_("We will divide by it, so that no key is chosen for its size alone."),
        note=N_("Ask: which key is the largest?"),
        say=N_("The same for the keys: one number per row."),
        wrong=N_("Taking the sum of the squares in place of their mean: that is the length."),
    ),
    "q_normed": Wording(
        what=N_("Each query is divided by its root mean square, and each column is multiplied by its gain."),
        why=N_("In training, scores cannot grow just because queries grow. The gains are learned."),
        note=N_("Ask: what changes if a query is made twice as long?"),
        say=N_("Divide row by row, then multiply column by column."),
        wrong=N_("Normalizing down the columns. Each row, a token's query, is normalized by itself."),
    ),
    "k_normed": Wording(
        what=N_("Each key is divided by its root mean square, and each column is multiplied by its gain."),
        why=N_("Queries and keys now have sizes that only the gains decide."),
        note=N_("Ask: could the gains of the queries do the work of both?"),
        say=N_("The same for the keys, with gains of their own."),
        wrong=N_("Normalizing the values as well. Only what is compared is normalized."),
    ),
    "q_rotated": Wording(
        what=N_("Each query is rotated by the angles of its position, two neighboring numbers at a time."),
        why=N_(
            "The product of rotated queries and keys depends on how far apart they are, not on where they are."
        ),
        note=N_("Ask: does rotation change the length of a query?"),
        say=N_(
            "Draw two axes and rotate an arrow: its length stays the same, and its direction "
            "shows the position."
        ),
        wrong=N_("“Rotary positions are added to X.” They rotate queries and keys, after the projections."),
    ),
    "k_rotated": Wording(
        what=N_("Each key is rotated by the angles of its own position."),
        why=N_(
            "Only the difference of the two angles remains in the score: the distance between the tokens."
        ),
        note=N_("Ask: what happens to the scores if all positions shift by one?"),
        say=N_("The same rotation for keys: what remains in a product is the difference of the two angles."),
        wrong=N_("Rotating the values as well. Only what is compared is rotated."),
    ),
    "q_norms": Wording(
        what=N_("The length of each query: the square root of the sum of its squares."),
        why=N_("We will divide by it, so that only the direction counts."),
        note=N_("Ask: which query is the longest, and would it win every comparison?"),
        say=N_("Pythagoras, once per row: square, add up, take the root."),
        wrong=N_("Forgetting the root, or summing down a column."),
    ),
    "k_norms": Wording(
        what=N_("The length of each key: the square root of the sum of its squares."),
        why=N_("We will divide by it, so that no key is chosen for its length alone."),
        note=N_("Ask: which key is the longest?"),
        say=N_("The same for the keys: one length per row."),
        wrong=N_("Forgetting the root, or summing down a column."),
    ),
    "q_unit": Wording(
        what=N_("Each query is divided by its length."),
        why=N_("All queries now have length 1 and differ only in direction."),
        note=N_("Ask: what would change if a query were twice as long?"),
        say=N_("All arrows now end on a circle. Only their directions can differ."),
        wrong=N_(
            "Confusing this step with softmax. Here the squares sum to 1; after softmax the weights do."
        ),
    ),
    "k_unit": Wording(
        what=N_("Each key is divided by its length."),
        why=N_("The dot product of two rows of length 1 is the cosine of the angle between them."),
        note=N_("Ask: between which two numbers must every score lie now?"),
        say=N_("Keys end on the circle too, so each product is between −1 and 1."),
        wrong=N_("“A score of 1 is a weight of 1.” Softmax is still to come."),
    ),
    "q_a": Wording(
        what=N_("Each query is multiplied by W_a before it is compared with the keys."),
        why=N_(
            "W_a is learned. It decides which features of a query are matched with which features of a key."
        ),
        note=N_("Ask: which W_a would make this the plain dot product?"),
        say=N_("A learned matrix between query and key decides which features are compared."),
        wrong=N_("Confusing W_a with W_Q. W_Q makes the query; W_a makes the comparison."),
    ),
    "k_a": Wording(
        what=N_("Each key is multiplied by U_a before it is compared with the queries."),
        why=N_("Query and key are mapped into one space, where they can be added."),
        note=N_("Ask: why can query and key have different widths here, but not with a dot product?"),
        say=N_(
            "Queries and keys come from different spaces. They are mapped into one before they are added."
        ),
        wrong=N_("Taking W_a and U_a for the same matrix. Each side has its own."),
    ),
    "pair_sums": Wording(
        what=N_("For each pair of query and key, their two rows are added."),
        why=N_("A small network looks at each pair separately. This is its input."),
        note=N_("Ask: how many rows does this table have, and why?"),
        say=N_("One row per pair. Read the label of a row: it names the query and the key."),
        wrong=N_("“Q and K are added.” Each row of Q is added to each row of K."),
    ),
    "pair_tanh": Wording(
        what=N_("Each number goes through tanh, which keeps it between −1 and 1."),
        why=N_("tanh is nonlinear, so the score can depend on the pair in ways that a dot product cannot."),
        note=N_("Ask: what happens to differences between large numbers?"),
        say=N_("Small numbers pass almost unchanged; large ones end up close to −1 or 1."),
        wrong=N_("Confusing tanh with softmax. tanh works on each number separately, and nothing sums to 1."),
    ),
    "scores": Wording(
        what=N_(
            "Each query is compared with each key: the score in row i, column j is the dot product of "
            "row i of {rows} and row j of {keys}."
        ),
        why=N_(
            "A score is the product of the two rows' lengths and the cosine of the angle between them. It "
            "is large when both rows are long and point in similar directions, and negative when they "
            "point in opposite directions."
        ),
        note=N_("Ask: which query and key match best here? Find the largest number."),
        say=N_(
            "Row i asks, column j answers. Find the row and the column with your finger before you multiply."
        ),
        wrong=N_(
            "Thinking that the table is symmetric. W_Q and W_K can differ, so i with j and j "
            "with i can have different scores."
        ),
    ),
    "scaled_scores": Wording(
        say=N_("The order does not change here: all scores of the head are divided by the same number."),
        wrong=N_("Dividing by d_k or d_model instead of √d_k, or dividing the weights after softmax."),
    ),
    "capped_scores": Wording(
        what=N_("Each score s becomes c·tanh(s ÷ c), with c = {weights}."),
        why=N_(
            "Small scores hardly change, and no score is larger than c. In training, this keeps scores from "
            "growing without limit."
        ),
        note=N_("Ask: what would a very small c do to the weights?"),
        say=N_("The order of the scores stays. Only the large ones move closer together."),
        wrong=N_("Cutting scores off at c. tanh bends them, so that two large scores still differ."),
    ),
    "linear_biases": Wording(
        what=N_("Each pair gets minus the head's slope times the distance between the two tokens."),
        why=N_(
            "So a head with a positive slope prefers nearby tokens, and a larger slope makes the "
            "preference stronger."
        ),
        note=N_("Ask: which head looks farther?"),
        say=N_("Nothing is learned here: each head's fixed slope is multiplied by the distance."),
        wrong=N_(
            "Getting the sign wrong. With a positive slope, far tokens lose and near tokens keep their score."
        ),
    ),
    "biased_scores": Wording(
        what=N_("Each score gets the bias for its distance added."),
        why=N_("Far keys lose a little before softmax. No positions need to be learned."),
        note=N_("Ask: how far away must a key be to lose against a nearby one?"),
        say=N_("Place the table of distances over the table of scores, cell by cell."),
        wrong=N_(
            "“The bias decides.” It only shifts the scores. A score that is large enough wins from far away."
        ),
    ),
    "masked_scores": Wording(
        say=N_("The mask comes before softmax, so that the weight is divided among the remaining keys."),
        wrong=N_("Setting a masked score to 0. e^0 is 1, so the pair would still get weight."),
    ),
    "weights": Wording(
        say=N_(
            "Go along one row: exponentials, their sum, the weights. Then let the audience add up the row."
        ),
        wrong=N_("Applying softmax down the columns. Here it goes row by row, separately for each query."),
    ),
    "head_outputs": Wording(
        what=N_("Each weight of a row is multiplied by its row of V, and the results are added."),
        why=N_("So a token's output is made of the values it attends to, each in proportion to its weight."),
        note=N_("Ask: where would the output be if one weight were 1 and all others 0?"),
        say=N_("A weighted average: point at a weight, then at its row of V, then at the result."),
        wrong=N_(
            "“It picks the token with the largest weight.” It mixes all tokens. Only a weight of "
            "1 picks a single one."
        ),
    ),
    "concat": Wording(
        say=N_("Push the blocks together with your hands: the number of rows stays, and the columns add up."),
        wrong=N_(
            "Adding or averaging the heads. They are placed side by side, and each keeps its own columns."
        ),
    ),
    "output": Wording(
        what=N_("Each row of Concat times W_O gives the token's output: {width} {width:number|numbers}."),
        why=N_("W_O mixes what the heads found, and makes the rows as wide as the next layer needs."),
        note=N_("Ask: which rows of W_O belong to head 1? They match the columns of head 1 in Concat."),
        say=N_("Here the heads are combined for the first time: each number in a row depends on all heads."),
        wrong=N_(
            "Leaving out W_O when there is only one head. W_O belongs to the layer, however many "
            "heads there are."
        ),
    ),
}
"""The sentences by step."""

ANY: Final = Wording(
    what=N_("{symbol} is computed from {operands}, cell by cell."),
    why=N_("The highlighted cells are everything this number depends on."),
    note=N_("Ask: which of these numbers would you change to make this one larger?"),
    say=N_("Pick one cell, let the audience name the cells it is computed from, and only then show them."),
    wrong=N_("Reading a number from the wrong row or column. Let everyone point at it first."),
)
"""For a step that has no sentences yet."""
