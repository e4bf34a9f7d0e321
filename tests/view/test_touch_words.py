"""What is said of pointing with a mouse has other words where there is none: names that end in ``_touch``."""

from mha_view.tables.words import WORDS


def _about_a_mouse() -> set[str]:
    return {name for name, text in WORDS.items() if "Hover" in str(text) or "Point at" in str(text)}


def test_each_hint_about_a_mouse_has_one_for_a_touch_screen():
    assert _about_a_mouse()
    assert [name for name in _about_a_mouse() if f"{name}_touch" not in WORDS] == []
    assert [name for name in _about_a_mouse() if name.endswith("_touch")] == []
