"""Where the numbers of a tensor were computed: back through views, copies, other orders of axes and plain factors.

    q = self.q_proj(x)                          computed here
    q = q.view(2, 7, 3, 4).transpose(1, 2)      the same numbers
    (q * 0.5) @ k.mT                            the same numbers times 0.5

Whatever a module computes from its queries or keys, it computes after that place: scores, but also a bias, a mask or a
divisor. Numbers that are written there reach all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from types import EllipsisType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.call import another_path
from mha_core.interop.running.functions import TURNS, Operation, tensors_among
from mha_core.interop.running.scores import OVER, SAME, TIMES, VIEWS, Place, plain_number

PARTS: Final = ("split", "split_with_sizes", "tensor_split", "chunk", "unbind")
_COPIES: Final = (
    "expand",
    "expand_as",
    "broadcast_to",
    "repeat",
    "repeat_interleave",
    "tile",
)
_RESHAPES: Final = (*VIEWS, "view_as", "reshape_as")
_MOVES: Final = (*TURNS, *PARTS, *_COPIES, "narrow", "select")

Step: TypeAlias = Callable[[Tensor], Tensor]
Locate: TypeAlias = Literal["origins", "operands"]


class _Made(NamedTuple):
    """How a tensor was made: by which function, and as which of its results.

    ``parent``: the tensor whose numbers it has, in another order, times ``factor``; ``step``: that order. ``versions``:
    how often it and the parent had been written into by then. ``latest``: the last product that it may depend on.
    """

    number: tuple[int, ...]
    part: int | None
    latest: int
    versions: tuple[int, int]
    parent: Tensor | None = None
    step: Step | None = None
    factor: float = 1.0


class Origins:
    """How each tensor of a run was made, as long as the tensors live.

    ``number``: of the function that runs. With ``locate`` the numbers of an operand are replaced by their positions at
    the place where they were computed, or in the operand itself, so that these can be followed like the numbers.
    """

    def __init__(self, number: Sequence[int], locate: Locate | None = None) -> None:
        self._number = number
        self._locate = locate
        self._made: MutableMapping[Tensor, _Made] = WeakTensorKeyDictionary()
        self._products = 0

    def note(self, operation: Operation, result: Any) -> None:
        """Record how a function's result was made, or each of several."""
        _, name, args, kwargs = operation
        latest = max((self.latest(part) for part in tensors_among(args, kwargs)), default=0)
        if name == "setitem" and (before := self._made.get(args[0])):
            self._made[args[0]] = before._replace(latest=latest)
        several = isinstance(result, tuple | list)
        for part, tensor in enumerate(result if several else [result]):
            if isinstance(tensor, Tensor):
                own = _Made(tuple(self._number), part if several else None, latest, (_version(tensor), 0))
                self._made[tensor] = self._from_parent(operation, own, tensor)

    def _from_parent(self, operation: Operation, made: _Made, result: Tensor) -> _Made:
        func, name, args, kwargs = operation
        parent = args[0] if args else None
        if not isinstance(parent, Tensor) or parent is result or parent.dtype != result.dtype:
            return made
        factor, step = 1.0, cast("Step", _same)
        if name in (*TIMES, *OVER) and len(args) > 1 and parent.shape == result.shape:
            number = plain_number(args[1])
            if number is None:
                return made
            factor = number if name in TIMES else 1 / number
        elif name in _RESHAPES:
            step = _reshape(result.shape)
        elif name in _MOVES or (name == "getitem" and _is_slice(args[1])):
            step = _again(func, args[1:], kwargs, made.part)
        elif name not in SAME or parent.device != result.device:
            return made
        versions = (made.versions[0], _version(parent))
        return made._replace(parent=parent, step=step, factor=factor, versions=versions)

    def product(self, result: Tensor) -> int:
        """Record that a tensor is a product of two, which may be scores: the number of this product."""
        self._products += 1
        if made := self._made.get(result):
            self._made[result] = made._replace(latest=self._products)
        return self._products

    def latest(self, tensor: Tensor) -> int:
        """The number of the last product that a tensor may depend on; 0 for none."""
        made = self._made.get(tensor)
        return made.latest if made else 0

    def of(self, tensor: Tensor, operand: int) -> tuple[Tensor, float, Place]:
        """An operand without the plain factors in it, their product, and where its numbers were computed.

        If no function computed them, or they were written into since, the place is the operand itself.
        """
        steps, factor, root = list[Step](), 1.0, tensor
        while (made := self._made.get(root)) and made.parent is not None and made.step is not None:
            if made.versions != (_version(root), _version(made.parent)):
                break
            steps.append(made.step)
            root, factor = made.parent, factor * made.factor
        if made is None or made.versions[0] != _version(root) or self._locate == "operands":
            return self._at_operand(tensor, operand, steps, root, factor)
        place = Place(made.number, made.part, root.shape)
        if self._locate:
            return _through(_positions(root.shape), steps), factor, place
        return tensor if factor == 1 else _through(root, steps), factor, place

    def _at_operand(
        self, tensor: Tensor, operand: int, steps: Sequence[Step], root: Tensor, factor: float
    ) -> tuple[Tensor, float, Place]:
        place = Place(tuple(self._number), operand, tensor.shape, is_operand=True, factor=factor)
        if self._locate:
            return _positions(tensor.shape), factor, place
        return tensor if factor == 1 else _through(root, steps), factor, place

    def replaced(self, tensor: Tensor, place: Place) -> None:
        """Record that a tensor was put in the place of an operand, with the factor of that."""
        if place.factor != 1:
            parent = tensor / place.factor
            made = _Made(
                place.number, None, 0, (_version(tensor), _version(parent)), parent, _same, place.factor
            )
            self._made[tensor] = made


def _positions(shape: torch.Size) -> Tensor:
    """0, 1, 2, … in this shape; float64 holds them exactly, and can be masked as scores are."""
    return torch.arange(shape.numel(), dtype=torch.float64).reshape(shape)


def _through(tensor: Tensor, steps: Sequence[Step]) -> Tensor:
    for step in reversed(steps):
        tensor = step(tensor)
    return tensor


def _same(tensor: Tensor) -> Tensor:
    return tensor


def _reshape(shape: torch.Size) -> Step:
    return lambda tensor: tensor.reshape(shape)


def _again(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], part: int | None
) -> Step:
    """The same function of another tensor."""

    def step(tensor: Tensor) -> Tensor:
        result = func(tensor, *args, **kwargs)
        moved: Tensor = result if part is None else result[part]
        return moved

    return step


def _is_slice(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or isinstance(part, int | slice | EllipsisType) for part in parts)


def _version(tensor: Tensor) -> int:
    """How often a tensor or a view of it was written into; it is not counted in inference mode."""
    return 0 if tensor.is_inference() else tensor._version  # noqa: SLF001  # torch has no public name for it


class Writes:
    """Numbers to be written where a run computes others: by place, positions there and the numbers."""

    def __init__(self, numbers: Mapping[Place, Sequence[tuple[Tensor, Tensor]]] | None = None) -> None:
        self._places: dict[tuple[int, ...], list[Place]] = {}
        self._numbers = numbers or {}
        for place in self._numbers:
            self._places.setdefault(place.number, []).append(place)

    def operands(
        self, number: tuple[int, ...], args: Sequence[Any], kwargs: Mapping[str, Any], origins: Origins
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """A function's arguments, with other numbers in its operands."""
        for place in self._at(number, is_operand=True):
            tensor = list(tensors_among(args, kwargs))[place.part or 0]
            new = self._written(place, tensor)
            origins.replaced(new, place)
            args, kwargs = _with(args, kwargs, place.part or 0, new)
        return args, kwargs

    def result(self, number: tuple[int, ...], args: Sequence[Any], result: Any) -> Any:
        """What a function returned, with other numbers in it."""
        for place in self._at(number, is_operand=False):
            tensor = result if place.part is None else result[place.part]
            new = self._written(place, tensor)
            if place.part is not None or (args and tensor is args[0]):
                tensor.copy_(
                    new
                )  # the module may keep what the function wrote into, and not what it returned
            else:
                result = new
        return result

    def are_at(self, number: tuple[int, ...]) -> bool:
        """Whether something is written at this function."""
        return number in self._places

    def _at(self, number: tuple[int, ...], *, is_operand: bool) -> Iterator[Place]:
        return (place for place in self._places.get(number, ()) if place.is_operand == is_operand)

    def _written(self, place: Place, tensor: Any) -> Tensor:
        if not isinstance(tensor, Tensor) or tensor.shape != place.shape:
            raise another_path()
        new = tensor.clone()
        for positions, numbers in self._numbers[place]:
            at = torch.unravel_index(positions.to(new.device), place.shape)
            new[at] = (numbers * place.factor).to(new)
        return new


def _with(
    args: Sequence[Any], kwargs: Mapping[str, Any], operand: int, new: Tensor
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments with another tensor in the place of one, which is not in a list."""
    count = -1
    given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    for key, value in given.items():
        tensors = list(tensors_among([value], {}))
        count += len(tensors)
        if count >= operand:
            index = len(tensors) - 1 - (count - operand)
            given[key] = new if isinstance(value, Tensor) else [*value[:index], new, *value[index + 1 :]]
            break
    return [given[n] for n in range(len(args))], {name: given[name] for name in kwargs}
