"""The lessons: four ideas of multi-head attention, each with a live picture."""

from mha_ui import frame, shell
from mha_ui.lessons import lessons_page

frame.configure(shell.LESSONS)
lessons_page()
