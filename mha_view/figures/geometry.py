"""Plane geometry and axis ranges, on plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, frexp, hypot, ldexp, log10
from typing import TypeAlias

from mha_core.example.model import NEG_INF

Point: TypeAlias = tuple[float, float]
Range: TypeAlias = tuple[float, float]

_SLACK = 1e-9
"""Tolerated rounding error, relative to the size of the numbers."""
_SHORTEST, _LONGEST = 1e-300, 1e300


def nice(magnitude: float) -> float:
    """The smallest of 1, 2, 5 × 10^k that is not below ``magnitude``; 1 for 0. ``nice(37)`` is 50.

    An axis up to ``nice(largest)`` stays the same while the largest number changes a little. The result is limited to
    1e-300 to 1e300, so that the steps of the axis are representable too.
    """
    if magnitude <= 0:
        return 1.0
    magnitude = min(max(magnitude, _SHORTEST), _LONGEST)
    power = 10.0 ** floor(log10(magnitude))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= magnitude * (1 - _SLACK))


def largest(matrices: Iterable[Iterable[Iterable[float]]]) -> float:
    """The largest magnitude in any of the matrices, 0 without numbers; −∞ does not count."""
    return max((abs(v) for rows in matrices for row in rows for v in row if v != NEG_INF), default=0.0)


def square_ranges(points: Sequence[Point]) -> tuple[Range, Range]:
    """Two equally long ranges that contain all points with a margin.

    Their ends are half a step beyond multiples of a nice step. So they stay the same while a point moves a little, and
    no tick label is at the very end of the axis.
    """
    lows = [min(point[axis] for point in points) for axis in (0, 1)]
    highs = [max(point[axis] for point in points) for axis in (0, 1)]
    span = max(high - low for low, high in zip(lows, highs, strict=True))
    size = max(map(abs, (*lows, *highs)))
    step = nice((span if span > size * _SLACK else size) / 4)
    firsts = [floor(low / step) for low in lows]
    lasts = [ceil(high / step) for high in highs]
    count = max(last - first for first, last in zip(firsts, lasts, strict=True))
    starts = [first - (count - (last - first)) // 2 for first, last in zip(firsts, lasts, strict=True)]
    x, y = (((start - 0.5) * step, (start + count + 0.5) * step) for start in starts)
    return x, y


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """Corners of the convex hull, anticlockwise: Andrew's monotone chain.

    Two corners if all points lie on a line, one if all are equal.
    """
    ordered = sorted(set(points))
    originals = dict(zip(_scaled(ordered), ordered, strict=True))
    if len(originals) < 3:
        return list(originals.values())
    lower, upper = _chain(list(originals)), _chain(list(originals)[::-1])
    return [originals[corner] for corner in lower[:-1] + upper[:-1]]


def _scaled(points: Sequence[Point]) -> list[Point]:
    """The points divided by a common power of two, so that no product of two numbers underflows or overflows."""
    _, exponent = frexp(largest([points]))
    return [(ldexp(x, -exponent), ldexp(y, -exponent)) for x, y in points]


def _chain(ordered: list[Point]) -> list[Point]:
    """One side of the hull, without points at which it would not turn left."""
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of the triangle a, b, c; positive if it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def contains(hull: Sequence[Point], point: Point) -> bool:
    """Whether a point lies in a convex hull or on its edge, within rounding."""
    *hull, point = _scaled([*hull, point])
    slack = _SLACK * (largest([[*hull, point]]) or 1.0)
    if len(hull) == 1:
        return hypot(point[0] - hull[0][0], point[1] - hull[0][1]) <= slack
    if len(hull) == 2:
        return _distance_to_segment(hull[0], hull[1], point) <= slack
    edges = zip(hull, (*hull[1:], hull[0]), strict=True)
    return all(_turn(a, b, point) >= -slack * hypot(b[0] - a[0], b[1] - a[1]) for a, b in edges)


def _distance_to_segment(a: Point, b: Point, point: Point) -> float:
    """The distance of a point from the segment a – b."""
    ab = (b[0] - a[0], b[1] - a[1])
    length = hypot(*ab) or 1.0
    along = ((point[0] - a[0]) * (ab[0] / length) + (point[1] - a[1]) * (ab[1] / length)) / length
    along = min(1.0, max(0.0, along))
    return hypot(point[0] - a[0] - along * ab[0], point[1] - a[1] - along * ab[1])


Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top."""

_SIDES = {
    "top center": (0, 1),
    "bottom center": (0, -1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, 1),
    "top left": (-1, 1),
    "bottom right": (1, -1),
    "bottom left": (-1, -1),
}
"""Plotly's positions for a point's text, and their directions."""


def free_side(
    point: Point, size: Point, page: Box, taken: list[Box], avoided: Sequence[Box] = ()
) -> str | None:
    """The first side of a point where a label of this size is inside the page and covers no box in ``taken``, and none
    that is to be ``avoided``.

    None if there is no such side; else the label's box is added to ``taken``. All in pixels.
    """
    for side, (right, up) in _SIDES.items():
        box = _label_box(point, size, right, up)
        on_page = box[0] >= page[0] and box[1] >= page[1] and box[2] <= page[2] and box[3] <= page[3]
        if on_page and not any(_overlap(box, other) for other in (*taken, *avoided)):
            taken.append(box)
            return side
    return None


def around(point: Point, radius: float) -> Box:
    """The box of a mark."""
    return (point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius)


def _label_box(point: Point, size: Point, right: int, up: int) -> Box:
    """The box of a label beside a mark with a radius of 5 pixels, 2 pixels away."""
    x = point[0] + right * (size[0] / 2 + (7 if up == 0 else 3))
    y = point[1] + up * (size[1] / 2 + 7)
    return (x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
