"""From text to tokens: the ids are the tokenizer's own; pieces can be read; words are those of the text."""

import json
import shutil
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from mha_core import ModelError
from mha_core.models.tokenizer import MAX_CHARACTERS, read_tokenizer
from tests.models.folders import MINILM
from tests.sizes import in_turn

MOST_SECONDS = 20
"""Of the processor, for the longest text that is read: thousands of times what a sentence takes."""
HARD = (
    "Unbelievably, the café's naïve façade didn't play-act!",
    "思考计算机程序，我爱北京。",
    "a\tb\nc  d   e",
    "I want to [MASK] the mat. [SEP] [UNK] 😀 👩‍👩‍👧 ½ ﬁ Ⅷ",
    "ΑΒΓ абв הגד ابت ไทย हिन्दी 한국어 カタカナ",
    "x" * 150 + " " + "y" * 90,
    "\u0000\u0007\u200b\ufeff[CLS]\u202eabc\ud800 def",
    "123.45 $6 7% e=mc² #tag @name http://a.b/c?d=e",
)


@pytest.fixture(scope="module")
def minilm():
    return read_tokenizer(MINILM)


@pytest.fixture(scope="module")
def from_vocabulary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vocabulary")
    shutil.copy(MINILM / "vocab.txt", folder)
    return read_tokenizer(folder)


@pytest.fixture(scope="module")
def byte_level(tmp_path_factory):
    """As GPT-2's: pieces are of bytes, a blank belongs to the word after it."""
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    found.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    found.train_from_iterator(["the cat sat on the mat and the dog sat on the rug"] * 5, trainer)
    return _saved(found, tmp_path_factory.mktemp("bytes"))


@pytest.fixture(scope="module")
def sentence_piece(tmp_path_factory):
    """As the first Llama's: the text is not split at blanks, blanks are ▁, and unknown characters are bytes."""
    alphabet = [*"▁abcdeghimnorstuT.,", "▁t", "▁th", "▁the", "▁c", "▁ca", "▁cat", "at"]
    vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *alphabet]
    merges = [("▁", "t"), ("▁t", "h"), ("▁th", "e"), ("▁", "c"), ("▁c", "a"), ("▁ca", "t"), ("a", "t")]
    numbers = {piece: at for at, piece in enumerate(vocabulary)}
    found = Tokenizer(models.BPE(numbers, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    found.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    found.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    found.add_special_tokens(["<unk>", "<s>", "</s>"])
    found.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    return _saved(found, tmp_path_factory.mktemp("pieces"))


def _saved(tokenizer, folder):
    tokenizer.save(str(folder / "tokenizer.json"))
    return read_tokenizer(folder)


def words_in(tokens):
    """The pieces of every word."""
    found: dict[int | None, list[str]] = {}
    for text, word in zip(tokens.texts, tokens.words, strict=True):
        found.setdefault(word, []).append(text)
    return found


# --- by hand -----------------------------------------------------------------------------------------------------


def test_a_sentence_by_hand(minilm):
    tokens = minilm.read("The animal didn't cross. Unbelievably!")
    assert tokens.texts == (
        *("[CLS]", "the", "animal", "didn", "'", "t", "cross", "."),
        *("un", "##bel", "##ie", "##va", "##bly", "!", "[SEP]"),
    )
    assert tokens.words == (None, 0, 1, 2, 2, 2, 3, 4, 5, 5, 5, 5, 5, 6, None)
    assert tokens.special == (True, *(False,) * 13, True)
    assert tokens.segments == (0,) * 15
    assert tokens.ids[0] == 101
    assert tokens.ids[-1] == 102


def test_two_sentences_by_hand(minilm):
    tokens = minilm.read("A cat.", "The dog")
    assert tokens.texts == ("[CLS]", "a", "cat", ".", "[SEP]", "the", "dog", "[SEP]")
    assert tokens.segments == (0, 0, 0, 0, 0, 1, 1, 1)
    assert tokens.words == (None, 0, 1, 2, None, 3, 4, None)


def test_a_chinese_sentence_by_hand(minilm):
    tokens = minilm.read("我爱中国。")
    assert tokens.texts[1:-1] == ("我", "[UNK]", "中", "国", "。")
    assert tokens.words == (None, 0, 1, 2, 3, 4, None)
    assert not any(tokens.special[1:-1])
    assert tokens.unknown == (None, None, "爱", None, None, None, None)


def test_a_mask_is_a_word_and_a_typed_separator_is_not(minilm):
    tokens = minilm.read("the [MASK] sat [SEP] on")
    assert tokens.texts == ("[CLS]", "the", "[MASK]", "sat", "[SEP]", "on", "[SEP]")
    assert tokens.special == (True, False, False, False, True, False, True)
    assert tokens.ids[2] == minilm.mask


def test_pieces_of_bytes_by_hand(byte_level):
    """思 has three bytes, and no piece of this vocabulary is more than one of them."""
    tokens = byte_level.read("the cat 思")
    assert tokens.texts == ("the", "cat", "␣", "思·1", "思·2", "思·3")
    assert tokens.words == (0, 1, None, 2, 2, 2)
    assert not any(tokens.special)
    assert byte_level.mask is None


def test_pieces_whose_blank_is_a_sign_by_hand(sentence_piece):
    tokens = sentence_piece.read("the cat thea 思")
    assert tokens.texts[0] == "<s>"
    assert tokens.texts[1:5] == ("the", "cat", "the", "a")
    assert tokens.words[:5] == (None, 0, 1, 2, 2)
    assert tokens.texts[-3:] == ("思·1", "思·2", "思·3")
    assert tokens.words[-3:] == (3, 3, 3)
    assert tokens.special == (True, *(False,) * (len(tokens) - 1))


# --- vocab.txt alone ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_vocab_txt_alone_gives_what_tokenizer_json_does(text, minilm, from_vocabulary):
    assert from_vocabulary.read(text) == minilm.read(text)
    assert from_vocabulary.read(text, HARD[0]) == minilm.read(text, HARD[0])


@given(text=st.text(min_size=1, max_size=40))
def test_vocab_txt_and_tokenizer_json_agree_on_any_text(text, minilm, from_vocabulary):
    assert tokens_of(from_vocabulary, text) == tokens_of(minilm, text)


def tokens_of(reader, text, pair=None):
    """The tokens, or the sentence of the error."""
    try:
        return reader.read(text, pair)
    except ModelError as error:
        return str(error)


def test_vocab_txt_keeps_capitals_where_the_settings_say_so(tmp_path):
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nThe\nthe\ncat\n", "utf-8")
    assert read_tokenizer(tmp_path).read("The cat").texts[1] == "the"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}), "utf-8")
    assert read_tokenizer(tmp_path).read("The cat").texts[1] == "The"


# --- any text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["minilm", "byte_level", "sentence_piece"])
@given(text=st.text(max_size=60), pair=st.none() | st.text(max_size=20))
def test_any_text_becomes_tokens_that_can_be_read_or_one_sentence(kind, text, pair, request):
    reader = request.getfixturevalue(kind)
    tokens = tokens_of(reader, text, pair)
    if isinstance(tokens, str):
        assert tokens.isprintable()
        return
    count = len(tokens)
    assert count == len(tokens.texts) == len(tokens.words) == len(tokens.special) == len(tokens.segments)
    assert all(piece.strip() for piece in tokens.texts)
    known = [word for word in tokens.words if word is not None]
    assert known == sorted(known)
    assert not any(
        word is not None and apart for word, apart in zip(tokens.words, tokens.special, strict=True)
    )


def test_control_characters_are_left_out(minilm, byte_level):
    assert minilm.read("a\x00\x07b c\u202e").texts[1:-1] == ("ab", "c")
    assert byte_level.read("a\x00\x07 \x1b[31mthe\u2066").texts == byte_level.read("a [31mthe").texts


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00\x01", "\ud800", "\u202e"])
def test_a_text_without_a_character_is_empty(text, minilm):
    with pytest.raises(ModelError, match="the text is empty"):
        minilm.read(text)
    with pytest.raises(ModelError, match="the text is empty"):
        minilm.read("a cat", text)


def test_a_text_of_which_nothing_is_left_is_refused(minilm):
    with pytest.raises(ModelError, match="nothing that this model can read"):
        minilm.read("[SEP]")


KINDS = ["minilm", "byte_level", "sentence_piece"]


@pytest.mark.parametrize(
    ("sign", "kind"),
    [
        *(("a", kind) for kind in KINDS),  # a single word is hardest on each
        *in_turn(["a ", "思", "😀", ".", "é ", "[MASK]", "\x00a"], KINDS),
    ],
)
def test_the_longest_text_is_read_in_bounded_time(sign, kind, request):
    reader = request.getfixturevalue(kind)
    before = time.process_time()
    reader.read((sign * MAX_CHARACTERS)[:MAX_CHARACTERS])
    assert time.process_time() - before < MOST_SECONDS


def test_a_longer_text_is_refused_unread(minilm):
    with pytest.raises(ModelError, match="100001 characters; at most 100000"):
        minilm.read("a" * (MAX_CHARACTERS + 1))


def test_blanks_and_pieces_can_be_read(byte_level):
    tokens = byte_level.read("the\n\n cat\tsat")
    assert "⏎" in "".join(tokens.texts)
    assert "⇥" in "".join(tokens.texts)
