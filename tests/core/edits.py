"""Edits for hypothesis to draw: any that the page may send, with values of any JSON type."""

from pathlib import Path

from hypothesis import strategies as st

from mha_core import Head, library, parse
from mha_core.edit.fields import FILLS, MASK_KINDS
from mha_core.example.band import CORNERS
from mha_core.example.model import POSITIONS, position_inputs
from mha_core.vocabulary import POSITION_INPUTS, SCORINGS
from tests.core.malformed import ODD_VALUES

BUILT_IN = list(library().values())
FURTHER_ON = parse((Path(__file__).parent / "starts_further_on.mha.json").read_bytes())
"""Four heads on three tokens: one from X, one from its queries, one from keys and values, one from its weights."""
ENDS_AT_WEIGHTS = parse((Path(__file__).parent / "ends_at_weights.mha.json").read_bytes())
"""Three heads without V: one from X, one from its queries and keys, one that is given its weights. b sees nothing."""

json_values = st.recursive(
    st.sampled_from(ODD_VALUES) | st.integers(-2, 70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
PLAUSIBLE = {
    "head": st.integers(0, 3),
    "row": st.integers(0, 2),
    "col": st.integers(0, 2),
    "values": st.sampled_from([[[1]], [[0.5, None], [2, -3]], [[True]], [["-inf"]], [[], [1]], []]),
    "with": st.sampled_from(FILLS),
    "seed": st.integers(0, 9),
    "which": st.sampled_from(["tokens", "context_tokens"]),
    "tokens": st.lists(st.sampled_from(["I", "love", "思考", "<b>", "", "I"]), max_size=5),
    "index": st.integers(0, 4),
    "text": st.sampled_from(["", "new", "思考", "<b>", "x" * 1001]),
    "copy": st.none() | st.integers(0, 3),
    "axis": st.sampled_from(["d_model", "d_context", "d_k", "d_v", "d_out", "d_a"]),
    "size": st.integers(0, 6) | st.sampled_from([64, 65]),
    "by": st.integers(-2, 2),
    "on": st.booleans(),
    "kind": st.sampled_from(
        [*MASK_KINDS, *SCORINGS, *POSITIONS]  # of masks, scorings and positions
    ),
    "window": st.none() | st.integers(0, 4),
    "corner": st.none() | st.sampled_from(CORNERS),
    "count": st.integers(0, 4),
    "value": st.sampled_from(["sqrt_dk", "none", 2, 0, -0.25, 1e-300]),
}
KEYS = {
    "set": "matrix row col values",
    "fill": "matrix with seed",
    "rename_token": "which index text",
    "sentence": "which tokens",
    "add_token": "which index text",
    "remove_token": "which index",
    "add_head": "copy",
    "remove_head": "head",
    "resize": "axis size by",
    "w_o": "on",
    "values": "on",
    "biases": "on",
    "mask": "kind window corner",
    "scale": "value",
    "context": "on",
    "scoring": "kind",
    "positions": "kind",
    "kv_heads": "count",
    "title": "text",
}


def places(example):
    """(matrix, head) of everything that can be edited, including a bias and W_O that may be missing."""
    yield from ((name, None) for name in ("x", "context", "mask", "w_o", "b_o") if getattr(example, name))
    yield from ((name, None) for name in POSITION_INPUTS if name in position_inputs(example))
    for g, head in enumerate(example.heads):
        yield from ((name, g) for name in Head.__dataclass_fields__ if getattr(head, name))
    yield from (("w_o", None), ("b_q", 0))


@st.composite
def cases(draw, examples, odd, most):
    """One of the examples and 1 to ``most`` edits. With ``odd`` a value may be of any JSON type, or missing."""
    example = draw(st.sampled_from(examples))
    matrices = sorted(places(example), key=str)
    edits = []
    for _ in range(draw(st.integers(1, most))):
        edit = {"op": draw(st.sampled_from(sorted(KEYS)))}
        for key in KEYS[edit["op"]].split():
            if key == "by" and draw(st.booleans()):
                continue  # it goes before the size
            if draw(odd):
                edit |= draw(st.just({}) | st.fixed_dictionaries({key: json_values}))
            elif key == "matrix":
                edit |= dict(zip(("matrix", "head"), draw(st.sampled_from(matrices)), strict=True))
            else:
                edit[key] = draw(PLAUSIBLE[key])
        edits.append(edit)
    return example, edits
