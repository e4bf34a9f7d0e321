"""The experiments: the example at hand beside itself done otherwise."""

from mha_ui import frame, shell
from mha_ui.experiments import experiments_page

frame.configure(shell.EXPERIMENTS)
experiments_page()
