"""The page of heads as an HTML file."""

import torch
from torch import nn

from mha_core.interop import capture, sweep


def test_every_page_of_heads_can_be_saved(tmp_path):
    torch.manual_seed(0)
    layer, rows = nn.TransformerEncoderLayer(4, 2, batch_first=True).eval(), torch.randn(1, 3, 4)
    found = capture(layer, rows)
    shown = [found, found[0], capture(layer, rows, without=[(0, 1)]), sweep(layer, rows)]
    for number, one in enumerate(shown):
        path = tmp_path / f"{number}.html"
        one.save_html(path)
        text = path.read_text(encoding="utf-8")
        assert text.startswith("<!doctype html>")
        assert one._repr_html_() in text  # what a notebook calls
