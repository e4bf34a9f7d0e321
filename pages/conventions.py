"""Conventions: the example as other texts and libraries write it."""

from mha_ui import frame
from mha_ui.conventions import conventions_page

frame.configure()
conventions_page()
