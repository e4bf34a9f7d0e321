"""Examples and widgets in notebooks, as they are run without a front end, in JupyterLab and in marimo."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_view.notebook import page as page_of
from tests.apply import apply
from tests.e2e.looks import PAPER
from tests.e2e.test_page import set_to
from tools.drive.server import ROOT, free_port

X = 'td[data-key="x||0|0"]'
LONG = 0.1234567890123456789
WIDGET = "from mha_view.notebook import Widget\nwidget = Widget(mha.built_in('first'))\nwidget"
READ = "widget.example.x[0][0].hex()"


def notebook(*cells):
    import nbformat  # jsonschema takes seconds, and every collection imports this file

    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel})


@contextmanager
def served(module, *arguments, folder, ready):
    """A server of notebooks that knows nothing but this folder: its address."""
    port = free_port()
    home = {name: str(folder / name.lower()) for name in ("HOME", "XDG_CONFIG_HOME", "IPYTHONDIR")}
    home |= {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    home |= {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments, f"--port={port}"],
        cwd=folder,
        env={**os.environ, **home, "PYTHONPATH": str(ROOT), "LANGUAGE": "en"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"http://127.0.0.1:{port}/"
        _wait(f"{url}{ready}", process)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _wait(url, process):
    deadline = time.monotonic() + 60
    while not _answers(url):
        assert process.poll() is None, "the server ended while it was starting"
        assert time.monotonic() < deadline, f"{url} did not answer"
        time.sleep(0.1)  # polling another process, not waiting for a page


def _answers(url):
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


def test_a_notebook_that_is_executed_holds_pages_and_a_widget():
    import nbclient

    executed = notebook(
        "import mha_core as mha\nexample = mha.built_in('first')\nexample", "mha.trace(example)", WIDGET, READ
    )
    nbclient.NotebookClient(executed, timeout=120, resources={"metadata": {"path": ROOT}}).execute()
    example, computed, widget, read = (cell.outputs[0]["data"] for cell in executed.cells)
    assert example["text/html"] == computed["text/html"] == page_of(built_in("first"))
    assert example["text/plain"] == repr(built_in("first"))
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert read["text/plain"] == repr((1.0).hex())


# --- JupyterLab ------------------------------------------------------------------------------------------------------

NO_NEWS = '{"fetchNews": "false", "checkForUpdates": false}'
"""It would ask whether it may."""


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    """JupyterLab's address, and the folder of its notebooks."""
    folder = tmp_path_factory.mktemp("jupyterlab")
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(NO_NEWS, "utf-8")
    arguments = "--no-browser", "--allow-root", "--IdentityProvider.token=", "--ServerApp.ip=127.0.0.1"
    with served("jupyterlab", *arguments, folder=folder, ready="api") as url:
        yield url, folder


@pytest.fixture
def lab(jupyterlab, new_context):
    """Opens a notebook with these cells in JupyterLab."""
    import nbformat

    url, folder = jupyterlab

    def opened(*cells, name):
        nbformat.write(notebook(*cells), folder / f"{name}.ipynb")
        page = new_context(viewport={"width": 1280, "height": 1200}).new_page()
        page.goto(f"{url}doc/tree/{name}.ipynb")
        expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
        return page

    return opened


def run_cell(page, number):
    """Run a cell, as Shift + Enter does, and wait until it has run."""
    cell = page.locator(".jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(f"[{number + 1}]:")
    return cell


@pytest.mark.long
def test_in_jupyterlab_an_example_is_dragged_in_light_and_dark(lab):
    page = lab("import mha_core as mha\nmha.built_in('programming')", name="example")
    frame = run_cell(page, 0).frame_locator("iframe")
    number = frame.locator(X)
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 10, steps=5)
    expect(number).not_to_have_text("2")
    page.mouse.up()
    dragged = apply(built_in("programming"), set_to(0, 0, float(number.inner_text().replace("−", "-"))))
    weight = trace(dragged).matrix("weights", 1)[0][0]
    expect(frame.locator('td[data-key="weights|1|0|0"]')).to_have_text(f"{weight:.4f}")
    expect(frame.locator("body")).to_have_css("background-color", PAPER["light"])
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text("JupyterLab Dark", exact=True).click()
    expect(frame.locator("body")).to_have_css("background-color", PAPER["dark"])


@pytest.mark.long
def test_in_jupyterlab_a_widget_s_example_is_the_one_that_the_page_shows(lab):
    causal = "widget.example = mha.built_in('causal')"
    page = lab(f"import mha_core as mha\n{WIDGET}", READ, causal, name="widget")
    frame = run_cell(page, 0).frame_locator("iframe")
    frame.locator(X).click()
    page.keyboard.type(str(LONG))
    page.keyboard.press("Enter")
    expect(frame.locator(".bench")).to_have_attribute("data-kept", "true")
    expect(run_cell(page, 1).locator(".jp-OutputArea-executeResult")).to_contain_text(repr(LONG.hex()))
    run_cell(page, 2)
    expect(frame.locator("h1")).to_contain_text("a causal mask")
    expect(frame.locator(X)).to_have_text("1")


# --- marimo ----------------------------------------------------------------------------------------------------------

MARIMO = f"""
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import mha_core as mha
    from mha_view.notebook import Widget
    return Widget, mha, mo

@app.cell
def _(mha):
    mha.built_in("programming")

@app.cell
def _(Widget, mha, mo):
    widget = mo.ui.anywidget(Widget(mha.built_in("first")))
    widget
    return (widget,)

@app.cell
def _(mo, widget):
    mo.md({READ})
"""


@pytest.fixture(scope="module")
def marimo(tmp_path_factory):
    """The address of a notebook in marimo."""
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "home").mkdir()
    (folder / "home" / ".marimo.toml").write_text('[display]\ntheme = "system"\n', "utf-8")
    (folder / "notebook.py").write_text(MARIMO, "utf-8")
    with served("marimo", "run", "notebook.py", "--headless", folder=folder, ready="health") as url:
        yield url


@pytest.mark.long
@pytest.mark.parametrize("scheme", PAPER)
def test_in_marimo_a_widget_s_example_is_the_one_that_the_page_shows(marimo, new_context, scheme):
    page = new_context(color_scheme=scheme).new_page()
    page.goto(marimo)
    example, widget = (page.frame_locator("iframe").nth(at) for at in (0, 1))
    expect(example.locator("h1")).to_contain_text("I love programming")
    for frame in (example, widget):
        expect(frame.locator("body")).to_have_css("background-color", PAPER[scheme])
    output = page.get_by_text("0x1.", exact=False)
    expect(output).to_have_text((1.0).hex())
    widget.locator(X).click()
    page.keyboard.type(str(LONG))
    page.keyboard.press("Enter")
    expect(output).to_have_text(LONG.hex())
