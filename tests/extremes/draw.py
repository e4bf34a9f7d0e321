"""Valid examples with extreme but legal numbers, drawn by a seed: every scoring, kind of positions, mask and start.

    example = drawn(Random(7))
    kinds_of(example)     {"scoring dot", "mask causal", …}: its properties; ``KINDS`` has all of them

Sizes are 1 … 5, and sometimes more.
"""

from dataclasses import replace
from random import Random

from mha_core import AddMask, AllowMask, Example, Head, Norm, Positions, validate
from mha_core.example.band import CORNERS, MAX_WINDOW, BandMask
from mha_core.example.model import (
    MAX_NUMBER,
    NEG_INF,
    PAIRS,
    POSITIONS,
    has_values,
    position_choice,
    position_inputs,
)
from mha_core.vocabulary import POSITION_CHOICES, SCORINGS

LARGEST = 1.7976931348623157e308
TINY = (5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, -1e-300, 1e-200, -1e-160, 3e-155)
HUGE = (MAX_NUMBER, -MAX_NUMBER, 999_999_999_999.5, -123_456_789_012.25, 1e9)
PLAIN = (1.0, -1.0, 2.0, 3.0, -2.0, 0.5, 0.1)
ZEROS = (0.0, -0.0)
MOODS = {
    "plain": PLAIN + ZEROS,
    "tiny": TINY + ZEROS,
    "huge": HUGE,
    "zero": ZEROS,
    "one tiny": (5e-324,),
    "one huge": (MAX_NUMBER,),
    "mixed": PLAIN + ZEROS + TINY + HUGE,
}
"""The numbers that one matrix is drawn from."""

TEXTS = (
    *(
        "",
        " ",
        "a",
        "cat",
        "思考",
        "שלום",
        "مرحبا",
        "👩‍👩‍👧",
        "e\u0301",
        "\u0000",
        "\u202eabc",
        "\u200b",
        "\n",
        "\t|",
    ),
    *(
        "<b>x</b>",
        "<script>",
        "&amp;",
        "a|b",
        "$x_1$",
        "\\frac{1}{0}",
        "{name}",
        "%s",
        "`",
        '"""',
        "'",
        "#",
        "]]>",
    ),
    *("1e400", "-0", "=1+1", "../..", "x" * 60, "长" * 300),
)
DIVISORS = ("sqrt_dk", "sqrt_dk", "none", 1e-12, -1e-12, 1e12, 2.0, -0.5)
SOFTCAPS = (None, None, None, 1e-12, 1e12, 2.0)
TEMPERATURES = ("none", 1e-12, 1e12, 0.25)
FILLS = (NEG_INF, NEG_INF, -1e9, 0.0, 1e300, -1e300, LARGEST, -LARGEST, 5e-324)
ADDED = (0.0, -0.0, NEG_INF, 1.0, -1e9, 1e300, -1e300, LARGEST, -LARGEST, 5e-324)
STARTS = ("x", "x", "q", "k", "v", "weights", "mixed", "further on")


def drawn(random):
    """A valid example."""
    n_q, d_model, d_k, d_v, h = (_size(random) for _ in range(5))
    n_k, d_context, crossed = n_q, d_model, random.random() < 0.3
    if crossed:
        n_k, d_context = _size(random), _size(random)
    start = random.choice(STARTS)
    heads = tuple(_head(random, start, n_q, n_k, d_model, d_context, d_k, d_v) for _ in range(min(h, 16)))
    if random.random() < 0.12:
        heads = _without_v(random, heads, n_q, n_k, d_k)
    example = Example(
        title=random.choice(TEXTS),
        note=random.choice((None, random.choice(TEXTS), {"en": "note", "zh": random.choice(TEXTS)})),
        source=random.choice((None, random.choice(TEXTS))),
        tokens=_texts(random, n_q),
        heads=heads,
        x=_matrix(random, n_q, d_model),
        context=_matrix(random, n_k, d_context) if crossed else None,
        context_tokens=_texts(random, n_k) if crossed and random.random() < 0.7 else None,
        scale=random.choice(DIVISORS),
        mask=_mask(random, n_q, n_k),
    )
    if all(_needs_no_rows(head) for head in heads) and random.random() < 0.8:
        example = replace(example, x=None, context=None)
    if not example.dims.d_k and example.scale == "sqrt_dk":
        example = replace(example, scale="none")
    example = _varied(random, example)
    if example.dims.d_v and random.random() < 0.6:
        d_out = _size(random)
        example = replace(
            example,
            w_o=_matrix(random, len(heads) * example.dims.d_v, d_out),
            b_o=_row(random, d_out) if random.random() < 0.5 else None,
        )
    return validate(example)


def _size(random):
    rare = random.random()
    if rare < 0.002:
        return random.randint(13, 24)
    return random.randint(6, 12) if rare < 0.02 else random.choice((1, 2, 2, 3, 3, 4, 5))


def _matrix(random, rows, cols):
    """Numbers of one mood; in some matrices all rows are equal, or two of them, or one is of zeros."""
    mood = random.choice(tuple(MOODS.values()))
    matrix = [[random.choice(mood) for _ in range(cols)] for _ in range(rows)]
    shape = random.random()
    if shape < 0.15:
        matrix = [matrix[0]] * rows
    elif shape < 0.3:
        matrix[-1] = matrix[0]
    elif shape < 0.4:
        matrix[random.randrange(rows)] = [random.choice(ZEROS)] * cols
    return tuple(map(tuple, matrix))


def _row(random, cols):
    return _matrix(random, 1, cols)[0]


def _texts(random, count):
    return tuple(random.choice(TEXTS) for _ in range(count))


def _head(random, start, n_q, n_k, d_model, d_context, d_k, d_v):
    given = {start} & {"q", "k", "v", "weights"}
    if start == "mixed":
        given = {name for name in ("q", "k", "v", "weights") if random.random() < 0.4}
    if start == "further on":
        given = set(random.choice((("q", "k", "v"), ("weights", "v"), ("q", "k", "v", "weights"))))
    shapes = {"q": (n_q, d_k), "k": (n_k, d_k), "v": (n_k, d_v), "weights": (n_q, n_k)}
    fields = {name: _matrix(random, *shapes[name]) for name in sorted(given)}
    for name, width, size in (("q", d_k, d_model), ("k", d_k, d_context), ("v", d_v, d_context)):
        skipped = start == "further on" or random.random() < 0.5  # what nothing needs may be given as well
        if name in given or ("weights" in given and name != "v" and skipped):
            continue
        fields[f"w_{name}"] = _matrix(random, size, width)
        fields[f"b_{name}"] = _row(random, width) if random.random() < 0.4 else None
    return Head(**fields)


def _without_v(random, heads, n_q, n_k, d_k):
    """Heads that end at their weights; at least one of them has to compute these."""
    heads = [replace(head, w_v=None, b_v=None, v=None) for head in heads]
    if all(head.weights is not None for head in heads):
        heads[0] = Head(q=_matrix(random, n_q, d_k), k=_matrix(random, n_k, d_k))
    return tuple(heads)


def _needs_no_rows(head):
    return not any((head.w_q, head.w_k, head.w_v))


def _varied(random, example):
    """With a scoring, positions and shared keys and values that fit it."""
    dims = example.dims
    scoring = random.choice(("dot", *SCORINGS)) if dims.d_k else "dot"
    kinds = [None, None, *POSITIONS]
    if example.x is None:
        kinds.remove("sinusoidal")
    if dims.d_k % 2 or not dims.d_k:
        kinds.remove("rotary")
    kind = random.choice(kinds)
    apart = Random(str(random.getstate()))  # so that examples that tests know by their seed stay as they are
    d_a = _size(random) if dims.n_q * dims.n_k < 150 else 1
    heads = []
    for head in example.heads:
        fields = {}
        if head.weights is None and scoring == "bilinear":
            fields["w_a"] = _matrix(random, dims.d_k, dims.d_k)
        if head.weights is None and scoring == "additive":
            fields |= {name: _matrix(random, dims.d_k, d_a) for name in ("w_a", "u_a")}
            fields["v_a"] = _row(random, d_a)
        if head.weights is None and kind == "alibi":
            fields["slope"] = _row(random, 1)
        if head.weights is None and apart.random() < 0.2:
            fields["sink"] = _row(apart, 1)
        heads.append(replace(head, **fields))
    scale = random.choice(TEMPERATURES) if scoring in ("additive", "cosine") else example.scale
    norm = Norm(eps=apart.choice((1e-6, 0.5))) if dims.d_k and apart.random() < 0.2 else None
    if norm and any(head.weights is None for head in heads):
        heads = [replace(head, g_q=_row(apart, dims.d_k), g_k=_row(apart, dims.d_k)) for head in heads]
    else:
        norm = None
    heads, groups = _grouped(random, heads)
    is_scored = any(head.weights is None for head in heads)
    softcap = random.choice(SOFTCAPS) if is_scored else None
    varied = replace(
        example, scoring=scoring, heads=heads, kv_heads=groups, scale=scale, softcap=softcap, norm=norm
    )
    return varied if kind is None else _positioned(random, varied, kind)


def _grouped(random, heads):
    """In some examples, groups of heads that share the keys and values of their first: the heads, and how many."""
    count = random.choice([count for count in range(1, len(heads) + 1) if len(heads) % count == 0])
    first = range(0, len(heads), len(heads) // count)
    keyless = any(heads[start].k is None and heads[start].w_k is None for start in first)
    if keyless or random.random() < 0.5:
        return tuple(heads), None
    without = dict.fromkeys(("w_k", "b_k", "k", "g_k", "w_v", "b_v", "v"))
    grouped = (head if index in first else replace(head, **without) for index, head in enumerate(heads))
    return tuple(grouped), count


_ROWS = {
    "ids": ("position_ids", "n_q"),
    "context_ids": ("context_position_ids", "n_k"),
    "frequencies": ("frequencies", "d_freq"),
    "context_frequencies": ("context_frequencies", "d_context_freq"),
}


def _positioned(random, example, kind):
    """With positions of this kind, some of whose ids and frequencies are given."""
    example = replace(example, positions=Positions(kind))
    used = position_inputs(example)
    given = {
        field: _row(random, example.dims.size(axis))
        for field, (name, axis) in _ROWS.items()
        if name in used and random.random() < 0.5
    }
    pairs = random.choice(PAIRS) if kind == "rotary" else PAIRS[0]
    return replace(example, positions=Positions(kind, **given, pairs=pairs))


def _mask(random, n_q, n_k):
    apart = Random(str(random.getstate()))  # as in _varied
    kind = random.choice(("none", "causal", "allow", "add"))
    if kind == "none":
        return None
    if kind == "causal":
        band = BandMask(apart.choice((1, 2, 3, MAX_WINDOW)), apart.random() < 0.6, apart.choice(CORNERS))
        return apart.choice(("causal", band))
    cells = (True, False) if kind == "allow" else random.choice((ADDED, (0.0, NEG_INF), ADDED))
    rows = [[random.choice(cells) for _ in range(n_k)] for _ in range(n_q)]
    if random.random() < 0.4:
        rows[random.randrange(n_q)] = [cells[1] if kind == "allow" else NEG_INF] * n_k
    painted = tuple(map(tuple, rows))
    return AllowMask(painted, random.choice(FILLS)) if kind == "allow" else AddMask(painted)


# --- the kinds of an example -------------------------------------------------------------------------------------

_STARTS = ("x", "q", "k", "v", "weights")
_MASKS = ("none", "causal", "window", "allow -inf", "allow number", "add")
KINDS = frozenset(
    [
        *(f"scoring {scoring}" for scoring in SCORINGS),
        *(f"positions {name}" for name in POSITION_CHOICES),
        *(f"{field} {how}" for field in _ROWS for how in ("given", "by rule")),
        *(f"mask {kind}" for kind in _MASKS),
        *(f"start {start}" for start in _STARTS),
        *(f"divisor {kind}" for kind in ("sqrt_dk", "none", "tiny", "huge", "other")),
        *(
            "starts mixed",
            "no x",
            "context",
            "no context",
            "labels of the context",
            "no labels of the context",
        ),
        *(
            "keys shared",
            "keys apart",
            "biases",
            "no biases",
            "W_O",
            "no W_O",
            "b_O",
            "d_v is d_k",
            "d_v is not",
        ),
        *(
            "tiny numbers",
            "huge numbers",
            "zeros alone",
            "negative zero",
            "equal rows",
            "dead row",
            "empty token",
        ),
        *("one token", "one key", "one head", "large", "V", "no V"),
    ]
)
"""All kinds that can be drawn."""


def kinds_of(example):
    """The ``KINDS`` of this example."""
    dims, given = example.dims, _matrices(example)
    numbers = [abs(number) for matrix in given for row in matrix for number in row]
    starts = {_start(head) for head in example.heads}
    found = {
        f"scoring {example.scoring}",
        f"positions {position_choice(example)}",
        f"mask {_mask_kind(example)}",
        f"divisor {_divisor_kind(example)}",
        *(f"start {start}" for start in starts),
        "context" if example.context else "no context",
        "labels of the context" if example.context_tokens else "no labels of the context",
        "keys shared" if example.kv_heads not in (None, len(example.heads)) else "keys apart",
        "biases" if any(head.b_q or head.b_k or head.b_v for head in example.heads) else "no biases",
        "W_O" if example.w_o else "no W_O",
        "d_v is d_k" if dims.d_v == dims.d_k else "d_v is not",
        "V" if has_values(example) else "no V",
    }
    for field, (name, _) in _ROWS.items():
        if name in position_inputs(example):
            found.add(f"{field} {'given' if getattr(example.positions, field) else 'by rule'}")
    conditions = {
        "starts mixed": len(starts) > 1,
        "no x": example.x is None,
        "b_O": example.b_o is not None,
        "tiny numbers": any(0 < number < 1e-150 for number in numbers),
        "huge numbers": max(numbers) == MAX_NUMBER,
        "zeros alone": any(not any(row) for matrix in given for row in matrix),
        "negative zero": any(str(number) == "-0.0" for matrix in given for row in matrix for number in row),
        "equal rows": any(len(set(matrix)) < len(matrix) for matrix in given),
        "dead row": _has_dead_row(example),
        "empty token": "" in example.tokens,
        "one token": dims.n_q == 1,
        "one key": dims.n_k == 1,
        "one head": dims.h == 1,
        "large": max(dims.n_q, dims.n_k, dims.d_model, dims.d_k, dims.d_v, dims.h) > 5,
    }
    return frozenset(found | {name for name, is_so in conditions.items() if is_so})


def combination_of(example):
    """The combination of scoring, positions, mask, start, context and groups."""
    starts = sorted({_start(head) for head in example.heads})
    return (
        example.scoring,
        str(example.positions.kind if example.positions else None),
        _mask_kind(example),
        "+".join(starts),
        "context" if example.context else "",
        "shared" if example.kv_heads not in (None, len(example.heads)) else "",
    )


def _start(head):
    return next((name for name in ("weights", "q", "k", "v") if getattr(head, name) is not None), "x")


def _mask_kind(example):
    mask = example.mask
    if isinstance(mask, AllowMask):
        return "allow -inf" if mask.fill == NEG_INF else "allow number"
    if isinstance(mask, BandMask):
        return "window"
    return "add" if isinstance(mask, AddMask) else mask or "none"


def _divisor_kind(example):
    if isinstance(example.scale, str):
        return example.scale
    size = abs(example.scale)
    return "tiny" if size < 1e-9 else "huge" if size > 1e9 else "other"


def _has_dead_row(example):
    mask = example.mask
    if isinstance(mask, BandMask):
        return not all(map(any, mask.allow(example.dims.n_q, example.dims.n_k)))
    if isinstance(mask, AddMask):
        return any(set(row) == {NEG_INF} for row in mask.add)
    return isinstance(mask, AllowMask) and mask.fill == NEG_INF and any(not any(row) for row in mask.allow)


def _matrices(example):
    """Every given matrix; a bias counts as a matrix with one row."""
    layer = [example.x, example.context, example.w_o, example.b_o and (example.b_o,)]
    for head in example.heads:
        for name in Head.__dataclass_fields__:
            given = getattr(head, name)
            layer.append((given,) if given and not isinstance(given[0], tuple) else given)
    return [matrix for matrix in layer if matrix]
