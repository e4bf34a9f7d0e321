"""Examples for hypothesis to draw: every kind that the format knows, in small sizes and hand-sized numbers."""

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, Norm, Positions, validate
from mha_core.example.band import CORNERS, BandMask
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.example.model import PAIRS, POSITIONS, position_inputs
from mha_core.example.puzzle import CHANGEABLE, RELATIONS, Goal, Puzzle
from mha_core.vocabulary import PER_HEAD, SCORINGS, STEPS

NEG_INF = float("-inf")
SIZES = st.integers(1, 4)

numbers = st.integers(-20, 20).map(lambda tenths: tenths / 10)
"""One decimal, from −2 to 2."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def rows(count, width, cells=numbers):
    """Matrices of one shape, as tuples."""
    return st.tuples(*[st.tuples(*[cells] * width)] * count)


_text = texts | st.dictionaries(st.sampled_from(["en", "zh"]), texts)
_said = st.none() | _text
_minutes = st.none() | st.floats(0, 600, exclude_min=True)


def lectures():
    """Lectures on any steps, in any order."""
    steps = st.lists(
        st.builds(
            LectureStep,
            step=st.sampled_from(["tokens", "inputs", "given", "head-2", "head-16", "closing", *STEPS]),
            note=_said,
            question=_said,
            choices=st.lists(_text, max_size=4).map(tuple),
            minutes=_minutes,
            hidden=st.booleans(),
        ),
        max_size=4,
        unique_by=lambda one: one.step,
    )
    return st.builds(Lecture, minutes=_minutes, steps=steps.map(tuple))


@st.composite
def puzzles(draw, example):
    """Puzzles that fit an example: goals about X and the weights, which every example with an X has."""
    dims = example.dims
    steps = ["weights", "x"] if example.x else ["weights"]
    goals = []
    for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=3)):
        rows_, cols = dims.shape(step)
        relation = draw(st.sampled_from(RELATIONS))
        goals.append(
            Goal(
                step,
                draw(st.integers(0, dims.h - 1)) if step in PER_HEAD else None,
                draw(st.integers(0, rows_ - 1)),
                draw(st.integers(0, cols - 1)),
                relation,
                draw(numbers),
                *([draw(st.floats(0, 1))] if relation == "equals" else []),
            )
        )
    edit = st.fixed_dictionaries(
        {"op": texts}, optional={"values": st.tuples(st.tuples(numbers)), "row": SIZES}
    )
    return Puzzle(
        goals=tuple(goals),
        change=tuple(draw(st.lists(st.sampled_from(sorted(CHANGEABLE)), max_size=2, unique=True))),
        hints=tuple(draw(st.lists(_text, max_size=3))),
        solution=tuple(draw(st.lists(edit, max_size=2))),
        stage=draw(st.sampled_from(["", "aim", "positions"])),
        key=draw(texts),
        tokens=draw(st.sampled_from([{}, {"zh": tuple("t" * dims.n_q)}])),
    )


@st.composite
def examples(draw, *, plain=False, masks=True, context=None, claims=True, variants=False, values=None):
    """Valid examples. ``plain``: every head starts at X. ``context``: whether there is one; None leaves it open, as
    with ``values``: whether heads have V, or end at their weights.

    ``variants``: other scorings, shared keys and values, positions, and masks of heads too; a dictionary of
    scorings, kinds and ``grouped`` draws these alone.
    """
    n_q, d_model, d_k, d_v, h = (draw(SIZES) for _ in range(5))
    crossed = draw(st.booleans()) if context is None else context
    n_k, d_context = (draw(SIZES), draw(SIZES)) if crossed else (n_q, d_model)
    valued = draw(st.sampled_from([True, True, True, False])) if values is None else values
    starts = [set() if plain else {"q", "k", "v", "weights"} for _ in range(h)]
    if not valued:
        starts[0] -= {"weights"}  # otherwise nothing might be left to compute
    heads = tuple(draw(_heads(n_q, n_k, d_model, d_context, d_k, d_v, at, valued)) for at in starts)
    w_o = draw(st.none() | rows(h * d_v, draw(SIZES))) if valued else None
    example = Example(
        title=draw(texts | st.fixed_dictionaries({"en": texts, "zh": texts})),
        note=draw(st.none() | texts | st.dictionaries(st.sampled_from(["en", "zh"]), texts)),
        source=draw(st.none() | texts),
        tokens=tuple(draw(texts) for _ in range(n_q)),
        heads=heads,
        x=draw(rows(n_q, d_model)),
        context=draw(rows(n_k, d_context)) if crossed else None,
        context_tokens=draw(st.none() | st.tuples(*[texts] * n_k)) if crossed else None,
        w_o=w_o,
        b_o=None if w_o is None else draw(st.none() | st.tuples(*[numbers] * len(w_o[0]))),
        scale=draw(st.sampled_from(["sqrt_dk", "none", 2.0, 0.5, -1.5]) | st.floats(0.25, 9.0)),
        mask=draw(_masks(n_q, n_k)) if masks else None,
        claimed=draw(st.none() | _claims(n_q, n_k, h, d_k, d_v, valued)) if claims else None,
        lecture=draw(st.none() | lectures()) if claims else None,
    )
    if masks and variants and draw(st.sampled_from([False, False, False, True])):
        example = draw(_with_own_masks(example))
    if all(_starts_further_on(head, valued) for head in heads) and not crossed:
        example = draw(st.sampled_from([example, _without_x(example)]))
    narrowed = variants if isinstance(variants, dict) else {}
    return validate(draw(_varied(example, **narrowed)) if variants else example)


@st.composite
def _with_own_masks(draw, example):
    """The example with masks of their own in some heads, all of which hide pairs with −∞."""
    dims = example.dims
    kinds = _masks(dims.n_q, dims.n_k).filter(lambda mask: getattr(mask, "fill", NEG_INF) == NEG_INF)
    heads = [
        replace(head, mask=draw(kinds | st.just("none"))) if head.weights is None else head
        for head in example.heads
    ]
    mask = example.mask if getattr(example.mask, "fill", NEG_INF) == NEG_INF else None
    return replace(example, heads=tuple(heads), mask=mask)


@st.composite
def _varied(draw, example, scorings=SCORINGS, kinds=(None, *POSITIONS), grouped=False):
    """The example with a scoring, groups and positions that fit it, without its claims."""
    dims = example.dims
    assume(dims.d_k or "dot" in scorings)
    assume(not grouped or dims.h > 1)
    scoring = draw(st.sampled_from(scorings)) if dims.d_k else "dot"
    fits = {"rotary": dims.d_k > 0 and dims.d_k % 2 == 0, "sinusoidal": example.x is not None}
    kinds = [kind for kind in kinds if fits.get(kind, True)]
    assume(kinds)
    kind = draw(st.sampled_from(kinds))
    divisors = [count for count in range(1, dims.h + 1) if dims.h % count == 0]
    kv_heads = draw(st.sampled_from(divisors[:-1]) if grouped else st.none() | st.sampled_from(divisors))
    d_a = draw(SIZES)
    heads = []
    for head in example.heads:
        scored = head.weights is None
        fields = {}
        if scored and scoring == "bilinear":
            fields["w_a"] = draw(rows(dims.d_k, dims.d_k))
        if scored and scoring == "additive":
            fields |= {"w_a": draw(rows(dims.d_k, d_a)), "u_a": draw(rows(dims.d_k, d_a))}
            fields["v_a"] = draw(st.tuples(*[numbers] * d_a))
        if scored and kind == "alibi":
            fields["slope"] = (draw(st.sampled_from([0.5, 0.25, 0.0, -1.0])),)
        if scored:
            sink = draw(st.sampled_from([None, None, None, 0.0, 1.5, -4.0, 30.0]))
            fields["sink"] = None if sink is None else (sink,)
        heads.append(replace(head, **fields))
    norm = None
    if dims.d_k and any(head.weights is None for head in heads):
        norm = draw(st.sampled_from([None, None, None, Norm(), Norm(eps=0.5)]))
    if norm:
        gains = st.tuples(*[numbers] * dims.d_k)
        heads = [replace(head, g_q=draw(gains), g_k=draw(gains)) for head in heads]
    if kv_heads:
        size = dims.h // kv_heads
        for start in range(0, dims.h, size):
            group = heads[start : start + size]
            if any(head.weights is None for head in group) and not (group[0].k or group[0].w_k):
                heads[start] = replace(group[0], k=draw(rows(dims.n_k, dims.d_k)))
            for index in range(start + 1, start + size):
                heads[index] = replace(
                    heads[index], **dict.fromkeys(["w_k", "b_k", "k", "g_k", "w_v", "b_v", "v"])
                )
    scale = example.scale
    if scoring in ("additive", "cosine"):
        scale = draw(st.sampled_from(["none", 0.25, 2.0]))
    is_scored = any(head.weights is None for head in heads)
    varied = replace(
        example,
        scoring=scoring,
        heads=tuple(heads),
        kv_heads=kv_heads,
        scale=scale,
        softcap=draw(st.sampled_from([None, None, 0.5, 2.0, 30.0])) if is_scored else None,
        norm=norm,
        claimed=None,
    )
    if kind is None:
        return varied
    pairs = draw(st.sampled_from(PAIRS)) if kind == "rotary" else PAIRS[0]
    varied = replace(varied, positions=Positions(kind, pairs=pairs))
    sizes = {
        "ids": dims.n_q,
        "context_ids": dims.n_k,
        "frequencies": varied.dims.d_freq,
        "context_frequencies": varied.dims.d_context_freq,
    }
    given = {
        field: draw(st.none() | st.tuples(*[numbers] * size))
        for field, size in sizes.items()
        if POSITION_FIELDS[field] in position_inputs(varied)
    }
    return replace(varied, positions=Positions(kind, **given, pairs=pairs))


POSITION_FIELDS = {
    "ids": "position_ids",
    "context_ids": "context_position_ids",
    "frequencies": "frequencies",
    "context_frequencies": "context_frequencies",
}


@st.composite
def _heads(draw, n_q, n_k, d_model, d_context, d_k, d_v, starts, valued):
    """``starts``: what the head may start from."""
    given = draw(st.sets(st.sampled_from(sorted(starts)))) if starts else set()
    given -= set() if valued else {"v"}
    shapes = {"q": (n_q, d_k), "k": (n_k, d_k), "v": (n_k, d_v), "weights": (n_q, n_k)}
    fields = {name: draw(rows(*shapes[name])) for name in given}
    for name, width, size in (("q", d_k, d_model), ("k", d_k, d_context), ("v", d_v, d_context)):
        if name not in given and (valued or name != "v"):
            fields[f"w_{name}"] = draw(rows(size, width))
            fields[f"b_{name}"] = draw(st.none() | st.tuples(*[numbers] * width))
    return Head(**fields)


def _starts_further_on(head, valued):
    return (head.v is not None or not valued) and (
        head.weights is not None or (head.q is not None and head.k is not None)
    )


def _without_x(example):
    """The same numbers where nothing is computed from X."""
    heads = tuple(Head(q=h.q, k=h.k, v=h.v, weights=h.weights, mask=h.mask) for h in example.heads)
    fields = {name: getattr(example, name) for name in Example.__dataclass_fields__}
    scale = "none" if all(h.q is None and h.k is None for h in heads) else example.scale
    return Example(**(fields | {"x": None, "heads": heads, "scale": scale}))


def bands():
    """Masks by positions, but for the one that "causal" says."""
    corners = st.sampled_from(CORNERS)
    return st.one_of(
        st.just(BandMask(causal=True, corner="bottom_right")),
        st.builds(BandMask, st.integers(1, 4), st.just(True), corners),
        st.builds(BandMask, st.integers(0, 3), st.just(False), corners),
    )


def _masks(n_q, n_k):
    fills = st.just(NEG_INF) | st.sampled_from([-1e9, 0.0, -10.0])
    return st.one_of(
        st.none(),
        st.just("causal"),
        bands(),
        st.builds(AllowMask, rows(n_q, n_k, st.booleans()), fills),
        st.builds(AddMask, rows(n_q, n_k, numbers | st.just(NEG_INF))),
    )


def _claims(n_q, n_k, h, d_k, d_v, valued):
    printed = st.sampled_from(["0.50", "-1.25", "3", "1e-3", "-inf", "+.5"])
    cells = st.none() | printed | st.floats(-9, 9)
    steps = {"q": (n_q, d_k), "scores": (n_q, n_k), "weights": (n_q, n_k)}
    steps |= {"head_outputs": (n_q, d_v)} if valued else {}

    def matrix(count, width):
        return st.tuples(*[st.none() | st.tuples(*[cells] * width)] * count)

    per_head = {name: st.tuples(*[st.none() | matrix(*shape)] * h) for name, shape in steps.items()}
    whole = {"concat": matrix(n_q, h * d_v)} if valued else {}
    return st.fixed_dictionaries({}, optional=per_head | whole)
