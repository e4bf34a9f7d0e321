"""``mha``: the core's commands, and ``serve``, which starts the app."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Final

from mha_core import __main__ as core
from mha_core.errors import N_
from mha_core.messages import shell_language
from mha_ui.language import words_in

_HERE: Final = Path(__file__).resolve().parent


def main() -> int:
    """Run one command; returns the exit status."""
    return core.main(prog="mha", add_commands=_add_serve)


def app() -> Path:
    """The app's script, with pages/ and .streamlit/ beside it: in this folder as a wheel has it, else above it."""
    return next(path for path in (_HERE / "app" / "app.py", _HERE.parent / "app.py") if path.is_file())


def _add_serve(add: core.AddCommand) -> None:
    words = words_in(shell_language())
    sub = add("serve", _serve, words(N_("Start the app, and open it in the browser.")), "--port 8600")
    sub.add_argument("--port", type=int, help=words(N_("8501 if omitted")))
    sub.add_argument(
        "--address", help=words(N_("0.0.0.0 for whoever reaches this machine; itself alone if omitted"))
    )
    sub.add_argument("--headless", action="store_true", help=words(N_("open no browser")))


def _serve(options: Namespace) -> core.Answer:
    """Start Streamlit, which reads its settings beside the script; what is given here stands above them."""
    from streamlit.web import cli

    flags = {
        "--server.port": options.port,
        "--server.address": options.address,
        "--server.headless": options.headless or None,
    }
    given = [f"{flag}={value}" for flag, value in flags.items() if value is not None]
    sys.exit(cli.main(["run", str(app()), *given], prog_name="streamlit"))


if __name__ == "__main__":
    sys.exit(main())
