"""Models: a sentence through a trained model, every head of it."""

from mha_ui import frame, shell
from mha_ui.models import models_page

frame.configure(shell.MODELS)
models_page()
