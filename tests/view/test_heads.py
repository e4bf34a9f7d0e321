"""What a notebook cell contains of the heads of a run, read again and compared with the run itself."""

import base64
import dataclasses
import gzip
import html
import json
import math
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from mha_core.interop import At, attribute, capture, sweep
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.sweep import Sweep
from mha_core.models import label
from mha_core.models.measures import behaviours
from mha_view.heads import payload
from mha_view.heads.cell import cell, document
from mha_view.heads.names import short_names, tokens_of

TYPES = {"float32": np.float32, "uint16": np.uint16, "uint8": np.uint8}
TOKENS = ["[CLS]", "the", "cat", "saw", "the", "##ft", "</script>"]


def drawn(*shape, seed=0):
    return 2 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 4, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval()


@pytest.fixture(scope="module")
def found(model):
    return capture(model, drawn(2, 7, 8), TOKENS)


def read(shown, language="en"):
    """The header and the arrays of a document."""
    packed = re.search(r'id="data">"([^<]*)"</script>', document(shown, language))[1]
    data = gzip.decompress(base64.b64decode(packed))
    start = 4 + int.from_bytes(data[:4], "little")
    header, arrays = json.loads(data[4:start]), {}
    for name, dtype, shape in header["arrays"]:
        size = math.prod(shape) * np.dtype(TYPES[dtype]).itemsize
        arrays[name] = torch.from_numpy(
            np.frombuffer(data[start : start + size], TYPES[dtype]).reshape(shape).copy()
        )
        start += -(-size // 8) * 8
    return header, arrays


def pooled_by_hand(weights, block):
    """Levels of the largest weight of each block, in plain loops."""
    h, n, m = weights.shape
    rows, columns = math.ceil(n / block), math.ceil(m / block)
    result = torch.zeros(h, rows, columns, dtype=torch.uint8)
    for head in range(h):
        for row in range(rows):
            for column in range(columns):
                part = weights[head, row * block : (row + 1) * block, column * block : (column + 1) * block]
                result[head, row, column] = round(255 * math.sqrt(part.max().item()))
    return result


def test_every_weight_is_the_captured_one_and_so_are_queries_and_keys(found):
    header, arrays = read(found)
    assert [(view["part"], view["sample"]) for view in header["heads"]["views"]] == [(0, 0), (0, 1)]
    for at, view in enumerate(header["heads"]["views"]):
        assert (view["weights"], view["factors"]) == (True, True)
        for layer, one in enumerate(found.samples[view["sample"]]):
            assert torch.equal(arrays[f"{at}/0.weights.{layer}"], one.weights.float())
            assert torch.equal(arrays[f"{at}/0.q.{layer}"], one.q.float())
            assert torch.equal(arrays[f"{at}/0.k.{layer}"], one.k.float())


def test_maps_have_the_levels_of_the_weights_and_the_strongest_key_of_each_query(found):
    header, arrays = read(found)
    run = header["heads"]["views"][0]["run"]
    assert (run["layers"], run["heads"], run["sentences"][0]["block"]) == (3, 4, 1)
    for layer, one in enumerate(found):
        assert torch.equal(arrays["0/0.maps"][layer], pooled_by_hand(one.weights, 1))
        values, keys = one.weights.max(-1)
        assert torch.equal(arrays["0/0.tops"][layer], values.float())
        assert torch.equal(arrays["0/0.keys"][layer].long(), keys)


def test_heads_are_labelled_by_the_measures_of_the_named_tokens(found):
    header, _ = read(found)
    tokens = tokens_of(TOKENS)
    expected = [
        label(head) or "none" for one in found for head in behaviours(one.weights, tokens, causal=False)
    ]
    assert header["heads"]["views"][0]["run"]["sentences"][0]["labels"] == expected


def test_tokens_have_their_words_and_special_ones_are_recognised():
    assert tokens_of(TOKENS).special == (True, False, False, False, False, False, True)
    assert tokens_of(TOKENS).words == (None, 0, 1, 2, 3, 3, None)
    assert tokens_of(["When", "ĠMary", "ĠX", "ylo", ",", "Ġwent"]).words == (0, 1, 2, 2, 3, 4)
    assert tokens_of(["one", "two"]).words == (0, 1)
    assert tokens_of(["1", "2"]).special == (False, False)
    assert tokens_of(["[CLS]", "[SEP]"]).special == (False, False)


def test_of_positions_without_names_only_positions_are_measured(model):
    header, _ = read(capture(model, drawn(1, 7, 8)))
    assert header["heads"]["views"][0]["run"]["measures"] == [
        "previous", "next", "itself", "first_token", "entropy", "distance",
    ]  # fmt: skip


def test_attentions_of_other_tokens_are_other_parts():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True).eval()
    found = capture(
        model, (drawn(1, 5, 8), drawn(1, 3, 8, seed=1)), list("abc"), context_tokens=list("vwxyz")
    )
    header, arrays = read(found)
    heads = header["heads"]
    assert [len(names) for names in heads["parts"]] == [1, 2, 2]
    cross = heads["views"][2]
    (sentence,) = cross["run"]["sentences"]
    assert (sentence["texts"], sentence["keyTexts"]) == (list("abc"), list("vwxyz"))
    assert (sentence["side"], sentence["width"], cross["run"]["measures"]) == (3, 5, [])
    assert [layer["code"] for layer in cross["layers"][0]] == [
        f'found["decoder.layers.{layer}.multihead_attn"]' for layer in (0, 1)
    ]
    assert torch.equal(arrays["2/0.maps"][1], pooled_by_hand(found[4].weights, 1))
    assert torch.equal(arrays["2/0.weights.1"], found[4].weights.float())


def test_long_texts_are_pooled_and_the_largest_weights_of_each_query_are_exact(model, monkeypatch):
    found = capture(model, drawn(1, 150, 8))
    monkeypatch.setattr(payload, "MOST_BYTES", 125_000)
    header, arrays = read(found)
    (view,) = header["heads"]["views"]
    assert (view["weights"], view["levels"], view["largest"], view["factors"]) == (False, False, 8, False)
    assert view["factor_bytes"] == 3 * 2 * 4 * 150 * 2 * 4
    assert view["run"]["sentences"][0]["block"] == 5
    for layer, one in enumerate(found):
        assert torch.equal(arrays["0/0.maps"][layer], pooled_by_hand(one.weights, 5))
        values = one.weights.float().sort(-1, descending=True).values
        assert torch.equal(arrays[f"0/0.largest.{layer}"], values[..., :8])
        assert torch.equal(
            one.weights.float().gather(-1, arrays[f"0/0.largest_keys.{layer}"].long()), values[..., :8]
        )
    size = sum(array.numel() * array.element_size() for array in arrays.values())
    assert size <= payload.MOST_BYTES


def test_a_cell_of_one_attention_has_its_queries_and_keys_first(model, monkeypatch):
    found = capture(model, drawn(1, 150, 8))
    monkeypatch.setattr(payload, "MOST_BYTES", 125_000)
    assert read(found)[0]["heads"]["views"][0]["alone"]
    header, arrays = read(found[1])
    (view,) = header["heads"]["views"]
    assert (view["weights"], view["factors"]) == (False, True)
    assert torch.equal(arrays["0/0.q.0"], found[1].q.float())
    assert torch.equal(arrays["0/0.k.0"], found[1].k.float())
    monkeypatch.setattr(payload, "MOST_BYTES", 9_000)
    assert not read(found)[0]["heads"]["views"][0]["alone"]
    assert not read(found[1])[0]["heads"]["views"][0]["factors"]


def test_where_exact_weights_have_no_room_all_are_there_as_levels(model, monkeypatch):
    found = capture(model, drawn(1, 150, 8))
    monkeypatch.setattr(payload, "MOST_BYTES", 500_000)
    header, arrays = read(found)
    (view,) = header["heads"]["views"]
    assert (view["weights"], view["levels"], view["largest"], view["factors"]) == (False, True, 16, False)
    for layer, one in enumerate(found):
        assert torch.equal(
            arrays[f"0/0.levels.{layer}"], (255 * one.weights.float().sqrt()).round().to(torch.uint8)
        )
        assert torch.equal(arrays[f"0/0.largest.{layer}"], one.weights.float().topk(16).values)


def test_samples_beyond_the_room_are_left_out_but_never_the_one_asked_for(model, monkeypatch):
    found = capture(model, drawn(3, 7, 8), sample=1)
    assert [view["sample"] for view in read(found)[0]["heads"]["views"]] == [1, 0, 2]
    monkeypatch.setattr(payload, "MOST_BYTES", 0)
    header, _ = read(found)
    (view,) = header["heads"]["views"]
    assert (view["sample"], view["weights"], view["largest"], view["factors"]) == (1, False, 0, False)
    assert header["heads"]["samples"] == 3


def test_the_python_of_a_head_finds_it(model, found):
    changed = capture(model, drawn(2, 7, 8), without=[(0, 0)])
    for shown in (found, changed, found[1], found[1:]):
        views = read(shown)[0]["heads"]["views"]
        for view in views:
            for side in view["layers"]:
                for described in side:
                    one = eval(described["code"], {}, {"found": found, "changed": changed})
                    assert (one.name, one.sample) == (described["name"], view["sample"])
                    assert one.name in described["code"]


def test_an_attention_that_is_not_from_a_run_is_called_attention(found):
    alone = dataclasses.replace(found[1], index=None)
    described = read(alone)[0]["heads"]["views"][0]
    assert [layer["code"] for layer in described["layers"][0]] == ["attention"]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["h.0.attn", "h.1.attn"], ["h.0", "h.1"]),
        (["m.layer.3.attention.self", "m.layer.11.attention.self"], ["layer.3", "layer.11"]),
        (["a.stage7.mix", "a.stage9.mix"], ["stage7", "stage9"]),
        (["x.0.self_attn", "x.0.multihead_attn", "x.1.self_attn"], ["0.self_attn", "0.multihead_attn", "1.self_attn"]),
        (["encoder.0", "decoder.0"], ["encoder", "decoder"]),
        (["0", "1"], ["0", "1"]),
        (["net", "net.mix"], ["net", "net.mix"]),
        (["h#0", "h#1"], ["h#0", "h#1"]),
        (["h.3.attn"], ["h.3.attn"]),
    ],
)  # fmt: skip
def test_rows_of_heads_have_what_is_different_in_the_names_of_attentions(names, short):
    assert short_names(names) == short


def test_a_sweep_says_what_was_done_to_each_head(model):
    other = drawn(1, 7, 8, seed=2)
    swept = sweep(
        model,
        drawn(1, 7, 8),
        lambda out: out[0, 0, 0],
        patch_from=other,
        part="weights",
        clean="inputs",
        rows=[-1],
    )
    assert read(swept)[0]["sweep"]["done"] == [
        "The weights of each head in turn are replaced by those of the run on patch_from.",
        "Only these rows are changed: -1.",
        "The numbers are normalized: 1 is the run on inputs, 0 the run on the other inputs.",
    ]
    assert "heads weights from patch_from, rows -1, 1 = as with inputs" in repr(swept)
    assert read(sweep(model, drawn(1, 7, 8), by="mean"))[0]["sweep"]["done"] == [
        "The outputs of each head in turn are set to their mean over the sample's real tokens."
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"without": [(0, 1)]}, "Head 1 of layers.0.self_attn: off (outputs set to 0)."),
        ({"without": [(0, [1, 3])]}, "Heads 1, 3 of layers.0.self_attn: off (outputs set to 0)."),
        ({"without": ["layers.2"]}, "All 4 heads of layers.2.self_attn: off (outputs set to 0)."),
        ({"without": [(0, 1)], "by": "mean"}, "Head 1 of layers.0.self_attn: outputs set to their mean."),
        (
            {"patch": {At(1, 2, "k", rows=[2, 3]): torch.zeros(2, 2)}},
            "Head 2 of layers.1.self_attn: k replaced (rows: 2, 3).",
        ),
        ({"without": [At("layers.0.linear2")]}, "layers.0.linear2: off (outputs set to 0)."),
    ],
)
def test_a_changed_run_says_what_was_changed(model, change, sentence):
    header, _ = read(capture(model, drawn(1, 7, 8), **change))
    assert header["change"]["done"] == [sentence]


def test_a_head_with_other_queries_is_marked(model):
    header, _ = read(capture(model, drawn(2, 7, 8), patch={(1, 2, "q"): torch.ones(7, 2)}))
    assert header["heads"]["views"][0]["run"]["patched"] == [[1, 2]]


def test_changed_heads_are_marked_and_the_output_is_compared(model):
    weights = torch.full((7, 7), 1 / 7)
    outputs = torch.ones(7, 2)
    changed = capture(
        model, drawn(2, 7, 8), without=[(0, 1)], patch={(1, 2): weights, (2, 0, "outputs"): outputs}
    )
    header, _ = read(changed)
    run = header["heads"]["views"][0]["run"]
    assert (run["off"], run["patched"]) == ([[0, 1]], [[1, 2], [2, 0]])
    assert header["change"]["largest"] == f"{changed.largest:.4g}"
    for sample, row in enumerate(header["change"]["rows"]):
        assert not any("probabilities" in entry for entry in row["entries"])
        before, after = changed.before[sample, -1], changed.after[sample, -1]
        order = (after.double() - before.double()).abs().argsort(descending=True, stable=True).tolist()
        assert [entry["name"] for entry in row["entries"]] == [str(at) for at in order[:5]]
        assert row["entries"][0]["before"] == before[order[0]].item()
        assert row["entries"][0]["after"] == after[order[0]].item()
        assert row["first"] == [str(before.argmax().item()), str(after.argmax().item())]


def test_a_changed_run_has_its_heads_before_and_after_and_their_difference(model, found):
    changed = capture(model, drawn(2, 7, 8), TOKENS, without=[(0, 1)])
    assert [one.index for one in changed.found] == [one.index for one in changed.unchanged] == [0, 1, 2]
    header, arrays = read(changed)
    for at, view in enumerate(header["heads"]["views"]):
        before, after = (side.samples[view["sample"]] for side in (changed.unchanged, changed.found))
        for layer, (old, new) in enumerate(zip(before, after, strict=True)):
            assert torch.equal(old.weights, found.samples[view["sample"]][layer].weights)
            assert torch.equal(arrays[f"{at}/0.weights.{layer}"], old.weights.float())
            assert torch.equal(arrays[f"{at}/1.weights.{layer}"], new.weights.float())
            assert torch.equal(arrays[f"{at}/1.q.{layer}"], new.q.float())
            for head in range(4):
                rows = [
                    [new.weights[head, i, j].item() - old.weights[head, i, j].item() for j in range(7)]
                    for i in range(7)
                ]
                most = max(abs(by) for row in rows for by in row)
                assert arrays[f"{at}/differences"][layer, head].item() == pytest.approx(most, abs=1e-7)
                for query, row in enumerate(rows):
                    by = arrays[f"{at}/shifts"][layer, head, query].item()
                    key = arrays[f"{at}/shift_keys"][layer, head, query].item()
                    assert by == pytest.approx(row[key], abs=1e-7)
                    assert abs(by) == pytest.approx(max(map(abs, row)), abs=1e-7)
    assert header["heads"]["views"][0]["run"]["change"]
    assert arrays["0/differences"][0].tolist() == [0, 0, 0, 0]  # nothing comes before the first layer
    assert (arrays["0/differences"][1:] > 0).all()


def test_a_change_without_its_first_run_shows_the_changed_heads(model):
    changed = capture(model, drawn(1, 7, 8), without=[(0, 1)])
    header, arrays = read(dataclasses.replace(changed, unchanged=Attentions()))
    (view,) = header["heads"]["views"]
    assert (view["run"]["change"], len(view["layers"]), "0/differences" in arrays) == (False, 1, False)
    assert torch.equal(arrays["0/0.weights.2"], changed.found[2].weights.float())


def test_replaced_weights_may_be_any_numbers(model):
    weights = torch.linspace(-1, 2, 49).view(7, 7)
    header, arrays = read(capture(model, drawn(1, 7, 8), patch={(1, 2): weights}))
    assert torch.equal(arrays["0/1.weights.1"][2], weights)
    assert torch.equal(arrays["0/1.maps"][1, 2], (255 * weights.clamp(0, 1).sqrt()).round().to(torch.uint8))
    assert header["heads"]["views"][0]["run"]["patched"] == [[1, 2]]


class Language(nn.Module):
    """A language model over ids, its logits samples × tokens × vocabulary."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.embedded = nn.Embedding(9, 8)
        self.layer = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 9)

    def forward(self, ids):
        x = self.embedded(ids)
        return self.head(self.layer(x, x, x)[0])


def test_tokens_of_the_text_have_their_names_in_the_change():
    changed = capture(Language().eval(), torch.tensor([[4, 2, 4]]), ["cat", "saw", "cat"], without=[(0, 0)])
    assert changed.names == {4: "cat", 2: "saw"}
    (row,) = read(changed)[0]["change"]["rows"]
    assert row["place"] == "cat"
    names = {entry["name"] for entry in row["entries"]}
    assert names <= {"cat (4)", "saw (2)", *"0135678"}


def test_of_logits_the_largest_changes_of_probabilities_are_listed_with_their_names():
    changed = capture(Language().eval(), torch.tensor([[4, 2, 4]]), without=[(0, 0)])
    assert changed.logits
    (row,) = read(changed.named(lambda token: f" word\n{token}"))[0]["change"]["rows"]
    logits = changed.before[0, -1], changed.after[0, -1]
    expected = changed.tokens()
    assert [entry["name"] for entry in row["entries"]] == [
        f"␣word⏎{one.token} ({one.token})" for one in expected
    ]
    for entry, one in zip(row["entries"], expected, strict=True):
        assert entry["probabilities"] == pytest.approx([one.before, one.after])
        assert [entry["before"], entry["after"]] == [row[one.token].item() for row in logits]


def test_only_the_names_of_listed_ids_are_asked_for():
    asked = []
    changed = capture(Language().eval(), torch.tensor([[4, 2, 4]]), without=[(0, 0)])

    def text_of(token):
        asked.append(token)
        return "word"

    read(changed.named(text_of))
    tops = {int(output[0, -1].argmax()) for output in (changed.before, changed.after)}
    assert set(asked) == {0} | tops | {one.token for one in changed.tokens()}


def test_an_output_without_finite_rows_has_no_table(model):
    changed = capture(model, drawn(1, 7, 8), without=[(0, 0)])
    object.__setattr__(changed, "after", changed.after * math.inf)
    assert read(changed)[0]["change"]["rows"] == []
    object.__setattr__(changed, "before", torch.tensor(1.0))
    object.__setattr__(changed, "after", torch.tensor(2.0))
    vars(changed).pop("difference")
    assert read(changed)[0]["change"]["largest"] == "1"


def test_an_attribution_is_a_map_that_says_what_its_numbers_are():
    direct = attribute(PreNorm().eval(), torch.tensor([[4, 2, 4]]), 3, 1)
    header, arrays = read(direct)
    assert direct.total < 0
    assert header["sweep"]["measure"] == f"logit 3 − logit 1 = −{-direct.total:.4g}"
    assert header["words"]["sweep"] == "What each head adds directly"
    assert torch.equal(arrays["sweep"], direct.values.float())


class PreNorm(Language):
    """The same, where attention adds to the embeddings."""

    def forward(self, ids):
        x = self.embedded(ids)
        return self.head(x + self.layer(x, x, x)[0])


def test_a_sweep_has_its_numbers(model):
    swept = sweep(model, drawn(1, 7, 8), lambda out: out[0, 0, 0])
    header, arrays = read(swept)
    assert header["sweep"]["names"] == list(swept.names)
    assert (header["sweep"]["heads"], header["sweep"]["measure"], header["sweep"]["others"]) == (
        4,
        "out[0, 0, 0]",
        [],
    )
    assert torch.equal(arrays["sweep"], swept.values.float())
    assert header["heads"] is None


@pytest.mark.parametrize(("rows", "columns", "height"), [(3, 4, 562), (40, 4, 900), (12, 38, 603)])
def test_the_frame_of_a_sweep_is_as_high_as_its_map_up_to_a_limit(rows, columns, height):
    swept = Sweep(("h",) * rows, torch.zeros(rows, columns))
    assert f"; height: {height}px" in cell(swept)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_document_is_in_one_language_and_requests_nothing(found, language):
    text = document(found, language)
    assert f'<html lang="{"zh-Hans" if language == "zh" else "en"}"' in text or f'lang="{language}' in text
    assert "connect-src 'none'" in text
    assert not re.findall(
        r"(?:https?:)?//[a-z]+\.[a-z]+/|@import|url\((?!data:)", text.partition("<body>")[0]
    )


def test_a_name_is_never_markup_and_the_frame_runs_only_scripts(found):
    frame = cell(found)
    assert frame.startswith('<iframe sandbox="allow-scripts" title="All heads at a glance" ')
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert inside.count("</script>") == document(found).count("</script>") == 4
    assert inside == document(found)


def test_the_installed_package_shows_what_capture_found():
    import tomllib

    points = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
        "entry-points"
    ]
    ((name, value),) = points["mha_core.heads"].items()
    assert EntryPoint(name, value, "mha_core.heads").load() is cell


def test_an_attention_alone_shows_its_own_heads(found):
    header, arrays = read(found[2])
    assert header["heads"]["parts"] == [[found[2].name]]
    assert torch.equal(arrays["0/0.weights.0"], found[2].weights.float())
    assert len(read(Attentions(found[:2]))[0]["heads"]["views"][0]["layers"][0]) == 2
