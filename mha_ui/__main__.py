"""``python -m mha_ui``: all commands of ``mha``, in a checkout where the package is not installed."""

import sys

from mha_ui.command import main

sys.exit(main("python -m mha_ui"))
