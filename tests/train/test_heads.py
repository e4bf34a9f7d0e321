"""Heads are switched off and change places."""

import pytest
import torch

from mha_core.errors import TrainError
from mha_core.train import Change, accuracy, compared, example_of, swapped, task_of, with_goal
from tests.sizes import each
from tests.train.small import small


def drawn(architecture, positions="both"):
    """A model whose every number is drawn, so that no two heads are alike."""
    training = small("reverse", architecture=architecture, positions=positions)
    random = torch.Generator().manual_seed(7)
    for parameter in training.model.double().parameters():
        torch.nn.init.normal_(parameter, std=0.4, generator=random)
    return training


@each(
    "architecture, layer",
    [("decoder", 0), ("decoder", 1), *(("encoder-decoder", layer) for layer in range(6))],
)
def test_heads_of_one_layer_that_change_places_change_nothing(architecture, layer):
    training = drawn(architecture)
    model, (ids, asked) = training.model, training.tested()
    other = swapped(model, (layer, 0), (layer, 1))
    assert not torch.equal(other.attentions[layer].qkv.weight, model.attentions[layer].qkv.weight)
    torch.testing.assert_close(other(ids)[asked], model(ids)[asked], rtol=0, atol=1e-10)


@each("architecture, layers", [("decoder", (0, 1)), ("encoder-decoder", (0, 1)), ("encoder-decoder", (3, 5))])
def test_heads_of_two_layers_that_change_places_change_the_function_and_swap_back(architecture, layers):
    training = drawn(architecture)
    model, (ids, asked) = training.model, training.tested()
    heads = [(layers[0], 0), (layers[1], 1)]
    other = swapped(model, *heads)
    assert (other(ids)[asked] - model(ids)[asked]).abs().max() > 0.01
    back = swapped(other, *reversed(heads))
    assert all(map(torch.equal, back.parameters(), model.parameters()))


def test_a_swapped_head_has_the_weights_of_the_other():
    """Layer 0's head 1 gets what layer 1's head 0 had; d_head is 8."""
    model = drawn("decoder").model
    other = swapped(model, (0, 1), (1, 0))
    one, source = other.attentions[0], model.attentions[1]
    for first in (0, 16, 32):
        assert torch.equal(one.qkv.weight[first + 8 : first + 16], source.qkv.weight[first : first + 8])
        assert torch.equal(one.qkv.bias[first + 8 : first + 16], source.qkv.bias[first : first + 8])
    assert torch.equal(one.output.weight[:, 8:], source.output.weight[:, :8])
    assert torch.equal(one.bias[1], source.bias[0])
    assert torch.equal(one.qkv.weight[:8], model.attentions[0].qkv.weight[:8])


def test_accuracy_is_compared_and_the_model_stays_as_it_is():
    training = small("copy", 5)
    model, batch = training.model, training.tested()
    before = [parameter.clone() for parameter in model.parameters()]
    change = Change(without=((1, 0),), swapped=((0, 0), (1, 1)))
    found = compared(model, batch, change)
    assert (found.before.tokens, found.before.answers) == accuracy(model, batch)
    assert (found.after.tokens, found.after.answers) == accuracy(
        swapped(model, (0, 0), (1, 1)), batch, [(1, 0)]
    )
    assert all(map(torch.equal, before, model.parameters()))


@each(
    "heads, sentence",
    [
        (((0, 0), (2, 0)), "only heads of one kind can be swapped"),
        (((0, 0), (6, 0)), "there is no head 0 in layer 6"),
        (((0, 2), (1, 0)), "there is no head 2 in layer 0"),
    ],
)
def test_heads_that_cannot_be_swapped_are_refused(heads, sentence):
    with pytest.raises(TrainError, match=sentence):
        swapped(small("reverse", architecture="encoder-decoder").model, *heads)


def aimed(task, architecture, layer, head):
    """A head's goal on the task's fixed line: the token that should look, and the one that it should look at."""
    training = small(task, architecture=architecture)
    model, line = training.model, task_of(task).shown.tokens
    example = with_goal(example_of(model, training.task, line, layer, 0), model, training.task, (layer, head))
    assert [rows is not None for rows in example.learning.targets].index(True) == head
    rows = example.learning.of_head(head)
    ((row, key),) = [(at, target) for at, target in enumerate(rows) if target is not None]
    return example, row, key


@pytest.mark.parametrize(("architecture", "layer"), [("decoder", 1), ("encoder-decoder", 3)])
def test_in_explore_the_goal_of_a_head_is_that_an_answer_looks_at_its_source(architecture, layer):
    _, row, key = aimed("reverse", architecture, layer, 1)
    line = task_of("reverse").shown
    answers = row + (1 if architecture == "decoder" else len(line.prompt))
    assert line.tokens[answers] == line.source[key]


def test_in_explore_the_goal_of_induction_is_the_token_behind_an_earlier_copy():
    example, row, key = aimed("induction", "decoder", 0, 0)
    assert example.tokens[key - 1] == example.tokens[row]
    assert key <= row


def test_where_nothing_belongs_together_the_last_token_is_to_look_more_at_what_it_looks_at():
    example, row, _ = aimed("brackets", "decoder", 0, 0)
    assert row == len(example.tokens) - 1
