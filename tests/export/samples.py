"""Examples beyond the built-in ones, which programs must support or refuse."""

from dataclasses import replace
from random import Random

from mha_core import AddMask, AllowMask, BandMask, Example, Head, Norm, Positions, built_in, validate

NEG_INF = float("-inf")


def changed(example, **values):
    return validate(replace(example, **values))


def layer(seed, n_q, n_k, h, d_model, d_context, d_k, d_v, d_out, *, biased=True, **values):
    """A random layer; d_context None: it attends to itself; d_out None: no W_O."""
    random = Random(seed)

    def matrix(rows, columns):
        return tuple(tuple(random.gauss(0, 0.7) for _ in range(columns)) for _ in range(rows))

    def bias(size):
        return matrix(1, size)[0] if biased else None

    source = d_context or d_model
    heads = tuple(
        Head(
            w_q=matrix(d_model, d_k),
            w_k=matrix(source, d_k),
            w_v=matrix(source, d_v),
            b_q=bias(d_k),
            b_k=bias(d_k),
            b_v=bias(d_v),
        )
        for _ in range(h)
    )
    return validate(
        Example(
            **{
                "title": "A layer",
                "tokens": tuple(map(str, range(n_q))),
                "x": matrix(n_q, d_model),
                "context": matrix(n_k, d_context) if d_context else None,
                "heads": heads,
                "w_o": matrix(h * d_v, d_out) if d_out else None,
                "b_o": bias(d_out) if d_out else None,
            }
            | values
        )
    )


def started(**shapes):
    """Two heads that both start from the matrices in ``shapes``, over the first example's X."""
    random = Random(9)

    def matrix(rows, columns):
        return tuple(tuple(random.gauss(0, 1) for _ in range(columns)) for _ in range(rows))

    heads = tuple(
        replace(head, **{name: matrix(*shape) for name, shape in shapes.items()})
        for head in built_in("first").heads
    )
    return changed(built_in("first"), heads=heads)


def varied(example, *, kv_heads=None, d_a=None, slopes=False, sinks=(), gains=False, **values):
    """The example as a variant: its groups of heads share K and V, and each head has the parameters of its scoring."""
    random = Random(len(example.heads))

    def matrix(rows, columns):
        return tuple(tuple(random.gauss(0, 0.7) for _ in range(columns)) for _ in range(rows))

    heads = list(example.heads)
    d_k, size = example.dims.d_k, len(heads) // (kv_heads or len(heads))
    for index in range(len(heads)):
        if index % size:
            heads[index] = replace(heads[index], **dict.fromkeys(["w_k", "b_k", "k", "w_v", "b_v", "v"]))
        if d_a:
            heads[index] = replace(heads[index], w_a=matrix(d_k, d_a))
        if values.get("scoring") == "additive":
            heads[index] = replace(heads[index], u_a=matrix(d_k, d_a), v_a=matrix(1, d_a)[0])
        if slopes:
            heads[index] = replace(heads[index], slope=(1 / (index + 1),))
        if gains:
            g_q, g_k = matrix(2, d_k)
            heads[index] = replace(heads[index], g_q=g_q, g_k=None if index % size else g_k)
    for index, sink in enumerate(sinks):
        heads[index] = replace(heads[index], sink=sink)
    return changed(example, heads=tuple(heads), kv_heads=kv_heads, **values)


def own_mask(example, mask):
    """The example with its second head's own mask."""
    head = replace(example.heads[1], mask=mask)
    return changed(example, heads=(example.heads[0], head, *example.heads[2:]))


WEIGHTS = ((0.2, 0.3, 0.5), (1.0, 0.0, 0.0), (0.0, 0.5, 0.5))
FIRST = built_in("first")
PART_BIASED = (FIRST.heads[0], replace(FIRST.heads[1], b_q=(1.0, -1.0), b_v=(0.5, 0.25)))
SHUT = ((True, False, True), (False, False, False), (True, True, False))

CROSS = ((True, False, True, True, False), (True,) * 5, (False, True, False, False, True))
ROTARY = Positions("rotary")
HALVES = Positions("rotary", pairs="half")
FOUR = layer(21, 3, 3, 4, 6, None, 2, 3, 6)
STARTED = changed(
    FOUR,
    heads=(
        replace(FOUR.heads[0], weights=WEIGHTS),
        FOUR.heads[1],
        replace(FOUR.heads[2], k=((1.0, 2.0), (0.5, -1.0), (0.0, 1.0))),
        replace(FOUR.heads[3], q=((0.5, 1.0),) * 3),
    ),
)

SAMPLES = {
    "prime cross": layer(1, 7, 11, 3, 13, 17, 5, 2, 19),
    "d_v over d_k": layer(2, 2, 3, 5, 7, 11, 3, 13, 5, biased=False),
    "no w_o": layer(3, 5, 3, 2, 7, None, 3, 5, None, tokens=("a",) * 5),
    "fits torch": layer(4, 5, 7, 3, 6, 11, 2, 2, 6),
    "fits torch, itself": layer(5, 5, 5, 2, 6, None, 3, 3, 6, scale=-2.0),
    "no divisor": layer(6, 3, 3, 2, 4, None, 2, 2, 4, scale="none"),
    "biases in part": changed(FIRST, heads=PART_BIASED),
    "dead row": layer(7, 3, 3, 2, 4, None, 2, 2, 4, mask=AllowMask(SHUT)),
    "dead row by adding": layer(8, 2, 2, 2, 4, None, 2, 2, 4, mask=AddMask(((NEG_INF, NEG_INF), (0.0, 0.0)))),
    "added mask": layer(9, 2, 2, 2, 4, None, 2, 2, 4, mask=AddMask(((0.5, -1.0), (NEG_INF, 2.0)))),
    "filled mask": layer(10, 3, 3, 2, 4, None, 2, 2, 4, mask=AllowMask(SHUT, -1e9)),
    "windows": layer(31, 5, 5, 2, 4, None, 2, 2, 4, mask=BandMask(2, causal=True)),
    "windows at the other corner": layer(32, 3, 5, 2, 4, 3, 2, 2, 4, mask=BandMask(1, corner="bottom_right")),
    "one head's own mask": own_mask(layer(33, 5, 5, 3, 6, None, 2, 2, 6, mask="causal"), BandMask(1)),
    "one head's own numbers": own_mask(FIRST, AddMask(((0.0, -1.0, 2.0),) * 3)),
    "one head's own mask, grouped": own_mask(varied(FOUR, kv_heads=2), BandMask(2, causal=True)),
    "one head's own dead row": own_mask(FIRST, AllowMask(SHUT)),
    "own masks beside given weights": own_mask(STARTED, "causal"),
    "one head's own mask, rotated": own_mask(varied(FOUR, positions=ROTARY), BandMask(1, causal=True)),
    "one head's own mask, ALiBi": own_mask(
        varied(FOUR, slopes=True, positions=Positions("alibi"), mask="causal"), "none"
    ),
    "causal over a context": layer(11, 3, 5, 2, 4, 3, 2, 2, 4, mask="causal"),
    "given q": started(q=(3, 2)),
    "given k": started(k=(3, 2)),
    "given v": started(v=(3, 2)),
    "given q and k": started(q=(3, 2), k=(3, 2)),
    "mixed starts": changed(FIRST, heads=(FIRST.heads[0], replace(FIRST.heads[1], q=((1.0, 2.0),) * 3))),
    "rotary, bilinear": varied(
        layer(12, 5, 5, 2, 7, None, 4, 3, None, scale="none"), scoring="bilinear", d_a=4, positions=ROTARY
    ),
    "rotary by halves, bilinear, biases": varied(
        layer(22, 5, 5, 2, 7, None, 6, 3, None),
        scoring="bilinear",
        d_a=6,
        positions=Positions("rotary", ids=(0.0, 2.0, 3.0, 5.0, 4.0), pairs="half"),
    ),
    "rotary by halves, cosine, groups": varied(
        layer(23, 3, 5, 4, 7, 3, 4, 5, 2, mask=AllowMask(CROSS)),
        scoring="cosine",
        scale=0.5,
        kv_heads=2,
        positions=Positions("rotary", frequencies=(0.5, 0.25), pairs="half"),
    ),
    "rotary by halves, causal": varied(layer(24, 4, 4, 2, 6, None, 4, 3, 5, mask="causal"), positions=HALVES),
    "rotary, cosine, groups": varied(
        layer(13, 3, 5, 4, 7, 3, 4, 5, 2, mask=AllowMask(CROSS)),
        scoring="cosine",
        scale=0.5,
        kv_heads=2,
        positions=Positions("rotary", context_ids=(3.0, 1.0, 4.0, 1.5, 9.0), frequencies=(0.5, 0.25)),
    ),
    "ALiBi, additive, filled mask": varied(
        layer(14, 3, 5, 2, 7, 3, 2, 5, 2, mask=AllowMask(CROSS, -1.5)),
        scoring="additive",
        scale="none",
        d_a=3,
        slopes=True,
        positions=Positions("alibi"),
    ),
    "ALiBi, dead row": varied(
        layer(15, 3, 3, 2, 4, None, 2, 2, 4, mask=AllowMask(SHUT)), slopes=True, positions=Positions("alibi")
    ),
    "ALiBi, added mask": varied(
        layer(16, 2, 2, 2, 4, None, 2, 2, 4, mask=AddMask(((0.5, -1.0), (NEG_INF, NEG_INF)))),
        slopes=True,
        positions=Positions("alibi", ids=(2.0, 5.0)),
    ),
    "sinks": varied(layer(26, 3, 5, 2, 7, 3, 2, 5, 2), sinks=[(0.5,), (-1.0,)]),
    "a sink in one head, dead row": varied(
        layer(27, 3, 3, 2, 4, None, 2, 2, 4, mask=AllowMask(SHUT)), sinks=[None, (2.0,)]
    ),
    "sinks, added mask, rotary": varied(
        layer(28, 2, 2, 2, 4, None, 2, 2, 4, mask=AddMask(((0.5, -1.0), (NEG_INF, NEG_INF)))),
        sinks=[(0.0,), (40.0,)],
        positions=ROTARY,
    ),
    "norm, rotary, groups": varied(
        layer(29, 3, 3, 4, 6, None, 4, 3, 5, mask="causal"),
        kv_heads=2,
        gains=True,
        norm=Norm(),
        positions=HALVES,
    ),
    "norm, bilinear, a context": varied(
        layer(30, 3, 5, 2, 7, 3, 2, 5, 2), gains=True, norm=Norm(eps=0.5), scoring="bilinear", d_a=2
    ),
    "sinusoidal over a context": varied(layer(17, 3, 5, 2, 5, 3, 2, 4, 3), positions=Positions("sinusoidal")),
    "zero rows, cosine": varied(
        layer(18, 3, 3, 2, 3, None, 2, 2, 4, biased=False, x=((0.0,) * 3, (0.1, 0.2, 0.3), (1.0, 0.0, -1.0))),
        scoring="cosine",
        scale="none",
    ),
    "groups that fit the layer": varied(layer(19, 3, 3, 4, 6, None, 2, 2, 6, mask="causal"), kv_heads=2),
    "groups, wide values": varied(layer(20, 3, 3, 4, 6, None, 2, 3, 6), kv_heads=1),
    "groups that start further on": varied(STARTED, kv_heads=2, positions=ROTARY, mask="causal"),
    "given weights": changed(FIRST, heads=tuple(replace(head, weights=WEIGHTS) for head in FIRST.heads)),
}
