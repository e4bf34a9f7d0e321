"""Every attention of a run, as a sequence that a notebook shows at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import overload

from mha_core.errors import InteropError
from mha_core.interop.running.captured import Captured
from mha_core.notebook import HEADS, html_of


def numbered(attentions: Sequence[Captured]) -> list[Captured]:
    """The attentions with their numbers in the run, and names that differ: those that a part of the module computes one
    after the other get a number.

    Three attentions of "layer", one for each head in a loop, are "layer#0", "layer#1" and "layer#2".
    """
    count, seen = Counter(one.name for one in attentions), Counter[str]()
    result = list[Captured]()
    for index, one in enumerate(attentions):
        name = one.name if count[one.name] == 1 else f"{one.name}#{seen[one.name]}"
        seen[one.name] += 1
        batch = {sample: replace(other, name=name, index=index) for sample, other in one.batch.items()}
        result.append(replace(one, name=name, index=index, batch=batch))
    return result


class Attentions(Sequence[Captured]):
    """Every attention of a run in the order of computation, for one sample. A part of it is again one.

        found = capture(model, ids)
        found[3], found[-1], found[:6], len(found)

    A notebook cell that ends in it shows all heads, layers × heads.

    ``skipped``: what looks like attention in the run but could not be followed, each as an error that says where and
    why. Its heads are not in the sequence.
    """

    __slots__ = ("_attentions", "skipped")

    def __init__(self, attentions: Iterable[Captured] = (), skipped: Iterable[InteropError] = ()) -> None:
        self._attentions = tuple(attentions)
        self.skipped = tuple(skipped)

    @overload
    def __getitem__(self, index: int) -> Captured: ...

    @overload
    def __getitem__(self, index: slice) -> Attentions: ...

    def __getitem__(self, index: int | slice) -> Captured | Attentions:
        if isinstance(index, slice):
            return Attentions(self._attentions[index], self.skipped)
        return self._attentions[index]

    def __len__(self) -> int:
        return len(self._attentions)

    def __eq__(self, other: object) -> bool:
        """Whether a sequence has the very same attentions."""
        if not isinstance(other, Attentions | list | tuple):
            return NotImplemented
        return self._attentions == tuple(other)

    def __hash__(self) -> int:
        return hash(self._attentions)

    def __repr__(self) -> str:
        return ", not followed: ".join([repr(list(self._attentions)), *map(str, self.skipped)])

    def _repr_html_(self) -> str | None:
        """What a notebook shows: all heads at a glance, in a frame; None without ``mha_view``."""
        return html_of(self, HEADS)

    @property
    def samples(self) -> Mapping[int, Attentions]:
        """The attentions of each sample of the batch by its number: this one, and those that ``Captured.batch`` keeps.

        found.samples[2][3].weights  # attention 3 of sample 2, h × n_q × n_k
        """
        if not self._attentions:
            return {}
        first = self._attentions[0]
        kept = {first.sample, *first.batch}.intersection(
            *({one.sample, *one.batch} for one in self._attentions)
        )
        return {
            number: Attentions(one.batch.get(number, one) for one in self._attentions)
            for number in sorted(kept)
        }
