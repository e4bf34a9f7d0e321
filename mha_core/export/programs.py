"""Programs that compute an example and assert its numbers, rendered from the templates."""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any

from mha_core.compute.trace import Trace
from mha_core.errors import N_, ExportError
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    Example,
    adds_numbers,
    divisor,
    has_own_masks,
    has_values,
    head_mask,
    kv_head_of,
    mask_fill,
    masks_of,
)
from mha_core.export.backward_lines import BackwardLines
from mha_core.export.goal import add_goal
from mha_core.export.sheet import (
    NO_SINK,
    NUMPY_NAMES,
    PARTS,
    TORCH_NAMES,
    LayerSheet,
    Sheet,
    is_mixed,
    owners_of,
)
from mha_core.export.templates import FUNCTION, KERAS, NUMPY, SCRATCH, TORCH
from mha_core.export.text import literal
from mha_core.interop.parameters.masks import KERAS_FILL
from mha_core.vocabulary import HEAD_NUMBERS, HEAD_ROWS


def numpy_program(computed: Trace, decimals: int | None, language: str) -> str:
    """NumPy, head by head: every example of the format."""
    sheet = Sheet(computed, decimals, language, NUMPY_NAMES)
    example = sheet.example
    if "own_masks" in sheet.flags:
        sheet.flags.add("in_heads")
        sheet.values |= {"allow_here": 'head["allow"]', "mask_here": 'head["mask"]'}
    for part in PARTS:
        sheet.values[f"make_{part}"] = _numpy_projection(sheet, part)
    heads = (_numpy_head(sheet, index) for index in range(len(example.heads)))
    sheet.values["heads"] = "[\n" + "".join(heads) + "]"
    if example.learning is not None:
        sheet.flags.add("learning")
        sheet.values["backward"] = BackwardLines(sheet, computed).text()
    return sheet.render(NUMPY)


def scratch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """PyTorch from scratch, all heads at once: every example of the format."""
    sheet = _projected(Sheet(computed, decimals, language, TORCH_NAMES))
    example, scored = sheet.example, sheet.scored
    given = [index for index in range(len(example.heads)) if index not in scored]
    order = [*scored, *given]
    sheet.values["given_weights"] = sheet.cube([example.heads[index].weights or () for index in given])
    sheet.values["head_order"] = str([order.index(index) for index in range(len(order))])
    add_goal(sheet, computed)
    return sheet.render(SCRATCH)


def torch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``nn.MultiheadAttention``; or the function that it calls, where Q or K change between projection and score, or
    there is no V.

    Raises ``ExportError`` where neither can compute this example.
    """
    example = computed.example
    if example.scoring == "additive" and any(head.weights is None for head in example.heads):
        raise ExportError(N_("PyTorch has no additive attention; use NumPy or PyTorch from scratch"))
    if example.softcap is not None:
        raise ExportError(N_("PyTorch's own attention has no softcap; use NumPy or PyTorch from scratch"))
    _require_no_given_weights(example)
    if any(head.sink is not None for head in example.heads):
        raise ExportError(N_("PyTorch's own attention has no sink; use NumPy or PyTorch from scratch"))
    if mask_fill(example) != NEG_INF:
        raise ExportError(
            N_(
                "PyTorch gives a masked pair no weight, but here it has a score; use NumPy or "
                "PyTorch from scratch"
            ),
        )
    rotary = example.positions is not None and example.positions.kind == "rotary"
    if has_own_masks(example) and any(map(any, computed.fully_masked)):
        raise ExportError(
            N_(
                "PyTorch gives NaN to a query that is not allowed to attend to any key, here only in some "
                "heads; use NumPy or PyTorch from scratch"
            ),
        )
    mixed = any(is_mixed(example, part) for part in PARTS)
    between = rotary or example.norm is not None or example.scoring == "cosine"
    if between or mixed or not has_values(example):
        return _function_program(computed, decimals, language)
    return _layer_program(computed, decimals, language)


def _function_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``scaled_dot_product_attention``; with the identity for V it gives the weights."""
    sheet = _projected(Sheet(computed, decimals, language, TORCH_NAMES))
    name = next((name for flag, name in _FUNCTION_MASKS.items() if flag in sheet.flags), "")
    sheet.values["mask_argument"] = f", attn_mask={name}" if name else ""
    sheet.values["one_over_divisor"] = "1.0" if sheet.example.scale == "none" else "1 / divisor"
    sheet.flags.add("function")
    return sheet.render(FUNCTION)


_FUNCTION_MASKS = {"linear_biases": "biases", "hidden": "allow", "added": "mask"}


def _layer_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``nn.MultiheadAttention``; matrices are padded with zeros to the sizes that it supports."""
    sheet = LayerSheet(computed, decimals, language, TORCH_NAMES)
    example, dims = sheet.example, sheet.example.dims
    d_out = dims.d_out or dims.h * dims.d_v
    query = sheet.width("q")
    head_dim = max(dims.d_k, dims.d_v, ceil(max(query, d_out) / dims.h))
    embed = dims.h * head_dim
    pads_x = sheet.values["query"] == "x" and query < embed
    widths = {}
    for part, name in (("k", "key"), ("v", "value")):
        same_rows = pads_x and sheet.values[name] == "x"
        widths[part] = embed if same_rows else sheet.width(part)
        sheet.values[f"{part}dim"] = "embed_dim" if same_rows else str(widths[part])
        if same_rows:
            sheet.values[name] = "query"
    facts = {
        "pad_query": query < embed,
        "pad_w_q": query < embed or dims.d_k < head_dim,
        "pad_w_k": sheet.width("k") < widths["k"] or dims.d_k < head_dim,
        "pad_w_v": sheet.width("v") < widths["v"] or dims.d_v < head_dim,
        "pad_b_k": dims.d_k < head_dim,
        "pad_b_v": dims.d_v < head_dim,
        "pad_w_o": dims.d_v < head_dim or d_out < embed,
        "pad_b_o": d_out < embed,
    }
    facts["padded"] = any(facts.values())
    facts["same"] = widths["k"] == widths["v"] == embed
    facts["pad_output"] = d_out < embed
    facts["rescaled"] = divisor(example) != sqrt(head_dim)
    facts["repeated"] = "grouped" in sheet.flags
    sheet.add_flags(facts | {"root": facts["rescaled"]})
    first = "query" if query < embed else sheet.values["query"]
    sheet.values |= {
        "head_dim": str(head_dim),
        "root": "math.sqrt(head_dim)",
        "call": f"{first}, {sheet.values['key']}, {sheet.values['value']}",
        "dims_argument": "" if facts["same"] else f", kdim={widths['k']}, vdim={widths['v']}",
        "mask_argument": ", attn_mask=mask" if sheet.flags & {"masked_scores", "linear_biases"} else "",
        "live_dims": "(0, 2)" if "linear_biases" in sheet.flags else "1",
    }
    return sheet.render(TORCH)


_BEFORE_SOFTMAX = {
    "q_normed",
    "q_rotated",
    "q_unit",
    "pair_tanh",
    "linear_biases",
    "capped_scores",
    "sink",
}
"""What Keras's layer computes only in a subclass."""


def keras_program(computed: Trace, decimals: int | None, language: str) -> str:
    """Keras's layer, or a subclass that computes the scores itself.

    Raises ``ExportError`` where the layer cannot compute this example.
    """
    _require_no_given_weights(computed.example)
    if not has_values(computed.example):
        raise ExportError(
            N_(
                "a Keras layer needs a W_V, but this example stops at the attention weights; use "
                "NumPy or PyTorch from scratch"
            )
        )
    _require_keras_mask(computed)
    if has_own_masks(computed.example) and adds_numbers(computed.example):
        raise ExportError(
            N_("Keras's layer adds no numbers of its own per head; use NumPy or PyTorch from scratch")
        )
    sheet = LayerSheet(computed, decimals, language, NUMPY_NAMES)
    example, dims = sheet.example, sheet.example.dims
    mask = example.mask.add if isinstance(example.mask, AddMask) else ()
    numbers = {number for row in mask for number in row}
    d_out = dims.d_out or dims.h * dims.d_v
    grouped = "grouped" in sheet.flags and dims.d_k == dims.d_v and sheet.width("q") <= d_out
    facts = {"filled": mask_fill(example) != NEG_INF, "adds": bool(numbers - {0.0, NEG_INF})}
    facts["hides_pairs"] = (
        bool(masks_of(example)) and not facts["filled"] and (not mask or NEG_INF in numbers)
    )
    special = _BEFORE_SOFTMAX & sheet.flags
    facts["custom"] = bool(special) or facts["filled"] or facts["adds"]
    facts["inner_w_a"] = "w_a" in sheet.flags and not {"q_normed", "q_rotated", "pair_tanh"}.isdisjoint(
        special
    )
    facts["kv_layer"] = grouped
    facts["pad_group"] = grouped and sheet.width("q") < d_out
    facts["repeated"] = "grouped" in sheet.flags and not grouped
    facts["rescaled"] = not facts["custom"] and divisor(example) != dims.sqrt_dk
    sheet.add_flags(facts)
    layer = "GroupQueryAttention" if grouped else "MultiHeadAttention"
    sheet.values |= {
        "layer": layer,
        "class_name": "Attention" if facts["custom"] else f"keras.layers.{layer}",
        "allow_of_added": sheet.matrix([[float(number == 0) for number in row] for row in mask]),
        "root": f"np.sqrt({dims.d_k})",
        "groups": str(example.kv_heads),
        "given_query": sheet.values["query"],
        "missing": str(d_out - sheet.width("q")),
        "mask_argument": ", attention_mask=allow[None]" if facts["hides_pairs"] else "",
    }
    if facts["pad_group"]:
        sheet.values["query"] = "query"
    return sheet.render(KERAS)


def _require_keras_mask(computed: Trace) -> None:
    """Raises ``ExportError`` where other scores are as low as −10⁹, by which Keras hides a pair."""
    for head in computed.values.get("masked_scores", ()):
        for row in head or ():
            if NEG_INF in row and NEG_INF < max(row) < KERAS_FILL + 1000:
                raise ExportError(
                    N_(
                        "Keras masks a pair with −10⁹, but these scores are lower than that; use NumPy or "
                        "PyTorch from scratch"
                    ),
                )


def _require_no_given_weights(example: Example) -> None:
    """Raises ``ExportError`` where a head starts from its weights, which no library's layer or function accepts."""
    for index, head in enumerate(example.heads):
        if head.weights is not None:
            raise ExportError(
                N_(
                    "this head starts from given weights, but a library computes them itself; use NumPy "
                    "or PyTorch from scratch"
                ),
                place=f"heads[{index}]",
            )


def _numpy_projection(sheet: Sheet, part: str) -> str:
    """``x @ head["w_q"] + head["b_q"]``, or what heads start from."""
    example = sheet.example
    heads = [example.heads[index] for index in owners_of(example, part)]
    given = [getattr(head, part) is not None for head in heads]
    biases = [getattr(head, f"b_{part}") is not None for head in heads]
    source = "x" if part == "q" else sheet.values["source"]
    owner = "first" if part != "q" and "grouped" in sheet.flags else "head"
    bias = (
        f' + {owner}["b_{part}"]' if all(biases) else f' + {owner}.get("b_{part}", 0)' if any(biases) else ""
    )
    computed = f'{source} @ {owner}["w_{part}"]{bias}'
    if all(given):
        return f'{owner}["{part}"]'
    return f'{owner}["{part}"] if "{part}" in {owner} else {computed}' if any(given) else computed


def _numpy_head(sheet: Sheet, index: int) -> str:
    """One head as a dict of its matrices; of heads that share K and V, the first has them."""
    example = sheet.example
    head = example.heads[index]
    names = [] if head.weights is None else ["weights"]
    for part in PARTS:
        if index in owners_of(example, part):
            names += [part] if getattr(head, part) is not None else [f"w_{part}", f"b_{part}"]
    if example.norm is not None:
        names += ["g_q"] if head.weights is None else []
        names += ["g_k"] if index in owners_of(example, "k") else []
    if head.weights is None:
        names += ["w_a", "u_a", "v_a", "slope", *(["sink"] if "sink" in sheet.flags else [])]
    lines = []
    for name in names:
        given: Any = NO_SINK if name == "sink" and head.sink is None else getattr(head, name)
        if name in HEAD_NUMBERS and given is not None:
            lines.append(f'        "{name}": {literal(given[0], "np.inf")},\n')
        elif given is not None:
            text = sheet.row(given) if name in HEAD_ROWS else sheet.matrix(given, (), " " * 8)
            lines.append(f'        "{name}": np.array({text}),\n')
    mask = head_mask(example, index)
    if mask is not None and "added" in sheet.flags:
        lines.append(f'        "mask": np.array({sheet.matrix(mask, (), " " * 8)}),\n')
    elif mask is not None:
        lines.append(f'        "allow": np.array({[[bool(cell) for cell in row] for row in mask]}),\n')
    return "    {\n" + "".join(lines) + "    },\n"


def _projected(sheet: Sheet) -> Sheet:
    """The sheet with all heads' matrices stacked, as the program from scratch multiplies them."""
    for part in PARTS:
        _stacked(sheet, part)
    sheet.values |= sheet.parameters()
    sheet.add_flags({"root": "scaled_scores" in sheet.flags and sheet.example.scale == "sqrt_dk"})
    return sheet


def _stacked(sheet: Sheet, part: str) -> None:
    """Add the stacked matrices of q, k or v, and which heads compute it, are given it, and share it."""
    example = sheet.example
    owners = owners_of(example, part)
    heads = list(enumerate(example.heads[index] for index in owners))
    computing = [(i, head) for i, head in heads if getattr(head, part) is None]
    given = [(i, head) for i, head in heads if getattr(head, part) is not None]
    weight, bias = f"w_{part}", f"b_{part}"
    biased = any(getattr(head, bias) is not None for _, head in computing)
    width = example.dims.d_v if part == "v" else example.dims.d_k
    readers = range(len(example.heads)) if part == "v" else sheet.scored
    shared = [owners.index(kv_head_of(example, part, index)) for index in readers] if owners else []
    sheet.values |= {
        weight: sheet.cube(getattr(head, weight) for _, head in computing),
        bias: sheet.matrix(getattr(head, bias) or (0.0,) * width for _, head in computing),
        part: sheet.cube(getattr(head, part) for _, head in given),
        f"plus_{bias}": f" + {bias}[:, None]" if biased else "",
        f"heads_{weight}": str([i for i, _ in computing]),
        f"heads_{part}": str([i for i, _ in given]),
        f"count_{part}": str(len(heads)),
        f"share_{part}": _repeats(shared, len(owners)) if len(shared) > len(owners) else "",
    }
    sheet.add_flags(
        {
            f"all_{weight}": bool(computing) and not given,
            f"all_{part}": bool(given) and not computing,
            f"mixed_{part}": bool(computing) and bool(given),
            f"some_{weight}": bool(computing),
            f"some_{bias}": biased,
            f"share_{part}": len(shared) > len(owners),
        }
    )
    if part != "q" and computing:
        sheet.flags.add("key_weights")


def _repeats(shared: list[int], count: int) -> str:
    """The indexing that repeats ``count`` shared matrices for all heads: equal groups, unless some heads need none."""
    size = len(shared) // count
    if shared == [index // size for index in range(count * size)]:
        return f".repeat_interleave({size}, dim=0)"
    return f"[{shared}]"
