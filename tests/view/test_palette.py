"""The palette: text is legible on its backgrounds, and colours with different meanings differ."""

from itertools import combinations
from math import atan2, degrees, dist

import pytest

from mha_core.example.model import MAX_HEADS
from mha_view.palette import DARK, LIGHT, palette

PALETTES = {"light": LIGHT, "dark": DARK}

# Machado, Oliveira and Fernandes 2009, severity 1.
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)


def linear(colour):
    """#rrggbb → linear red, green, blue."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(a, b):
    """WCAG 2's contrast ratio."""
    dark, light = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(x), strict=True)) for x in (a, b)
    )
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb):
    """Linear red, green, blue → Ottosson's OKLab, where distances are perceptual."""
    lms = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    roots = [max(0, sum(w * c for w, c in zip(row, rgb, strict=True))) ** (1 / 3) for row in lms]
    lab = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    return [sum(w * c for w, c in zip(row, roots, strict=True)) for row in lab]


def perceived(colour, eyes=None):
    """A colour in OKLab; with a matrix ``eyes``, as colour-blind eyes see it."""
    rgb = linear(colour)
    if eyes:
        rgb = [min(1, max(0, sum(w * c for w, c in zip(row, rgb, strict=True)))) for row in eyes]
    return oklab(rgb)


def blend(a, b, share):
    """As Plotly and CSS blend: in sRGB."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)


def test_a_theme_has_its_palette():
    assert palette("light") is LIGHT
    assert palette("dark") is DARK


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_text_is_legible_on_the_page(colours):
    signs = (colours.right, colours.wrong)
    for text in (colours.text, colours.muted, colours.q, colours.k, colours.v, *signs, *colours.heads):
        for ground in (colours.background, colours.surface):
            assert contrast(text, ground) >= 4.5, (text, ground)
    for text in (colours.text, colours.muted, colours.edge):
        assert contrast(text, colours.chosen) >= 4.5, text


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_numbers_are_legible_on_every_colour_of_the_scales(colours):
    for end in (colours.weight, colours.negative, colours.positive, colours.line):
        for share in range(101):
            assert contrast(colours.text, blend(colours.background, end, share / 100)) >= 4.5, (end, share)


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_notes_are_legible_on_masked_cells(colours):
    assert contrast(colours.muted, colours.line) >= 4.5


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_the_ends_of_the_scales_stand_out(colours):
    for end in (colours.weight, colours.negative, colours.positive):
        assert contrast(end, colours.background) >= 2.9


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_nothing_but_a_mistake_is_red(colours):
    others = (colours.negative, colours.positive, colours.weight, colours.right, *colours.heads)
    for other in (*others, colours.q, colours.k, colours.v, colours.edge):
        assert dist(perceived(other), perceived(colours.wrong)) >= 0.12, other


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_the_first_heads_are_neither_end_of_the_signs(colours):
    for head in colours.heads[:4]:
        for end in (colours.negative, colours.positive):
            assert dist(perceived(head), perceived(end)) >= 0.15, (head, end)


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("eyes", [None, DEUTERANOPIA, PROTANOPIA], ids=["all", "deuteranopia", "protanopia"])
def test_signs_and_weights_differ_for_all_eyes(colours, eyes):
    for one, other in combinations((colours.negative, colours.positive, colours.weight), 2):
        assert dist(perceived(one, eyes), perceived(other, eyes)) >= 0.07, (one, other)


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_every_head_has_a_different_accent(colours):
    assert len(colours.heads) == MAX_HEADS
    for a, b in combinations(colours.heads, 2):
        assert dist(perceived(a), perceived(b)) >= 0.04, (a, b)


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("eyes", [DEUTERANOPIA, PROTANOPIA], ids=["deuteranopia", "protanopia"])
def test_the_first_heads_differ_for_colour_blind_eyes(colours, eyes):
    for count, apart in ((4, 0.08), (8, 0.035)):
        for a, b in combinations(colours.heads[:count], 2):
            assert dist(perceived(a, eyes), perceived(b, eyes)) >= apart, (a, b)


def is_violet(colour):
    """Between blue and red, and no grey."""
    _, a, b = perceived(colour)
    return dist((a, b), (0, 0)) > 0.04 and 275 <= degrees(atan2(b, a)) % 360 <= 350


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_violet_is_for_queries_and_weights_and_one_head_is_plum(colours):
    assert is_violet(colours.q)
    assert is_violet(colours.weight)
    assert [index for index, head in enumerate(colours.heads) if is_violet(head)] == [1]


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_scales_run_through_the_background(colours):
    assert colours.diverging == [[0, colours.negative], [0.5, colours.background], [1, colours.positive]]
    assert colours.sequential == [[0, colours.background], [1, colours.weight]]
