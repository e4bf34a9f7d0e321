"""Programs that compute an example and assert its numbers, from the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import ceil, sqrt

from mha_core.errors import N_, ExportError
from mha_core.example import (
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Head,
    allow_matrix,
    divisor,
    key_tokens,
    mask_fill,
    text_in,
)
from mha_core.export.templates import COMMENTS, KERAS, NUMPY, SCRATCH, TORCH
from mha_core.export.text import comment, literal
from mha_core.interop.masks import KERAS_FILL
from mha_core.interop.packed import unknown_to_libraries
from mha_core.messages import catalogue
from mha_core.trace import Trace

DECIMALS = 10
_PARTS = ("q", "k", "v")


def numpy_program(computed: Trace, decimals: int | None, language: str) -> str:
    """NumPy, head by head: every example that has no more than scaled dot-product attention."""
    sheet = _Sheet(computed, decimals, language, infinity="np.inf")
    example = computed.example
    scores = any(head.weights is None for head in example.heads)
    inside = "        " if any(head.weights is not None for head in example.heads) else "    "
    for part in _PARTS:
        sheet.values[f"make_{part}"] = _numpy_projection(example, part)
    for name in ("q", "k", "scores", "weights"):
        sheet.values[f"in_{name}"] = inside + name
    sheet.values["heads"] = "[\n" + "".join(_numpy_head(head, sheet) for head in example.heads) + "]"
    root = f"np.sqrt({computed.example.dims.d_k})"
    sheet.values["divisor"] = root if example.scale == "sqrt_dk" else sheet.number(divisor(example) or 1.0)
    sheet.flags |= {"scores"} if scores else set()
    return sheet.render(NUMPY)


def scratch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """PyTorch from scratch, all heads at once: every example that ``numpy_program`` takes."""
    sheet = _Sheet(computed, decimals, language, infinity="torch.inf")
    example, dims = computed.example, computed.example.dims
    scores = any(head.weights is None for head in example.heads)
    for part in _PARTS:
        _scratch_part(sheet, example, part)
    given = [index for index, head in enumerate(example.heads) if head.weights is not None]
    sheet.values["heads_weights"] = str(given)
    sheet.values["given_weights"] = sheet.cube([example.heads[index].weights or () for index in given])
    root = example.scale == "sqrt_dk"
    sheet.values["math_divisor"] = f"math.sqrt({dims.d_k})" if root else sheet.number(divisor(example) or 1.0)
    sheet.flags |= {"scores"} if scores else set()
    sheet.flags |= {"root"} if scores and root else set()
    return sheet.render(SCRATCH)


def torch_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``nn.MultiheadAttention``; sizes that it does not have are filled up with zeros.

    Raises ``ExportError`` where the layer cannot compute this example.
    """
    sheet = _LayerSheet(computed, decimals, language, infinity="torch.inf", tensor="torch.tensor")
    example, dims = computed.example, computed.example.dims
    if mask_fill(example) != NEG_INF:
        raise _filled("nn.MultiheadAttention")
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
    pads = {
        "pad_query": query < embed,
        "pad_w_q": query < embed or dims.d_k < head_dim,
        "pad_w_k": sheet.width("k") < widths["k"] or dims.d_k < head_dim,
        "pad_w_v": sheet.width("v") < widths["v"] or dims.d_v < head_dim,
        "pad_b_k": dims.d_k < head_dim,
        "pad_b_v": dims.d_v < head_dim,
        "pad_w_o": dims.d_v < head_dim or d_out < embed,
        "pad_b_o": d_out < embed,
    }
    rescaled = divisor(example) != sqrt(head_dim)
    same = widths["k"] == widths["v"] == embed
    first = "query" if query < embed else sheet.values["query"]
    sheet.values |= {
        "head_dim": str(head_dim),
        "call": f"{first}, {sheet.values['key']}, {sheet.values['value']}",
        "divided": "" if example.scale == "none" else f" / {sheet.divisor('math.sqrt')}",
        "dims_argument": "" if same else f", kdim={widths['k']}, vdim={widths['v']}",
        "mask_argument": "" if example.mask is None else ", attn_mask=mask",
    }
    sheet.flags |= {name for name, wanted in pads.items() if wanted}
    sheet.flags |= {"padded"} if any(pads.values()) else set()
    sheet.flags |= {"pad_output"} if d_out < embed else set()
    sheet.flags |= {"rescaled", "root"} if rescaled else set()
    sheet.flags |= {"same"} if same else set()
    return sheet.render(TORCH)


def keras_program(computed: Trace, decimals: int | None, language: str) -> str:
    """``keras.layers.MultiHeadAttention``. Raises ``ExportError`` where the layer cannot compute this example."""
    sheet = _LayerSheet(computed, decimals, language, infinity="np.inf", tensor="np.array")
    example = computed.example
    _check_keras_mask(computed)
    if isinstance(example.mask, AddMask):
        allow = [[float(number == 0) for number in row] for row in example.mask.add]
        sheet.values["allow_of_added"] = sheet.matrix(allow)
    sheet.values["divided"] = "" if example.scale == "none" else f" / {sheet.divisor('np.sqrt')}"
    sheet.values["mask_argument"] = "" if example.mask is None else ", attention_mask=allow[None]"
    if divisor(example) != example.dims.sqrt_dk:
        sheet.flags.add("rescaled")
    return sheet.render(KERAS)


def _check_keras_mask(computed: Trace) -> None:
    """Keras hides a pair by the score −10⁹, whatever the other scores are."""
    example = computed.example
    if mask_fill(example) != NEG_INF:
        raise _filled("Keras")
    if isinstance(example.mask, AddMask) and any(
        n not in (0, NEG_INF) for row in example.mask.add for n in row
    ):
        raise ExportError(N_("Keras's mask allows or hides a pair; it adds no numbers"))
    for head in computed.values.get("masked_scores", ()):
        for row in head or ():
            if NEG_INF in row and NEG_INF < max(row) < KERAS_FILL + 1000:
                raise ExportError(N_("Keras hides a pair with −10⁹, and these scores are lower than that"))


def _filled(target: str) -> ExportError:
    return ExportError(
        N_("{target} gives a hidden pair no weight at all; this example fills in a number for its score"),
        target=target,
    )


class _Sheet:
    """What a template is filled in with: numbers as Python literals, flags and comments."""

    def __init__(self, computed: Trace, decimals: int | None, language: str, *, infinity: str) -> None:
        example, dims = computed.example, computed.example.dims
        unknown = unknown_to_libraries(example)
        if unknown:
            raise ExportError(
                N_("programs are written for scaled dot-product attention; this example has {name}"),
                name=unknown,
            )
        self.example, self.infinity = example, infinity
        self.decimals = DECIMALS if decimals is None else decimals
        self.words: Callable[[str], str] = catalogue(language).gettext
        self.flags = _flags(computed)
        self.values = {
            "title": comment(text_in(example.title, language)) or self.words(N_("An example")),
            "atol": f"1e-{self.decimals}",
            "fill": self.number(mask_fill(example)),
            "source": "x" if example.context is None else "context",
            "expected_weights": self.cube(self._weights(computed)),
            "expected_concat": self.matrix(self._round(computed.values["concat"])),
            "d_out": str(dims.d_out or dims.h * dims.d_v),
            "concat_width": str(dims.h * dims.d_v),
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

    def _mask(self, example: Example) -> None:
        allow = allow_matrix(example)
        if allow is not None:
            rows = ["    [" + ", ".join(str(cell) for cell in row) + "],\n" for row in allow]
            self.values["allow"] = "[\n" + "".join(rows) + "]"
        if isinstance(example.mask, AddMask):
            self.values["added"] = self.matrix(example.mask.add)

    def _weights(self, computed: Trace) -> list[list[list[float]]]:
        return [self._round(computed.matrix("weights", g)) for g in range(len(self.example.heads))]

    def _round(self, rows: Iterable[Iterable[float]]) -> list[list[float]]:
        return [[round(number, self.decimals) for number in row] for row in rows]

    def divisor(self, root: str) -> str:
        """The divisor as an expression."""
        if self.example.scale == "sqrt_dk":
            return f"{root}({self.example.dims.d_k})"
        return self.number(divisor(self.example) or 1.0)

    def number(self, number: float) -> str:
        """One number as a literal; a negative one in parentheses where that could be misread."""
        text = literal(number, self.infinity)
        return f"({text})" if text.startswith("-") and number != NEG_INF else text

    def row(self, numbers: Iterable[float]) -> str:
        """``[1., 0.5]``."""
        return "[" + ", ".join(literal(number, self.infinity) for number in numbers) + "]"

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

    def render(self, template: str) -> str:
        """The template's lines whose flags are there, filled in; no more than two empty lines in a row."""
        lines = []
        for line in template.strip("\n").splitlines():
            gate, _, text = line.partition("|")
            if all(
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


class _LayerSheet(_Sheet):
    """The sheet of a library's own layer, which has one way from its inputs to its output for all heads."""

    def __init__(
        self, computed: Trace, decimals: int | None, language: str, *, infinity: str, tensor: str
    ) -> None:
        super().__init__(computed, decimals, language, infinity=infinity)
        self.tensor = tensor
        example = self.example
        for index, head in enumerate(example.heads):
            if head.weights is not None:
                raise ExportError(
                    N_("a library's layer computes the attention weights itself; this head starts from them"),
                    place=f"heads[{index}]",
                )
        sources = {"q": "x", "k": self.values["source"], "v": self.values["source"]}
        names = {"q": ("query", "queries"), "k": ("key", "keys"), "v": ("value", "values")}
        for part in _PARTS:
            given = self._given(part)
            self.values[names[part][0]] = names[part][1] if given else sources[part]
            if given:
                self.flags.add(f"given_{part}")
                self.values[f"given_rows_{part}"] = self.matrix(self._side_by_side(part))
            else:
                self.values[f"list_w_{part}"] = self._list(
                    getattr(head, f"w_{part}") for head in example.heads
                )
            if "biased" in self.flags:
                self.values[f"list_b_{part}"] = self._bias_list(part)
        self.values["biased"] = str("biased" in self.flags)

    def _given(self, part: str) -> bool:
        """Whether all heads start from their own Q (K, V); a layer cannot where only some do."""
        given = [getattr(head, part) is not None for head in self.example.heads]
        if any(given) and not all(given):
            raise ExportError(
                N_("a library's layer treats all heads alike; here some start from their own {name}"),
                name=part.upper(),
            )
        return all(given)

    def _side_by_side(self, part: str) -> list[list[float]]:
        blocks = [getattr(head, part) for head in self.example.heads]
        return [[number for block in blocks for number in block[i]] for i in range(len(blocks[0]))]

    def width(self, part: str) -> int:
        """How wide the rows are that q (k, v) come from."""
        dims = self.example.dims
        if f"given_{part}" in self.flags:
            return dims.h * (dims.d_v if part == "v" else dims.d_k)
        return dims.d_model if part == "q" else dims.d_context

    def _list(self, matrices: Iterable[Iterable[Iterable[float]]]) -> str:
        return "\n" + "".join(f"    {self.tensor}({self.matrix(rows, (), '    ')}),\n" for rows in matrices)

    def _bias_list(self, part: str) -> str:
        """One vector a head, zeros for a head without."""
        width = self.example.dims.d_v if part == "v" else self.example.dims.d_k
        biases = [getattr(head, f"b_{part}") or (0.0,) * width for head in self.example.heads]
        return "\n" + "".join(f"    {self.tensor}({self.row(bias)}),\n" for bias in biases)


def _flags(computed: Trace) -> set[str]:
    """What this example has, by the words that templates use."""
    example = computed.example
    heads = example.heads
    scored = [head for head in heads if head.weights is None]
    biases = [getattr(head, f"b_{part}") for head in heads for part in _PARTS]
    from_source = any(head.v is None for head in heads) or any(head.k is None for head in scored)
    facts = {
        "x": any(head.q is None for head in scored) or (from_source and example.context is None),
        "context": from_source and example.context is not None,
        "w_o": example.w_o is not None,
        "b_o": example.b_o is not None,
        "biased": example.b_o is not None or any(bias is not None for bias in biases),
        "missing": any(bias is None for bias in biases) or (example.b_o is None),
        "scaled": example.scale != "none",
        "masked": example.mask is not None,
        "causal": example.mask == "causal",
        "allow": isinstance(example.mask, AllowMask),
        "hidden": example.mask is not None and not isinstance(example.mask, AddMask),
        "added": isinstance(example.mask, AddMask),
        "dead": any(any(rows) for rows in computed.dead_rows),
        "any_weights": len(scored) < len(heads),
    }
    return {name for name, fact in facts.items() if fact}


def _numpy_projection(example: Example, part: str) -> str:
    """``x @ head["w_q"] + head["b_q"]``, or what heads start from."""
    heads = [head for head in example.heads if part == "v" or head.weights is None]
    given = [getattr(head, part) is not None for head in heads]
    biases = [getattr(head, f"b_{part}") is not None for head in heads]
    source = "x" if part == "q" or example.context is None else "context"
    bias = f' + head["b_{part}"]' if all(biases) else f' + head.get("b_{part}", 0)' if any(biases) else ""
    computed = f'{source} @ head["w_{part}"]{bias}'
    if all(given):
        return f'head["{part}"]'
    return f'head["{part}"] if "{part}" in head else {computed}' if any(given) else computed


def _numpy_head(head: Head, sheet: _Sheet) -> str:
    """One head as a dict of the matrices that it uses."""
    parts = ("v",) if head.weights is not None else _PARTS
    names = [] if head.weights is None else ["weights"]
    for part in parts:
        names += [part] if getattr(head, part) is not None else [f"w_{part}", f"b_{part}"]
    lines = []
    for name in names:
        given = getattr(head, name)
        if given is not None:
            text = sheet.row(given) if name.startswith("b_") else sheet.matrix(given, (), " " * 8)
            lines.append(f'        "{name}": np.array({text}),\n')
    return "    {\n" + "".join(lines) + "    },\n"


def _scratch_part(sheet: _Sheet, example: Example, part: str) -> None:
    """The stacked matrices of q, k or v, and which heads compute it and which have it given."""
    heads = list(enumerate(example.heads))
    wanted = [(i, head) for i, head in heads if part == "v" or head.weights is None]
    computing = [(i, head) for i, head in wanted if getattr(head, part) is None]
    given = [(i, head) for i, head in wanted if getattr(head, part) is not None]
    weight, bias = f"w_{part}", f"b_{part}"
    biased = any(getattr(head, bias) is not None for _, head in computing)
    width = example.dims.d_v if part == "v" else example.dims.d_k
    sheet.values |= {
        weight: sheet.cube(getattr(head, weight) for _, head in computing),
        bias: sheet.matrix(getattr(head, bias) or (0.0,) * width for _, head in computing),
        part: sheet.cube(getattr(head, part) for _, head in given),
        f"plus_{bias}": f" + {bias}[:, None]" if biased else "",
        f"heads_{weight}": str([i for i, _ in computing]),
        f"heads_{part}": str([i for i, _ in given]),
    }
    facts = {
        f"all_{weight}": len(computing) == len(heads),
        f"all_{part}": len(given) == len(heads),
        f"mixed_{part}": max(len(computing), len(given)) < len(heads),
        f"some_{weight}": bool(computing),
        f"some_{bias}": biased,
        f"some_{part}": bool(given),
    }
    sheet.flags |= {name for name, fact in facts.items() if fact}
