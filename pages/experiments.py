"""The experiments: the example at hand beside itself done otherwise."""

import pandas  # noqa: F401  # imported before the first visitor, whose page would meet a half-imported module
import plotly.graph_objects  # noqa: F401

from mha_ui import frame
from mha_ui.experiments import experiments_page

frame.configure()
experiments_page()
