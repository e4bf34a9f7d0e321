"""Texts in which one earlier word decides a hidden one, the head that is shown which, and the guess without a head."""

from collections import Counter
from copy import deepcopy

import pytest
import torch
from tokenizers import Tokenizer

from mha_core.models import OWN, open_model, run
from training import loop
from training.corpus import MASK, SPECIALS, Texts, encode, unmarked
from training.earlier import DECIDES, GUIDES, KINDS, decided
from training.export import opened
from training.loop import Course
from training.model import Bert, Shape
from training.needed import Needed, needed, table
from training.passages import MARK


@pytest.fixture(scope="module")
def many():
    return list(decided(3, 2000))


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_file(str(OWN.folder / "tokenizer.json"))


def test_a_seed_gives_the_same_texts_again_and_another_seed_others(many):
    assert list(decided(3, 300)) == many[:300]
    assert not set(decided(4, 300)) <= set(many)


def test_every_kind_is_drawn_as_often(many):
    found = Counter(one.kind for one in many)
    assert found.keys() == KINDS.keys() == GUIDES.keys()
    assert min(found.values()) > 0.8 * len(many) / len(KINDS)


def test_one_word_is_hidden_and_the_deciding_one_is_before_it(many):
    for one in many:
        text, (hidden,) = unmarked(one.text)
        assert not {MARK, DECIDES} & set(text)
        assert 0 <= one.decided_by < hidden, one.text


def test_the_deciding_word_is_found_among_the_tokens(many, tokenizer):
    """A name is copied: the hidden token is that of the deciding word."""
    copied = [one for one in many if one.kind == "copied"]
    checked = 0
    for texts in encode(tokenizer, copied, 128).values():
        row, hidden = (texts.decided > 0).nonzero(as_tuple=True)
        assert row.tolist() == list(range(len(texts.kinds)))
        assert torch.equal(texts.ids[row, hidden], texts.ids[row, texts.decided[row, hidden]])
        checked += len(row)
    assert checked == len(copied)


def test_what_is_hidden_differs_so_that_the_deciding_word_is_needed(many, tokenizer):
    """No kind has one word that is right in more than half of its texts."""
    words: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
    for texts in encode(tokenizer, many, 128).values():
        for kind, number in zip(texts.kinds, texts.ids[texts.decided > 0].tolist(), strict=True):
            words[kind][number] += 1
    for kind, found in words.items():
        assert len(found) >= 4, kind
        assert found.most_common(1)[0][1] < 0.5 * found.total(), kind


def test_needed_is_what_the_model_of_the_page_computes(tokenizer):
    """The same text, hidden word and muted head, by the forward pass of ``mha_core.models``."""
    theirs = open_model(OWN.folder, "own", "cpu", torch.float32)
    corpus = encode(tokenizer, decided(5, 1), 128)
    ((_, texts),) = corpus.items()
    hidden = int((texts.decided[0] > 0).float().argmax())
    deciding, word = int(texts.decided[0, hidden]), int(texts.ids[0, hidden])
    ids = texts.ids[0].clone()
    ids[hidden] = MASK
    ((found,),) = (needed(opened(OWN.folder), corpus).values(),)
    for place in [(0, 0), (2, 1), (3, 3)]:
        whole, muted = (run(theirs, ids, segments=texts.segments[0], without=off) for off in ([], [place]))
        given = whole.layers[place[0]].weights[place[1], hidden]
        one = found[place]
        assert one.weight == pytest.approx(given[deciding].item(), abs=1e-5)
        assert one.found == float(given.argmax() == deciding)
        ours = [one.chance, one.chance_off]
        chances = [
            _chances(opened(OWN.folder), computed.hidden[-1][hidden])[word] for computed in (whole, muted)
        ]
        assert ours == pytest.approx([chance.item() for chance in chances], abs=1e-5)


def _chances(model, state):
    return model.guess(state).softmax(-1)


def test_a_guided_head_finds_the_deciding_word_and_the_guess_needs_it():
    """The last word is the second's partner; the third decides nothing."""
    random = torch.Generator().manual_seed(1)
    first, other = torch.randint(SPECIALS, 15, (2, 600), generator=random)
    ids = torch.stack((torch.full_like(first, 2), first, other, first + 10, torch.full_like(first, 3)), 1)
    decided_by = torch.zeros_like(ids)
    decided_by[:, 3] = 1
    corpus = {5: Texts(ids, torch.zeros_like(ids), decided_by > 0, decided_by, ("pair",) * len(ids))}
    torch.manual_seed(1)
    model = Bert(Shape(25, layers=1, heads=2, width=16, inner=32, places=8))
    loop.train(model, corpus, Course(250, guides={"pair": (0, 1)}), 1, print)
    found = needed(model, corpus)["pair"][0, 1]
    assert found.found > 0.95
    assert found.right > 0.9
    assert found.right_off < found.right - 0.3


def test_the_table_has_the_head_that_finds_the_word_most_often():
    weak, strong = Needed(0.1, 0.1, 0.5, 0.4, 0.5, 0.4), Needed(0.9, 0.8, 0.95, 0.9, 0.2, 0.1)
    told = table({"pair": {(0, 0): weak}}, {"pair": {(0, 0): weak, (1, 2): strong}}).splitlines()
    assert told[-2:] == [
        "| pair | first | 1, 1 | 0.10 | 0.50 | 0.50 | 0.40 | 0.40 |",
        "| pair | second | 2, 3 | 0.90 | 0.95 | 0.20 | 0.90 | 0.10 |",
    ]


def test_averaged_weights_are_between_those_before_and_after():
    first, second = (Bert(Shape(25, layers=1, heads=2, width=16, inner=32, places=8)) for _ in "12")
    before = deepcopy(first.state_dict())
    wanted = {name: 0.25 * one + 0.75 * second.state_dict()[name] for name, one in before.items()}
    first.load_state_dict(second.state_dict())
    loop.average(first, before, 0.75)
    for name, tensor in first.state_dict().items():
        torch.testing.assert_close(tensor, wanted[name])
