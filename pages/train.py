"""Train: a small model learns a task, and every head is watched as it forms."""

from mha_ui import frame, shell
from mha_ui.train import train_page

frame.configure(shell.TRAIN)
train_page()
