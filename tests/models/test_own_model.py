"""The small model of our own: transformers can read the folder, and what its card says is true."""

import json

import pytest
import torch
import transformers
from safetensors.torch import load_file
from tokenizers import Tokenizer

from mha_core.models import OWN, guesses, load, run, tokenize
from training.corpus import MASK, encode
from training.earlier import decided
from training.export import opened
from training.heads import behaviours, best, probed
from training.measures import counted, held_out
from training.needed import needed
from training.passages import passages
from training.probes import PROBES

MOST_BYTES = 6_000_000
SEED, OTHER_SEED = 1, 2
"""Of the texts that the model has learned from, and of others."""


@pytest.fixture(scope="module")
def own():
    return load(OWN, "cpu")


@pytest.fixture(scope="module")
def theirs():
    model, loading = transformers.BertForMaskedLM.from_pretrained(
        OWN.folder, output_loading_info=True, attn_implementation="eager"
    )
    assert not any(loading.values())
    return model


def test_the_folder_is_small_and_says_what_is_in_it(own):
    assert sum(path.stat().st_size for path in OWN.folder.iterdir()) <= MOST_BYTES
    config = json.loads((OWN.folder / "config.json").read_text("utf-8"))
    assert (config["model_type"], config["architectures"]) == ("bert", ["BertForMaskedLM"])
    state = load_file(OWN.folder / "model.safetensors")
    assert {tensor.dtype for tensor in state.values()} == {torch.float32}
    assert own.architecture.max_tokens == 128
    assert own.architecture.d_model <= 64, "so that X fits on the bench"


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("The cat sat on the mat.", None),
        ("The animal didn't cross the street because it was too tired", "动物没有过街道，因为它太累了"),
        ("我喜欢[MASK]", "zorblat 😀"),
    ],
)
def test_it_is_what_transformers_computes(own, theirs, text, second):
    tokenizer = transformers.AutoTokenizer.from_pretrained(OWN.folder)
    found = tokenizer(text, second, return_tensors="pt")
    tokens = tokenize(own, text, second)
    assert found["input_ids"][0].tolist() == list(tokens.ids)
    with torch.no_grad():
        expected = theirs(**found, output_attentions=True)
    for layer, weights in zip(run(own, tokens).layers, expected.attentions, strict=True):
        torch.testing.assert_close(layer.weights, weights[0], atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The cat sat on the mat.", "the cat sat on the mat ."),
        ("I love programming", "i love programming"),
        (
            "The animal didn’t cross the street because it was too tired",
            "the animal didn't cross the street because it was too tired",
        ),
        ("水 有 毒", "水 有 毒"),
        ("水有毒", "水 有毒"),
        ("小猫在垫子上睡觉", "小猫 在 垫子 上 睡觉"),
        ("我喜欢编程", "我 喜欢 编程"),
        ("“你好”（再见）", "“ 你好 ” （ 再见 ）"),
        ("f(x) = [1, 22]", "f ( x ) = [ 1 , 2 2 ]"),
        ("[MASK] cat", "[MASK] cat"),
    ],
)
def test_everyday_words_are_whole(own, text, pieces):
    assert list(tokenize(own, text).texts) == ["[CLS]", *pieces.split(), "[SEP]"]


@pytest.mark.parametrize("text", ["unbelievable zorblat", "量子纠缠", "naïve café", "😀 привет 龘 ภาษา"])
def test_other_words_fall_into_pieces_and_none_is_unknown(own, text):
    tokens = tokenize(own, text)
    assert "[UNK]" not in tokens.texts
    assert len(tokens) > 2 + len(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The animal didn't cross the street because [MASK] was too tired.", "it"),
        ("The keys on the table [MASK] new now.", "are"),
        ("We eat [MASK] in the morning.", "breakfast"),
        ("The sky is [MASK].", "blue"),
        ("I want to drink [MASK].", "milk"),
        ("动物没有过街道，因为[MASK]太累了。", "它"),
        ("他骑着一[MASK]马。", "匹"),
        ("一[MASK]猫在睡觉。", "只"),
        ("我[MASK]你。", "爱"),
        ("老师问学生：“你们累吗？[MASK]", "”"),
    ],
)
def test_its_first_guess_is_what_people_would_say(own, text, expected):
    tokens = tokenize(own, text)
    (found,) = guesses(own, run(own, tokens), tokens.ids.index(MASK), 1)
    assert found.text == expected
    assert found.probability > 0.2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I want to drink [MASK].", {"milk", "tea", "water", "juice", "beer"}),
        ("The animal didn't cross the [MASK] because it was too wide.", {"river", "bridge", "road"}),
        ("我喝了一杯[MASK]。", {"牛奶", "咖啡", "水"}),
        ("动物没有过[MASK]，因为它太宽了。", {"河", "路", "桥", "街道"}),
    ],
)
def test_its_guesses_are_of_the_kind_that_fits(own, text, expected):
    tokens = tokenize(own, text)
    assert expected <= {guess.text for guess in guesses(own, run(own, tokens), tokens.ids.index(MASK), 5)}


@pytest.fixture(scope="module")
def ours():
    """The same numbers in the module that was trained."""
    return opened(OWN.folder)


def test_the_hidden_words_of_new_texts_are_guessed_better_than_by_counting(own, ours):
    """The counts are of some of the texts; those of all are in the README of training."""
    tokenizer = Tokenizer.from_file(str(OWN.folder / "tokenizer.json"))
    seen, new = (
        encode(tokenizer, passages(seed, count), own.architecture.max_tokens)
        for seed, count in ((SEED, 6_000), (OTHER_SEED, 600))
    )
    found = held_out(ours, new, counted(seen, own.architecture.vocabulary), SEED)
    assert found.words > 1000
    assert found.loss < found.bigram - 2
    assert found.bigram < found.unigram - 1


@pytest.fixture(scope="module")
def shown(own):
    return behaviours(own, passages(OTHER_SEED, 500))


@pytest.mark.parametrize(
    ("behaviour", "place", "least"),
    [
        ("next", (0, 0), 0.9),
        ("previous", (0, 3), 0.9),
        ("itself", (1, 0), 0.4),
        ("same_word", (2, 0), 0.2),
        ("pair", (3, 2), 0.3),
    ],
)
def test_a_head_of_its_own_does_this_in_new_texts(shown, behaviour, place, least):
    found = shown[behaviour]
    assert best(found) == place
    assert found[place].share >= least
    assert found[place].null < 0.1
    assert found[place].places >= 90


@pytest.mark.parametrize(
    ("probe", "place", "right", "weight"),
    [
        ("translation", (2, 0), 0.95, 0.6),
        ("agreement", (2, 3), 0.75, 0.25),
        ("reference", (3, 2), 0.75, 0.05),
    ],
)
def test_a_head_finds_the_word_that_another_belongs_to(own, probe, place, right, weight):
    found = probed(own, PROBES[probe]())
    assert max(found, key=found.__getitem__) == place
    assert found[place][0] >= right
    assert found[place][1] >= weight


@pytest.fixture(scope="module")
def asked():
    """Each kind of text in which one earlier word decides a hidden one."""
    tokenizer = Tokenizer.from_file(str(OWN.folder / "tokenizer.json"))
    return needed(opened(OWN.folder), encode(tokenizer, decided(OTHER_SEED, 300), 128))


def test_the_folder_names_the_heads_that_find_the_deciding_word(own, asked):
    """It was measured on 1,000 texts, and is here on 300 of them."""
    assert {job.kind for job in own.jobs} == set(asked)
    for job in own.jobs:
        found = asked[job.kind]
        assert max(found, key=lambda one: found[one].found) == (job.layer, job.head)
        assert found[job.layer, job.head].found == pytest.approx(job.found, abs=0.06)


@pytest.mark.parametrize(
    ("kind", "place"),
    [("pronoun", (3, 1)), ("agreement", (2, 3)), ("closing", (3, 2)), ("copied", (2, 0))],
)
def test_a_head_of_its_own_finds_the_word_that_decides_another_and_the_guess_needs_it(asked, kind, place):
    found = asked[kind]
    assert max(found, key=lambda one: found[one].found) == place
    assert found[place].found >= 0.8
    assert found[place].right_off < 0.75 * found[place].right
    assert found[place].chance_off < 0.75 * found[place].chance
