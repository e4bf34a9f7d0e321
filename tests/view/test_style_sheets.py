"""The stylesheets: sizes of type, spaces, corners and buttons come from one scale, colours from the palette."""

import re
from itertools import pairwise

import pytest

from mha_view.bundle import WEB

SCALE = WEB / "kit/scale.css"
SHEETS = {str(path.relative_to(WEB)): path for path in sorted(WEB.rglob("*.css")) if path != SCALE}
IN_A_HALL = re.compile(r'data-view="pr|(mha|in)-hall|^\.hall|\.notes|@media print')
"""Rules of what is read from the last row, where type follows the window, and of paper."""
DECLARATION = re.compile(r"^([\w-]+)\s*:\s*([^{};]+)$")


def declarations(text):
    """(selectors from the outside in, property, value) of each declaration of a sheet with nested rules."""
    outer, text = [], re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for part, end in re.findall(r"([^{};]*)([{};])", text):
        if end == "{":
            outer.append(" ".join(part.split()))
            continue
        if found := DECLARATION.match(part.strip()):
            yield " ".join(outer), found[1], found[2].strip()
        if end == "}":
            outer.pop()


def test_nested_rules_are_read():
    sheet = ".a { color: red; /* ; } */ & b:hover { font-size: 1em } } @media print { p { margin: 0; } }"
    found = list(declarations(sheet))
    assert found == [
        (".a", "color", "red"),
        (".a & b:hover", "font-size", "1em"),
        ("@media print p", "margin", "0"),
    ]


@pytest.fixture(params=[*SHEETS.values()], ids=[*SHEETS])
def on_screen(request):
    """A sheet's declarations, but for those of a hall and of paper."""
    text = request.param.read_text("utf-8")
    return [found for found in declarations(text) if not IN_A_HALL.search(found[0])]


def test_type_has_six_sizes(on_screen):
    allowed = re.compile(r"(var\(--text-([1-6]|less|more|most|sub)\)|var\(--least\)|inherit|0)( !important)?")
    others = [
        (where, value)
        for where, name, value in on_screen
        if name == "font-size" and not allowed.fullmatch(value)
    ]
    assert others == []


def test_the_least_is_12_pixels_and_sizes_differ_by_more_than_a_pixel():
    sizes = [16 * float(rem) for rem in re.findall(r"--text-\d: calc\(([\d.]+)rem", SCALE.read_text("utf-8"))]
    assert len(sizes) == 6
    assert min(sizes) == 12
    assert all(larger - smaller >= 2 for smaller, larger in pairwise(sizes))


def test_corners_have_four_radii(on_screen):
    allowed = re.compile(r"((var\(--(round-[123]|pill)\)|0|50%|inherit) ?)+")
    others = [
        (where, value)
        for where, name, value in on_screen
        if name == "border-radius" and not allowed.fullmatch(value)
    ]
    assert others == []


def test_buttons_have_three_heights(on_screen):
    allowed = re.compile(r"var\(--(small|control|touch)\)|0|auto|none|unset")
    others = [
        (where, value)
        for where, name, value in on_screen
        if name == "min-height" and re.search(r"\bbutton$|\.run$", where) and not allowed.fullmatch(value)
    ]
    assert others == []


def test_no_sheet_has_a_colour_of_its_own(on_screen):
    """What lies below a QR code is white, and a mask black: neither is seen as a colour."""
    others = [
        (where, name, value)
        for where, name, value in on_screen
        if re.search(r"#[0-9a-f]{3,8}\b", value) and value != "#fff" and "mask" not in name
    ]
    assert others == []


def test_spaces_are_of_one_scale(on_screen):
    """Up to 3 px are free: lines between cells, and the room of a frame, which a negative margin gives back."""
    spacing = re.compile(
        r"(margin|padding)(-(top|right|bottom|left|(block|inline)(-(start|end))?))?|(row-|column-)?gap"
    )
    of_its_own = re.compile(r"\d(r?em|%|v[wh])|([4-9]|\d\d+)px|\d\.\d*px")
    others = [
        (where, name, value)
        for where, name, value in on_screen
        if spacing.fullmatch(name) and of_its_own.search(value)
    ]
    assert others == []


def test_each_space_is_a_third_larger_than_the_one_before_at_least():
    sizes = [
        16 * float(rem) for rem in re.findall(r"--space-\d: calc\(([\d.]+)rem", SCALE.read_text("utf-8"))
    ]
    assert sizes == [2, 4, 8, 12, 16, 24, 32, 48]
    assert all(3 * larger >= 4 * smaller for smaller, larger in pairwise(sizes))
