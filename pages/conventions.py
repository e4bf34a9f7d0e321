"""Notation: the example as other texts and libraries write it."""

from mha_ui import frame, shell
from mha_ui.conventions import conventions_page

frame.configure(shell.CONVENTIONS)
conventions_page()
