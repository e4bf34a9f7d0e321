"""Heads of every family switched off, or with other outputs or weights, give what hooks on the model itself give.

The hooks write into what the output projection reads, the heads' outputs side by side. They share no code with what
they check.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mha_core.interop import capture, sweep
from mha_core.interop.running.attentions import Attentions
from tests.interop.families import FAMILIES, HEADS, inputs, made
from tests.interop.test_families_capture import CASES, HAS_SDPA, concatenated, dtype_of

WITHIN = 1e-6
WIDTH = 8
"""Columns of a head."""
SWEPT = ("BERT", "GPT-2", "Llama", "Mistral", "BLOOM", "gpt-oss", "T5", "BART")
everywhere = pytest.mark.parametrize(
    ("name", "attention"),
    [
        pytest.param(name, attention, marks=pytest.mark.long if is_second else ())
        for name, attention in CASES
        for is_second in [attention == "eager" and name in HAS_SDPA and name not in SWEPT]
    ],
)
"""Both implementations in eight families; in the others the one that transformers prefers, at length both too.
``test_families_capture`` shows that either is captured in every family.
"""


@cache
def model_of(name: str, attention: str) -> nn.Module:
    return made(name, attention, dtype_of(name))


@contextmanager
def rewritten(model: nn.Module, name: str, index: int, change: Callable[[Tensor], object]) -> Iterator[None]:
    """While it lasts, ``change`` writes into the input of the output projection of the attention at ``index``."""
    calls = [0]

    def before(_: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        calls[0] += 1
        if calls[0] - 1 != index:
            return given
        rows = given[0].clone()
        change(rows.view(2, -1, HEADS * WIDTH))
        return (rows, *given[1:])

    ends = [part for at, part in model.named_modules() if at.endswith(FAMILIES[name].output)]
    hooks = [end.register_forward_pre_hook(before) for end in ends]
    yield
    for hook in hooks:
        hook.remove()


def by_hooks(name: str, attention: str, index: int, change: Callable[[Tensor], object]) -> Tensor:
    """The model's output when ``change`` writes into the concatenation, samples × tokens × (heads · width)."""
    model = model_of(name, attention)
    with torch.no_grad(), rewritten(model, name, index, change):
        out: Any = model(**inputs(name, dtype_of(name)))
    return out.last_hidden_state


def columns(head: int) -> slice:
    return slice(head * WIDTH, (head + 1) * WIDTH)


def apart(one: Tensor, other: Tensor) -> float:
    return (one.double() - other.double()).abs().max().item()


@cache
def found(name: str, attention: str, sample: int) -> Attentions:
    return capture(model_of(name, attention), inputs(name, dtype_of(name)), sample=sample)


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(11), dtype=torch.float64)


def heads_of(name: str, attention: str) -> list[tuple[int, int]]:
    """A head of each attention, by its index: another one each time."""
    return [(index, (2 * index + 1) % HEADS) for index in range(len(found(name, attention, 0)))]


def without_a_head(name: str, attention: str, index: int, head: int) -> float:
    """How far the output without a head is from that of hooks."""

    def zero(rows: Tensor) -> None:
        rows[..., columns(head)] = 0

    changed = capture(model_of(name, attention), inputs(name, dtype_of(name)), without=[(index, head)])
    assert changed.largest > 1e-4  # it is not nothing
    return apart(changed.after, by_hooks(name, attention, index, zero))


def with_other_outputs(name: str, attention: str, index: int, head: int) -> float:
    outputs = drawn(2, found(name, attention, 0)[index].outputs.shape[1], WIDTH)

    def write(rows: Tensor) -> None:
        rows[..., columns(head)] = outputs.to(rows)

    changed = capture(
        model_of(name, attention),
        inputs(name, dtype_of(name)),
        patch={(index, head, "outputs"): outputs},
    )
    assert changed.largest > 1e-4
    return apart(changed.after, by_hooks(name, attention, index, write))


def with_other_weights(name: str, attention: str, index: int, head: int) -> float:
    """The values are those that were captured, which other tests compare with the model's."""
    both = [found(name, attention, sample)[index] for sample in range(2)]
    weights = drawn(*both[0].weights.shape[1:]).softmax(-1)

    def write(rows: Tensor) -> None:
        for sample, one in enumerate(both):
            values = one.v[head // (HEADS // len(one.v))]
            for query in range(len(weights)):
                mean = sum(share * value for share, value in zip(weights[query], values, strict=True))
                rows[sample, query, columns(head)] = mean.to(rows)

    changed = capture(model_of(name, attention), inputs(name, dtype_of(name)), patch={(index, head): weights})
    assert changed.largest > 1e-4
    return apart(changed.after, by_hooks(name, attention, index, write))


@everywhere
def test_without_a_head_its_columns_of_the_concatenation_are_0(name, attention):
    for index, head in heads_of(name, attention):
        assert without_a_head(name, attention, index, head) <= WITHIN


@everywhere
def test_outputs_that_replace_a_heads_are_its_columns_of_the_concatenation(name, attention):
    for index, head in heads_of(name, attention):
        assert with_other_outputs(name, attention, index, head) <= WITHIN


@everywhere
def test_weights_that_replace_a_heads_are_multiplied_by_its_values(name, attention):
    for index, head in heads_of(name, attention):
        assert with_other_weights(name, attention, index, head) <= WITHIN


@everywhere
def test_without_all_heads_the_output_projection_reads_zeros(name, attention):
    changed = capture(
        model_of(name, attention),
        inputs(name, dtype_of(name)),
        without=[(1, head) for head in range(HEADS)],
    )
    assert apart(changed.after, by_hooks(name, attention, 1, lambda rows: rows.zero_())) <= WITHIN


@everywhere
def test_without_no_head_nothing_changes(name, attention):
    changed = capture(model_of(name, attention), inputs(name, dtype_of(name)), without=[])
    assert torch.equal(changed.before, changed.after)
    with torch.no_grad():
        plain: Any = model_of(name, attention)(**inputs(name, dtype_of(name)))
    assert torch.equal(changed.before, plain.last_hidden_state)


# --- sweep -------------------------------------------------------------------------------------------------------

in_eight_families = pytest.mark.parametrize(
    ("name", "attention"), [case for case in CASES if case[0] in SWEPT]
)


def number(out: Any) -> Tensor:
    return out.last_hidden_state[1, -1, 3]


def with_other_words(name: str) -> dict[str, Tensor]:
    return {key: ids.flip(0) + 3 for key, ids in inputs(name).items()}


def changes_by_hooks(name: str, attention: str, write: Callable[[Tensor, int, int], object]) -> Tensor:
    """The change of the number for every head. ``write`` gets the concatenation, the attention's index and the head."""
    count = len(found(name, attention, 0))
    with torch.no_grad():
        before = number(model_of(name, attention)(**inputs(name)))
    changes = torch.zeros(count, HEADS, dtype=torch.float64)
    for index in range(count):
        for head in range(HEADS):

            def at_head(rows: Tensor, index: int = index, head: int = head) -> object:
                return write(rows, index, head)

            after = by_hooks(name, attention, index, at_head)
            changes[index, head] = after[1, -1, 3] - before
    return changes


@in_eight_families
def test_a_sweep_by_means_writes_them_into_the_concatenation(name, attention):
    def mean(rows: Tensor, _: int, head: int) -> None:
        rows[..., columns(head)] = rows[..., columns(head)].mean(1, keepdim=True)

    swept = sweep(model_of(name, attention), inputs(name), number, by="mean")
    assert apart(swept.values, changes_by_hooks(name, attention, mean)) <= WITHIN


@in_eight_families
def test_a_sweep_of_patches_writes_another_runs_concatenation(name, attention):
    model = model_of(name, attention)
    with concatenated(model, name) as others, torch.no_grad():
        model(**with_other_words(name))

    def patch(rows: Tensor, index: int, head: int) -> None:
        rows[..., columns(head)] = others[index].view_as(rows)[..., columns(head)]

    swept = sweep(model, inputs(name), number, patch_from=with_other_words(name))
    assert swept.values.abs().max() > 1e-3
    assert apart(swept.values, changes_by_hooks(name, attention, patch)) <= WITHIN
