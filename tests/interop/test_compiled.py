"""Whatever form torch.compile is used in, the attention is captured as it was written."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from mha_core.interop import capture, sweep
from tests.interop.test_intervene import X, hand

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def whole(module):
    return torch.compile(module, backend="eager")


def a_part(module):
    module[1] = torch.compile(module[1], backend="eager")
    return module


def in_place(module):
    module.compile(backend="eager")
    return module


def a_part_in_place(module):
    module[1].compile(backend="eager")
    return module


def its_forward(module):
    module.forward = torch.compile(module.forward, backend="eager")
    return module


@pytest.mark.parametrize("form", [whole, a_part, in_place, a_part_in_place, its_forward])
def test_a_compiled_module_is_captured_and_changed_as_it_was_written(form):
    plain = hand()
    compiled = form(deepcopy(plain))
    with torch.no_grad():
        compiled(X)  # compiled before it is captured
    expected, found = capture(plain, X, batch=2), capture(compiled, X, batch=2)
    assert [one.name.replace("._orig_mod", "") for one in found] == [one.name for one in expected]
    assert all(torch.equal(one.weights, own.weights) for one, own in zip(found, expected, strict=True))
    assert torch.equal(sweep(compiled, X, batch=2).values, sweep(plain, X, batch=2).values)


def test_a_compiled_function_is_captured():
    attend = torch.compile(lambda q, k, v: (q @ k.mT).softmax(-1) @ v, backend="eager")

    class Attend(nn.Module):
        def forward(self, x):
            return attend(x, x, x)

    assert capture(Attend(), torch.ones(1, 2, 3, 4))[0].weights.shape == (2, 3, 3)
