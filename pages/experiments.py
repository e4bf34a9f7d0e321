"""The experiments: the current example beside a variant of itself."""

from mha_ui import frame, shell
from mha_ui.experiments import experiments_page

frame.configure(shell.EXPERIMENTS)
experiments_page()
