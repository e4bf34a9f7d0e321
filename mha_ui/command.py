"""``mha``: the core's commands, ``walk``, which writes what the app's walkthrough hands out, and ``serve``."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mha_core import __main__ as core
from mha_core.errors import N_
from mha_core.export import check_decimals
from mha_core.messages import shell_language
from mha_ui.language import Words, words_in

if TYPE_CHECKING:
    from mha_core.compute.trace import Trace

_HERE: Final = Path(__file__).resolve().parent


def main() -> int:
    """Run one command; returns the exit status."""
    return core.main(prog="mha", add_commands=_add)


def app() -> Path:
    """The app's script, with pages/ and .streamlit/ beside it: in this folder as a wheel has it, else above it."""
    return next(path for path in (_HERE / "app" / "app.py", _HERE.parent / "app.py") if path.is_file())


def _add(add: core.AddCommand) -> None:
    words = words_in(shell_language())
    _add_walk(add, words)
    _add_serve(add, words)


def _add_walk(add: core.AddCommand, words: Words) -> None:
    description = words(N_("Print the walk through an example: a web page, Markdown or slides."))
    sub = add("walk", _walk, description, "first --to slides > walk.pptx")
    sub.add_argument("file", metavar="FILE", help=words(core.EXAMPLE_FILE))
    sub.add_argument("--to", required=True, choices=("page", "markdown", "slides"))
    sub.add_argument("--decimals", type=int, default=4, help=words(N_("of the numbers; 4 if omitted")))


def _walk(options: Namespace) -> core.Answer:
    """In the shell's language. Torch is imported once the example is read."""
    example = core.read_example(options.file)
    check_decimals(options.decimals)
    from mha_core import trace
    from mha_core.walk.markdown import as_markdown
    from mha_ui.handout import as_html
    from mha_ui.handout.slides import as_slides

    writers: dict[str, Callable[[Trace, str, int], object]] = {
        "page": as_html,
        "markdown": as_markdown,
        "slides": as_slides,
    }
    return 0, writers[options.to](trace(example), shell_language(), options.decimals)


def _add_serve(add: core.AddCommand, words: Words) -> None:
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
