"""Hulls, nice numbers and places for labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_view.figures.geometry import around, contains, convex_hull, free_side, largest, nice, square_ranges

coordinates = st.integers(-50, 50).map(lambda tenths: tenths / 10)
points = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("magnitude", "end"),
    [
        (0, 1),
        (0.3, 0.5),
        (1, 1),
        (1.01, 2),
        (2, 2),
        (4.9, 5),
        (5, 5),
        (61, 100),
        (100, 100),
        (1e-9, 1e-9),
        (3e51, 5e51),
    ],
)
def test_nice(magnitude, end):
    assert nice(magnitude) == pytest.approx(end)


@given(st.floats(1e-12, 1e52))
def test_a_nice_number_is_not_below_and_not_far_above(magnitude):
    assert magnitude * (1 - 1e-9) <= nice(magnitude) <= 2.5 * magnitude * (1 + 1e-9)


def test_the_largest_magnitude_ignores_hidden_pairs():
    assert largest([[[1.0, -7.0]], [[float("-inf"), 3.0]]]) == 7
    assert largest([]) == 0


def test_the_hull_of_a_square_with_a_point_inside():
    square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
    assert convex_hull([*square, (1.0, 1.0), (1.0, 0.0)]) == square


@pytest.mark.parametrize(
    ("given_points", "corners"),
    [
        ([(1.0, 1.0)] * 3, [(1.0, 1.0)]),
        ([(0.0, 0.0), (1.0, 1.0), (3.0, 3.0)], [(0.0, 0.0), (3.0, 3.0)]),
        ([(2.0, 0.0), (2.0, 5.0)], [(2.0, 0.0), (2.0, 5.0)]),
    ],
)
def test_a_hull_without_area(given_points, corners):
    assert convex_hull(given_points) == corners
    assert all(contains(corners, point) for point in given_points)
    assert not contains(corners, (9.0, 1.0))


@given(points)
def test_a_hull_contains_its_points_and_their_mean(cloud):
    hull = convex_hull(cloud)
    assert set(hull) <= set(cloud)
    assert all(contains(hull, point) for point in cloud)
    assert contains(hull, tuple(sum(p[axis] for p in cloud) / len(cloud) for axis in (0, 1)))
    assert not contains(hull, (max(x for x, _ in cloud) + 0.1, 0.0))


@given(points)
def test_ranges_are_square_and_contain_all_points(cloud):
    x, y = square_ranges(cloud)
    assert x[1] - x[0] == pytest.approx(y[1] - y[0])
    for a, b in cloud:
        assert x[0] < a < x[1]
        assert y[0] < b < y[1]


def test_ranges_stay_the_same_while_a_point_moves_a_little():
    assert square_ranges([(1.0, 1.0), (4.3, 2.0)]) == square_ranges([(1.0, 1.1), (4.6, 2.2)])


@pytest.mark.parametrize(
    "cloud", [[(0.0, 0.0)], [(5.0, 1.0)], [(0.11, 0.0), (0.11 + 1e-17, 0.0), (0.11 + 2e-17, 0.0)]]
)
def test_ranges_of_coinciding_points(cloud):
    x, y = square_ranges(cloud)
    assert x[1] - x[0] == pytest.approx(y[1] - y[0])
    assert x[1] - x[0] > 0.01


def test_labels_are_put_where_there_is_space():
    page, taken = (0.0, 0.0, 100.0, 100.0), [around((50.0, 50.0), 5)]
    sides = [free_side((50.0, 50.0), (30.0, 13.0), page, taken) for _ in range(9)]
    assert sides[:4] == ["top center", "bottom center", "middle right", "middle left"]
    assert sides[-1] is None
    assert free_side((2.0, 2.0), (30.0, 13.0), page, []) == "top right"


def test_a_label_is_put_beside_what_it_should_avoid():
    page = (0, 0, 100, 100)
    above = around((50, 62), 4)
    assert free_side((50, 50), (20, 10), page, []) == "top center"
    assert free_side((50, 50), (20, 10), page, [], [above]) != "top center"
