"""Errors that follow from lost digits: an earlier number has only the digits that its author printed."""

from __future__ import annotations

from collections.abc import Set

import torch
from torch import Tensor

from mha_core.check.search import Family, Search
from mha_core.compute.operations import Step
from mha_core.compute.printed import Key, Printed
from mha_core.vocabulary import PER_HEAD


class LostDigits:
    """How far the numbers that were carried forward may be from their author's own.

    ``unexplained``: the steps with errors that nothing explains, as they are found.
    """

    def __init__(self, search: Search, unexplained: Set[str]) -> None:
        self.search, self.unexplained = search, unexplained
        self._unsure_by: dict[Key, Tensor] = {}
        """Half a unit of each wrong number."""

    def carried(self, key: Key, claim: Printed, exact: Tensor, best: Tensor) -> None:
        """The author's numbers of a matrix are carried forward; ``best``: what they may have been before rounding."""
        lost = ~claim.fits(best)
        if not self.unexplained:  # a known whole number has no digits to lose
            lost |= best != best.round()
        wrong = claim.given & ~claim.fits(exact)
        self._unsure_by[key] = torch.where(wrong & lost, claim.unit / 2, 0.0)

    def explain(self, key: Key, claim: Printed, plain: Family) -> Tensor:
        """Where the difference may come from the digits that an earlier unexplained number lost in printing."""
        radius = self._step_radius(key) if key in self.search.steps else None
        if radius is None:
            return torch.zeros_like(claim.given)
        return ((plain.values - claim.numbers).abs() <= claim.unit + radius).any(0)

    def _step_radius(self, key: Key) -> Tensor | None:
        """How far the unknown digits of the operands can move each cell of a step; None if all digits are known."""
        step, tensors = self.search.operands(key)
        radius = None
        for name in step.operand_names:
            unsure = self._unsure(name, key)
            if unsure is not None and unsure.any():
                movement = self._movement(key, tensors, name, unsure)
                radius = movement if radius is None else radius + movement
        return radius

    def _unsure(self, name: str, key: Key) -> Tensor | None:
        if self.search.steps[key].gathers != name:
            return self._radius((name, key[1] if name in PER_HEAD else None))
        heads = [self._radius((name, g)) for g in self.search.heads_of(key)]
        shape = next((radius for radius in heads if radius is not None), None)
        if shape is None:
            return None
        return torch.stack([torch.zeros_like(shape) if radius is None else radius for radius in heads])

    def _radius(self, key: Key) -> Tensor | None:
        """How far a carried matrix may be from the author's own.

        The radius of an unwritten step comes from the steps before it. If errors are unexplained it has none: half a
        unit of a guess would excuse too much two steps later.
        """
        hidden = key in self.search.steps and key not in self.search.carried and not self.unexplained
        return self._step_radius(key) if hidden else self._unsure_by.get(key)

    def _movement(self, key: Key, tensors: dict[str, Tensor], name: str, unsure: Tensor) -> Tensor:
        """How far the step moves when one cell of an operand moves, added up over all its cells."""
        cells = unsure.nonzero(as_tuple=True)
        is_mixed = _mixed_axes(self.search.steps[key], name, unsure.dim())
        mixed = [indices for indices, one_by_one in zip(cells, is_mixed, strict=True) if one_by_one]
        batches = torch.unique(torch.stack(mixed), dim=1, return_inverse=True)[1] if mixed else cells[0] * 0
        movements = torch.zeros(int(batches.max()) + 1, *unsure.shape, dtype=torch.float64)
        movements[batches, *cells] = unsure[cells]
        batch = {other: tensor.expand(len(movements), *tensor.shape[1:]) for other, tensor in tensors.items()}
        unmoved = self.search.run(key, tensors)
        results = [self.search.run(key, batch | {name: batch[name] + sign * movements}) for sign in (1, -1)]
        return torch.maximum(*((result - unmoved).abs() for result in results)).nan_to_num(0.0).sum(0)


def _mixed_axes(step: Step, name: str, axes: int) -> list[bool]:
    """For each axis of an operand, whether cells that differ in it may feed the same cell of the result.

    Cells that differ in an index letter of the result feed different cells, so they can be moved at once.
    """
    indices = [operand.index for operand in step.operands if operand.name == name]
    if len(indices) == 1 and len(indices[0]) == axes:
        return [letter not in step.index for letter in indices[0]]
    return [True] * axes
