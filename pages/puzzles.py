"""Puzzles: small goals that are reached by changing numbers."""

from mha_ui import frame, shell
from mha_ui.puzzles import puzzles_page

frame.configure(shell.PUZZLES)
puzzles_page()
