"""In real Chromium: a layer of a weight file is opened on the bench, and the example leaves as code that runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from safetensors.torch import save
from torch import nn

from mha_core import built_in, trace
from mha_core.export import export
from mha_core.interop import Slice, layers, open_layer, read_weights
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier_at, wider
from tests.interop.hostile import FILES
from tests.sizes import at_length
from tools.drive.browser import at_rest, close_menu, menu
from tools.drive.explore import assert_shows


@pytest.fixture
def model():
    torch.manual_seed(11)
    named = {
        "encoder.attn." + name: tensor for name, tensor in nn.MultiheadAttention(12, 3).state_dict().items()
    }
    return save(named | {"embedding.weight": torch.randn(20, 12)})


def dialog(page: Page):
    """What a menu's button opens; the menu itself is of the role "dialog" too, and holds an uploader of its own."""
    return page.get_by_test_id("stDialog").get_by_role("dialog")


def choose(page: Page, label: str, option: str) -> None:
    dialog(page).get_by_label(label, exact=True).click()
    page.get_by_test_id("stSelectboxVirtualDropdown").get_by_role("option", name=option, exact=True).click()


def from_menu(page: Page, name: str) -> None:
    menu(page)
    page.get_by_role("button", name=name, exact=True).click()
    expect(dialog(page)).to_be_visible()
    at_rest(page)


def upload(page: Page, name: str, data: bytes) -> None:
    from_menu(page, "Import")
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    dialog(page).locator('input[type="file"]').set_input_files(file)


def expect_code(page: Page, part: str) -> None:
    """Wait for the program with this part; the one before it may stand beside it for a moment."""
    expect(dialog(page).locator("code")).to_contain_text([part])


def code(page: Page) -> str:
    return dialog(page).locator('[data-testid="stCode"] code').inner_text()


def run(text: str, folder) -> None:
    (folder / "program.py").write_text(text, "utf-8")
    answer = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, capture_output=True, timeout=120, check=False
    )
    assert answer.returncode == 0, answer.stderr.decode()[-1000:]
    assert "All numbers agree." in answer.stdout.decode()


def test_a_layer_of_a_safetensors_file_is_opened_and_leaves_as_code_that_runs(visit, model, tmp_path):
    bench = visit("?example=first")
    page = bench.page
    upload(page, "model.safetensors", model)
    guess = "The file does not say how many heads there are. 1 head of 12 columns is a guess"
    expect(dialog(page)).to_contain_text(guess)
    choose(page, "Number of heads in the layer", "3")
    choose(page, "Rows of X to use", "embedding.weight")
    dialog(page).get_by_label("Which rows, counted from 0").fill("7, 0, 19")
    dialog(page).get_by_label("Which rows, counted from 0").press("Enter")
    dialog(page).get_by_role("button", name="Open in Explore").click()
    expect(dialog(page)).to_have_count(0)
    weights = read_weights(model)
    part = Slice(heads=(0, 1), d_model=8, d_head=4, tokens=3, inputs="embedding.weight", rows=(7, 0, 19))
    example = open_layer(weights, layers(weights)[0], part, 3)
    bench.settled()
    bench.wait_for_address(example)
    assert_shows(bench, example)

    from_menu(page, "Export")
    with page.expect_download() as caught:
        dialog(page).get_by_role("button", name="Download").click()
    assert caught.value.suggested_filename == "attention.py"
    downloaded = caught.value.path().read_text("utf-8")
    assert downloaded == export(example, "torch")
    if at_length():  # tests/export runs what is exported, in short too
        run(downloaded, tmp_path)


def test_what_was_just_typed_is_exported(visit):
    bench = visit("?example=water")
    bench.edit("x", None, 1, 3, 1.5)
    edited = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 1, "col": 3, "values": [[1.5]]})
    from_menu(bench.page, "Export")
    expect_code(bench.page, "[0., 1., 0., 1.5],  # is")
    choose(bench.page, "Export as", "PyTorch, from scratch")
    expect_code(bench.page, "from scratch")
    text = code(bench.page)
    assert text.strip() == export(edited, "torch-scratch").strip()
    choose(bench.page, "Export as", "Markdown")
    expect_code(bench.page, "## Attention weights")
    dialog(bench.page).get_by_label("Decimals").fill("1")
    dialog(bench.page).get_by_label("Decimals").press("Enter")
    expect_code(bench.page, "rounded to 1 decimal.")
    assert trace(edited).values["weights"]


def test_a_variant_is_exported_and_a_target_that_cannot_hold_it_says_why(visit):
    page = visit("?example=additive").page
    from_menu(page, "Export")
    expect(dialog(page).get_by_role("alert")).to_contain_text(
        "PyTorch has no additive attention; use NumPy or PyTorch from scratch"
    )
    expect(dialog(page).get_by_role("button", name="Download")).to_have_count(0)
    choose(page, "Export as", "NumPy")
    expect_code(page, 'np.tanh(pairs) @ head["v_a"]')
    text = code(page)
    assert text.strip() == export(built_in("additive"), "numpy").strip()


HOSTILE = ("code.pt", "huge-header.safetensors", "zip.safetensors")


def test_a_hostile_file_and_one_too_large_are_refused_and_one_as_large_as_promised_is_opened(visit, tmp_path):
    bench = visit("?example=water")
    for name in HOSTILE if at_length() else HOSTILE[:1]:
        data, sentence = FILES[name]
        upload(bench.page, name, data)
        expect(dialog(bench.page).get_by_role("alert")).to_contain_text(sentence)
        bench.page.keyboard.press("Escape")
        expect(dialog(bench.page)).to_have_count(0)
        assert_shows(bench.settled(), built_in("water"))
    from_menu(bench.page, "Import")
    field = dialog(bench.page).locator('input[type="file"]')
    a_larger_file_is_refused(field, tmp_path, 50, "The file was not uploaded. Files can be up to 50 MB.")
    named = nn.MultiheadAttention(12, 3).state_dict() | {"embedding": torch.zeros(1_020_000, 12)}
    path = tmp_path / "large.pt"
    torch.save(named, path)
    assert 48_500_000 < path.stat().st_size < 50_000_000
    field.set_input_files(path)
    dialog(bench.page).get_by_role("button", name="Open in Explore").click()
    expect(dialog(bench.page)).to_have_count(0)
    expect(bench.settled().cell("x", None, 3, 7)).to_be_visible()


def a_larger_file_is_refused(field: Locator, folder: Path, most: int, sentence: str) -> None:
    """Of more than that many MB."""
    path = folder / "larger.pt"
    path.touch()
    os.truncate(path, most * 2**20 + 1)
    field.set_input_files(path)
    refused = field.page.get_by_test_id("stFileUploaderDropzone").filter(
        has=field.page.locator("[aria-invalid=true]")
    )
    expect(refused).to_be_visible()
    for place in (refused, refused.get_by_role("alert")):
        assert place.evaluate("(node) => getComputedStyle(node, '::after').content") == f'"{sentence}"'


def test_the_dialogs_and_the_menu_in_chinese_on_a_phone(visit, model, tmp_path):
    bench = visit("?lang=zh", viewport={"width": 390, "height": 844})
    page = bench.page
    menu(page)
    a_larger_file_is_refused(page.locator('input[type="file"]'), tmp_path, 5, "文件没有上传：文件最大 5 MB。")
    close_menu(page)
    from_menu(page, "导出")
    expect_code(page, "直接运行即可")
    assert_no_barrier_at(page, [390])
    assert wider(page) == []
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)
    from_menu(page, "导入")
    field = dialog(page).locator('input[type="file"]')
    if at_length():
        a_larger_file_is_refused(field, tmp_path, 50, "文件没有上传：文件最大 50 MB。")
    field.set_input_files(
        {"name": "model.safetensors", "mimeType": "application/octet-stream", "buffer": model}
    )
    expect(dialog(page).get_by_role("button", name="在“探索”中打开")).to_be_visible()
    assert_no_barrier_at(page, [390])
    assert wider(page) == []
