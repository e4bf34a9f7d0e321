"""Make the model: ``python -m training``. It takes what the README says, on one core."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch

from mha_core.models.model import open_model
from training.corpus import encode
from training.export import save
from training.heads import behaviours, best, probed
from training.loop import train
from training.measures import counted, held_out
from training.model import Bert, Shape
from training.passages import passages
from training.probes import PROBES
from training.start import embeddings
from training.tokenizer import make_tokenizer

OWN = Path(__file__).resolve().parent.parent / "mha_core" / "models" / "own"
SEED, OTHER_SEED = 1, 2
"""Of what is learned from, and of what is held out."""
HELD_OUT = 4000


def main() -> None:
    """Texts, tokenizer, learning, the folder, and what can be said of it."""
    asked = _arguments()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(SEED)
    began = time.process_time()
    texts = list(passages(SEED, asked.passages))
    tokenizer = make_tokenizer(texts)
    size = tokenizer.get_vocab_size()
    model = Bert(Shape(size))
    corpus = encode(tokenizer, texts, model.shape.places)
    with torch.no_grad():
        model.bert["embeddings"]["word_embeddings"].weight.copy_(
            embeddings(corpus, size, model.shape.width, SEED)
        )
    print(f"{len(texts)} passages, {size} tokens, {time.process_time() - began:.0f} s of one core")
    train(model, corpus, asked.steps, SEED, print)
    save(model, tokenizer, asked.folder)
    others = list(passages(OTHER_SEED, HELD_OUT))
    print(held_out(model, encode(tokenizer, others, model.shape.places), counted(corpus, size), SEED))
    tell_heads(asked.folder)
    print(f"{time.process_time() - began:.0f} s of one core in all")


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
    parser.add_argument("--passages", type=int, default=250_000)
    parser.add_argument("--steps", type=int, default=9_000)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
