"""Which tokens of which attention the given names name: queries or keys, with padding or without."""

import pytest
import torch
from transformers import BertConfig, BertModel, T5Config, T5ForConditionalGeneration

from mha_core import InteropError
from mha_core.interop import capture

SOURCE, TARGET = torch.arange(3, 10)[None], torch.arange(3, 6)[None]
REAL = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 0, 0, 0]])
NAMES = [list("abcde"), list("fgh"), list("ij")]
IDS = torch.arange(3, 18).reshape(3, 5)


@pytest.fixture(scope="module")
def t5():
    torch.manual_seed(0)
    size = {"vocab_size": 40, "d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 1, "num_heads": 2}
    return T5ForConditionalGeneration(T5Config(**size, decoder_start_token_id=0)).eval()


@pytest.fixture(scope="module")
def bert():
    torch.manual_seed(0)
    size = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    return BertModel(BertConfig(**size, intermediate_size=24)).eval()


def names_in(found):
    return [
        ("".join(one.tokens), None if one.context_tokens is None else "".join(one.context_tokens))
        for one in found
    ]


def test_an_encoders_own_queries_have_the_names_of_the_context(t5):
    inputs = {"input_ids": SOURCE, "decoder_input_ids": TARGET}
    found = capture(t5, inputs, tokens=list("xyz"), context_tokens=list("abcdefg"))
    assert names_in(found) == [("abcdefg", None), ("xyz", None), ("xyz", "abcdefg")]


@pytest.mark.parametrize("sample", [0, 1, 2])
def test_names_without_padding_go_to_the_tokens_that_the_mask_shows(bert, sample):
    inputs = {"input_ids": IDS, "attention_mask": REAL}
    found = capture(bert, inputs, tokens=NAMES, sample=sample)
    for number, own in enumerate(found.samples):
        left = iter(NAMES[number])
        expected = [next(left) if is_real else "[PAD]" for is_real in REAL[number].tolist()]
        assert list(own[0].tokens) == expected
    assert names_in(capture(bert, inputs, tokens=NAMES[sample], sample=sample)) == names_in(found)


def test_names_without_padding_are_those_of_the_ids_of_an_output(bert):
    changed = capture(bert, {"input_ids": IDS, "attention_mask": REAL}, tokens=NAMES, without=[(0, 1)])
    assert changed.names == dict(zip(IDS[REAL.bool()].tolist(), "abcdefghij", strict=True))
    assert changed.found[0].tokens == changed.unchanged[0].tokens == tuple("abcde")


def test_names_with_padding_are_taken_as_they_are(bert):
    padded = [list("abcde"), list("--fgh"), list("ij---")]
    found = capture(bert, {"input_ids": IDS, "attention_mask": REAL}, tokens=padded)
    assert ["".join(own[0].tokens) for own in found.samples] == ["abcde", "--fgh", "ij---"]


def test_each_side_of_a_cross_attention_has_its_own_padding(t5):
    inputs = {"input_ids": IDS, "attention_mask": REAL, "decoder_input_ids": IDS[:, :3]}
    found = capture(t5, inputs, tokens=[list("xyz")] * 3, context_tokens=NAMES, sample=2)
    assert names_in(found) == [("ij" + "[PAD]" * 3, None), ("xyz", None), ("xyz", "ij" + "[PAD]" * 3)]


def test_without_a_mask_shorter_names_are_to_be_padded(bert):
    with pytest.raises(InteropError, match="got 3 × 5 / 3 / 2; no mask shows that sample 1 has 3 tokens"):
        capture(bert, IDS, tokens=NAMES)
