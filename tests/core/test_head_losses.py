"""What the output loses without a head: compared with the example computed without it, and by hand."""

from dataclasses import replace

import pytest
import torch

from mha_core import CellError, Example, Head, built_in, library, trace
from mha_core.compare.variant import Variant, varied
from mha_core.compute.head_terms import Loss, losses

WITH_W_O = [name for name, example in library().items() if example.w_o is not None]


@pytest.mark.parametrize("name", WITH_W_O)
def test_a_loss_is_that_of_the_example_without_the_head(name):
    example = built_in(name)
    whole = torch.tensor(trace(example).values["output"], dtype=torch.float64)
    for head, loss in enumerate(losses(trace(example))):
        without = trace(varied(example, Variant(muted=(head,)))).values["output"]
        lost = whole - torch.tensor(without, dtype=torch.float64)
        assert loss.muted == pytest.approx(float(lost.norm() / whole.norm()))
        assert loss.averaged == pytest.approx(float((lost - lost.mean(0)).norm() / whole.norm()))


def test_what_a_head_adds_to_all_queries_equally_is_no_loss_once_averaged():
    """Head 1 gives every query 3, head 2 gives 4 and −4: O = (7, −1), ‖O‖ = √50."""
    heads = (
        Head(weights=((1, 0), (0, 1)), v=((3,), (3,))),
        Head(weights=((1, 0), (0, 1)), v=((4,), (-4,))),
    )
    example = Example(title="", tokens=("a", "b"), x=None, heads=heads, w_o=((1,), (1,)), scale="none")
    found = losses(trace(example))
    assert found[0] == pytest.approx((18**0.5 / 50**0.5, 0))
    assert found[1] == pytest.approx((32**0.5 / 50**0.5, 32**0.5 / 50**0.5))
    nothing = replace(example, w_o=((0,), (0,)))
    assert losses(trace(nothing)) == (Loss(None, None),) * 2


def test_without_w_o_there_is_no_such_loss():
    with pytest.raises(CellError):
        losses(trace(built_in("first")))
