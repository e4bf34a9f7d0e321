"""The values for the templates of programs: numbers as literals, flags, and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mha_core.compute.graph import graph, last_step
from mha_core.compute.trace import Trace
from mha_core.errors import N_, ExportError
from mha_core.example.band import BandMask
from mha_core.example.model import (
    BASE,
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Matrix,
    Row,
    adds_numbers,
    allow_matrix,
    band_of,
    divisor,
    has_own_masks,
    has_values,
    head_mask,
    key_tokens,
    kv_head_of,
    mask_fill,
    masks_of,
    position_inputs,
    text_in,
)
from mha_core.export.comments import COMMENTS
from mha_core.export.text import comment, literal
from mha_core.messages import catalogue
from mha_core.vocabulary import LAYER_INPUTS, PER_HEAD_INPUTS

DECIMALS = 10
NO_SINK = (-1e300,)
"""The sink of a head without one: e^−1e300 is 0 and adds nothing to a sum."""
PARTS = ("q", "k", "v")


def is_mixed(example: Example, part: str) -> bool:
    """Whether some heads start from their own Q (K, V) and others do not."""
    given = {getattr(example.heads[index], part) is not None for index in owners_of(example, part)}
    return len(given) > 1


def _scored(example: Example) -> list[int]:
    """The heads that compute their weights."""
    return [index for index, head in enumerate(example.heads) if head.weights is None]


def owners_of(example: Example, part: str) -> list[int]:
    """The heads whose own Q (K, V) the layer needs: of those that share one, the first. Empty for V without values."""
    readers = {"v": list(range(len(example.heads))) if has_values(example) else []}
    heads = readers.get(part, _scored(example))
    return list(dict.fromkeys(kv_head_of(example, part, index) for index in heads))


def _needed(example: Example) -> tuple[set[str], set[str]]:
    """The steps that lead to the last one, and the matrices that they read."""
    steps, read = set(), {last_step(example)}
    for step in reversed(graph(example)):
        if step.name in read:
            steps.add(step.name)
            read.update(step.operand_names)
    return steps, read


@dataclass(frozen=True, slots=True)
class Library:
    """How a library spells what the templates need."""

    np: str
    array: str
    root: str
    assert_close: str
    ones: str
    kept: str
    identity: str

    @property
    def infinity(self) -> str:
        """``np.inf``."""
        return f"{self.np}.inf"


NUMPY_NAMES = Library(
    "np",
    "np.array",
    "np.sqrt",
    "np.testing.assert_allclose",
    "np.ones(({n_q}, {n_k}), dtype=bool)",
    "np.{keep}({matrix}{comma_at})",
    "np.split(np.eye({width}), {count}, axis=1)",
)
TORCH_NAMES = Library(
    "torch",
    "torch.tensor",
    "math.sqrt",
    "torch.testing.assert_close",
    "torch.ones({n_q}, {n_k}, dtype=torch.bool)",
    "{matrix}.{keep}({at})",
    "torch.eye({width}).chunk({count}, dim=1)",
)


class Sheet:
    """The values for a template: numbers as the library's literals, flags for what the example has, and comments."""

    def __init__(self, computed: Trace, decimals: int | None, language: str, library: Library) -> None:
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
            "band": self._band(),
            "window": str(getattr(_band_of(example), "window", None)),
            "atol": f"1e-{self.decimals}",
            "fill": self.number(mask_fill(example)),
            "source": "x" if example.context is None else "context",
            "expected_weights": self.cube(
                self._round(computed.matrix("weights", index)) for index in range(dims.h)
            ),
            "d_out": str(dims.d_out or dims.h * dims.d_v),
            "concat_width": str(dims.h * dims.d_v),
            "group": str(dims.h // (example.kv_heads or dims.h)),
            "divisor": self._divisor(),
            "softcap": self.number(example.softcap or 1.0),
            "eps": self.number(example.norm.eps if example.norm else 0.0),
            "key_owner": "first" if "grouped" in self.flags else "head",
            "divided": "" if example.scale == "none" else f" / {self._divisor()}",
        }
        self.values |= {name: str(getattr(dims, name)) for name in ("h", "n_q", "n_k", "d_k", "d_v")}
        if has_values(example):
            last = computed.values[last_step(example)]
            self.values["expected_concat"] = self.matrix(self._round(computed.values["concat"]))
            self.values["expected_output"] = self.matrix(self._round(last))
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

    def add_flags(self, facts: Mapping[str, bool]) -> None:
        """Add the names of the facts that are true."""
        self.flags |= {name for name, fact in facts.items() if fact}

    def _mask(self, example: Example) -> None:
        self.values |= {"allow_here": "allow", "mask_here": "mask"}
        if has_own_masks(example):
            masks = [head_mask(example, head) or [] for head in self.scored]
            self.values |= {"added": self.cube(masks), "allow": self._allow_cube(masks)}
            return
        allow = allow_matrix(example)
        if allow is not None:
            rows = ["    [" + ", ".join(str(cell) for cell in row) + "],\n" for row in allow]
            self.values["allow"] = "[\n" + "".join(rows) + "]"
        if isinstance(example.mask, AddMask):
            self.values["added"] = self.matrix(example.mask.add)

    def _allow_cube(self, masks: Iterable[Iterable[Iterable[float]]]) -> str:
        """One mask of True and False for each head."""
        matrices = ("".join(f"        {[bool(cell) for cell in row]},\n" for row in rows) for rows in masks)
        return "[\n" + "".join(f"    [\n{rows}    ],\n" for rows in matrices) + "]"

    def _band(self) -> str:
        """A mask by positions as an expression: the diagonals from the first to the last that it keeps.

        Cell i, j is on the diagonal j − i: 0 in the top left corner, n_k − n_q in the bottom right one.
        """
        band, dims = _band_of(self.example), self.example.dims
        if band is None:
            return ""
        own = dims.n_k - dims.n_q if band.corner == "bottom_right" else 0
        kept = [("tril", _diagonal(own, "" if band.causal else "+"))]
        if band.window is not None:
            kept.append(("triu", _diagonal(own + band.causal, "-")))
        matrix = self.library.ones.format(n_q=dims.n_q, n_k=dims.n_k)
        for keep, at in kept:
            matrix = self.library.kept.format(keep=keep, matrix=matrix, at=at, comma_at=at and f", {at}")
        return matrix

    def _positions(self, example: Example) -> None:
        """Position ids and frequencies: as an expression where they follow the rule, else as given."""
        positions, dims = example.positions, example.dims
        if positions is None:
            return
        for_keys = "context_position_ids" in position_inputs(example)
        sinusoidal = positions.kind == "sinusoidal"
        self.values |= {
            "position_ids": self._places(positions.ids, dims.n_q),
            "context_position_ids": self._places(positions.context_ids, dims.n_k),
            "frequencies": self._frequencies(positions.frequencies, dims.d_model if sinusoidal else dims.d_k),
            "context_frequencies": self._frequencies(positions.context_frequencies, dims.d_context),
            "frequencies_of_context": "context_frequencies" if sinusoidal else "frequencies",
            "key_positions": "context_positions" if for_keys else "positions",
            "key_angles": "context_angles" if for_keys else "angles",
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

    def _divisor(self) -> str:
        """The divisor as an expression."""
        if self.example.scale == "sqrt_dk":
            return f"{self.library.root}({self.example.dims.d_k})"
        return self.number(divisor(self.example) or 1.0)

    def number(self, number: float) -> str:
        """One number as a literal; a negative one in parentheses."""
        text = literal(number, self.library.infinity)
        return f"({text})" if text.startswith("-") and number != NEG_INF else text

    def row(self, numbers: Iterable[float]) -> str:
        """``[1., 0.5]``."""
        return "[" + ", ".join(literal(number, self.library.infinity) for number in numbers) + "]"

    def matrix(self, rows: Iterable[Iterable[float]], labels: Sequence[str] = (), indent: str = "") -> str:
        """A matrix, one line for each row, with its label as a comment."""
        lines = []
        for index, numbers in enumerate(rows):
            label = f"  # {comment(labels[index])}" if labels else ""
            lines.append(f"{indent}    {self.row(numbers)},{label}".rstrip() + "\n")
        return "[\n" + "".join(lines) + f"{indent}]"

    def cube(self, matrices: Iterable[Iterable[Iterable[float]]]) -> str:
        """One matrix for each head."""
        return "[\n" + "".join(f"    {self.matrix(rows, (), '    ')},\n" for rows in matrices) + "]"

    def parameters(self) -> dict[str, str]:
        """What every scored head has besides its weights: scoring parameters, gains, slopes and sinks, all heads in
        one array.
        """
        heads = [self.example.heads[index] for index in self.scored]
        values: dict[str, str] = {
            name: self.cube(getattr(head, name) for head in heads)
            for name in ("w_a", "u_a")
            if name in self.flags
        }
        if "v_a" in self.flags:
            values["v_a"] = self.matrix(head.v_a or () for head in heads)
        if "q_normed" in self.flags:
            keys = (self.example.heads[kv_head_of(self.example, "g_k", index)] for index in self.scored)
            values["g_q"] = self.matrix(head.g_q or () for head in heads)
            values["g_k"] = self.matrix(head.g_k or () for head in keys)
        values["slopes"] = self.row(number for head in heads for number in head.slope or ())
        values["sinks"] = self.row(number for head in heads for number in head.sink or NO_SINK)
        return values

    def render(self, template: str) -> str:
        """The template's lines whose flags fit, filled in; at most two empty lines in a row."""
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
        """Replaced in one pass, so that a visitor's text that looks like a ``$name`` stays as it is."""

        def value(match: re.Match[str]) -> str:
            return self.words(COMMENTS[match[1]]) if match[1] else self.values[match[2]]

        return re.sub(r"\$(?:\[(\w+)\]|(\w+))", value, text)


def _band_of(example: Example) -> BandMask | None:
    """The mask by positions of all heads."""
    return None if has_own_masks(example) else band_of(example.mask)


def _diagonal(number: int, sign: str) -> str:
    """A diagonal as an argument: ``1 - window``, ``-window``, ``3``; the main one needs none."""
    if not sign:
        return str(number) if number else ""
    return f"{number} {sign} window" if number else f"{sign}window".lstrip("+")


def _even(width: int) -> str:
    """With an odd number of columns the last has a sine without its cosine."""
    return f"[:, :{width // 2}]" if width % 2 else ""


class LayerSheet(Sheet):
    """The sheet of a library's own layer, which treats all heads alike."""

    def __init__(self, computed: Trace, decimals: int | None, language: str, library: Library) -> None:
        super().__init__(computed, decimals, language, library)
        sources = {"q": "x", "k": self.values["source"], "v": self.values["source"]}
        names = {"q": ("query", "queries"), "k": ("key", "keys"), "v": ("value", "values")}
        for part in PARTS:
            given = self._given(part)
            self.values[names[part][0]] = names[part][1] if given else sources[part]
            owners = self._owned_matrices(part)
            if given:
                self.flags.add(f"given_{part}")
                self.values[f"given_rows_{part}"] = self.matrix(_side_by_side(owners))
                self.values[f"identity_{part}"] = library.identity.format(
                    width=self.width(part), count=len(owners)
                )
            else:
                self.values[f"list_w_{part}"] = self._list(owners)
            if "biased" in self.flags:
                self.values[f"list_b_{part}"] = self._bias_list(part)
        if self.example.scoring == "bilinear":
            self.values["list_w_a"] = self._list(head.w_a for head in self.example.heads)  # type: ignore[misc]
        self.values |= self.parameters() | {"biased": str("biased" in self.flags)}

    def _given(self, part: str) -> bool:
        """Whether all heads start from their own Q (K, V). Raises ``ExportError`` where only some do."""
        if is_mixed(self.example, part):
            raise ExportError(
                N_(
                    "a layer treats all heads alike, but here some start from their own {name}; use "
                    "NumPy or PyTorch from scratch"
                ),
                name=part.upper(),
            )
        return getattr(self.example.heads[0], part) is not None

    def _owned_matrices(self, part: str) -> list[Matrix]:
        """W_Q (W_K, W_V) of the heads that own one, or Q (K, V) where they start from it."""
        name = part if self._given(part) else f"w_{part}"
        return [getattr(self.example.heads[index], name) for index in owners_of(self.example, part)]

    def width(self, part: str) -> int:
        """The width of the rows that q (k, v) are computed from."""
        dims = self.example.dims
        if f"given_{part}" in self.flags:
            return len(owners_of(self.example, part)) * (dims.d_v if part == "v" else dims.d_k)
        return dims.d_model if part == "q" else dims.d_context

    def _list(self, matrices: Iterable[Matrix]) -> str:
        array = self.library.array
        return "\n" + "".join(f"    {array}({self.matrix(rows, (), '    ')}),\n" for rows in matrices)

    def _bias_list(self, part: str) -> str:
        """One vector for each head, zeros for a head without."""
        width = self.example.dims.d_v if part == "v" else self.example.dims.d_k
        heads = (self.example.heads[index] for index in owners_of(self.example, part))
        biases = [getattr(head, f"b_{part}") or (0.0,) * width for head in heads]
        return "\n" + "".join(f"    {self.library.array}({self.row(bias)}),\n" for bias in biases)


def _side_by_side(blocks: Sequence[Matrix]) -> list[list[float]]:
    return [[number for block in blocks for number in block[i]] for i in range(len(blocks[0]))]


_SHORT = 1e-150
"""Shorter rows have squares that float64 cannot store with all their digits."""


def _flags(computed: Trace) -> set[str]:
    """The flags of this example, by the names that templates use."""
    example = computed.example
    heads, dims = example.heads, example.dims
    band, own, adds = _band_of(example), has_own_masks(example), adds_numbers(example)
    steps, read = _needed(example)
    biases = [getattr(heads[index], f"b_{part}") for part in PARTS for index in owners_of(example, part)]
    norms = [rows for name in ("q_norms", "k_norms") for rows in computed.values.get(name, ())]
    facts = {
        "biased": example.b_o is not None or any(bias is not None for bias in biases),
        "missing": any(bias is None for bias in biases) or (example.b_o is None),
        "band": band is not None,
        "causal": band is not None and band.causal and band.window is None,
        "window": band is not None and band.window is not None,
        "both_sides": band is not None and not band.causal,
        "apart": band is not None and dims.n_q != dims.n_k,
        "lower_right": band is not None and band.corner == "bottom_right",
        "own_masks": own,
        "allow": (own and not adds) or (not own and isinstance(example.mask, AllowMask)),
        "hidden": bool(masks_of(example)) and not adds,
        "added": adds,
        "fully_masked": any(any(rows) for rows in computed.fully_masked),
        "own_weights": any(head.weights is not None for head in heads),
        "sink": any(head.sink is not None and head.weights is None for head in heads),
        "grouped": example.kv_heads not in (None, len(heads)),
        "short_rows": any(0 < length < _SHORT for rows in norms for (length,) in rows or ()),
        "zero_rows": any([0.0] in rows for rows in norms if rows),
        "halves": example.positions is not None and example.positions.pairs == "half",
        "cosines": example.dims.d_model > 1,
        "context_cosines": example.dims.d_context > 1,
        "prepared": bool(masks_of(example)) or "linear_biases" in steps,
    }
    inputs = read.intersection(LAYER_INPUTS + PER_HEAD_INPUTS)
    return steps | inputs | {name for name, fact in facts.items() if fact}
