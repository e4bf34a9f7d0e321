"""Rows of heads, queries, keys, values and outputs of parts changed, against hooks that share no code with this."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mha_core import InteropError
from mha_core.interop import At, capture, sweep
from tests.interop.families import inputs
from tests.interop.test_families_capture import dtype_of
from tests.interop.test_families_intervene import WITHIN, apart, by_hooks, columns, drawn, model_of
from tests.interop.test_intervene import HEADS, SAMPLES, TOKENS, WAYS, WIDTH, X, hand, values_of

CASES = [(name, kind) for name in ("BERT", "GPT-2", "Llama", "BLOOM", "T5") for kind in ("eager",)]
CASES += [("Llama", "sdpa"), ("GPT-2", "sdpa")]
in_families = pytest.mark.parametrize(("name", "attention"), CASES)
PARTS = {"BERT": "layer.1.output", "GPT-2": "h.1.mlp", "Llama": "layers.1.mlp", "BLOOM": "h.1.mlp"}


def changed_in(name: str, attention: str, **changes: Any):
    return capture(model_of(name, attention), inputs(name, dtype_of(name)), **changes)


@in_families
def test_one_row_of_a_head_is_switched_off(name, attention):
    def zero(rows: Tensor) -> None:
        rows[:, 4, columns(2)] = 0

    changed = changed_in(name, attention, without=[At(1, 2, rows=4)])
    assert changed.largest > 1e-4
    assert apart(changed.after, by_hooks(name, attention, 1, zero)) <= WITHIN


@in_families
def test_some_rows_of_a_head_become_their_mean_over_the_tokens(name, attention):
    def mean(rows: Tensor) -> None:
        own = rows[..., columns(1)]
        own[:, [0, -1]] = own.mean(1, keepdim=True)

    changed = changed_in(name, attention, without=[At(0, 1, rows=[0, -1])], by="mean")
    assert changed.largest > 1e-6
    assert apart(changed.after, by_hooks(name, attention, 0, mean)) <= WITHIN


@in_families
def test_some_rows_of_a_heads_outputs_are_replaced(name, attention):
    own = drawn(2, 2, 8)

    def write(rows: Tensor) -> None:
        rows[:, [1, 3], columns(5)] = own.to(rows)

    changed = changed_in(name, attention, patch={At(1, 5, "outputs", rows=[1, 3]): own})
    assert apart(changed.after, by_hooks(name, attention, 1, write)) <= WITHIN


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("by", ["zero", "mean"])
@pytest.mark.parametrize("rows", [None, 2, [-1, 0]])
def test_the_output_of_a_part_is_switched_off(name, by, rows):
    def change(out: Tensor) -> Tensor:
        new = out.clone()
        chosen = slice(None) if rows is None else rows
        new[:, chosen] = 0 if by == "zero" else (out.mean(1) if rows == 2 else out.mean(1, keepdim=True))
        return new

    changed = changed_in(name, "eager", without=[At(PARTS[name], rows=rows)], by=by)
    assert apart(changed.after, with_a_part(name, change)) <= WITHIN
    assert changed.largest > 1e-4


@pytest.mark.parametrize("name", PARTS)
def test_the_output_of_a_part_is_replaced_at_a_position(name):
    own = drawn(1, 48)

    def change(out: Tensor) -> Tensor:
        new = out.clone()
        new[:, 3] = own.to(out)
        return new

    changed = changed_in(name, "eager", patch={At(PARTS[name], rows=3): own})
    assert apart(changed.after, with_a_part(name, change)) <= WITHIN


def with_a_part(name: str, change: Callable[[Tensor], Tensor]) -> Tensor:
    model = model_of(name, "eager")
    (part,) = (part for own, part in model.named_modules() if own.endswith(PARTS[name]))
    hook = part.register_forward_hook(lambda *given: change(given[2]))
    with torch.no_grad():
        out: Any = model(**inputs(name, dtype_of(name)))
    hook.remove()
    return out.last_hidden_state


# --- q, k and v of a head, by plain products -------------------------------------------------------------------------

KNOWN = [way for way in WAYS if "sink" not in way]


def projected(way: str) -> tuple[Any, list[Tensor]]:
    """A layer, and what it computes as q, k and v of head 1: samples × tokens × width."""
    module = hand(way, 1)
    parts = module.get_submodule("0.project")(X).detach().chunk(3, -1)
    own = [part.unflatten(-1, (HEADS, WIDTH))[:, :, 1] for part in parts]
    if "shared" in way:
        own[1:] = [part.unflatten(-1, (HEADS, WIDTH))[:, :, 0] for part in parts[1:]]
    return module, own


def factor(way: str) -> float:
    return 0.5 if way == "matmul" or "sdpa" in way else 1.0


@pytest.mark.parametrize("rows", [None, [3], [0, 4]])
@pytest.mark.parametrize("part", ["q", "k", "v"])
@pytest.mark.parametrize("way", KNOWN)
def test_queries_keys_and_values_of_one_head_are_replaced(way, part, rows):
    module, own = projected(way)
    chosen = list(range(TOKENS)) if rows is None else rows
    given = torch.randn(SAMPLES, len(chosen), WIDTH, generator=torch.Generator().manual_seed(4)).double()
    changed = capture(module, X, patch={At(0, 1, part, rows): given}, batch=SAMPLES, sample=1)
    matrices = dict(zip("qkv", own, strict=True))
    matrices[part] = matrices[part].clone()
    matrices[part][:, chosen] = given
    weights = (matrices["q"] @ matrices["k"].mT * factor(way)).softmax(-1)
    one = changed.found[0]
    assert apart(one.outputs[1], (weights @ matrices["v"])[1]) <= 1e-12
    assert apart(one.weights[1], weights[1]) <= 1e-12
    others = capture(module, X, batch=SAMPLES, sample=1)[0].outputs
    assert torch.equal(one.outputs[[0, 2]], others[[0, 2]])


def test_a_row_of_weights_is_replaced_and_the_others_stay():
    module, row = hand(layers=1), torch.full((1, TOKENS), 0.2, dtype=torch.float64)
    plain = capture(module, X)[0]
    one = capture(module, X, patch={At(0, 1, rows=2): row}).found[0]
    v = values_of(module)[0, :, WIDTH : 2 * WIDTH]
    assert apart(one.outputs[1, 2], v.mean(0)) <= 1e-12
    others = [0, 1, 3, 4]
    assert torch.equal(one.outputs[1, others], plain.outputs[1, others])
    assert torch.equal(one.weights[1, others], plain.weights[1, others])


def test_rows_of_a_head_are_changed_apart():
    module = hand()
    both = capture(module, X, without=[At(0, 1, rows=0), At(0, 1, rows=3)])
    assert torch.equal(both.after, capture(module, X, without=[At(0, 1, rows=[3, 0])]).after)


@pytest.mark.parametrize("by", ["zero", "mean"])
@pytest.mark.parametrize("rows", [2, [0, -1]])
def test_a_sweep_of_rows_is_what_capture_gives_for_each_head(rows, by):
    module = hand()
    swept = sweep(module, X, by=by, rows=rows)
    for index in range(2):
        for head in range(HEADS):
            alone = capture(module, X, without=[At(index, head, rows=rows)], by=by)
            assert swept.values[index, head] == pytest.approx(alone.largest, abs=1e-12)


def test_the_model_itself_has_no_hooks_meanwhile():
    module = hand()
    seen = []
    module.register_forward_hook(lambda part, *_: seen.append(dict(part[1]._forward_hooks)))
    capture(module, X, without=[At("1.out", rows=0)])
    assert seen == [{}, {}]


_of_text: Any = At(0, 1, rows=("a",))  # type: ignore[arg-type]
WRONG: dict[str, dict[str, Any]] = {
    "0: expected rows from 0 to 4, got 5": {"without": [At(0, 1, rows=5)]},
    "0: row 1 is changed twice": {"without": [At(0, 1, rows=[1, -4])]},
    "0: head 1 is changed twice; give one change per head": {"without": [At(0, 1, rows=1), At(0, 1)]},
    "without: expected rows as whole numbers, got ('a',)": {"without": [_of_text]},
    "without: the module has no part called “2.out”; give a head, or the name of a part such as "
    "0, 0.project, 0.out, 1, 1.project, 1.out": {"without": [At("2.out")]},
    "without: “out” fits 2 parts of the module; use more of the name: 0.out, 1.out": {"without": [At("out")]},
    "1.out: expected rows from 0 to 4, got 7": {"without": [At("1.out", rows=7)]},
    "1.out: expected 1 × 12 or 2 × 1 × 12, got 2 × 12": {"patch": {At("1.out", rows=0): torch.ones(2, 12)}},
}


@pytest.mark.parametrize("said", WRONG)
def test_places_that_do_not_exist_are_refused(said):
    with pytest.raises(InteropError) as error:
        capture(hand(), X, **WRONG[said])
    assert str(error.value) == said


def test_queries_are_not_replaced_where_it_is_not_known_how_weights_follow():
    class Unknown(nn.Module):
        def forward(self, x):
            q = x[:, None]
            return (torch.atan(q @ q.mT).softmax(-1) @ q)[:, 0]

    with pytest.raises(InteropError, match="it is not known how the weights follow from Q and K here"):
        capture(Unknown(), X, patch={At(0, 0, "q", rows=0): torch.ones(1, 12)})


def test_rows_of_a_part_that_is_not_samples_by_tokens_are_refused():
    class Swapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = hand(layers=1)
            self.inner = nn.Linear(12, 12).double()

        def forward(self, x):
            return self.inner(self.attention(x).transpose(0, 1))

    with pytest.raises(InteropError, match="this one is 5 × 2 × 12, with 2 samples"):
        capture(Swapped(), X, without=[At("inner", rows=0)])
    assert capture(Swapped(), X, without=[At("inner")]).after.abs().max() == 0
