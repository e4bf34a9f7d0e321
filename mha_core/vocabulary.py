"""Every matrix of the computation, once: the one table that all other tables of names derive from.

A step or an input that is added here has its letter, its shape, its words and its place on the page; what computes a
step is declared in ``compute.graph``. Beside the matrices: the ways to make scores, and the stages of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from mha_core.errors import N_

Scope: TypeAlias = Literal[
    "setting", "input", "head input", "early", "head", "late", "term", "backward", "head backward"
]
"""
setting     one number of the layer, read by a step and named in its formula rather than shown as a table
input       the layer's, given
head input  each head's own, given
early       computed once for the layer, before the heads
head        computed by each head
late        computed once for the layer, after the heads
term        the output as the sum of what each head adds to it
backward    of a goal and of the backward pass, the layer's: not among the steps of the forward pass
head backward  the same, of each head
"""
Role: TypeAlias = Literal["q", "k", "v", ""]
ScoringName: TypeAlias = Literal["dot", "bilinear", "additive", "cosine"]
PositionsName: TypeAlias = Literal["sinusoidal", "rotary", "alibi"]
NormName: TypeAlias = Literal["rms"]
Colours: TypeAlias = Literal["signed", "weights", "mask"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One matrix.

    ``symbol``: its letter; ``_`` precedes a subscript, and ``{divisor}`` is replaced by what scores are divided by.
    ``axes``: what rows and columns run over, in the letters of ``example.Dims``. ``noun``: its name in a sentence;
    ``title``: a step's heading in the walk. ``stage``: its stage on the page (``STAGES``), where matrices are in the
    order of the computation unless ``place`` puts one behind others. ``role``: whether it belongs to queries, keys or
    values.

    ``only``: features of which an example must have at least one (``example.model.features``); without any, all
    examples have this matrix. ``shared``: heads of one group (``kv_heads``) share it. ``start``: a head may give it
    instead of what would compute it. ``score``: a number for each pair of tokens, before the softmax. ``hides``: it may
    contain −∞. ``empty_rows``: rows of queries that may attend to nothing are marked in it.
    ``slope_of``: the matrix by which this one is the derivative of the loss; then the noun is a template with its name.
    """

    name: str
    symbol: str
    axes: tuple[str, str]
    scope: Scope
    noun: str = ""
    stage: str = ""
    title: str = ""
    role: Role = ""
    only: tuple[str, ...] = ()
    place: int = 0
    shared: bool = False
    start: bool = False
    score: bool = False
    hides: bool = False
    empty_rows: bool = False
    colours: Colours = "signed"
    slope_of: str = ""


_POSITIONED: Final = ("sinusoidal", "rotary")
_APART: Final = ("sinusoidal apart", "rotary apart")

# fmt: off
ENTRIES: Final = (
    Entry("x", "X", ("n_q", "d_model"), "input", N_("input"), "input"),
    Entry("context", "C", ("n_k", "d_context"), "input", N_("context"), "input"),
    Entry("position_ids", "p", ("n_q", "1"), "input", N_("positions"), "positions"),
    Entry("frequencies", "ω", ("1", "d_freq"), "input", N_("frequencies"), "positions"),
    Entry("angles", "Θ", ("n_q", "d_freq"), "early", N_("angles"), "positions", N_("Angles"), only=_POSITIONED),
    Entry("positional_encoding", "P", ("n_q", "d_model"), "early", N_("positional encoding"), "positions",
        N_("Positional encoding"), only=("sinusoidal",)),
    Entry("x_positioned", "X_P", ("n_q", "d_model"), "early", N_("input with positions"), "positions",
        N_("Input with positions"), only=("sinusoidal",)),
    Entry("context_position_ids", "p_C", ("n_k", "1"), "input", N_("positions of the keys"), "positions"),
    Entry("context_frequencies", "ω_C", ("1", "d_context_freq"), "input", N_("frequencies of the context"),
        "positions"),
    Entry("context_angles", "Θ_C", ("n_k", "d_context_freq"), "early", N_("angles of the keys"), "positions",
        N_("Angles of the keys"), only=_APART),
    Entry("context_positional_encoding", "P_C", ("n_k", "d_context"), "early",
        N_("positional encoding of the context"), "positions", N_("Positional encoding of the context"),
        only=("sinusoidal apart",)),
    Entry("context_positioned", "C_P", ("n_k", "d_context"), "early", N_("context with positions"), "positions",
        N_("Context with positions"), only=("sinusoidal apart",)),
    Entry("w_q", "W_Q", ("d_model", "d_k"), "head input", N_("query weights"), "projections", role="q"),
    Entry("b_q", "b_Q", ("1", "d_k"), "head input", N_("query bias"), "projections", role="q", place=1),
    Entry("w_k", "W_K", ("d_context", "d_k"), "head input", N_("key weights"), "projections", role="k", shared=True),
    Entry("b_k", "b_K", ("1", "d_k"), "head input", N_("key bias"), "projections", role="k", place=1, shared=True),
    Entry("w_v", "W_V", ("d_context", "d_v"), "head input", N_("value weights"), "projections", role="v",
        shared=True),
    Entry("b_v", "b_V", ("1", "d_v"), "head input", N_("value bias"), "projections", role="v", place=1, shared=True),
    Entry("q", "Q", ("n_q", "d_k"), "head", N_("queries"), "projected", N_("Queries"), "q", start=True),
    Entry("k", "K", ("n_k", "d_k"), "head", N_("keys"), "projected", N_("Keys"), "k", start=True, shared=True),
    Entry("v", "V", ("n_k", "d_v"), "head", N_("values"), "projected", N_("Values"), "v", only=("values",),
        start=True, shared=True),
    Entry("g_q", "g_Q", ("1", "d_k"), "head input", N_("query gains"), "normalized", role="q", only=("norm",)),
    Entry("g_k", "g_K", ("1", "d_k"), "head input", N_("key gains"), "normalized", role="k", only=("norm",), place=1,
        shared=True),
    Entry("eps", "{eps}", ("1", "1"), "setting"),
    Entry("columns", "d_k", ("1", "1"), "setting"),
    Entry("q_rms", "r_Q", ("n_q", "1"), "head", N_("root mean squares of the queries"), "normalized",
        N_("Root mean squares of the queries"), "q", only=("norm",)),
    Entry("k_rms", "r_K", ("n_k", "1"), "head", N_("root mean squares of the keys"), "normalized",
        N_("Root mean squares of the keys"), "k", only=("norm",), place=1, shared=True),
    Entry("q_normed", "Q_N", ("n_q", "d_k"), "head", N_("normalized queries"), "normalized", N_("Normalized queries"),
        "q", only=("norm",)),
    Entry("k_normed", "K_N", ("n_k", "d_k"), "head", N_("normalized keys"), "normalized", N_("Normalized keys"), "k",
        only=("norm",), place=1, shared=True),
    Entry("q_rotated", "Q_R", ("n_q", "d_k"), "head", N_("rotated queries"), "rotated", N_("Rotated queries"), "q",
        only=("rotary",)),
    Entry("k_rotated", "K_R", ("n_k", "d_k"), "head", N_("rotated keys"), "rotated", N_("Rotated keys"), "k",
        only=("rotary",), shared=True),
    Entry("q_norms", "‖Q‖", ("n_q", "1"), "head", N_("lengths of the queries"), "directions",
        N_("Lengths of the queries"), "q", only=("cosine",)),
    Entry("k_norms", "‖K‖", ("n_k", "1"), "head", N_("lengths of the keys"), "directions", N_("Lengths of the keys"),
        "k", only=("cosine",), place=1, shared=True),
    Entry("q_unit", "Q̂", ("n_q", "d_k"), "head", N_("directions of the queries"), "directions",
        N_("Directions of the queries"), "q", only=("cosine",)),
    Entry("k_unit", "K̂", ("n_k", "d_k"), "head", N_("directions of the keys"), "directions",
        N_("Directions of the keys"), "k", only=("cosine",), place=1, shared=True),
    Entry("w_a", "W_a", ("d_k", "d_a"), "head input", N_("scoring weights of the queries"), "scoring", role="q",
        only=("bilinear", "additive")),
    Entry("u_a", "U_a", ("d_k", "d_a"), "head input", N_("scoring weights of the keys"), "scoring", role="k",
        only=("additive",)),
    Entry("v_a", "v_a", ("1", "d_a"), "head input", N_("scoring vector"), "scoring", only=("additive",)),
    Entry("q_a", "Q_a", ("n_q", "d_a"), "head", N_("queries for scoring"), "scoring", N_("Queries for scoring"), "q",
        only=("bilinear", "additive")),
    Entry("k_a", "K_a", ("n_k", "d_a"), "head", N_("keys for scoring"), "scoring", N_("Keys for scoring"), "k",
        only=("additive",)),
    Entry("pair_sums", "Z", ("n_q·n_k", "d_a"), "head", N_("sums of each pair"), "scoring", N_("Sums of each pair"),
        only=("additive",)),
    Entry("pair_tanh", "T", ("n_q·n_k", "d_a"), "head", N_("tanh of each pair"), "scoring", N_("tanh of each pair"),
        only=("additive",)),
    Entry("scores", "S", ("n_q", "n_k"), "head", N_("scores"), "scores", N_("Scores"), score=True),
    Entry("divisor", "{divisor}", ("1", "1"), "setting"),
    Entry("scaled_scores", "S/{divisor}", ("n_q", "n_k"), "head", N_("scaled scores"), "scores", N_("Scaling"),
        score=True),
    Entry("softcap", "{softcap}", ("1", "1"), "setting"),
    Entry("capped_scores", "S_C", ("n_q", "n_k"), "head", N_("capped scores"), "scores", N_("Softcap"),
        only=("softcap",), score=True),
    Entry("slope", "m", ("1", "1"), "head input", N_("slope"), "linear", only=("alibi",)),
    Entry("linear_biases", "B", ("n_q", "n_k"), "head", N_("linear biases"), "linear", N_("Linear biases"),
        only=("alibi",)),
    Entry("biased_scores", "S_B", ("n_q", "n_k"), "head", N_("biased scores"), "linear", N_("Biased scores"),
        only=("alibi",), score=True),
    Entry("mask", "M", ("n_q", "n_k"), "input", N_("mask"), "mask", hides=True, colours="mask"),
    Entry("head_mask", "M", ("n_q", "n_k"), "head input", N_("mask of the head"), "mask", hides=True, colours="mask"),
    Entry("fill", "{fill}", ("1", "1"), "setting"),
    Entry("masked_scores", "S_M", ("n_q", "n_k"), "head", N_("masked scores"), "mask", N_("Masking"), score=True,
        hides=True),
    Entry("sink", "s_0", ("1", "1"), "head input", N_("sink"), "weights", place=-1),
    Entry("weights", "A", ("n_q", "n_k"), "head", N_("attention weights"), "weights", N_("Softmax"), start=True,
        empty_rows=True, colours="weights"),
    Entry("head_outputs", "head_i", ("n_q", "d_v"), "head", N_("head outputs"), "head outputs", N_("Head output"),
        only=("values",), empty_rows=True),
    Entry("concat", "Concat", ("n_q", "h·d_v"), "late", N_("concatenation"), "concat", N_("Concatenation"),
        only=("values",)),
    Entry("w_o", "W_O", ("h·d_v", "d_out"), "input", N_("output weights"), "output"),
    Entry("w_o_block", "W_Oi", ("d_v", "d_out"), "term", N_("the head's rows of the output weights")),
    Entry("head_terms", "head_i·W_Oi", ("n_q", "d_out"), "term", N_("what the head adds")),
    Entry("b_o", "b_O", ("1", "d_out"), "input", N_("output bias"), "output"),
    Entry("output", "O", ("n_q", "d_out"), "late", N_("output"), "output", N_("Output projection"), only=("w_o",)),
)
# fmt: on
"""Every matrix, in the order of the computation."""

# --- a goal, and the backward pass ------------------------------------------------------------------------------

PLACED: Final = frozenset((
    "position_ids", "frequencies", "angles", "positional_encoding",
    "context_position_ids", "context_frequencies", "context_angles", "context_positional_encoding",
))  # fmt: skip
"""The positions of tokens, and what is computed from them alone: nothing that a goal could learn."""
_FROM_HEADS: Final = {
    **dict.fromkeys(("x", "context", "x_positioned", "context_positioned"), "qkv"),
    **dict.fromkeys(("angles", "context_angles", "position_ids", "context_position_ids"), "qk"),
}
"""What all heads read, with the sides on which they do: each sends a derivative back through its Q, K or V."""
_TWICE: Final = {**_FROM_HEADS, "frequencies": "qk"}
"""The same, and what the layer reads twice: for the angles of the queries and for those of the keys."""

GOAL_STEPS: Final = ("output", "concat", "weights")
"""The steps that a goal can be about."""
_TARGETS: Final = tuple(
    Entry(
        f"{step}_target",
        "T",
        axes,
        "head backward" if step == "weights" else "backward",
        N_("target"),
    )
    for step, axes in ((entry.name, entry.axes) for entry in ENTRIES if entry.name in GOAL_STEPS)
)
_GOAL: Final = (
    *_TARGETS,
    Entry("given_rows", "g", ("n_q", "1"), "backward", N_("rows with a target")),
    Entry("row_losses", "ℓ", ("n_q", "1"), "backward", N_("loss of each row")),
    Entry("head_row_losses", "ℓ", ("n_q", "1"), "head backward", N_("loss of each row")),
    Entry("head_loss", "L_i", ("1", "1"), "head backward", N_("loss of the head")),
    Entry("loss", "L", ("1", "1"), "backward", N_("loss")),
)
_BESIDE: Final = {
    "weights": (
        Entry("softmax_sums", "r", ("n_q", "1"), "head backward", N_("row sums of the softmax step")),
        Entry("sink_weights", "A_0", ("n_q", "1"), "head backward", N_("weights of the sink")),
        Entry("d_sink_scores", "ds_0i", ("n_q", "1"), "head backward", N_("gradient of the sink, by row")),
    ),
    "scores": (
        Entry(
            "d_pair_scores", "dS_Z", ("n_q·n_k", "1"), "head backward", N_("gradient of the scores, by pair")
        ),
    ),
    "linear_biases": (
        Entry("d_slope_rows", "dm_i", ("n_q", "1"), "head backward", N_("gradient of the slope, by row")),
    ),
}
"""By matrix, what follows its derivative."""


def _slopes() -> Iterator[Entry]:
    """The derivative by every matrix, from the last to the first, with what comes before and after it."""
    for entry in reversed(ENTRIES):
        if entry.scope in ("setting", "term"):
            continue
        sign = f"({entry.symbol})" if "/" in entry.symbol else entry.symbol
        described: dict[str, Any] = {
            "axes": entry.axes,
            "slope_of": entry.name,
            "role": entry.role,
            "hides": False,
        }
        if entry.name in _TWICE:
            for role in _TWICE[entry.name]:
                through = {
                    "noun": N_("gradient of the {name} through one of Q, K and V"),
                    "scope": "head backward" if entry.name in _FROM_HEADS else "backward",
                }
                yield Entry(f"d_{entry.name}_{role}", f"d{sign}_{role.upper()}", **described | through)
        if entry.name in _FROM_HEADS or (entry.shared and entry.scope == "head"):
            noun = N_("gradient of the {name} through one head")
            yield Entry(f"d_{entry.name}_head", f"d{sign}_i", scope="head backward", noun=noun, **described)
        per_head = entry.scope in ("head", "head input")
        noun = N_("gradient of the {name}")
        yield Entry(
            f"d_{entry.name}", f"d{sign}", scope="head backward" if per_head else "backward", noun=noun,
            shared=entry.shared, **described,
        )  # fmt: skip
        yield from _BESIDE.get(entry.name, ())


BACKWARD: Final = (*_GOAL, *_slopes())
"""Every matrix of a goal and of the backward pass, in the order of its computation."""

# --- what follows from it ----------------------------------------------------------------------------------------


def noun(name: str, say: Callable[[str], str] = str) -> str:
    """The name of a matrix in a sentence; of a derivative with the name of the matrix that it is by."""
    slope_of = ENTRY[name].slope_of
    return say(ENTRY[name].noun).format(name=say(ENTRY[slope_of].noun) if slope_of else "")


def _names(*scopes: Scope) -> tuple[str, ...]:
    return tuple(entry.name for entry in ENTRIES if entry.scope in scopes)


ENTRY: Final = {entry.name: entry for entry in (*ENTRIES, *BACKWARD)}
_TABLES: Final = tuple(entry for entry in ENTRIES if entry.scope != "setting")
AXES: Final = {entry.name: entry.axes for entry in _TABLES}
"""What the rows and the columns of every matrix run over, in the order of the computation."""
SYMBOLS: Final = {entry.name: entry.symbol for entry in _TABLES}
"""The letter of every matrix; ``compute.graph.symbol`` fits it to an example."""
NAMES: Final = {entry.name: entry.noun for entry in _TABLES}
"""The name of every matrix in a sentence."""
TITLES: Final = {entry.name: entry.title for entry in ENTRIES if entry.title}
"""The heading of every step in the walk."""

MASKS: Final = ("mask", "head_mask")
"""The mask of the layer, and each head's where heads have their own."""
SETTINGS: Final = _names("setting")
BACKWARD_SETTINGS: Final = ("columns",)
"""The settings that only the backward pass reads."""
LAYER_INPUTS: Final = _names("input")
PER_HEAD_INPUTS: Final = _names("head input")
EARLY_STEPS: Final = _names("early")
"""The whole layer's steps before the heads."""
PER_HEAD_STEPS: Final = _names("head")
"""The steps that each head has its own matrix of."""
LATE_STEPS: Final = _names("late")
"""The whole layer's steps after the heads."""
WHOLE_LAYER_STEPS: Final = EARLY_STEPS + LATE_STEPS
STEPS: Final = EARLY_STEPS + PER_HEAD_STEPS + LATE_STEPS
"""All computed steps, in order."""
TARGETS: Final = {step: f"{step}_target" for step in GOAL_STEPS}
"""The matrix of the target of a goal, by the step that it is about."""
BACKWARD_STEPS: Final = tuple(
    entry.name
    for entry in BACKWARD
    if entry.name not in (*TARGETS.values(), "given_rows") and entry.slope_of not in PLACED
)
"""The steps of a goal's loss and of the backward pass, in order; an example with a goal has some of them."""
COMPUTED: Final = STEPS + BACKWARD_STEPS
"""Everything that is computed, in order: the steps forward and then backward. One's own numbers can be of each."""
PER_HEAD: Final = frozenset(PER_HEAD_STEPS + PER_HEAD_INPUTS).union(
    entry.name for entry in BACKWARD if entry.scope == "head backward"
)
"""The matrices that each head has; the whole layer has one of every other."""

STARTS: Final = tuple(entry.name for entry in ENTRIES if entry.start)
"""The steps that a head may start from."""
SHARED: Final = tuple(entry.name for entry in ENTRIES if entry.shared)
"""The matrices of keys and values that heads of one group (``kv_heads``) share; the derivatives by these are
one for each group, too.
"""
SCORE_STEPS: Final = tuple(entry.name for entry in ENTRIES if entry.score)
"""The steps of the scores before the softmax; an example may have only some of them."""
HIDES: Final = frozenset(entry.name for entry in ENTRIES if entry.hides)
"""The matrices that may contain −∞."""
HEAD_ROWS: Final = tuple(name for name in PER_HEAD_INPUTS if AXES[name][0] == "1")
"""The inputs of a head that are one row of numbers."""
HEAD_NUMBERS: Final = tuple(name for name in HEAD_ROWS if AXES[name][1] == "1")
"""Those that are a single number: the slope and the sink."""
HEAD_BIASES: Final = tuple(name for name in HEAD_ROWS if name.startswith("b_"))
HEAD_GAINS: Final = tuple(name for name in HEAD_ROWS if name.startswith("g_"))
"""The gains of the norms of queries and keys."""
HEAD_MATRICES: Final = (*(name for name in PER_HEAD_INPUTS if name not in (*HEAD_ROWS, "head_mask")), *STARTS)
"""The inputs of a head that are a matrix of numbers. Its mask is of another type."""
POSITION_INPUTS: Final = tuple(name for name in LAYER_INPUTS if ENTRY[name].stage == "positions")
"""The positions of tokens, and the frequencies that turn a position into angles: given, or by rule."""

# --- how scores are made -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a query and a key make a score; the steps are in ``compute.graph``.

    ``scale``: the divisor where an example gives none. ``temperature``: None unless the divisor is a temperature, which
    must be above 0; else its value when an example is switched to this scoring. ``initial``: the values of the
    parameters then. ``square``: W_a is d_k × d_k.
    """

    name: str
    scale: Literal["sqrt_dk", "none"]
    temperature: float | None = None
    initial: Literal["identity", "tenths", ""] = ""
    square: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """What each head must give for its scores."""
        return tuple(name for name in PER_HEAD_INPUTS if self.name in ENTRY[name].only)

    @property
    def is_product(self) -> bool:
        """Whether scores are sums of d_k products, so that √d_k is a divisor for them."""
        return self.scale == "sqrt_dk"


SCORING: Final = {
    scoring.name: scoring
    for scoring in (
        Scoring("dot", "sqrt_dk"),
        Scoring("bilinear", "sqrt_dk", initial="identity", square=True),
        Scoring("additive", "none", initial="tenths"),
        Scoring("cosine", "none", temperature=0.25),
    )
}
SCORINGS: Final = tuple(SCORING)


@dataclass(frozen=True, slots=True)
class Choice:
    """A scoring in a menu, which has the dot product with and without its divisor.

    ``scale``: the divisor of this choice; None for that of the scoring. ``label``: in the menu; ``title``: elsewhere.
    """

    scoring: ScoringName
    label: str
    title: str
    scale: Literal["sqrt_dk", "none"] | None = None


SCORING_CHOICES: Final = {
    "scaled_dot": Choice("dot", N_("scaled dot"), N_("scaled dot product"), "sqrt_dk"),
    "dot": Choice("dot", N_("dot"), N_("dot product, not scaled"), "none"),
    "bilinear": Choice("bilinear", N_("bilinear"), N_("bilinear scoring")),
    "additive": Choice("additive", N_("additive"), N_("additive scoring")),
    "cosine": Choice("cosine", N_("cosine"), N_("cosine scoring")),
}

# --- positions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PositionChoice:
    """Positions in a menu, which has rotary ones with either pairing of their columns.

    ``label``: in the menu; ``title``: elsewhere.
    """

    kind: Literal["none", PositionsName]
    label: str
    title: str
    pairs: Literal["interleaved", "half"] | None = None


POSITION_CHOICES: Final = {
    "none": PositionChoice("none", N_("none"), N_("no positions")),
    "sinusoidal": PositionChoice("sinusoidal", N_("sinusoidal"), N_("sinusoidal positions")),
    "rotary": PositionChoice("rotary", N_("rotary"), N_("rotary positions"), "interleaved"),
    "rotary_half": PositionChoice(
        "rotary", N_("rotary, half-split"), N_("rotary positions, half-split"), "half"
    ),
    "alibi": PositionChoice("alibi", N_("ALiBi"), N_("ALiBi")),
}

# --- the stages of the page --------------------------------------------------------------------------------------

Stage: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Title, hint, matrices."""

_STAGES: Final = {
    "input": (N_("Input"), N_("One row per token.")),
    "positions": (N_("Positions"), N_("The position of each token.")),
    "projections": (N_("Projections"), N_("Each head has its own.")),
    "projected": (N_("Queries, keys, values"), N_("Each token in three roles.")),
    "normalized": (N_("Normalized"), N_("Rows of equal size, times gains.")),
    "rotated": (N_("Rotated"), N_("Rotated by their positions.")),
    "directions": (N_("Directions"), N_("Rows of length 1.")),
    "scoring": (N_("Scoring weights"), N_("Used only for the scores.")),
    "scores": (N_("Scores"), N_("Each query against each key.")),
    "linear": (N_("Linear biases"), N_("Distance lowers the score.")),
    "mask": (N_("Mask"), N_("Which pairs are masked.")),
    "weights": (N_("Attention weights"), N_("Softmax, row by row.")),
    "head outputs": (N_("Head outputs"), N_("V's rows, weighted and summed.")),
    "concat": (N_("Concatenation"), N_("Heads side by side.")),
    "output": (N_("Output"), N_("All heads combined.")),
}
_PROJECTED_WITHOUT_VALUES: Final = (N_("Queries and keys"), N_("Each token in two roles."))


def _stage(stage: str, *, values: bool = True) -> Stage:
    members = sorted((entry for entry in ENTRIES if entry.stage == stage), key=lambda entry: entry.place)
    if stage == "projected" and not values:
        return (*_PROJECTED_WITHOUT_VALUES, tuple(entry.name for entry in members if entry.role != "v"))
    return (*_STAGES[stage], tuple(entry.name for entry in members))


STAGES: Final = tuple(map(_stage, _STAGES))
"""The stages of the page in the order of the computation."""
STAGES_WITHOUT_VALUES: Final = tuple(_stage(stage, values=False) for stage in _STAGES)
"""The same for an example that ends at its weights."""
