"""The lessons: four ideas of multi-head attention, each with a live picture."""

import pandas  # noqa: F401  # imported before the first visitor, whose page would meet a half-imported module
import plotly.graph_objects  # noqa: F401

from mha_ui import frame
from mha_ui.lessons import lessons_page

frame.configure()
lessons_page()
