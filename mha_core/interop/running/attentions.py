"""Every attention of a run, as a sequence that a notebook shows at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import overload

from mha_core.errors import N_, InteropError
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.lookup import SAMPLES, NoSuchNumberError, counted, index_of
from mha_core.notebook import HeadsPage


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


class Attentions(HeadsPage, Sequence[Captured]):
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
    def __getitem__(self, index: int | str) -> Captured: ...

    @overload
    def __getitem__(self, index: slice) -> Attentions: ...

    def __getitem__(self, index: int | str | slice) -> Captured | Attentions:
        """An attention by its index or by its name, as ``without`` and ``patch`` take it, or some as a slice."""
        if isinstance(index, slice):
            return Attentions(self._attentions[index], self.skipped)
        return self._attentions[index_of(self._attentions, index, "found")]

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

    @property
    def samples(self) -> Samples:
        """The attentions of each sample of the batch: this one, and those that ``Captured.batch`` keeps.

        found.samples[2][3].weights  # attention 3 of sample 2, h × n_q × n_k
        """
        return Samples(self._attentions)


class Samples(Iterable[Attentions]):
    """The attentions of each sample that is kept, in order.

    for attentions in found.samples: …  # one sample after the other
    found.samples[2]                    # by the sample's number in the batch, or from the end if below 0
    found.samples.numbers               # (0, 1, 2)
    """

    def __init__(self, attentions: Sequence[Captured]) -> None:
        self._attentions = attentions
        kept = [{one.sample, *one.batch} for one in attentions]
        self.numbers: tuple[int, ...] = tuple(sorted(kept[0].intersection(*kept))) if kept else ()
        self._count = attentions[0].samples if attentions else 0

    def __getitem__(self, number: int) -> Attentions:
        number = counted(number, self._count, SAMPLES, "samples")
        if number not in self.numbers:
            raise NoSuchNumberError(
                N_(
                    "sample {number} was not kept, since its attentions are large; capture it with sample={number}"
                ),
                place="samples",
                number=number,
            )
        return Attentions(one.batch.get(number, one) for one in self._attentions)

    def __iter__(self) -> Iterator[Attentions]:
        return (self[number] for number in self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"samples {', '.join(map(str, self.numbers))} of {self._count}"
