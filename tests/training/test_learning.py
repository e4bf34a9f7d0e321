"""From the texts to the model: tokens, hidden words, counts, the first embeddings, and a few steps."""

from itertools import pairwise

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from tests.sizes import tries
from training import loop
from training.corpus import CLS, LEARNED, MASK, PAD, SEP, SPECIALS, UNK, Texts, batches, encode, masked
from training.export import save
from training.measures import Counts, counted, held_out
from training.model import Bert, Shape
from training.passages import Passage, passages
from training.start import co_occurrence, embeddings
from training.tokenizer import SPECIAL, make_tokenizer

LONGEST = 40


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer(list(passages(1, 3000)))


@pytest.fixture(scope="module")
def corpus(tokenizer):
    return encode(tokenizer, passages(2, 1500), LONGEST)


def test_the_special_tokens_have_their_numbers(tokenizer):
    assert [tokenizer.token_to_id(one) for one in SPECIAL] == [PAD, UNK, CLS, SEP, MASK]


@given(text=st.text())
@tries(150)
def test_nothing_is_unknown(tokenizer, text):
    found = tokenizer.encode(text.replace("[UNK]", ""))
    assert UNK not in found.ids


def test_texts_of_a_length_are_together_and_marks_are_found(tokenizer):
    made = encode(
        tokenizer, [Passage("one", "the *dog was", "狗*跑了"), Passage("two", "it is so *very old")], 20
    )
    kinds = {text.kinds[0]: (length, text) for length, text in made.items()}
    length, text = kinds["one"]
    tokens = [tokenizer.id_to_token(number) for number in text.ids[0].tolist()]
    assert tokens == ["[CLS]", "the", "dog", "was", "[SEP]", "狗", "跑", "了", "[SEP]"]
    assert text.segments[0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert [tokens[at] for at in text.marked[0].nonzero().flatten()] == ["dog", "跑"]
    assert length == 9


def test_texts_that_are_too_long_are_left_out(tokenizer):
    assert encode(tokenizer, [Passage("long", "so " * 30)], 20) == {}


def test_words_are_hidden_in_the_given_shares(corpus):
    random = torch.Generator().manual_seed(1)
    hidden = marked = hidden_marked = words = shown_mask = 0
    for texts in corpus.values():
        batch = masked(texts, torch.arange(len(texts.kinds)), 5000, LONGEST, random)
        assert batch.hidden.any(1).all()
        assert not (batch.hidden & (texts.ids < SPECIALS)).any()
        assert torch.equal(batch.targets, texts.ids)
        assert torch.equal(batch.ids[~batch.hidden], texts.ids[~batch.hidden])
        assert (batch.places.diff(dim=1) == 1).all()
        assert batch.places.max() < LONGEST
        plain = ~texts.marked & (texts.ids >= SPECIALS)
        hidden, words = hidden + int((batch.hidden & plain).sum()), words + int(plain.sum())
        marked += int(texts.marked.sum())
        hidden_marked += int((batch.hidden & texts.marked).sum())
        shown_mask += int((batch.ids == MASK).sum())
    assert hidden / words == pytest.approx(LEARNED[0], abs=0.04)
    assert hidden_marked / marked == pytest.approx(LEARNED[1], abs=0.04)
    assert shown_mask / (hidden + hidden_marked) == pytest.approx(0.8, abs=0.03)


def test_positions_begin_anywhere(corpus):
    texts = corpus[10]
    rows = torch.arange(len(texts.kinds))
    first = masked(texts, rows, 5000, LONGEST, torch.Generator().manual_seed(1)).places[:, 0]
    assert (first == 0).float().mean() > 0.25
    assert len(first.unique()) > 15


def test_every_text_comes_once(corpus):
    found = list(batches(corpus, 300, torch.Generator().manual_seed(1)))
    rows = dict.fromkeys(corpus, 0)
    for texts, chosen in found:
        rows[texts.ids.shape[1]] += len(chosen)
        assert chosen.numel() * texts.ids.shape[1] <= max(300, texts.ids.shape[1])
    assert rows == {length: len(texts.kinds) for length, texts in corpus.items()}


def test_counts_by_hand():
    """a b, a b, a c: after a come two different words in three, so p(b | a) = (2 + 2·p(b)) ÷ (3 + 2)."""
    counts = Counts(torch.tensor([3.0, 2.0, 1.0]), {(0, 1): 2, (0, 2): 1}, torch.tensor([2, 0, 0]))
    assert counts.unigram().tolist() == pytest.approx([4 / 9, 3 / 9, 2 / 9])
    found = counts.bigram(torch.tensor([0, 0, 1]), torch.tensor([1, 2, 0]))
    assert found.tolist() == pytest.approx([(2 + 2 * 3 / 9) / 5, (1 + 2 * 2 / 9) / 5, (0 + 4 / 9) / 3])


def test_counted_agrees_with_a_plain_count(corpus):
    counts = counted({10: corpus[10]}, 6000)
    rows = corpus[10].ids.tolist()
    one, other = rows[0][2], rows[0][3]
    assert counts.words[one] == sum(row[:-1].count(one) for row in rows)
    assert counts.pairs[one, other] == sum(pair == (one, other) for row in rows for pair in pairwise(row))
    assert counts.followers[one] == len({b for row in rows for a, b in pairwise(row) if a == one})


def test_bigram_chances_sum_to_one(corpus):
    size = max(int(texts.ids.max()) for texts in corpus.values()) + 1
    counts = counted(corpus, size)
    before = int(corpus[10].ids[0, 3])
    assert counts.bigram(torch.full((size,), before), torch.arange(size)).sum().item() == pytest.approx(
        1, abs=1e-4
    )


def test_words_with_the_same_neighbours_begin_alike():
    """1 and 2 precede 3 and 4, 5 and 6 precede 7 and 8."""
    rows = [[one, other] for one in (1, 2) for other in (3, 4)] + [
        [one, other] for one in (5, 6) for other in (7, 8)
    ]
    ids = torch.tensor(rows * 5)
    corpus = {2: Texts(ids, torch.zeros_like(ids), ids > 9, torch.zeros_like(ids), ("",) * len(ids))}
    assert torch.equal(co_occurrence(corpus, 9)[1], torch.tensor([0, 0, 0, 5.0, 5.0, 0, 0, 0, 0]))
    assert torch.equal(co_occurrence(corpus, 9), co_occurrence(corpus, 9).T)
    found = embeddings(corpus, 9, 4, 1)
    assert torch.equal(found, embeddings(corpus, 9, 4, 1))
    assert functional.cosine_similarity(found[1], found[2], dim=0) > 0.6
    assert functional.cosine_similarity(found[1], found[5], dim=0) < 0.5


def test_steps_teach_what_counting_cannot_and_the_same_seed_teaches_the_same(monkeypatch):
    """Each text is a word and, two places on, the word that goes with it."""
    first = torch.arange(5, 15).repeat(40)
    between = torch.randint(5, 25, first.shape, generator=torch.Generator().manual_seed(1))
    ids = torch.stack(
        [torch.full_like(first, CLS), first, between, first + 10, torch.full_like(first, SEP)], 1
    )
    none = torch.zeros_like(ids)
    corpus = {5: Texts(ids, none, none.bool(), none, ("pair",) * len(ids))}
    monkeypatch.setattr(loop, "REPORTED", 100)
    said: list[str] = []

    def made(steps):
        torch.manual_seed(1)
        model = Bert(Shape(25, layers=1, heads=2, width=16, inner=32, places=8))
        loop.train(model, corpus, loop.Course(steps), 1, said.append)
        return model

    found = held_out(made(200), corpus, counted(corpus, 25), 1)
    assert found.loss < found.bigram - 0.3
    assert found.bigram < found.unigram
    assert [line.partition(":")[0] for line in said] == ["step 100", "step 200"]
    assert all(map(torch.equal, made(3).parameters(), made(3).parameters()))


def test_the_folder_is_one_that_transformers_reads(tokenizer, tmp_path):
    model = Bert(
        Shape(tokenizer.get_vocab_size(), layers=2, heads=2, width=16, inner=32, places=LONGEST)
    ).eval()
    save(model, tokenizer, tmp_path)
    theirs, loading = transformers.BertForMaskedLM.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(loading.values())
    read = transformers.AutoTokenizer.from_pretrained(tmp_path)
    found = read("the dog ran", "狗跑了", return_tensors="pt")
    assert found["input_ids"][0].tolist() == tokenizer.encode("the dog ran", "狗跑了").ids
    ids, segments = found["input_ids"], found["token_type_ids"]
    places = torch.arange(ids.shape[1])[None]
    with torch.no_grad():
        torch.testing.assert_close(
            model.guess(model(ids, segments, places)), theirs(**found).logits, atol=1e-5, rtol=0
        )
