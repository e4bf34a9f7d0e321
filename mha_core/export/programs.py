"""Programs that compute an example and assert its numbers, from the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from mha_core.errors import N_, ExportError
from mha_core.example import (
    BASE,
    HEAD_ROWS,
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Matrix,
    Row,
    allow_matrix,
    divisor,
    key_tokens,
    mask_fill,
    owner,
    position_inputs,
    text_in,
)
from mha_core.export.templates import COMMENTS, FUNCTION, KERAS, NUMPY, SCRATCH, TORCH
from mha_core.export.text import comment, literal
from mha_core.graph import LAYER_INPUTS, PER_HEAD_INPUTS, graph
from mha_core.interop.masks import KERAS_FILL
from mha_core.messages import catalogue
from mha_core.trace import Trace

DECIMALS = 10
_PARTS = ("q", "k", "v")


def numpy_program(computed: Trace, decimals: int | None, language: str) -> str:
    """NumPy, head by head: every example of the format."""
    sheet = _Sheet(computed, decimals, language, _NUMPY)
    example = sheet.example
    for part in _PARTS:
        sheet.values[f"make_{part}"] = _numpy_projection(sheet, part)
    heads = (_numpy_head(sheet, index) for index in range(len(example.heads)))
    sheet.values["heads"] = "[\n" + "".join(heads) + "]"
    return sheet.render(NUMPY)


def scratch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """PyTorch from scratch, all heads at once: every example of the format."""
    sheet = _projected(_Sheet(computed, decimals, language, _TORCH))
    example, scored = sheet.example, sheet.scored
    own = [index for index in range(len(example.heads)) if index not in scored]
    order = [*scored, *own]
    sheet.values["given_weights"] = sheet.cube([example.heads[index].weights or () for index in own])
    sheet.values["head_order"] = str([order.index(index) for index in range(len(order))])
    return sheet.render(SCRATCH)


def torch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``nn.MultiheadAttention``, or where Q or K are changed before they meet, the function that it calls.

    Raises ``ExportError`` where neither can compute this example.
    """
    example = computed.example
    if example.scoring == "additive" and any(head.weights is None for head in example.heads):
        raise ExportError(N_("PyTorch has no additive attention; NumPy and PyTorch from scratch can do this"))
    _check_weights(example)
    if mask_fill(example) != NEG_INF:
        raise ExportError(
            N_(
                "PyTorch gives a hidden pair no weight at all, and here it has a score; "
                "NumPy and PyTorch from scratch can do this"
            ),
        )
    rotary = example.positions is not None and example.positions.kind == "rotary"
    if rotary or example.scoring == "cosine" or any(_is_mixed(example, part) for part in _PARTS):
        return _function_program(computed, decimals, language)
    return _layer_program(computed, decimals, language)


def _function_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``scaled_dot_product_attention``; with the identity for V it tells the weights."""
    sheet = _projected(_Sheet(computed, decimals, language, _TORCH))
    name = next((name for flag, name in _FUNCTION_MASKS.items() if flag in sheet.flags), "")
    sheet.values["mask_argument"] = f", attn_mask={name}" if name else ""
    sheet.values["one_over_divisor"] = "1.0" if sheet.example.scale == "none" else "1 / divisor"
    sheet.flags.add("function")
    return sheet.render(FUNCTION)


_FUNCTION_MASKS = {"linear_biases": "biases", "hidden": "allow", "added": "mask"}


def _layer_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``nn.MultiheadAttention``; sizes that it does not have are filled up with zeros."""
    sheet = _LayerSheet(computed, decimals, language, _TORCH)
    example, dims = sheet.example, sheet.example.dims
    d_out = dims.d_out or dims.h * dims.d_v
    query = sheet.width("q")
    head_dim = max(dims.d_k, dims.d_v, ceil(max(query, d_out) / dims.h))
    embed = dims.h * head_dim
    itself = sheet.values["query"] == "x" and query < embed
    widths = {}
    for part, name in (("k", "key"), ("v", "value")):
        same_rows = itself and sheet.values[name] == "x"
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
    sheet.state(facts | {"root": facts["rescaled"]})
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


def keras_program(computed: Trace, decimals: int | None, language: str) -> str:
    """Keras's layer, or one derived from it that computes the scores anew.

    Raises ``ExportError`` where the layer cannot compute this example.
    """
    _check_weights(computed.example)
    _check_keras_mask(computed)
    sheet = _LayerSheet(computed, decimals, language, _KERAS)
    example, dims = sheet.example, sheet.example.dims
    mask = example.mask.add if isinstance(example.mask, AddMask) else ()
    numbers = {number for row in mask for number in row}
    d_out = dims.d_out or dims.h * dims.d_v
    grouped = "grouped" in sheet.flags and dims.d_k == dims.d_v and sheet.width("q") <= d_out
    facts = {"filled": mask_fill(example) != NEG_INF, "adds": bool(numbers - {0.0, NEG_INF})}
    facts["hides_pairs"] = (
        example.mask is not None and not facts["filled"] and (not mask or NEG_INF in numbers)
    )
    anew = {"q_rotated", "q_unit", "pair_tanh", "linear_biases"} & sheet.flags
    facts["anew"] = bool(anew) or facts["filled"] or facts["adds"]
    facts["inner_w_a"] = "w_a" in sheet.flags and not {"q_rotated", "pair_tanh"}.isdisjoint(anew)
    facts["kv_layer"] = grouped
    facts["pad_group"] = grouped and sheet.width("q") < d_out
    facts["repeated"] = "grouped" in sheet.flags and not grouped
    facts["rescaled"] = not facts["anew"] and divisor(example) != dims.sqrt_dk
    sheet.state(facts)
    layer = "GroupQueryAttention" if grouped else "MultiHeadAttention"
    sheet.values |= {
        "layer": layer,
        "class_name": "Attention" if facts["anew"] else f"keras.layers.{layer}",
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


def _check_keras_mask(computed: Trace) -> None:
    """Keras hides a pair by the score −10⁹, whatever the other scores are."""
    for head in computed.values.get("masked_scores", ()):
        for row in head or ():
            if NEG_INF in row and NEG_INF < max(row) < KERAS_FILL + 1000:
                raise ExportError(
                    N_(
                        "Keras hides a pair with −10⁹, and these scores are lower than that; "
                        "NumPy and PyTorch from scratch can do this"
                    ),
                )


def _check_weights(example: Example) -> None:
    """A library's layer or function has no way in for weights."""
    for index, head in enumerate(example.heads):
        if head.weights is not None:
            raise ExportError(
                N_(
                    "this head starts from its weights, and a library computes them itself; "
                    "NumPy and PyTorch from scratch can do this"
                ),
                place=f"heads[{index}]",
            )


def _is_mixed(example: Example, part: str) -> bool:
    """Whether some heads start from their own Q (K, V) and others do not."""
    given = {getattr(example.heads[index], part) is not None for index in _holders(example, part)}
    return len(given) > 1


def _scored(example: Example) -> list[int]:
    """The heads that compute their weights."""
    return [index for index, head in enumerate(example.heads) if head.weights is None]


def _holders(example: Example, part: str) -> list[int]:
    """The heads whose own Q (K, V) the layer needs: of those that share one, the first."""
    heads = range(len(example.heads)) if part == "v" else _scored(example)
    return list(dict.fromkeys(owner(example, part, index) for index in heads))


def _needed(example: Example) -> tuple[set[str], set[str]]:
    """The steps that lead to the output, and the matrices that these read."""
    steps, read = set(), {"concat", "output"}
    for step in reversed(graph(example)):
        if step.name in read:
            steps.add(step.name)
            read.update(step.operand_names)
    return steps, read


@dataclass(frozen=True, slots=True)
class _Library:
    """How a library writes what all of them have."""

    np: str
    array: str
    assert_close: str
    causal: str
    identity: str

    @property
    def infinity(self) -> str:
        return f"{self.np}.inf"


_NUMPY = _Library(
    "np",
    "np.array",
    "np.testing.assert_allclose",
    "np.tril(np.ones(({n_q}, {n_k}), dtype=bool))",
    "np.split(np.eye({width}), {count}, axis=1)",
)
_KERAS = _NUMPY
_TORCH = _Library(
    "torch",
    "torch.tensor",
    "torch.testing.assert_close",
    "torch.ones({n_q}, {n_k}, dtype=torch.bool).tril()",
    "torch.eye({width}).chunk({count}, dim=1)",
)


class _Sheet:
    """What a template is filled in with: numbers as the library's literals, names of what is there, and comments."""

    def __init__(self, computed: Trace, decimals: int | None, language: str, library: _Library) -> None:
        example, dims = computed.example, computed.example.dims
        self.example, self.library = example, library
        self.scored = _scored(example)
        self.decimals = DECIMALS if decimals is None else decimals
        self.words: Callable[[str], str] = catalogue(language).gettext
        self.flags = _flags(computed)
        self.values = {
            "title": comment(text_in(example.title, language)) or self.words(N_("An example")),
            "np": library.np,
            "array": library.array,
            "assert_close": library.assert_close,
            "causal": library.causal.format(n_q=dims.n_q, n_k=dims.n_k),
            "atol": f"1e-{self.decimals}",
            "fill": self.number(mask_fill(example)),
            "source": "x" if example.context is None else "context",
            "expected_weights": self.cube(
                self._round(computed.matrix("weights", index)) for index in range(dims.h)
            ),
            "expected_concat": self.matrix(self._round(computed.values["concat"])),
            "d_out": str(dims.d_out or dims.h * dims.d_v),
            "concat_width": str(dims.h * dims.d_v),
            "group": str(dims.h // (example.kv_heads or dims.h)),
            "divisor": self.divisor("np.sqrt"),
            "math_divisor": self.divisor("math.sqrt"),
            "divided": "" if example.scale == "none" else f" / {self.divisor(f'{_ROOTS[library.np]}.sqrt')}",
        }
        self.values |= {name: str(getattr(dims, name)) for name in ("h", "n_q", "n_k", "d_k", "d_v")}
        output = computed.values.get("output", computed.values["concat"])
        self.values["expected_output"] = self.matrix(self._round(output))
        if example.x is not None:
            self.values["x"] = self.matrix(example.x, example.tokens)
        if example.context is not None:
            self.values["context"] = self.matrix(example.context, key_tokens(example))
        if example.w_o is not None:
            self.values["w_o"] = self.matrix(example.w_o)
        if example.b_o is not None:
            self.values["b_o"] = self.row(example.b_o)
        self._mask(example)
        self._positions(example)

    def state(self, facts: Mapping[str, bool]) -> None:
        """Name what is there."""
        self.flags |= {name for name, fact in facts.items() if fact}

    def _mask(self, example: Example) -> None:
        allow = allow_matrix(example)
        if allow is not None:
            rows = ["    [" + ", ".join(str(cell) for cell in row) + "],\n" for row in allow]
            self.values["allow"] = "[\n" + "".join(rows) + "]"
        if isinstance(example.mask, AddMask):
            self.values["added"] = self.matrix(example.mask.add)

    def _positions(self, example: Example) -> None:
        """Where tokens stand and the frequencies: by rule where they are, else as they were given."""
        positions, dims = example.positions, example.dims
        if positions is None:
            return
        apart = "context_position_ids" in position_inputs(example)
        sinusoidal = positions.kind == "sinusoidal"
        self.values |= {
            "position_ids": self._places(positions.ids, dims.n_q),
            "context_position_ids": self._places(positions.context_ids, dims.n_k),
            "frequencies": self._frequencies(positions.frequencies, dims.d_model if sinusoidal else dims.d_k),
            "context_frequencies": self._frequencies(positions.context_frequencies, dims.d_context),
            "frequencies_of_context": "context_frequencies" if sinusoidal else "frequencies",
            "key_positions": "context_positions" if apart else "positions",
            "key_angles": "context_angles" if apart else "angles",
            "paired_angles": "angles" + _even(dims.d_model),
            "paired_context_angles": "context_angles" + _even(dims.d_context),
        }

    def _places(self, given: Row | None, count: int) -> str:
        return f"{self.library.array}({self.row(given)})" if given else f"{self.library.np}.arange({count}.0)"

    def _frequencies(self, given: Row | None, width: int) -> str:
        rule = f"[{BASE:.0f} ** (-2 * m / {width}) for m in range({(width + 1) // 2})]"
        return f"{self.library.array}({self.row(given) if given else rule})"

    def _round(self, rows: Iterable[Iterable[float]]) -> list[list[float]]:
        return [[round(number, self.decimals) for number in row] for row in rows]

    def divisor(self, root: str) -> str:
        """The divisor as an expression."""
        if self.example.scale == "sqrt_dk":
            return f"{root}({self.example.dims.d_k})"
        return self.number(divisor(self.example) or 1.0)

    def number(self, number: float) -> str:
        """One number as a literal; a negative one in parentheses where that could be misread."""
        text = literal(number, self.library.infinity)
        return f"({text})" if text.startswith("-") and number != NEG_INF else text

    def row(self, numbers: Iterable[float]) -> str:
        """``[1., 0.5]``."""
        return "[" + ", ".join(literal(number, self.library.infinity) for number in numbers) + "]"

    def matrix(self, rows: Iterable[Iterable[float]], labels: Sequence[str] = (), indent: str = "") -> str:
        """A matrix, one row a line, each with its label as a comment."""
        lines = []
        for index, numbers in enumerate(rows):
            told = f"  # {comment(labels[index])}" if labels else ""
            lines.append(f"{indent}    {self.row(numbers)},{told}".rstrip() + "\n")
        return "[\n" + "".join(lines) + f"{indent}]"

    def cube(self, matrices: Iterable[Iterable[Iterable[float]]]) -> str:
        """A matrix a head."""
        return "[\n" + "".join(f"    {self.matrix(rows, (), '    ')},\n" for rows in matrices) + "]"

    def parameters(self) -> dict[str, str]:
        """What every scored head brings beside its weights: scoring parameters and slopes, all heads in one array."""
        heads = [self.example.heads[index] for index in self.scored]
        values: dict[str, str] = {
            name: self.cube(getattr(head, name) for head in heads)
            for name in ("w_a", "u_a")
            if name in self.flags
        }
        if "v_a" in self.flags:
            values["v_a"] = self.matrix(head.v_a or () for head in heads)
        values["slopes"] = self.row(number for head in heads for number in head.slope or ())
        return values

    def render(self, template: str) -> str:
        """The template's lines whose names are there, filled in; no more than two empty lines in a row."""
        lines = []
        for line in template.splitlines():
            gate, bar, text = line.partition("|")
            if bar and all(
                (flag[1:] not in self.flags) if flag[0] == "!" else flag in self.flags
                for flag in gate.split()
            ):
                lines.append(self._filled(text.removeprefix(" ")))
        program = "\n".join(lines) + "\n"
        return re.sub(r"\n{4,}", "\n\n\n", program)

    def _filled(self, text: str) -> str:
        """In one pass, so that a visitor's text that looks like a place to fill in stays as it is."""

        def value(match: re.Match[str]) -> str:
            return self.words(COMMENTS[match[1]]) if match[1] else self.values[match[2]]

        return re.sub(r"\$(?:\[(\w+)\]|(\w+))", value, text)


_ROOTS = {"np": "np", "torch": "math"}


def _even(width: int) -> str:
    """Of an odd number of columns the last has a sine alone."""
    return f"[:, :{width // 2}]" if width % 2 else ""


class _LayerSheet(_Sheet):
    """The sheet of a library's own layer, which has one way from its inputs to its output for all heads."""

    def __init__(self, computed: Trace, decimals: int | None, language: str, library: _Library) -> None:
        super().__init__(computed, decimals, language, library)
        sources = {"q": "x", "k": self.values["source"], "v": self.values["source"]}
        names = {"q": ("query", "queries"), "k": ("key", "keys"), "v": ("value", "values")}
        for part in _PARTS:
            given = self._given(part)
            self.values[names[part][0]] = names[part][1] if given else sources[part]
            holders = self._of_holders(part)
            if given:
                self.flags.add(f"given_{part}")
                self.values[f"given_rows_{part}"] = self.matrix(_side_by_side(holders))
                self.values[f"identity_{part}"] = library.identity.format(
                    width=self.width(part), count=len(holders)
                )
            else:
                self.values[f"list_w_{part}"] = self._list(holders)
            if "biased" in self.flags:
                self.values[f"list_b_{part}"] = self._bias_list(part)
        if self.example.scoring == "bilinear":
            self.values["list_w_a"] = self._list(head.w_a for head in self.example.heads)  # type: ignore[misc]
        self.values |= self.parameters() | {"biased": str("biased" in self.flags)}

    def _given(self, part: str) -> bool:
        """Whether all heads start from their own Q (K, V); a layer cannot where only some do."""
        if _is_mixed(self.example, part):
            raise ExportError(
                N_(
                    "a layer treats all heads alike; here some start from their own {name}; "
                    "NumPy and PyTorch from scratch can do this"
                ),
                name=part.upper(),
            )
        return getattr(self.example.heads[0], part) is not None

    def _of_holders(self, part: str) -> list[Matrix]:
        """W_Q (W_K, W_V) of the heads that have one, or Q (K, V) where they start from it."""
        name = part if self._given(part) else f"w_{part}"
        return [getattr(self.example.heads[index], name) for index in _holders(self.example, part)]

    def width(self, part: str) -> int:
        """How wide the rows are that q (k, v) come from."""
        dims = self.example.dims
        if f"given_{part}" in self.flags:
            return len(_holders(self.example, part)) * (dims.d_v if part == "v" else dims.d_k)
        return dims.d_model if part == "q" else dims.d_context

    def _list(self, matrices: Iterable[Matrix]) -> str:
        array = self.library.array
        return "\n" + "".join(f"    {array}({self.matrix(rows, (), '    ')}),\n" for rows in matrices)

    def _bias_list(self, part: str) -> str:
        """One vector a head, zeros for a head without."""
        width = self.example.dims.d_v if part == "v" else self.example.dims.d_k
        heads = (self.example.heads[index] for index in _holders(self.example, part))
        biases = [getattr(head, f"b_{part}") or (0.0,) * width for head in heads]
        return "\n" + "".join(f"    {self.library.array}({self.row(bias)}),\n" for bias in biases)


def _side_by_side(blocks: Sequence[Matrix]) -> list[list[float]]:
    return [[number for block in blocks for number in block[i]] for i in range(len(blocks[0]))]


def _flags(computed: Trace) -> set[str]:
    """What this example has, by the names that templates use."""
    example = computed.example
    heads = example.heads
    steps, read = _needed(example)
    biases = [getattr(heads[index], f"b_{part}") for part in _PARTS for index in _holders(example, part)]
    norms = [rows for name in ("q_norms", "k_norms") for rows in computed.values.get(name, ())]
    facts = {
        "biased": example.b_o is not None or any(bias is not None for bias in biases),
        "missing": any(bias is None for bias in biases) or (example.b_o is None),
        "causal": example.mask == "causal",
        "allow": isinstance(example.mask, AllowMask),
        "hidden": example.mask is not None and not isinstance(example.mask, AddMask),
        "added": isinstance(example.mask, AddMask),
        "dead": any(any(rows) for rows in computed.dead_rows),
        "own_weights": any(head.weights is not None for head in heads),
        "grouped": example.kv_heads not in (None, len(heads)),
        "zero_rows": any([0.0] in rows for rows in norms if rows),
        "cosines": example.dims.d_model > 1,
        "context_cosines": example.dims.d_context > 1,
        "prepared": example.mask is not None or "linear_biases" in steps,
    }
    inputs = read.intersection(LAYER_INPUTS + PER_HEAD_INPUTS)
    return steps | inputs | {name for name, fact in facts.items() if fact}


def _numpy_projection(sheet: _Sheet, part: str) -> str:
    """``x @ head["w_q"] + head["b_q"]``, or what heads start from."""
    example = sheet.example
    heads = [example.heads[index] for index in _holders(example, part)]
    given = [getattr(head, part) is not None for head in heads]
    biases = [getattr(head, f"b_{part}") is not None for head in heads]
    source = "x" if part == "q" else sheet.values["source"]
    holder = "first" if part != "q" and "grouped" in sheet.flags else "head"
    bias = (
        f' + {holder}["b_{part}"]'
        if all(biases)
        else f' + {holder}.get("b_{part}", 0)'
        if any(biases)
        else ""
    )
    computed = f'{source} @ {holder}["w_{part}"]{bias}'
    if all(given):
        return f'{holder}["{part}"]'
    return f'{holder}["{part}"] if "{part}" in {holder} else {computed}' if any(given) else computed


def _numpy_head(sheet: _Sheet, index: int) -> str:
    """One head as a dict of what it has: of those that share K and V, the first has them."""
    example = sheet.example
    head = example.heads[index]
    names = [] if head.weights is None else ["weights"]
    for part in _PARTS:
        if index in _holders(example, part):
            names += [part] if getattr(head, part) is not None else [f"w_{part}", f"b_{part}"]
    if head.weights is None:
        names += ["w_a", "u_a", "v_a", "slope"]
    lines = []
    for name in names:
        given = getattr(head, name)
        if name == "slope" and given is not None:
            lines.append(f'        "slope": {literal(given[0], "np.inf")},\n')
        elif given is not None:
            text = sheet.row(given) if name in HEAD_ROWS else sheet.matrix(given, (), " " * 8)
            lines.append(f'        "{name}": np.array({text}),\n')
    return "    {\n" + "".join(lines) + "    },\n"


def _projected(sheet: _Sheet) -> _Sheet:
    """The sheet with all heads' matrices stacked, as PyTorch from scratch multiplies them."""
    for part in _PARTS:
        _stacked(sheet, part)
    sheet.values |= sheet.parameters()
    sheet.state({"root": "scaled_scores" in sheet.flags and sheet.example.scale == "sqrt_dk"})
    return sheet


def _stacked(sheet: _Sheet, part: str) -> None:
    """The stacked matrices of q, k or v, and which heads compute it, have it given, and share it."""
    example = sheet.example
    holders = _holders(example, part)
    heads = list(enumerate(example.heads[index] for index in holders))
    computing = [(i, head) for i, head in heads if getattr(head, part) is None]
    given = [(i, head) for i, head in heads if getattr(head, part) is not None]
    weight, bias = f"w_{part}", f"b_{part}"
    biased = any(getattr(head, bias) is not None for _, head in computing)
    width = example.dims.d_v if part == "v" else example.dims.d_k
    readers = range(len(example.heads)) if part == "v" else sheet.scored
    shared = [holders.index(owner(example, part, index)) for index in readers]
    sheet.values |= {
        weight: sheet.cube(getattr(head, weight) for _, head in computing),
        bias: sheet.matrix(getattr(head, bias) or (0.0,) * width for _, head in computing),
        part: sheet.cube(getattr(head, part) for _, head in given),
        f"plus_{bias}": f" + {bias}[:, None]" if biased else "",
        f"heads_{weight}": str([i for i, _ in computing]),
        f"heads_{part}": str([i for i, _ in given]),
        f"count_{part}": str(len(heads)),
        f"share_{part}": _repeats(shared, len(holders)) if len(shared) > len(holders) else "",
    }
    sheet.state(
        {
            f"all_{weight}": bool(computing) and not given,
            f"all_{part}": bool(given) and not computing,
            f"mixed_{part}": bool(computing) and bool(given),
            f"some_{weight}": bool(computing),
            f"some_{bias}": biased,
            f"share_{part}": len(shared) > len(holders),
        }
    )
    if part != "q" and computing:
        sheet.flags.add("key_weights")


def _repeats(shared: list[int], count: int) -> str:
    """What gives every head the one that it shares, of ``count``: equal groups, unless some need none."""
    size = len(shared) // count
    if shared == [index // size for index in range(count * size)]:
        return f".repeat_interleave({size}, dim=0)"
    return f"[{shared}]"
