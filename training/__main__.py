"""Make the model: ``python -m training``. It takes what the README says, on one core."""

from __future__ import annotations

import argparse
import time
from copy import deepcopy
from pathlib import Path

import torch
from tokenizers import Tokenizer

from mha_core.models.model import open_model
from training.corpus import Corpus, encode
from training.earlier import GUIDES, decided
from training.export import opened, save, save_jobs
from training.heads import behaviours, best, probed
from training.loop import Course, average, train
from training.measures import counted, held_out
from training.model import Bert, Shape
from training.needed import jobs, needed, table
from training.passages import Passage, passages
from training.probes import PROBES
from training.start import embeddings
from training.tokenizer import make_tokenizer

OWN = Path(__file__).resolve().parent.parent / "mha_core" / "models" / "own"
README = Path(__file__).with_name("README.md")
SEED, OTHER_SEED = 1, 2
"""Of what is learned from, and of what is held out."""
HELD_OUT, ASKED = 4000, 1000
"""How many new passages the guesses are measured on, and how many in which one earlier word decides a hidden one."""

SECOND = 0.6
"""How much of the parameters is those after the second course; the rest is those before it."""


def main() -> None:
    """Texts, tokenizer, both courses, the folder, and what can be said of it."""
    asked = _arguments()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(SEED)
    began = time.process_time()
    texts = list(passages(SEED, asked.passages))
    tokenizer, model = _first_course(asked, texts) if asked.begun is None else _begun(asked.begun)
    asked_of = encode(tokenizer, decided(OTHER_SEED, ASKED), model.shape.places)
    before, parameters = needed(model, asked_of), deepcopy(model.state_dict())
    train(model, _second_corpus(asked, tokenizer), Course(asked.further, 0.5, GUIDES), SEED, print)
    average(model, parameters, SECOND)
    save(model, tokenizer, asked.folder)
    after = needed(model, asked_of)
    save_jobs(jobs(asked_of, after), asked.folder)
    written = table(before, after)
    print(written)
    if asked.folder == OWN:
        _into_readme(written)
    counts = counted(encode(tokenizer, texts, model.shape.places), tokenizer.get_vocab_size())
    print(
        held_out(model, encode(tokenizer, passages(OTHER_SEED, HELD_OUT), model.shape.places), counts, SEED)
    )
    tell_heads(asked.folder)
    print(f"{time.process_time() - began:.0f} s of one core in all")


def _first_course(asked: argparse.Namespace, texts: list[Passage]) -> tuple[Tokenizer, Bert]:
    """The language."""
    tokenizer = make_tokenizer(texts)
    size = tokenizer.get_vocab_size()
    model = Bert(Shape(size))
    corpus = encode(tokenizer, texts, model.shape.places)
    with torch.no_grad():
        model.bert["embeddings"]["word_embeddings"].weight.copy_(
            embeddings(corpus, size, model.shape.width, SEED)
        )
    train(model, corpus, Course(asked.steps), SEED, print)
    return tokenizer, model


def _begun(folder: Path) -> tuple[Tokenizer, Bert]:
    """A model that has learned the language already."""
    return Tokenizer.from_file(str(folder / "tokenizer.json")), opened(folder)


def _second_corpus(asked: argparse.Namespace, tokenizer: Tokenizer) -> Corpus:
    """What one earlier word decides, among passages of the first course, so that the language is not forgotten."""
    both = [*passages(SEED, asked.repeated), *decided(SEED, asked.decided)]
    return encode(tokenizer, both, Shape(tokenizer.get_vocab_size()).places)


def _into_readme(written: str) -> None:
    """The table, between its two marks."""
    before, _, rest = README.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    README.write_text(f"{before}{_BEGIN}\n{written}\n{_END}{after}", "utf-8")


_BEGIN, _END = "<!-- written by python -m training -->", "<!-- end -->"


def tell_heads(folder: Path) -> None:
    """Which head does what."""
    model = open_model(folder, "own", "cpu", torch.float32)
    for name, found in behaviours(model, passages(OTHER_SEED, 500)).items():
        place = best(found)
        print(f"{name}: layer {place[0] + 1}, head {place[1] + 1}, {found[place]}")
    for name, probes in PROBES.items():
        heads = probed(model, probes())
        place = max(heads, key=heads.__getitem__)
        print(f"{name}: layer {place[0] + 1}, head {place[1] + 1}, {heads[place]}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--folder", type=Path, default=OWN)
    parser.add_argument("--begun", type=Path, help="a folder whose model has had the first course")
    parser.add_argument("--passages", type=int, default=250_000)
    parser.add_argument("--steps", type=int, default=9_000, help="of the first course")
    parser.add_argument(
        "--repeated", type=int, default=45_000, help="passages of the first course in the second"
    )
    parser.add_argument(
        "--decided", type=int, default=30_000, help="passages that only the second course has"
    )
    parser.add_argument("--further", type=int, default=600, help="steps of the second course")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
