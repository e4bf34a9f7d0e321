"""The rules for every example: sizes, shapes, ranges. ``files.py`` checks types."""

from __future__ import annotations

from collections.abc import Iterator

from mha_core.errors import N_, ExampleError
from mha_core.example.claim_rules import require_claims
from mha_core.example.learning_rules import require_learning
from mha_core.example.lecture_rules import require_lecture
from mha_core.example.mask_rules import require_masks
from mha_core.example.model import (
    MAX_HEADS,
    MAX_NUMBER,
    MAX_SIZE,
    MAX_TEXT,
    PAIRS,
    Dims,
    Example,
    Matrix,
    Row,
    features,
    kv_head_of,
    position_inputs,
)
from mha_core.example.puzzle_rules import require_puzzle
from mha_core.example.readers import fail
from mha_core.example.rules import require_number, wrong_shape, wrong_width
from mha_core.example.texts import in_languages, require_text
from mha_core.vocabulary import (
    COMPUTED,
    ENTRY,
    HEAD_BIASES,
    HEAD_GAINS,
    HEAD_MATRICES,
    HEAD_ROWS,
    PER_HEAD_INPUTS,
    SCORING,
    SCORINGS,
    SHARED,
)


def validate(example: Example, before: Example | None = None) -> Example:
    """Return ``example`` unchanged, or raise ``ExampleError`` naming the first place that breaks a rule.

    ``before``: a valid example. The numbers of rows that both have are not checked again.
    """
    dims = example.dims
    _require_sizes(example, dims)
    _require_texts(example)
    _require_numbers(example, before)
    _require_labels(example)
    if example.kv_heads is not None:
        _require_groups(example, dims)
    _require_used_parameters(example)
    _require_shapes(example, dims)
    _require_starts(example, dims)
    if example.positions is not None:
        _require_positions(example, dims)
    _require_few_pairs(example, dims)
    require_masks(example, dims)
    _require_scale(example)
    _require_softcap_and_norm(example)
    require_claims(example, dims)
    _require_asked(example)
    if example.lecture is not None:
        require_lecture(example.lecture)
    if example.puzzle is not None:
        require_puzzle(example, example.puzzle, dims)
    if example.learning is not None:
        require_learning(example, example.learning, dims)
    return example


def _require_sizes(example: Example, dims: Dims) -> None:
    context = "context" if example.context and example.context_tokens is None else "context_tokens"
    tokens, heads = (
        N_("expected 1 to {most} tokens, got {count}"),
        N_("expected 1 to {most} heads, got {count}"),
    )
    for place, count, most, message in (
        ("tokens", dims.n_q, MAX_SIZE, tokens),
        ("heads", dims.h, MAX_HEADS, heads),
        (context, dims.n_k, MAX_SIZE, tokens),
    ):
        if not 1 <= count <= most:
            raise fail(place, message, most=most, count=count)


def _require_texts(example: Example) -> None:
    for place, text in _given_texts(example):
        require_text(place, text, MAX_TEXT)


def _require_labels(example: Example) -> None:
    """A token for each row. The error is about the tokens, since the rows have the numbers."""
    for place, labels, name, rows in (
        ("tokens", example.tokens, "x", example.x),
        ("context_tokens", example.context_tokens, "context", example.context),
    ):
        if labels is not None and rows is not None and len(labels) != len(rows) <= MAX_SIZE:
            raise fail(
                place,
                N_("expected {rows} {rows:token|tokens}, one per row of {name}, got {count}"),
                rows=len(rows),
                name=name,
                count=len(labels),
            )


def _given_texts(example: Example) -> Iterator[tuple[str, str]]:
    """(place, text) of every text."""
    for name in ("title", "note", "source", "tokens", "context_tokens"):
        text = getattr(example, name)
        if isinstance(text, tuple):
            yield from ((f"{name}[{index}]", part) for index, part in enumerate(text))
        else:
            yield from in_languages(name, text)


def _require_shapes(example: Example, dims: Dims) -> None:
    for name, place, matrix in _given(example):
        rows, cols = dims.shape(name)
        if name in _BIASES and not _has_weight(example, place):
            raise fail(place, N_("there is nothing to add it to"))
        if rows == 0 or cols == 0:
            raise fail(place, N_("the matrix to multiply it by is missing"))
        if (len(matrix), len(matrix[0])) != (rows, cols):
            raise wrong_shape(place, (rows, cols), (len(matrix), len(matrix[0])))


_BIASES = (*HEAD_BIASES, "b_o")


def _has_weight(example: Example, place: str) -> bool:
    """Whether the bias at ``place``, such as ``heads[1].b_q``, has its weight matrix."""
    if place == "b_o":
        return example.w_o is not None
    head, _, name = place.partition("].")
    return getattr(example.heads[int(head.removeprefix("heads["))], "w" + name[1:]) is not None


def _given(example: Example) -> Iterator[tuple[str, str, Matrix]]:
    """(name, place, matrix) of every matrix that an example gives; a bias counts as a matrix of one row."""
    if example.x is not None:
        yield "x", "x", example.x
    if example.context is not None:
        yield "context", "context", example.context
    for index, head in enumerate(example.heads):
        for name in HEAD_MATRICES:
            matrix = getattr(head, name)
            if matrix is not None:
                yield name, f"heads[{index}].{name}", matrix
        for name in HEAD_ROWS:
            row = getattr(head, name)
            if row is not None:
                yield name, f"heads[{index}].{name}", (row,)
    if example.w_o is not None:
        yield "w_o", "w_o", example.w_o
    if example.b_o is not None:
        yield "b_o", "b_o", (example.b_o,)


def _require_starts(example: Example, dims: Dims) -> None:
    """Every head must be able to compute its output. Where none has V, it must have weights, and some are computed."""
    with_values = [index for index, head in enumerate(example.heads) if (head.v or head.w_v) is not None]
    for index in range(dims.h):
        missing = _missing(example, index, dims, bool(with_values))
        if missing == "w_v":
            raise fail(
                f"heads[{index}]",
                N_("w_v is missing, but heads[{other}] has values; give values in all heads or in none"),
                other=with_values[0],
            )
        if missing:
            raise fail(
                f"heads[{index}]", N_("{name} is missing, and no other field takes its place"), name=missing
            )
    if not with_values and all(head.weights is not None for head in example.heads):
        raise fail(
            "heads",
            N_("every head starts from its weights, and none has w_v or v, so there is nothing to compute"),
        )


def _missing(example: Example, index: int, dims: Dims, with_values: bool) -> str:
    """The first matrix that this head lacks, or "" where it lacks none; ``with_values``: it must have V."""
    head = example.heads[index]
    owner = head if example.kv_heads is None else example.heads[kv_head_of(example, "v", index)]
    needs = [("v", owner, example.source_rows)] if with_values else []
    if head.weights is None:
        needs = [("q", head, example.x), ("k", owner, example.source_rows), *needs]
    for name, giver, source in needs:
        if getattr(giver, name) is None:
            if getattr(giver, f"w_{name}") is None:
                return f"w_{name}"
            if source is None:
                return "x" if name == "q" or example.context_tokens is None else "context"
            if name != "q" and len(source) != dims.n_k:  # labels for other keys than the rows of X
                return "context"
    if head.weights is None:
        givers = {name: example.heads[kv_head_of(example, name, index)] for name in _PARAMETERS}
        return next(
            (name for name in _required_parameters(example) if getattr(givers[name], name) is None), ""
        )
    return ""


# --- what scoring, groups and positions require ------------------------------------------------------------------


def _required_parameters(example: Example) -> tuple[str, ...]:
    """The parameters that a head must give besides its weights."""
    present = features(example)
    return tuple(name for name in _PARAMETERS if not present.isdisjoint(ENTRY[name].only))


_PARAMETERS = tuple(name for name in PER_HEAD_INPUTS if ENTRY[name].only)
"""What only some examples use."""


def _require_used_parameters(example: Example) -> None:
    """A parameter that nothing uses is an error."""
    required = _required_parameters(example)
    unused = [name for name in _PARAMETERS if name not in required]
    for index, head in enumerate(example.heads):
        for name in unused:
            if getattr(head, name) is not None:
                only = ENTRY[name].only
                setting = "scoring" if only[0] in SCORINGS else "positions"
                values = " or ".join(f'"{value}"' for value in only)
                needed = '"norm"' if name in HEAD_GAINS else f'"{setting}": {values}'
                raise _unused(f"heads[{index}].{name}", needed)


def _unused(place: str, setting: str) -> ExampleError:
    return fail(place, N_("is not used without {setting}"), setting=setting)


def _require_groups(example: Example, dims: Dims) -> None:
    count = example.kv_heads or 0
    if count < 1 or dims.h % count:
        raise fail(
            "kv_heads",
            N_("expected a number that divides the {count} heads into equal groups, got {got}"),
            count=dims.h,
            got=example.kv_heads,
        )
    for index, head in enumerate(example.heads):
        first = kv_head_of(example, "k", index)
        for name in SHARED:
            if first != index and getattr(head, name, None) is not None:
                raise fail(
                    f"heads[{index}].{name}",
                    N_("keys and values are shared here; give them only in heads[{first}]"),
                    first=first,
                )


def _require_few_pairs(example: Example, dims: Dims) -> None:
    """Additive scoring has a row of d_a numbers for each pair of tokens: at most as many as the largest matrix."""
    count, most = dims.n_q * dims.n_k * dims.d_a, MAX_SIZE**2
    if example.scoring == "additive" and count > most:
        raise fail(
            "scoring",
            N_("additive scoring needs n_q × n_k × d_a numbers, at most {most}; got {n_q} × {n_k} × {d_a}"),
            most=most,
            n_q=dims.n_q,
            n_k=dims.n_k,
            d_a=dims.d_a,
        )


def _require_positions(example: Example, dims: Dims) -> None:
    positions, rows = example.positions, position_inputs(example)
    kind = getattr(positions, "kind", None)
    if kind == "rotary" and (dims.d_k % 2 or not dims.d_k):
        raise fail(
            "positions",
            N_("rotary positions rotate the columns of Q and K in pairs, so d_k must be even; got {d_k}"),
            d_k=dims.d_k,
        )
    if kind != "rotary" and getattr(positions, "pairs", PAIRS[0]) != PAIRS[0]:
        raise _unused("positions.pairs", '"kind": "rotary"')
    if kind == "sinusoidal" and example.x is None:
        raise fail("positions", N_("sinusoidal positions are added to X, but there is no X"))
    for field, name, size in (
        ("ids", "position_ids", dims.n_q),
        ("context_ids", "context_position_ids", dims.n_k),
        ("frequencies", "frequencies", dims.d_freq),
        ("context_frequencies", "context_frequencies", dims.d_context_freq),
    ):
        row: Row | None = getattr(positions, field)
        if row is None:
            continue
        place = f"positions.{field}"
        if name not in rows:
            raise _unused(place, _POSITION_SETTINGS[field])
        if len(row) != size:
            raise wrong_width(place, size, len(row))
        for j, number in enumerate(row):
            require_number(f"{place}[{j}]", number)


_POSITION_SETTINGS = {
    "ids": '"kind"',
    "context_ids": '"context"',
    "frequencies": '"kind": "sinusoidal" or "rotary"',
    "context_frequencies": '"kind": "sinusoidal" and a context',
}


def _require_numbers(example: Example, before: Example | None) -> None:
    known = {id(row) for _, _, matrix in _given(before) for row in matrix} if before else set()
    for _, place, matrix in _given(example):
        width = len(matrix[0]) if matrix else 0
        if not 1 <= width <= MAX_SIZE:
            raise fail(
                place, N_("expected a row of 1 to {most} numbers, got {count}"), most=MAX_SIZE, count=width
            )
        for i, row in enumerate(matrix):
            if len(row) != width:
                raise wrong_width(f"{place}[{i}]", width, len(row))
            if id(row) in known:
                continue
            for j, number in enumerate(row):
                if not -MAX_NUMBER <= number <= MAX_NUMBER:  # a call for each number would take long
                    require_number(f"{place}[{i}][{j}]", number)


def _require_softcap_and_norm(example: Example) -> None:
    """A softcap and an eps above 0, where there are scores that they change."""
    sizes = (
        ("softcap", "softcap", example.softcap),
        ("norm", "norm.eps", example.norm.eps if example.norm else None),
    )
    for name, place, size in sizes:
        if size is None:
            continue
        if not 1 / MAX_NUMBER <= size <= MAX_NUMBER:
            message = N_("expected a number from {low:g} to {high:g}, got {number:g}")
            raise fail(place, message, low=1 / MAX_NUMBER, high=MAX_NUMBER, number=size)
        if all(head.weights is not None for head in example.heads):
            raise fail(name, N_("is not used, since every head starts from its weights"))


def _require_scale(example: Example) -> None:
    scale = example.scale
    scoring = SCORING[example.scoring]
    if not scoring.is_product and scale == "sqrt_dk":
        raise fail(
            "scale",
            N_('√d_k is for dot products; with {scoring} scoring, write "none" or a number'),
            scoring=example.scoring,
        )
    if scoring.temperature is not None and not isinstance(scale, str) and scale < 0:
        raise fail("scale", N_("expected a temperature above 0, got {number}"), number=scale)
    if isinstance(scale, str):
        if scale == "sqrt_dk" and not example.dims.d_k and any(h.weights is None for h in example.heads):
            raise fail("scale", N_("there is no d_k to take the square root of"))
        return
    if scale == 0:
        raise fail("scale", N_("the divisor cannot be 0"))
    if not 1 / MAX_NUMBER <= abs(scale) <= MAX_NUMBER:
        message = N_("expected a divisor whose size is from {low:g} to {high:g}, got {number:g}")
        raise fail("scale", message, low=1 / MAX_NUMBER, high=MAX_NUMBER, number=scale)


def _require_asked(example: Example) -> None:
    for index, name in enumerate(example.asked or ()):
        if name not in COMPUTED:
            raise fail(f"asked[{index}]", N_("there is no step {name}"), name=repr(name[:40]))
