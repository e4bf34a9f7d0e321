"""The example: all inputs of one multi-head attention layer, as frozen plain data.

Every ``Example`` comes from ``mha_core.example.files.parse`` or through ``validate``, so it is valid and is not checked
again. Rows are tokens (row convention, X·W).

Letters: n_q queries, n_k keys, h heads, d_model columns of X, d_context columns of the context, d_k, d_v, d_out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import Literal, TypeAlias, get_args

from mha_core.example.attempt import Attempt
from mha_core.example.band import ALL_OWN_MASKS, CAUSAL, ONE_OWN_MASK, OWN_MASKS, BandMask, band_sentences
from mha_core.example.learning import Learning
from mha_core.example.lecture import Lecture
from mha_core.example.puzzle import Puzzle
from mha_core.messages import LANGUAGES
from mha_core.notebook import html_of
from mha_core.vocabulary import (
    BACKWARD_STEPS,
    ENTRY,
    POSITION_CHOICES,
    SCORING,
    STEPS,
    NormName,
    PositionsName,
    ScoringName,
)

Row: TypeAlias = tuple[float, ...]
Matrix: TypeAlias = tuple[Row, ...]
Text: TypeAlias = str | Mapping[str, str]
"""One text for all languages, or one for each: ``{"en": …, "zh": …}``."""

Claim: TypeAlias = "float | str | None"
"""A printed number (a string keeps its digits), or None where none was given."""

MAX_SIZE = 64
"""Largest n_q, n_k and d of an editable example."""
MAX_HEADS = 16
MAX_NUMBER = 1e12
"""Largest magnitude of a given number: far beyond any example, and no product of a trace overflows float64."""
MAX_TEXT = 1000
"""Longest token, title, note or source, in characters."""

NEG_INF = float("-inf")

POSITIONS: tuple[PositionsName, ...] = get_args(PositionsName)
NORMS: tuple[NormName, ...] = get_args(NormName)
EPS = 1e-6
"""Added to the mean square of a row, unless an example says otherwise."""
Pairs: TypeAlias = Literal["interleaved", "half"]
PAIRS: tuple[Pairs, ...] = ("interleaved", "half")
BASE = 10000.0
"""The wavelengths of sinusoidal and rotary positions range from 2π to 2π·BASE."""


@dataclass(frozen=True, slots=True)
class Head:
    """One head's matrices, or the numbers that it starts from.

    Shapes: w_q, w_k: d_model × d_k (w_k: d_context × d_k where there is a context), w_v: d_context × d_v;
    b_q, b_k: d_k; b_v: d_v; q: n_q × d_k; k: n_k × d_k; v: n_k × d_v; weights: n_q × n_k.
    ``q``, ``k``, ``v`` and ``weights`` replace what would compute them. Where no head has ``w_v`` or ``v``, the
    computation ends at the weights.
    ``w_a``, ``u_a``: d_k × d_a and ``v_a``: d_a are the parameters of additive scoring, ``w_a``: d_k × d_k is that of
    bilinear scoring; ``slope``: the one number m of linear biases. ``g_q``, ``g_k``: d_k gains of the norms of Q and K.
    ``sink``: one number s_0, a score without a key: weights[i, j] = e^s_ij ÷ (Σ_j e^s_ij + e^s_0), so that a row adds
    up to less than 1 (gpt-oss, OpenAI 2025; with 0, "softmax off by one").
    ``mask``: the head's own mask, "none" where it has none; None for the example's.
    """

    w_q: Matrix | None = None
    w_k: Matrix | None = None
    w_v: Matrix | None = None
    b_q: Row | None = None
    b_k: Row | None = None
    b_v: Row | None = None
    q: Matrix | None = None
    k: Matrix | None = None
    v: Matrix | None = None
    weights: Matrix | None = None
    w_a: Matrix | None = None
    u_a: Matrix | None = None
    v_a: Row | None = None
    slope: Row | None = None
    sink: Row | None = None
    g_q: Row | None = None
    g_k: Row | None = None
    mask: Mask | Literal["none"] = None

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "mask"}
        return f"Head({', '.join(f'{name}: {_size(rows)}' for name, rows in given.items() if rows)})"


@dataclass(frozen=True, slots=True)
class AllowMask:
    """``allow`` (n_q × n_k): True where the query may attend to the key; elsewhere the score becomes ``fill``."""

    allow: tuple[tuple[bool, ...], ...]
    fill: float = NEG_INF


@dataclass(frozen=True, slots=True)
class AddMask:
    """``add`` (n_q × n_k): added to the scaled scores; −∞ hides a pair."""

    add: Matrix


@dataclass(frozen=True, slots=True)
class Positions:
    """How the positions of tokens enter the computation.

    sinusoidal   sines and cosines of the position are added to X, and to the context (Vaswani et al. 2017, 3.5)
    rotary       each pair of columns of Q and K is rotated by an angle that grows with the position (Su et al. 2021)
    alibi        every score loses slope·distance, each head with a slope of its own (Press et al. 2022)

    ``ids``: n_q, ``context_ids``: n_k numbers, 0, 1, 2 … where not given. ``frequencies``, ``context_frequencies``:
    one for each pair of columns, 10000^(−2m/d) where not given; the angle is position · frequency.
    ``pairs``: which columns of Q and K are rotated together, m = 0, 1 … d_k/2 − 1:

    interleaved  columns 2m and 2m + 1          (Su et al. 2021; GPT-J)
    half         columns m and m + d_k/2        (GPT-NeoX; Llama in Hugging Face's transformers)
    """

    kind: PositionsName
    ids: Row | None = None
    context_ids: Row | None = None
    frequencies: Row | None = None
    context_frequencies: Row | None = None
    pairs: Pairs = "interleaved"


@dataclass(frozen=True, slots=True)
class Norm:
    """How queries and keys are normalized before positions rotate them and before they are compared.

    rms   q ÷ √(mean(q²) + eps) ∘ g_q, and k in the same way    (Zhang & Sennrich 2019; Qwen3, Gemma 3)
    """

    kind: NormName = "rms"
    eps: float = EPS


def _size(rows: Row | Matrix) -> str:
    return f"{len(rows)} × {len(rows[0])}" if isinstance(rows[0], tuple) else str(len(rows))


Mask: TypeAlias = Literal["causal"] | BandMask | AllowMask | AddMask | None
Scale: TypeAlias = Literal["sqrt_dk", "none"] | float
Scoring: TypeAlias = ScoringName


@dataclass(frozen=True, slots=True)
class Example:
    """All inputs of one layer. ``x`` may be None where every head starts further on.

    Shapes: x: n_q × d_model; context: n_k × d_context; w_o: (h·d_v) × d_out; b_o: d_out.
    ``claimed``: somebody's own numbers by step name, per-head steps as a list over heads. ``asked``: the steps that an
    exercise wants; ``attempt``: how one learner worked them out. ``puzzle``: goals that are to be met by changing
    numbers. ``learning``: a goal whose loss has a gradient by every number, and a rate.
    ``scoring`` is how a query and a key make a score, which is then divided by ``scale``:

    dot        q·k                         (Luong et al. 2015; divided by √d_k: Vaswani et al. 2017)
    bilinear   (q·W_a)·k                   ("general" in Luong et al. 2015)
    additive   v_a·tanh(q·W_a + k·U_a)     (Bahdanau et al. 2015)
    cosine     q·k ÷ (‖q‖·‖k‖)             (Graves et al. 2014; the divisor, a temperature, is their 1/β)

    ``softcap``: a number c that no score exceeds: a score s becomes c·tanh(s/c) once it is divided (Gemma 2, 2024).

    ``norm``: how queries and keys are normalized; each head then has gains.

    ``kv_heads``: how many heads have keys and values of their own; h ÷ kv_heads heads in a row share them, and the
    first of these gives them (grouped-query attention, Ainslie et al. 2023; 1: multi-query, Shazeer 2019).
    """

    title: Text
    tokens: tuple[str, ...]
    heads: tuple[Head, ...]
    x: Matrix | None = None
    context_tokens: tuple[str, ...] | None = None
    context: Matrix | None = None
    w_o: Matrix | None = None
    b_o: Row | None = None
    scale: Scale = "sqrt_dk"
    mask: Mask = None
    claimed: Mapping[str, tuple] | None = None  # type: ignore[type-arg]  # ragged by design: cells may be absent
    source: Text | None = None
    note: Text | None = None
    scoring: Scoring = "dot"
    kv_heads: int | None = None
    positions: Positions | None = None
    lecture: Lecture | None = None
    softcap: float | None = None
    norm: Norm | None = None
    asked: tuple[str, ...] | None = None
    attempt: Attempt | None = None
    puzzle: Puzzle | None = None
    learning: Learning | None = None

    @property
    def source_rows(self) -> Matrix | None:
        """What keys and values are computed from: the context where there is one, else X."""
        return self.x if self.context is None else self.context

    @property
    def dims(self) -> Dims:
        """The letters of this example."""
        return Dims.of(self)

    def __repr__(self) -> str:
        sizes = {
            name: getattr(self.dims, name) for name in ("n_q", "n_k", "h", "d_model", "d_k", "d_v", "d_out")
        }
        letters = ", ".join(f"{name} = {size}" for name, size in sizes.items() if size)
        return f"Example({text_in(self.title, 'en')!r}, {letters})"

    def _repr_html_(self) -> str | None:
        """The interactive page that a notebook shows; None where no package can render it."""
        return html_of(self)


@dataclass(frozen=True, slots=True)
class Dims:
    """The sizes of an example; 0 where nothing has them. ``d_a``: columns of W_a, ``d_freq``, ``d_context_freq``:
    how many frequencies turn the positions into angles.
    """

    n_q: int
    n_k: int
    h: int
    d_model: int
    d_context: int
    d_k: int
    d_v: int
    d_out: int
    d_a: int
    d_freq: int
    d_context_freq: int

    @classmethod
    def of(cls, example: Example) -> Dims:
        """Read the sizes off the matrices; ``example`` need not be valid yet."""
        n_q = len(example.tokens)
        d_model = len(example.x[0]) if example.x else 0
        d_context = len(example.context[0]) if example.context else d_model
        d_k = _d_k(example)
        d_freq, d_context_freq = _frequency_counts(example, d_model, d_context, d_k)
        return cls(
            n_q=n_q,
            n_k=_n_k(example, n_q),
            h=len(example.heads),
            d_model=d_model,
            d_context=d_context,
            d_k=d_k,
            d_v=_width(example, ("v", "w_v")),
            d_out=len(example.w_o[0]) if example.w_o else 0,
            d_a=_d_a(example, d_k),
            d_freq=d_freq,
            d_context_freq=d_context_freq,
        )

    def size(self, axis: str) -> int:
        """The length of one of the axes in ``AXES``."""
        if axis == "1":
            return 1
        first, product, second = axis.partition("·")
        size = int(getattr(self, first))
        return size * int(getattr(self, second)) if product else size

    def shape(self, name: str) -> tuple[int, int]:
        """Rows and columns of a matrix by name."""
        rows, cols = ENTRY[name].axes
        return self.size(rows), self.size(cols)

    @property
    def sqrt_dk(self) -> float:
        """√d_k, the divisor of scaled dot-product attention."""
        return sqrt(self.d_k)


def _n_k(example: Example, n_q: int) -> int:
    """The number of the context's labels; else of its rows; else of V or K where a head starts from them; else n_q."""
    for rows in (example.context_tokens, example.context):
        if rows is not None:
            return len(rows)
    if example.x is None:
        for head in example.heads:
            for given in (head.v, head.k):
                if given is not None:
                    return len(given)
    return n_q


def _width(example: Example, names: tuple[str, ...]) -> int:
    """Columns of the first matrix of these names in any head."""
    for head in example.heads:
        for name in names:
            matrix = getattr(head, name)
            if matrix:
                return len(matrix[0])
    return 0


def _d_k(example: Example) -> int:
    return _width(example, ("q", "k", "w_q", "w_k"))


def _d_a(example: Example, d_k: int) -> int:
    scoring = SCORING[example.scoring]
    if "w_a" not in scoring.parameters:
        return 0
    return d_k if scoring.square else _width(example, ("w_a", "u_a"))


def _frequency_counts(example: Example, d_model: int, d_context: int, d_k: int) -> tuple[int, int]:
    """One frequency for each pair of columns that positions act on: of X and of the context, or of Q and K."""
    kind = example.positions.kind if example.positions else None
    if kind == "sinusoidal":
        return (d_model + 1) // 2, (d_context + 1) // 2
    return (d_k // 2, d_k // 2) if kind == "rotary" else (0, 0)


def keys_are_queries(example: Example) -> bool:
    """Whether queries and keys are the same tokens: self-attention."""
    return example.context is None and example.context_tokens is None and example.dims.n_k == example.dims.n_q


def same_numbers(one: Example, other: Example) -> bool:
    """Whether two examples are equal apart from title, source, note, lecture, puzzle, goal and somebody's work."""
    names = ("title", "source", "note", "lecture", "puzzle", "learning", "claimed", "attempt")
    texts = {name: getattr(other, name) for name in names}
    return replace(one, **texts) == other


def without_stale_note(example: Example, before: Example) -> Example:
    """``example``, made from ``before``, with note and source only where no number and no token has changed.

    A puzzle's note and source are about its start, so they stay. Its tokens in other languages stay with its tokens.
    """
    if same_numbers(example, before):
        return example
    if example.puzzle is None:
        return replace(example, note=None, source=None)
    if example.tokens == before.tokens:
        return example
    return replace(example, puzzle=replace(example.puzzle, tokens={}))


def kv_head_of(example: Example, name: str, head: int) -> int:
    """The head whose matrix ``head`` uses: the first of its group for shared keys and values, else itself; for the mask
    of a head without its own, the first of these heads.
    """
    if name == "head_mask":
        return head if example.heads[head].mask is not None else _first_without_own_mask(example, head)
    if name == "d_head_mask":
        return kv_head_of(example, "head_mask", head)
    if example.kv_heads is None or not (name in ENTRY and ENTRY[name].shared):
        return head
    return head - head % (len(example.heads) // example.kv_heads)


def _first_without_own_mask(example: Example, head: int) -> int:
    others = (g for g, other in enumerate(example.heads) if other.mask is None and other.weights is None)
    return next(others, head)


def uses_shared_kv(head: Head) -> bool:
    """Whether this head uses keys and values of the first of its group, since it has none of its own."""
    return head.v is None and head.w_v is None and head.k is None and head.w_k is None


def has_values(example: Example) -> bool:
    """Whether the heads have V. Either all have it or none, so the first decides. Without V the weights come last."""
    first = example.heads[0]
    return first.v is not None or first.w_v is not None


def features(example: Example) -> frozenset[str]:
    """The features that an entry of ``vocabulary`` can require by ``only``: the scoring, the kind of positions (also
    with "apart" where keys have positions of their own), softcap, norm, values, and W_O.
    """
    names: set[str] = {example.scoring}
    if example.positions is not None:
        kind = example.positions.kind
        names |= {kind, f"{kind} apart"} if "context_position_ids" in position_inputs(example) else {kind}
    if example.softcap is not None:
        names.add("softcap")
    if example.norm is not None:
        names.add("norm")
    if has_values(example):
        names.add("values")
    if example.w_o is not None:
        names.add("w_o")
    return frozenset(names)


def absent_steps(example: Example) -> tuple[str, ...]:
    """Steps that only some examples have, and this one does not."""
    present = features(example)
    return tuple(step for step in STEPS if ENTRY[step].only and present.isdisjoint(ENTRY[step].only))


def absent_slopes(example: Example) -> tuple[str, ...]:
    """Derivatives by steps that this example does not have; without a goal the whole backward pass."""
    if example.learning is None:
        return BACKWARD_STEPS
    absent = absent_steps(example)
    return tuple(name for name in BACKWARD_STEPS if ENTRY[name].slope_of in absent)


def position_choice(example: Example) -> str:
    """Which of ``vocabulary.POSITION_CHOICES`` this example has."""
    positions = example.positions
    kind, pairs = (positions.kind, positions.pairs) if positions else ("none", None)
    return next(
        name
        for name, choice in POSITION_CHOICES.items()
        if choice.kind == kind and choice.pairs in (None, pairs)
    )


def position_inputs(example: Example) -> dict[str, Row]:
    """The position ids and frequencies that this example uses, by name: given ones, or those of the rule."""
    positions = example.positions
    if positions is None:
        return {}
    dims, kind = example.dims, positions.kind
    for_keys = example.context is not None if kind == "sinusoidal" else not keys_are_queries(example)
    inputs = {"position_ids": positions.ids or _counted(dims.n_q)}
    if kind != "alibi":
        width = dims.d_model if kind == "sinusoidal" else dims.d_k
        inputs["frequencies"] = positions.frequencies or _frequencies(width)
    if for_keys:
        inputs["context_position_ids"] = positions.context_ids or _counted(dims.n_k)
        if kind == "sinusoidal":
            inputs["context_frequencies"] = positions.context_frequencies or _frequencies(dims.d_context)
    return inputs


def _counted(count: int) -> Row:
    return tuple(float(i) for i in range(count))


def _frequencies(width: int) -> Row:
    """10000^(−2m/d) for each pair m of d columns."""
    return tuple(BASE ** (-2 * m / width) for m in range((width + 1) // 2))


def alibi_slope(head: int, heads: int) -> float:
    """The slope that ALiBi gives to this one of h heads, counted from 0 (Press, Smith & Lewis 2022, section 3).

    2^(−8·(head + 1)/h) where h is a power of two. Else, with p the largest power of two below h, the first p heads have
    the slopes of p heads, and the remaining heads have every other slope of 2p heads, from the first on. The paper only
    covers powers of two; the rest is ``get_slopes`` in the authors' code.
    """
    below = 1 << (heads.bit_length() - 1)
    if head < below:
        return float(2 ** (-8 * (head + 1) / below))
    return alibi_slope(2 * (head - below), 2 * below)


def divisor(example: Example) -> float | None:
    """What the scores are divided by; None where they are not scaled."""
    if example.scale == "none":
        return None
    return sqrt(_d_k(example)) if example.scale == "sqrt_dk" else float(example.scale)


def allow_matrix(example: Example, head: int | None = None) -> tuple[tuple[bool, ...], ...] | None:
    """The mask as ``allow`` (n_q × n_k), True = may attend; None without a mask or with one that adds numbers.

    ``head``: of this head; None for the example's.
    """
    mask = example.mask if head is None else mask_of(example, head)
    band = band_of(mask)
    if band is not None:
        return band.allow(example.dims.n_q, example.dims.n_k)
    return mask.allow if isinstance(mask, AllowMask) else None


def mask_of(example: Example, head: int) -> Mask:
    """The mask of a head: its own, or the example's."""
    own = example.heads[head].mask
    return example.mask if own is None else None if own == "none" else own


def has_own_masks(example: Example) -> bool:
    """Whether heads have masks of their own, so that each has its matrix ``head_mask``."""
    own = [head.mask for head in example.heads if head.mask is not None]
    return bool(own) and (example.mask is not None or any(mask != "none" for mask in own))


def masks_of(example: Example) -> tuple[Mask, ...]:
    """The masks that heads have, each head's if any has its own."""
    if not has_own_masks(example):
        return () if example.mask is None else (example.mask,)
    return tuple(mask_of(example, g) for g, head in enumerate(example.heads) if head.weights is None)


def adds_numbers(example: Example) -> bool:
    """Whether masks are numbers that are added to scores, since at least one is."""
    return any(isinstance(mask, AddMask) for mask in masks_of(example))


def mask_matrix(example: Example) -> str:
    """The name of the matrix that scores are masked with: each head's own, or the layer's."""
    return "head_mask" if has_own_masks(example) else "mask"


def head_mask(example: Example, head: int) -> list[list[float]] | None:
    """The mask of a head as numbers: 1 may attend, 0 may not, or numbers to add if any mask adds some. None where the
    mask is the example's in every head, and where the head starts from its weights.
    """
    if not has_own_masks(example) or example.heads[head].weights is not None:
        return None
    mask, dims, adds = mask_of(example, head), example.dims, adds_numbers(example)
    if isinstance(mask, AddMask):
        return [list(row) for row in mask.add]
    allow = allow_matrix(example, head) or ((True,) * dims.n_k,) * dims.n_q
    hidden, open_ = (NEG_INF, 0.0) if adds else (0.0, 1.0)
    return [[open_ if cell else hidden for cell in row] for row in allow]


def with_one_mask(example: Example, head: int) -> Example:
    """The example in which every head has the mask of this one."""
    heads = tuple(replace(other, mask=None) for other in example.heads)
    return replace(example, mask=mask_of(example, head), heads=heads)


def band_of(mask: Mask) -> BandMask | None:
    """A mask by positions, causal or a window; None for any other."""
    if mask == "causal":
        return CAUSAL
    return mask if isinstance(mask, BandMask) else None


def mask_sentences(example: Example) -> list[tuple[str, dict[str, object]]]:
    """What a mask by positions means, beyond being causal: sentences as templates with their values."""
    band, dims = band_of(example.mask), example.dims
    if has_own_masks(example):
        own = [g + 1 for g, head in enumerate(example.heads) if head.mask is not None]
        if len(own) == len(example.heads):
            return [(ALL_OWN_MASKS, {})]
        return [(ONE_OWN_MASK if len(own) == 1 else OWN_MASKS, {"list": ", ".join(map(str, own))})]
    if band is None:
        return []
    values: dict[str, object] = {"n_q": dims.n_q, "n_k": dims.n_k, "window": band.window}
    return [(template, values) for template in band_sentences(band, dims.n_q, dims.n_k)]


def mask_fill(example: Example) -> float:
    """The score of a hidden pair: −∞ unless the example gives another number."""
    return example.mask.fill if isinstance(example.mask, AllowMask) else NEG_INF


def setting(example: Example, name: str) -> float | None:
    """The value of one of ``vocabulary.SETTINGS``: the divisor, None where scores are not scaled; the softcap, None
    where they are not capped; the eps of the norm, None without a norm; d_k; or the fill.
    """
    if name == "columns":
        return float(example.dims.d_k) or None
    if name == "softcap":
        return example.softcap
    if name == "eps":
        return None if example.norm is None else example.norm.eps
    return {"divisor": divisor, "fill": mask_fill}[name](example)


def key_tokens(example: Example) -> tuple[str, ...]:
    """Labels of the keys, n_k of them; a context without labels gets numbers."""
    if example.context_tokens is not None:
        return example.context_tokens
    dims = example.dims
    if example.context is None and dims.n_k == dims.n_q:
        return example.tokens
    return tuple(str(j + 1) for j in range(dims.n_k))


def text_in(text: Text | None, language: str) -> str:
    """A text in one language, else in the first of ``LANGUAGES``, else in any."""
    if text is None or isinstance(text, str):
        return text or ""
    return text.get(language) or text.get(LANGUAGES[0]) or next(iter(text.values()), "")
