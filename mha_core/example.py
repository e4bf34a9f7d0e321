"""The example: all inputs of one multi-head attention layer, as frozen plain data.

An ``Example`` that exists is valid: ``mha_core.files.parse`` and ``validate`` are the only ways in, and nothing
after them checks again. Rows are tokens (row convention, X·W).

Letters: n_q queries, n_k keys, h heads, d_model columns of X, d_context columns of the context, d_k, d_v, d_out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

Row: TypeAlias = tuple[float, ...]
Matrix: TypeAlias = tuple[Row, ...]
Text: TypeAlias = str | Mapping[str, str]
"""One text for all languages, or one for each: ``{"en": …, "zh": …}``."""

Claim: TypeAlias = "float | str | None"
"""A number as somebody printed it (a string keeps its digits), or None where none was given."""

MAX_SIZE = 64
"""Largest n_q, n_k and d of an editable example."""
MAX_HEADS = 16
MAX_NUMBER = 1e12
"""Largest magnitude of a given number: far beyond any example, and no product of a trace overflows float64."""
MAX_TEXT = 1000
"""Longest token, title, note or source, in characters."""

NEG_INF = float("-inf")

HEAD_MATRICES = ("w_q", "w_k", "w_v", "q", "k", "v", "weights")
"""What a head may give as a matrix."""
HEAD_BIASES = ("b_q", "b_k", "b_v")

AXES: dict[str, tuple[str, str]] = {
    "x": ("n_q", "d_model"),
    "context": ("n_k", "d_context"),
    "w_q": ("d_model", "d_k"),
    "b_q": ("1", "d_k"),
    "w_k": ("d_context", "d_k"),
    "b_k": ("1", "d_k"),
    "w_v": ("d_context", "d_v"),
    "b_v": ("1", "d_v"),
    "q": ("n_q", "d_k"),
    "k": ("n_k", "d_k"),
    "v": ("n_k", "d_v"),
    "scores": ("n_q", "n_k"),
    "scaled_scores": ("n_q", "n_k"),
    "mask": ("n_q", "n_k"),
    "masked_scores": ("n_q", "n_k"),
    "weights": ("n_q", "n_k"),
    "head_outputs": ("n_q", "d_v"),
    "concat": ("n_q", "h·d_v"),
    "w_o": ("h·d_v", "d_out"),
    "b_o": ("1", "d_out"),
    "output": ("n_q", "d_out"),
}
"""What the rows and the columns of every matrix run over, in the order of the computation."""


@dataclass(frozen=True, slots=True)
class Head:
    """One head's matrices, or the numbers that it starts from.

    Shapes: w_q, w_k: d_model × d_k (w_k: d_context × d_k where there is a context), w_v: d_context × d_v;
    b_q, b_k: d_k; b_v: d_v; q: n_q × d_k; k: n_k × d_k; v: n_k × d_v; weights: n_q × n_k.
    ``q``, ``k``, ``v`` and ``weights`` stand in for what would compute them.
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


@dataclass(frozen=True, slots=True)
class AllowMask:
    """``allow`` (n_q × n_k): True where the query may attend to the key; elsewhere the score becomes ``fill``."""

    allow: tuple[tuple[bool, ...], ...]
    fill: float = NEG_INF


@dataclass(frozen=True, slots=True)
class AddMask:
    """``add`` (n_q × n_k): added to the scaled scores; −∞ hides a pair."""

    add: Matrix


Mask: TypeAlias = Literal["causal"] | AllowMask | AddMask | None
Scale: TypeAlias = Literal["sqrt_dk", "none"] | float


@dataclass(frozen=True, slots=True)
class Example:
    """All inputs of one layer. ``x`` may be None where every head starts further on.

    Shapes: x: n_q × d_model; context: n_k × d_context; w_o: (h·d_v) × d_out; b_o: d_out.
    ``claimed`` holds somebody's own numbers by step name: per-head steps as a list over heads.
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
    source: str | None = None
    note: Text | None = None

    @property
    def source_rows(self) -> Matrix | None:
        """What keys and values are computed from: the context where there is one, else X."""
        return self.x if self.context is None else self.context

    @property
    def dims(self) -> Dims:
        """The letters of this example."""
        return Dims.of(self)


@dataclass(frozen=True, slots=True)
class Dims:
    """The sizes of an example. ``d_model``, ``d_context``, ``d_k`` and ``d_out`` are 0 where nothing has them."""

    n_q: int
    n_k: int
    h: int
    d_model: int
    d_context: int
    d_k: int
    d_v: int
    d_out: int

    @classmethod
    def of(cls, example: Example) -> Dims:
        """Read the sizes off the matrices; ``example`` need not be valid yet."""
        n_q = len(example.tokens)
        d_model = len(example.x[0]) if example.x else 0
        return cls(
            n_q=n_q,
            n_k=_n_k(example, n_q),
            h=len(example.heads),
            d_model=d_model,
            d_context=len(example.context[0]) if example.context else d_model,
            d_k=_width(example, ("q", "k", "w_q", "w_k")),
            d_v=_width(example, ("v", "w_v")),
            d_out=len(example.w_o[0]) if example.w_o else 0,
        )

    def size(self, axis: str) -> int:
        """The length of one of the axes in ``AXES``."""
        if axis == "1":
            return 1
        return self.h * self.d_v if axis == "h·d_v" else int(getattr(self, axis))

    def shape(self, name: str) -> tuple[int, int]:
        """Rows and columns of a matrix by name."""
        rows, cols = AXES[name]
        return self.size(rows), self.size(cols)

    @property
    def sqrt_dk(self) -> float:
        """√d_k, the divisor of scaled dot-product attention."""
        return sqrt(self.d_k)


def _n_k(example: Example, n_q: int) -> int:
    """Labels of the context; else its rows; else those of the keys and values that the heads start from; else n_q."""
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


def divisor(example: Example) -> float | None:
    """What the scores are divided by; None where they are not scaled."""
    if example.scale == "none":
        return None
    return example.dims.sqrt_dk if example.scale == "sqrt_dk" else float(example.scale)


def allow_matrix(example: Example) -> tuple[tuple[bool, ...], ...] | None:
    """The mask as ``allow`` (n_q × n_k), True = may attend; None without a mask or with one that adds numbers.

    Causal means that query i may attend to keys 0 … i.
    """
    if example.mask == "causal":
        dims = example.dims
        return tuple(tuple(j <= i for j in range(dims.n_k)) for i in range(dims.n_q))
    return example.mask.allow if isinstance(example.mask, AllowMask) else None


def mask_fill(example: Example) -> float:
    """What a hidden pair's score becomes; −∞ unless the example names another number."""
    return example.mask.fill if isinstance(example.mask, AllowMask) else NEG_INF


def key_tokens(example: Example) -> tuple[str, ...]:
    """Labels of the keys, n_k of them; a context without labels gets numbers."""
    if example.context_tokens is not None:
        return example.context_tokens
    dims = example.dims
    if example.context is None and dims.n_k == dims.n_q:
        return example.tokens
    return tuple(str(j + 1) for j in range(dims.n_k))


def text_in(text: Text | None, language: str) -> str:
    """A text in one language, falling back to English, then to any."""
    if text is None or isinstance(text, str):
        return text or ""
    return text.get(language) or text.get("en") or next(iter(text.values()), "")
