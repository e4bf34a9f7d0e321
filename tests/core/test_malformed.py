"""No malformed file or token raises anything but the typed error."""

import base64
import zlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Example, ExampleError, LinkError, built_in, from_token, parse, to_token, trace
from mha_core.compute.graph import last_step
from mha_core.example.files import MAX_BYTES, from_json
from mha_core.example.share_link import MAX_TOKEN
from tests.core.malformed import files, tokens
from tests.sizes import tries


def refusal(read, data, error_type):
    """The sentence that refuses ``data``, or "" where it is accepted; then it can be traced."""
    try:
        example = read(data)
    except error_type as error:
        refused, sentence = error, str(error)
    else:
        refused, sentence = None, ""
    if refused:
        assert sentence.isprintable(), sentence
        assert sentence == refused.sentence()
        return sentence
    assert isinstance(example, Example)
    assert trace(example).values[last_step(example)]
    return ""


def test_three_thousand_wrong_files():
    sentences = Counter(refusal(parse, data, ExampleError) for data in files(3_000))
    accepted = sentences.pop("", 0)
    assert sum(sentences.values()) == 3_000 - accepted
    assert accepted < 900  # a renamed token or another number leaves the file valid
    assert len(sentences) > 400


def test_a_thousand_wrong_tokens():
    sentences = Counter(refusal(from_token, token, LinkError) for token in tokens(1_000))
    assert sentences.pop("", 0) < 60  # an unused bit of the last letter, or an extra equals sign
    assert set(sentences) == {
        "the link is damaged or incomplete",
        "the link was made by a different version of this program",
    }


@tries(30)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["format", "tokens", "heads", "x", "mask", "title"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_arbitrary_json(data):
    assert refusal(from_json, data, ExampleError)


@tries(30)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_arbitrary_text(text):
    assert refusal(parse, text, ExampleError)


@tries(30)
@given(st.text(max_size=200) | st.text("ABCDabcd0123-_", max_size=200).map("1{}".format))
def test_arbitrary_tokens(token):
    assert refusal(from_token, token, LinkError)


def packed(data, version="1"):
    return version + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("", "the link is damaged or incomplete"),
        ("abc", "the link is damaged or incomplete"),
        ("1", "the link is damaged or incomplete"),
        ("2abc", "the link was made by a different version of this program"),
        ("1" + "A" * MAX_TOKEN, "the link is too long"),
        (packed(b"[" * 10_000_000), "the link expands to more than 5 MB"),
        (packed(b" " * MAX_BYTES + b" "), "the link expands to more than 5 MB"),
        (packed(b""), "this is not valid JSON: line 1, column 1"),
        (packed(b'"\x7f"'), 'expected a JSON object, got "\\u007f"'),
        (packed(b"{}"), 'format: expected "mha-example/1", got null'),
        (packed(b"\xff\xfe"), "the file is not UTF-8 text (byte 0)"),
        (packed(b'{"format":"mha-example/1","tokens":[7],"heads":[]}'), "tokens[0]: expected text, got 7"),
        (packed(b"{}")[:-3], "the link is damaged or incomplete"),
        (packed(b"{}") + "AAAA", "the link is damaged or incomplete"),
        ("1思考", "the link is damaged or incomplete"),
        ("1!!!!", "the link is damaged or incomplete"),
        ("1\ud800", "the link is damaged or incomplete"),
    ],
    ids=str,
)
def test_wrong_tokens_and_their_sentences(token, sentence):
    with pytest.raises(LinkError) as error:
        from_token(token)
    assert str(error.value) == sentence


def test_every_cut_of_a_token_is_refused():
    token = to_token(built_in("first"))
    for length in range(len(token)):
        with pytest.raises(LinkError):
            from_token(token[:length])
