"""All heads' matrices in one, as libraries store them.

    packed        W_Q  d_model × h·d_k        head i has columns (i−1)·d_k up to i·d_k; Q = X·W_Q likewise
    torch         in_proj_weight  3·h·d_k × d_model, W_Q′ over W_K′ over W_V′ (W′ = Wᵀ); out_proj.weight  W_O′
    keras         query/kernel  d_model × h × d_k, heads on an axis of their own
    linear        query.weight  h·d_k × d_model, W_Q′: the weight of torch's nn.Linear, as in BERT

A layout says where each head's block is; the numbers are the example's own. Heads that share keys and values have one
block together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from mha_core.compute.graph import head_graph
from mha_core.errors import InteropError
from mha_core.example.model import Example, has_values, kv_head_of
from mha_core.interop.parameters.bert import to_bert
from mha_core.interop.parameters.keras_layer import to_keras
from mha_core.interop.parameters.torch_layer import to_torch
from mha_core.vocabulary import AXES

Library: TypeAlias = Literal["packed", "torch", "keras", "linear"]

LETTERS = "qkv"
"""The letters of W_Q, W_K and W_V."""
_TORCH_NAMES = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
_NAMES = {"q": "query", "k": "key", "v": "value"}


class Block(NamedTuple):
    """A matrix of the example with its corner at ``top``, ``left`` of a layout, transposed or not."""

    name: str
    head: int | None
    top: int
    left: int
    transposed: bool = False


class Group(NamedTuple):
    """Rows or columns ``start`` up to ``stop``, which belong to these heads' ``letter``.

    ``code``: Python that extracts them as that head's matrix in the example.
    """

    letter: str
    heads: tuple[int, ...]
    start: int
    stop: int
    code: str


class Layout(NamedTuple):
    """One tensor of a library. ``shape`` is its own; it is shown as ``rows`` × ``cols``.

    ``letters``: which of q, k, v or o it has. ``kind``: weight, bias or result. ``down``, ``across``: to whom the rows
    and the columns belong, where they are divided among heads.
    """

    library: Library
    kind: Literal["weight", "bias", "result"]
    letters: str
    tensor: str
    shape: tuple[int, ...]
    rows: int
    cols: int
    blocks: tuple[Block, ...]
    down: tuple[Group, ...] = ()
    across: tuple[Group, ...] = ()
    source: str = ""
    """For a result: the matrix that the packed weight is multiplied with."""


def letters_of(example: Example) -> str:
    """The letters of this example's projections: without V where its heads end at their weights."""
    return LETTERS if has_values(example) else LETTERS.removesuffix("v")


def starts_further_on(example: Example, letter: str) -> tuple[int, ...]:
    """The heads that have no weight of this letter to compute Q, K or V, since they start further on."""
    return tuple(
        head
        for head in _owners(example, letter)
        if letter not in {step.name for step in head_graph(example, example.heads[head])}
    )


def refusals(example: Example) -> dict[Library, InteropError | None]:
    """The error where a library's layer cannot give this example's numbers, None where it can."""
    return {
        "torch": _refusal(to_torch, example),
        "keras": _refusal(to_keras, example),
        "linear": _refusal(to_bert, example),
    }


def layouts(example: Example) -> tuple[Layout, ...]:
    """Every layout of the example's weights, without those of a letter where a head starts further on."""
    letters = [letter for letter in letters_of(example) if not starts_further_on(example, letter)]
    return tuple(_layouts(example, letters))


def _layouts(example: Example, letters: Sequence[str]) -> Iterator[Layout]:
    for letter in letters:
        yield from _packed(example, letter)
    yield from _torch(example, letters)
    for letter in letters:
        yield from _keras(example, letter)
    for letter in letters:
        yield from _linear(example, letter, f"{_NAMES[letter]}.weight", f"{_NAMES[letter]}.bias")
    if example.w_o is not None:
        yield from _output_layouts(example)


def _refusal(write: Callable[[Example], object], example: Example) -> InteropError | None:
    try:
        write(example)
    except InteropError as error:
        return error
    return None


def _owners(example: Example, letter: str) -> tuple[int, ...]:
    """The heads that own this letter's matrix, for themselves or for their group."""
    heads = range(len(example.heads))
    return tuple(head for head in heads if kv_head_of(example, f"w_{letter}", head) == head)


def _users(example: Example, letter: str, head: int) -> tuple[int, ...]:
    return tuple(g for g in range(len(example.heads)) if kv_head_of(example, f"w_{letter}", g) == head)


def _weight(example: Example, letter: str, head: int) -> object:
    return getattr(example.heads[head], f"w_{letter}")


def _sizes(example: Example, letter: str) -> tuple[int, int, int]:
    """Heads, rows of a weight, columns of a weight."""
    d_in, d_out = example.dims.shape(f"w_{letter}")
    return len(_owners(example, letter)), d_in, d_out


def _groups(
    example: Example, letter: str, code: Callable[[int, int, int], str], at: int = 0
) -> tuple[Group, ...]:
    """One group for each owner, from offset ``at`` on; ``code`` takes its number, start and stop."""
    _, _, width = _sizes(example, letter)
    groups = []
    for n, head in enumerate(_owners(example, letter)):
        start, stop = at + n * width, at + (n + 1) * width
        groups.append(Group(letter, _users(example, letter, head), start, stop, code(n, start, stop)))
    return tuple(groups)


def _side_by_side(example: Example, letter: str, name: str) -> tuple[Block, ...]:
    """The owners' matrices side by side; a bias that a head lacks leaves zeros."""
    _, _, width = _sizes(example, letter)
    owners = enumerate(_owners(example, letter))
    return tuple(Block(name, head, 0, n * width) for n, head in owners if _has(example, name, head))


def _stacked(example: Example, letter: str, at: int = 0) -> tuple[Block, ...]:
    """The owners' weights, transposed, below each other."""
    _, _, width = _sizes(example, letter)
    return tuple(
        Block(f"w_{letter}", head, at + n * width, 0, transposed=True)
        for n, head in enumerate(_owners(example, letter))
    )


def _has(example: Example, name: str, head: int) -> bool:
    return name in LETTERS or getattr(example.heads[head], name) is not None


def _biased(example: Example, letter: str) -> bool:
    return any(_has(example, f"b_{letter}", head) for head in _owners(example, letter))


def _sign(letter: str) -> str:
    return f"W_{letter.upper()}"


def _packed(example: Example, letter: str) -> Iterator[Layout]:
    h, d_in, width = _sizes(example, letter)
    sign, upper = _sign(letter), letter.upper()
    weights = _side_by_side(example, letter, f"w_{letter}")
    across = _groups(example, letter, lambda _, a, b: f"{sign}[:, {a}:{b}]")
    yield Layout("packed", "weight", letter, sign, (d_in, h * width), d_in, h * width, weights, across=across)
    if _biased(example, letter):
        yield _packed_bias(example, letter, "packed", f"b_{upper}")
    n = example.dims.size(AXES[letter][0])
    step = next(s for head in example.heads for s in head_graph(example, head) if s.name == letter)
    yield Layout(
        "packed",
        "result",
        letter,
        upper,
        (n, h * width),
        n,
        h * width,
        _side_by_side(example, letter, letter),
        across=_groups(example, letter, lambda _, a, b: f"{upper}[:, {a}:{b}]"),
        source=step.operands[0].name,
    )


def _packed_bias(example: Example, letter: str, library: Library, tensor: str) -> Layout:
    h, _, width = _sizes(example, letter)
    by_head = library == "keras"
    groups = _groups(example, letter, lambda n, a, b: f"{tensor}[{n}]" if by_head else f"{tensor}[{a}:{b}]")
    shape = (h, width) if by_head else (h * width,)
    blocks = _side_by_side(example, letter, f"b_{letter}")
    return Layout(library, "bias", letter, tensor, shape, 1, h * width, blocks, across=groups)


def _torch(example: Example, letters: Sequence[str]) -> Iterator[Layout]:
    """One tensor for all three weights where X and the context are equally wide, else one for each."""
    if len(letters) == len(LETTERS) and example.dims.d_context == example.dims.d_model:
        yield _in_proj(example, letters)
    else:
        for letter in letters:
            yield from _linear(example, letter, f"{_TORCH_NAMES[letter]}_weight", "", library="torch")
    if any(_biased(example, letter) for letter in letters):
        yield _joined_biases(example, letters)


def _in_proj(example: Example, letters: Sequence[str]) -> Layout:
    at = 0
    blocks: list[Block] = []
    groups: list[Group] = []
    for letter in letters:
        h, _, width = _sizes(example, letter)
        blocks += _stacked(example, letter, at)
        groups += _groups(example, letter, lambda _, a, b: f"in_proj_weight[{a}:{b}].T", at)
        at += h * width
    cols = example.dims.d_model
    placed = tuple(blocks)
    return Layout(
        "torch", "weight", "qkv", "in_proj_weight", (at, cols), at, cols, placed, down=tuple(groups)
    )


def _joined_biases(example: Example, letters: Sequence[str]) -> Layout:
    at = 0
    blocks: list[Block] = []
    groups: list[Group] = []
    for letter in letters:
        h, _, width = _sizes(example, letter)
        biases = _side_by_side(example, letter, f"b_{letter}")
        blocks += [block._replace(left=block.left + at) for block in biases]
        groups += _groups(example, letter, lambda _, a, b: f"in_proj_bias[{a}:{b}]", at)
        at += h * width
    return Layout(
        "torch", "bias", "".join(letters), "in_proj_bias", (at,), 1, at, tuple(blocks), across=tuple(groups)
    )


def _keras(example: Example, letter: str) -> Iterator[Layout]:
    h, d_in, width = _sizes(example, letter)
    tensor = f"{_NAMES[letter]}/kernel"
    across = _groups(example, letter, lambda n, _a, _b: f"kernel[:, {n}, :]")
    weights = _side_by_side(example, letter, f"w_{letter}")
    yield Layout("keras", "weight", letter, tensor, (d_in, h, width), d_in, h * width, weights, across=across)
    if _biased(example, letter):
        yield _packed_bias(example, letter, "keras", f"{_NAMES[letter]}/bias")


def _linear(
    example: Example, letter: str, tensor: str, bias: str, library: Library = "linear"
) -> Iterator[Layout]:
    h, d_in, width = _sizes(example, letter)
    down = _groups(example, letter, lambda _, a, b: f"{tensor}[{a}:{b}].T")
    stacked = _stacked(example, letter)
    yield Layout(library, "weight", letter, tensor, (h * width, d_in), h * width, d_in, stacked, down=down)
    if bias and _biased(example, letter):
        yield _packed_bias(example, letter, library, bias)


def _output_layouts(example: Example) -> Iterator[Layout]:
    """W_O: its rows are Concat's columns, so they are divided among heads. Torch and BERT store it transposed."""
    rows, cols = example.dims.shape("w_o")
    h, d_v = len(example.heads), example.dims.d_v
    whole, transposed = (Block("w_o", None, 0, 0),), (Block("w_o", None, 0, 0, transposed=True),)

    def groups(code: Callable[[int, int, int], str]) -> tuple[Group, ...]:
        return tuple(
            Group("o", (g,), g * d_v, (g + 1) * d_v, code(g, g * d_v, (g + 1) * d_v)) for g in range(h)
        )

    packed = groups(lambda _, a, b: f"W_O[{a}:{b}]")
    yield Layout("packed", "weight", "o", "W_O", (rows, cols), rows, cols, whole, down=packed)
    keras = groups(lambda n, _a, _b: f"kernel[{n}]")
    tensor = "attention_output/kernel"
    yield Layout("keras", "weight", "o", tensor, (h, d_v, cols), rows, cols, whole, down=keras)
    by_library: tuple[tuple[Library, str], ...] = (
        ("torch", "out_proj.weight"),
        ("linear", "output.dense.weight"),
    )
    for library, tensor in by_library:
        across = groups(lambda _, a, b, tensor=tensor: f"{tensor}[:, {a}:{b}].T")  # type: ignore[misc]
        yield Layout(library, "weight", "o", tensor, (cols, rows), cols, rows, transposed, across=across)
