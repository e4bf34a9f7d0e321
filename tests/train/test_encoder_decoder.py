"""The encoder–decoder against a model that is written apart, on torch's own layers, and its laws."""

from random import Random

import pytest
import torch
from torch import nn

from mha_core.compute.trace import trace
from mha_core.errors import TrainError
from mha_core.example.model import text_in
from mha_core.train import (
    Training,
    alignment,
    example_of,
    maps,
    open_training,
    own_lines,
    parse_lines,
    said,
    save,
    sides,
)
from mha_core.train.decoder import Part, loss_of
from mha_core.train.encoder_decoder import EncoderDecoder
from mha_core.train.lines import ARROW_ID, Line, answered, batch_of
from mha_core.train.settings import Settings
from mha_core.train.translation import aligned
from tests.sizes import each
from tests.train.small import numbers, small, without_time
from tools.torch_transformer import TorchTransformer

VOCABULARY, LONGEST = 11, 17
KINDS = {
    "absolute": Settings("encoder-decoder", 2, 3, 21, feed_forward=True, positions="absolute"),
    "both": Settings("encoder-decoder", 1, 2, 22, feed_forward=True, positions="both"),
}


def made(settings):
    model = EncoderDecoder(settings, VOCABULARY, LONGEST).double()
    random = torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3, generator=random)
    return model


def line_ids(count, source, target):
    """Tokens, an arrow, tokens."""
    random = torch.Generator().manual_seed(3)
    one, other = (
        torch.randint(ARROW_ID + 1, VOCABULARY, (count, n), generator=random) for n in (source, target)
    )
    return torch.cat([one, torch.full((count, 1), ARROW_ID), other], dim=1)


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_gradients_are_those_of_torchs_own_layers(kind):
    model = made(KINDS[kind])
    peer = TorchTransformer(model, KINDS[kind])
    ids = line_ids(5, 7, 3)
    asked = torch.arange(11).expand(5, -1) > 7
    found, expected = model(ids), peer(ids[:, :7], ids[:, 7:])
    torch.testing.assert_close(found[:, 7:], expected, rtol=0, atol=1e-12)
    loss_of(found, ids, asked).backward()
    loss_of(expected, ids[:, 7:], asked[:, 7:]).backward()
    for name, parameter in model.named_parameters():
        theirs = peer.by_name[name].grad
        assert (parameter.grad - theirs).abs().max() <= 1e-10 * theirs.abs().max(), name
        assert theirs.abs().max() > 0, name


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_different_lengths_do_not_touch_each_other(kind):
    """Each line of a batch has the logits that it has alone."""
    model, number = made(KINDS[kind]), {token: at for at, token in enumerate(".→abcdefghi")}
    lines = [answered("abc", "defgh"), answered("abcdefg", "h"), answered("i", "ab")]
    together = model(batch_of(lines, number).ids)
    for at, line in enumerate(lines):
        alone = model(batch_of([line], number).ids)[0]
        arrow, end = len(line.source), len(line.tokens)
        torch.testing.assert_close(together[at, arrow:end], alone[arrow:end], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_target_token_changes_no_earlier_logit_and_a_source_token_changes_all(kind):
    model, ids = made(KINDS[kind]), line_ids(4, 5, 6)
    before = model(ids)[:, 5:]
    for place in range(12):
        changed = ids.clone()
        changed[:, place] = (changed[:, place] - 1) % (VOCABULARY - 2) + 2
        if place == 5:
            continue  # the arrow
        after = model(changed)[:, 5:]
        same = max(place - 5, 0)
        assert torch.equal(before[:, :same], after[:, :same])
        assert (before[:, same:] != after[:, same:]).any(-1).all()


def translating(steps=0, **changes):
    return small("translation", steps, architecture="encoder-decoder", **changes)


def test_the_same_seed_gives_the_same_run_to_the_last_bit():
    first, second = translating(6), translating(6)
    assert without_time(first) == without_time(second)
    assert torch.equal(numbers(first), numbers(second))
    assert not torch.equal(numbers(first), numbers(translating(6, seed=1)))


def test_it_learns_ones_own_lines():
    lines = parse_lines("the cat\tle chat\na dog\tun chien\nthe big dog\tle grand chien")
    training = Training(own_lines(lines), architecture="encoder-decoder", d_model=32, rate=0.01, batch=8)
    list(training.steps(60))
    answer = [one.token for one in said(training.model, training.task, ["the", "big", "dog", "→"])]
    assert answer == ["le", "grand", "chien", "."]


def test_its_attentions_are_named_and_have_their_own_rows_and_columns():
    training = translating()
    line = training.task.shown
    source, target = line.source, line.tokens[len(line.source) :]
    assert training.model.parts == [
        Part("encoder", 0),
        Part("encoder", 1),
        Part("decoder", 0),
        Part("cross", 0),
        Part("decoder", 1),
        Part("cross", 1),
    ]
    expected = [(source, source)] * 2 + [(target, target), (target, source)] * 2
    assert sides(training.model, line.tokens) == expected
    shapes = [torch.tensor(layer).shape for layer in maps(training.model, training.task, line.tokens)]
    assert shapes == [(2, len(queries), len(keys)) for queries, keys in expected]


@each("positions", ["relative", "absolute", "both"])
def test_any_attention_opens_as_an_example_with_its_numbers(positions):
    training = translating(10, positions=positions)
    tokens = training.task.shown.tokens
    titles = ["encoder, layer 1", "encoder, layer 2"]
    titles += [f"{kind}layer {layer}" for layer in (1, 2) for kind in ("", "cross-attention, ")]
    for layer, title in enumerate(titles):
        example = example_of(training.at(10), training.task, tokens, layer, 10)
        computed = trace(example)
        expected = torch.tensor(maps(training.at(10), training.task, tokens)[layer])
        torch.testing.assert_close(computed["weights"].float(), expected, rtol=0, atol=1e-6)
        assert text_in(example.title, "en") == f"Translation, {title}, after 10 steps"
        queries, keys = sides(training.model, tokens)[layer]
        assert (example.tokens, example.context_tokens) == (queries, keys if layer in (3, 5) else None)


def test_the_examples_output_is_that_of_the_cross_attention():
    training = translating(3)
    layers: list = []
    ids = batch_of([training.task.shown], training.task.number).ids
    training.model(ids, attended=layers)
    source = layers[3]
    seen = torch.ones(source.weights.shape[-2:], dtype=torch.bool)
    expected, _ = training.model.attentions[3](source.x, seen, memory=source.memory)
    found = trace(example_of(training.model, training.task, training.task.shown.tokens, 3, 3))["output"]
    torch.testing.assert_close(found.float(), expected[0], rtol=0, atol=1e-5)


def test_what_is_said_is_the_most_likely_token_each_time_with_where_it_looked():
    training = translating(3)
    prompt = list(training.task.shown.prompt)
    for at, one in enumerate(said(training.model, training.task, prompt)):
        shapes = [(len(layer), len(layer[0])) for layer in one.looked]
        source, target = len(prompt) - 1, at + 1
        assert shapes == [(2, source)] * 2 + [(2, target), (2, source)] * 2
        for layer in one.looked:
            torch.testing.assert_close(torch.tensor(layer).sum(-1), torch.ones(2))


@each("prompt", [["the", "cat"], ["→"], ["→", "the"]])
def test_a_prompt_without_a_source_and_an_arrow_is_refused(prompt):
    training = translating()
    with pytest.raises(TrainError, match="prompt: expected a source and then →"):
        list(said(training.model, training.task, prompt))


def test_a_task_without_sources_is_refused():
    with pytest.raises(TrainError, match="architecture: the lines of this task have no source"):
        small("induction", architecture="encoder-decoder")


def test_a_saved_run_goes_on_as_if_it_had_not_been(tmp_path):
    training = translating(11)
    save(training, tmp_path / "run.safetensors")
    opened = open_training(tmp_path / "run.safetensors")
    for one in (training, opened):
        list(one.steps(3))
    assert torch.equal(numbers(opened), numbers(training))
    assert without_time(opened) == without_time(training)


def test_words_are_aligned_by_hand():
    """the₀ small₁ cat₂ on₃ the₄ box₅ sees₆ the₇ small₈ … has two “small” and two “the”."""
    english = "the small cat on the box sees the small book in the car today".split()
    chinese = "盒子 上 的 小 猫 今天 在 车 里 看见 小 书".split()
    assert aligned(answered(english, chinese)) == [5, 3, None, 1, 2, 13, None, 12, 10, 6, 8, 9, None]
    back = [None, 3, 4, 1, None, 0, 9, None, 10, 11, 8, None, 7, 5, None]
    assert aligned(answered(chinese, english)) == back


@each("key, architecture", [("translation", "encoder-decoder"), ("reverse", "decoder")])
def test_alignment_against_a_loop(key, architecture):
    training = small(key, 2, architecture=architecture)
    task, model = training.task, training.model
    lines = (
        [Line(("b", "a", "→"), ("a", "b", "."))] if key == "reverse" else [task.shown, task.draw(Random(3))]
    )
    found = alignment(model, task, batch_of(lines, task.number))
    for layer, part in enumerate(model.parts):
        if architecture != "decoder" and part.kind != "cross":
            assert found[layer] is None
            continue
        for head in range(2):
            hits = []
            for line in lines:
                weights = maps(model, task, line.tokens)[layer][head]
                first = 0 if part.kind == "cross" else len(line.source)
                for at, source in enumerate(task.aligned(line)):
                    if source is not None:
                        row = weights[first + at]
                        hits.append(max(range(len(row)), key=row.__getitem__) == source)
            assert found[layer][head] == pytest.approx(sum(hits) / len(hits))
