"""``mha``: the core's commands, ``walk`` and ``page``, which write an example as a file, and ``serve``."""

from __future__ import annotations

import errno
import os
import re
import socket
import sys
import webbrowser
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode
from urllib.request import urlopen

from mha_core import __main__ as core
from mha_core import arguments
from mha_core.errors import N_, MhaError, needs
from mha_core.export import require_decimals
from mha_core.messages import shell_language
from mha_core.quoted import quoted
from mha_view.language import Words, words_in

if TYPE_CHECKING:
    from mha_core.compute.trace import Trace

MOST_PORT: Final = 65_535
OWN_ADDRESS: Final = "127.0.0.1"
"""Where the app listens by default, as in the settings beside the script."""
USUAL_PORT: Final = 8501
MOST_WAITED: Final = 600
"""Tenths of a second until the app must have started, before a browser is opened."""
_HERE: Final = Path(__file__).resolve().parent


def main(prog: str = "mha") -> int:
    """Run one command; returns the exit status."""
    return core.main(prog=prog, add_commands=_add)


def app() -> Path:
    """The app's script, with pages/ and .streamlit/ beside it: in this folder as a wheel has it, else above it."""
    return next(path for path in (_HERE / "app" / "app.py", _HERE.parent / "app.py") if path.is_file())


def _add(add: core.AddCommand) -> None:
    words = words_in(shell_language())
    _add_walk(add, words)
    _add_page(add, words)
    _add_serve(add, words)
    _add_view(add, words)


def _add_walk(add: core.AddCommand, words: Words) -> None:
    description = words(N_("Write the step-by-step tour of an example as a web page, Markdown or slides."))
    sub = add("walk", _walk, description, "first --to slides > walk.pptx")
    sub.add_argument("file", metavar="FILE", help=words(arguments.EXAMPLE_FILE))
    sub.add_argument("--to", required=True, choices=("page", "markdown", "slides"))
    _add_decimals(sub, words)


def _add_decimals(sub: ArgumentParser, words: Words) -> None:
    text = words(N_("decimals of the numbers; 4 if omitted"))
    sub.add_argument("--decimals", type=int, default=4, help=text)


def _walk(options: Namespace) -> core.Answer:
    """The walk in the shell's language. Torch is imported once the example is read."""
    example = core.read_example(options.file)
    require_decimals(options.decimals)
    from mha_core import trace
    from mha_core.walk.markdown import as_markdown
    from mha_view.handout import as_html
    from mha_view.handout.slides import as_slides

    writers: dict[str, Callable[[Trace, str, int], object]] = {
        "page": as_html,
        "markdown": as_markdown,
        "slides": as_slides,
    }
    return 0, writers[options.to](trace(example), shell_language(), options.decimals)


def _add_page(add: core.AddCommand, words: Words) -> None:
    description = words(
        N_("Write an example as one HTML file that computes in the browser and needs no server.")
    )
    sub = add("page", _page, description, "first > page.html")
    sub.add_argument("file", metavar="FILE", help=words(arguments.EXAMPLE_FILE))
    app = words(
        N_("the address of the app, for a link that opens the same numbers there; no link if omitted")
    )
    sub.add_argument("--app", type=_web_address, help=app)
    _add_decimals(sub, words)


def _page(options: Namespace) -> core.Answer:
    """The page of an example, first in the shell's language. Torch is imported once the example is read."""
    example = core.read_example(options.file)
    require_decimals(options.decimals)
    from mha_core import trace
    from mha_view.page import as_page

    with needs("rjsmin", "app", MhaError):
        return 0, as_page(trace(example), shell_language(), options.decimals, options.app or "")


def _web_address(text: str) -> str:
    if re.fullmatch(r"https?://[^\s/?#][^\s?#]*", text):
        return text
    words = words_in(shell_language())
    wanted = words(N_("expected an address such as https://course.example, got {text}"))
    raise ArgumentTypeError(wanted.format(text=quoted(text).translated(words)))


def _add_serve(add: core.AddCommand, words: Words) -> None:
    sub = add("serve", _serve, words(N_("Start the app and open it in a browser.")), "--port 8600")
    port, address = map(os.environ.get, ("STREAMLIT_SERVER_PORT", "STREAMLIT_SERVER_ADDRESS"))
    sub.add_argument("--port", type=_port, default=port or None, help=words(N_("8501 if omitted")))
    reached = words(N_("0.0.0.0 to accept connections from other machines; only this machine if omitted"))
    sub.add_argument("--address", default=address or None, help=reached)
    sub.add_argument("--headless", action="store_true", help=words(N_("do not open a browser")))


def _add_view(add: core.AddCommand, words: Words) -> None:
    description = words(N_("Open a trained model in the app, with a text that it reads."))
    sub = add("view", _view, description, 'own "The cat sat on the mat." --without 0.3')
    sub.add_argument("model", metavar="MODEL", help=words(N_("the model's name, or its folder")))
    sub.add_argument("text", metavar="TEXT", help=words(N_("the text for the model to read")))
    arguments.add_model_options(sub)
    added = words(N_("have the model continue the text by so many tokens"))
    sub.add_argument("--generate", metavar="N", type=int, default=0, help=added)
    as_json = words(N_("print what every head does as JSON, as models does, and start nothing"))
    sub.add_argument("--json", action="store_true", help=as_json)
    any_port = words(N_("8501 if omitted, or any free port if that is in use"))
    sub.add_argument("--port", type=_port, help=any_port)
    sub.add_argument("--no-browser", action="store_true", help=words(N_("do not open a browser")))


def _view(options: Namespace) -> core.Answer:
    """Start the app, print the page's address and open it there. What is wrong with the request is said before."""
    from mha_core.models import cards, load, run
    from mha_core.models.generation import written
    from mha_core.models.library import SETTING, card_of
    from mha_core.models.report import heads_as_json

    if options.json:
        import torch

        torch.set_num_threads(1)  # as models has, so that both print the same numbers to the last digit
    card = card_of(options.model, options.part)
    model = load(card)  # the app runs in this process and finds it loaded
    tokens = written(model, options.text, options.generate)
    found = run(model, tokens, without=options.without)
    if options.json:
        return 0, heads_as_json(tokens, found, None, ())
    if options.without and not model.can_guess:
        sentence = N_(
            "the page mutes heads only of models that guess words; --json shows what the others do then"
        )
        raise MhaError(sentence, place="--without")
    if card not in cards():
        name = card.key.removesuffix(".decoder")
        os.environ[SETTING] = f"{os.environ.get(SETTING, '')};{name}={card.folder}"
    port = options.port or _free_port()
    off = [f"{layer + 1}.{head + 1}" for layer, head in options.without]
    query = {
        "model": card.key,
        "text": options.text,
        "head": "".join(off[:1]),
        "off": "_".join(off),
        "next": options.generate or "",
    }
    address = (
        f"http://localhost:{port}/models?{urlencode({name: value for name, value in query.items() if value})}"
    )
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    if not options.no_browser:
        Thread(target=_open_when_ready, args=(port, address), daemon=True).start()
    return _serve(Namespace(port=port, address=None, headless=True))


def _free_port() -> int:
    """The usual port, or another if that is in use."""
    try:
        _check_bind(OWN_ADDRESS, USUAL_PORT)
    except MhaError:
        with socket.socket() as probe:
            probe.bind((OWN_ADDRESS, 0))
            return int(probe.getsockname()[1])
    return USUAL_PORT


def _open_when_ready(port: int, address: str) -> None:
    """Open the page once the app answers."""
    for _ in range(MOST_WAITED):
        with suppress(OSError), urlopen(f"http://{OWN_ADDRESS}:{port}/api/ready"):  # our own server
            webbrowser.open(address)
            return
        sleep(0.1)


def _port(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,5}", text) and int(text) <= MOST_PORT:
        return int(text)
    words = words_in(shell_language())
    wanted = words(N_("expected a port from 0 to {most}, got {text}"))
    raise ArgumentTypeError(wanted.format(most=MOST_PORT, text=quoted(text).translated(words)))


def _serve(options: Namespace) -> core.Answer:
    """Start Streamlit, which reads its settings beside the script; the options given here override them."""
    _check_bind(options.address or OWN_ADDRESS, options.port or 0)
    with needs("streamlit", "app", MhaError):
        from streamlit.web import cli

    flags = {
        "--server.port": options.port,
        "--server.address": options.address,
        "--server.headless": options.headless or None,
    }
    given = [f"{flag}={value}" for flag, value in flags.items() if value is not None]
    try:
        cli.main(["run", str(app()), *given], prog_name="streamlit")
    except SystemExit as end:
        return (core.FAILED if end.code else 0), None  # 1 only ever means wrong numbers
    return 0, None


def _check_bind(address: str, port: int) -> None:
    """Raise ``MhaError`` where the app cannot listen at an address and port; 0 is any port."""
    words = words_in(shell_language())
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            if os.name != "nt":  # as Streamlit binds: Windows would let two programs have one port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        template = _TAKEN if error.errno == errno.EADDRINUSE else _UNREACHABLE
        reason = error.strerror or str(error)
        message = words(template).format(address=address, port=port, reason=reason)
        raise MhaError("{message}", message=message) from None


_TAKEN: Final = N_(
    "port {port} is in use by another program; stop that program, or choose another port with --port"
)
_UNREACHABLE: Final = N_("the app cannot listen at address {address}, port {port}: {reason}")
