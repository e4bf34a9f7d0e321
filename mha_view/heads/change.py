"""How heads that were switched off or replaced changed a module's output, and the change without each head."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

import torch
from torch import Tensor

from mha_core.errors import Template
from mha_core.interop.running.attribution import Attribution
from mha_core.interop.running.changed import Changed
from mha_core.interop.running.edits import Done
from mha_core.interop.running.sweep import Treatment
from mha_view.heads.names import visible
from mha_view.heads.words import DIRECT, DONE, TREATED
from mha_view.language import Words

MOST: Final = 5
"""How many entries of a row are listed."""


class Entry(TypedDict):
    """An entry of the output, such as the logit of a token, before and after; of logits their probabilities too."""

    name: str
    before: float
    after: float
    probabilities: NotRequired[tuple[float, float]]


class Row(TypedDict):
    """The entries that changed most in the row of a sample's last real token; of logits those whose probability did.

    ``place``: the name of that token, "" for none; ``first``: the names of the row's largest entries before and after.
    """

    sample: int
    place: str
    entries: list[Entry]
    first: tuple[str, str]


class Change(TypedDict):
    """``done``: what was changed, each as a sentence. ``largest``: the largest change of the whole output, "" for none;
    its ``shape`` in words.
    """

    done: list[str]
    largest: str
    shape: str
    rows: list[Row]


def change(changed: Changed, words: Words) -> Change:
    """What a cell says about the output."""
    done = [_sentence(one, words) for one in changed.done]
    rows = [_row(changed, sample) for sample in changed.found.samples.numbers]
    shape = " × ".join(map(str, changed.before.shape))
    largest = f"{changed.largest:.4g}" if changed.largest else ""
    return {"done": done, "largest": largest, "shape": shape, "rows": [row for row in rows if row]}


def _sentence(done: Done, words: Words) -> str:
    """What was done to which heads: "Head 5 of h.3.attn: off (its outputs are 0)"."""
    n = len(done.heads)
    where = "part" if not n else "all" if n == done.of > 1 else "one" if n == 1 else "some"
    values = {
        "name": done.name,
        "heads": ", ".join(map(str, done.heads)),
        "n": n,
        "part": done.part,
        "rows": ", ".join(map(str, done.rows or ())),
    }
    which, how, sentence = (
        Template(words(DONE[key])) for key in (where, done.how, "rows" if done.rows else "whole")
    )
    return sentence.format(which=which.format(**values), how=how.format(**values), **values)


def treated(treatment: Treatment, words: Words) -> list[str]:
    """What a sweep did to each head in turn, and how its numbers are to be read."""
    how, part, clean, rows = treatment
    keys = [how, *(["rows"] if rows else []), *(["clean"] if clean else [])]
    values = {"part": part, "clean": clean, "rows": ", ".join(map(str, rows or ()))}
    return [words(TREATED[key]).format(**values) for key in keys]


def others(direct: Attribution, words: Words) -> list[tuple[str, float]]:
    """What a logit is the sum of: all heads, and everything else, the largest first; and the sum."""
    of_heads, total = (words(DIRECT[key]) for key in ("others_heads", "others_total"))
    rest = sorted(direct.others.items(), key=lambda one: -abs(one[1]))
    return [(of_heads, direct.values.nan_to_num(0.0).sum().item()), *rest, (total, direct.total)]


def _row(changed: Changed, sample: int) -> Row | None:
    """The row of a sample's last real token; None if the output has no rows, or has infinite numbers there."""
    shape = changed.before.shape
    if not shape or not changed.before.numel():
        return None
    lead = changed.last(sample)
    before, after = (output[lead].double() for output in (changed.before, changed.after))
    if not bool((before.isfinite() & after.isfinite()).all()):
        return None
    shares = [row.softmax(-1) for row in (before, after)] if changed.logits else []
    first, second = shares or (before, after)
    order = (second - first).abs().argsort(descending=True, stable=True)[:MOST].tolist()
    tokens = visible(changed.found.samples[sample][-1].tokens)
    return {
        "sample": sample,
        "place": tokens[lead[-1]] if changed.names and len(shape) > 2 and shape[-2] == len(tokens) else "",
        "entries": [
            _entry(_name(changed, entry), *(row[entry].item() for row in (before, after, *shares)))
            for entry in order
        ],
        "first": (_name(changed, _top(before)), _name(changed, _top(after))),
    }


def _entry(name: str, before: float, after: float, *probabilities: float) -> Entry:
    entry: Entry = {"name": name, "before": before, "after": after}
    if probabilities:
        first, second = probabilities
        entry["probabilities"] = (first, second)
    return entry


def _top(row: Tensor) -> int:
    return int(torch.argmax(row))


def _name(changed: Changed, entry: int) -> str:
    text = changed.name(entry)
    return str(entry) if text is None else f"{visible([text])[0]} ({entry})"
