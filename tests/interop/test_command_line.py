"""``python -m mha_core export | layers | import``."""

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from mha_core import built_in, parse
from mha_core.example.model import text_in
from mha_core.export import TARGETS, export
from tests.interop.hostile import FILES

ROOT = Path(__file__).resolve().parents[2]
RANDOM = "the rows of X are random; give real ones with --x or --inputs\n"
WATER = str(ROOT / "examples" / "20_water.mha.json")


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def run(mha):
    return mha


@pytest.fixture
def model(tmp_path):
    torch.manual_seed(3)
    path = tmp_path / "model.safetensors"
    layer = nn.MultiheadAttention(12, 3)
    save_file({"a.b." + name: tensor for name, tensor in layer.state_dict().items()}, path)
    return str(path), layer


@pytest.mark.parametrize("target", TARGETS)
def test_export_prints_the_text_and_nothing_else(run, target):
    assert run("export", WATER, "--to", target) == (0, export(built_in("water"), target), "")


def test_export_at_chosen_decimals_in_the_shell_s_language(run, monkeypatch):
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    _, out, _ = run("export", WATER, "--to", "markdown", "--decimals", "2")
    assert out == export(built_in("water"), "markdown", 2, "zh")
    assert "0.95" in out


def test_what_is_exported_runs(tmp_path):
    """In a shell: one command's output is the next one's program."""
    program = subprocess.run(
        [sys.executable, "-m", "mha_core", "export", WATER, "--to", "torch-scratch"],
        cwd=ROOT, capture_output=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    (tmp_path / "program.py").write_bytes(program)
    answer = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, check=True, timeout=60
    )
    assert answer.stdout.decode().endswith("\n")
    assert answer.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "torch", "--decimals", "99"], "expected 0 to 15 decimals, got 99"),
        (["--to", "tensorflow"], "invalid choice: 'tensorflow'"),
        ([], "the following arguments are required: --to"),
    ],
)
def test_bad_exports_are_refused_in_one_line(run, arguments, sentence):
    status, out, err = run("export", WATER, *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_target_that_cannot_express_the_example(run, tmp_path):
    path = tmp_path / "weights.mha.json"
    path.write_text(
        '{"format":"mha-example/1","title":"","tokens":["a"],"scale":"none","heads":[{"weights":[[1]],"v":[[2]]}]}'
    )
    status, out, err = run("export", str(path), "--to", "torch")
    assert (status, out) == (2, "")
    assert err == (
        "heads[0]: this head starts from given weights, but a library computes them itself; "
        "use NumPy or PyTorch from scratch\n"
    )
    assert run("export", str(path), "--to", "numpy")[0] == 0


def test_layers_are_listed(run, model):
    status, out, err = run("layers", model[0])
    assert (status, err) == (0, "")
    assert json.loads(out) == [
        {
            "layer": "a.b.",
            "kind": "torch.nn.MultiheadAttention",
            "d_query": 12,
            "d_key": 12,
            "d_value": 12,
            "width": 12,
            "heads": None,
            "key_value_heads": None,
        }
    ]


def test_layers_say_how_many_heads_share_keys_and_values(run, tmp_path):
    names = {"q_proj": (32, 16), "k_proj": (16, 16), "v_proj": (16, 16), "o_proj": (16, 32)}
    path = tmp_path / "llama.safetensors"
    save_file({f"self_attn.{name}.weight": torch.ones(*size) for name, size in names.items()}, path)
    path.with_name("config.json").write_text(
        json.dumps({"hidden_size": 16, "num_attention_heads": 4, "head_dim": 8})
    )
    (layer,) = json.loads(run("layers", str(path))[1])
    assert (layer["heads"], layer["key_value_heads"]) == (4, 2)


def test_import_says_which_columns_and_rows_it_took_where_none_were_chosen(run, model):
    path, _ = model
    columns = (
        "the example has 8 of the 12 columns of X, and 4 of the 12 of a head; choose with --d-model and --d-head, "
        "or take all with --whole\n"
    )
    for chosen, said in (
        ("", columns + RANDOM),
        ("--d-model 8", RANDOM),
        ("--whole", RANDOM),
        ("--seed 0", columns),
        ("--whole --tokens 3", ""),
    ):
        assert run("import", path, "--num-heads", "1", *chosen.split())[::2] == (0, said)


def test_a_slice_is_imported(run, model):
    path, layer = model
    status, out, err = run(
        "import", path, *"--layer a.b. --num-heads 3 --heads 2,0 --d-model 5 --d-head 2".split()
    )
    assert (status, err) == (0, RANDOM)
    example = parse(out)
    assert (example.dims.h, example.dims.d_model, example.dims.d_k, example.dims.n_q) == (2, 5, 2, 4)
    assert example.heads[0].w_q == tuple(map(tuple, layer.in_proj_weight[8:10, :5].T.tolist()))
    usual = parse(run("import", path, "--num-heads", "3")[1])
    assert (usual.dims.d_model, usual.dims.d_k) == (8, 4)
    cut = parse(run("import", path, "--num-heads", "6")[1])
    assert (cut.dims.d_model, cut.dims.d_k) == (8, 2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--layer", "x."], "there is no layer named 'x.'; similar names are 'a.b.'"),
        (
            ["--layer", "1"],
            "--layer: expected the name of a layer, or its number from 0 to 0, got 1",
        ),
        (["--layer", "a.c"], "there is no layer named 'a.c'; similar names are 'a.b.'"),
        (["--rows", "1,2"], "rows: give inputs: the matrix in the file that these rows come from"),
        (["--num-heads", "3", "--heads", "1,0,0"], "heads: head 0 is given twice"),
        (
            ["--inputs", "a.b.out_proj.weight", "--rows", "0,1", "--tokens", "5"],
            "tokens: the rows that are given are the",
        ),
        (
            ["--inputs", "a.b.out_proj.weight", "--rows", "0,1", "--seed", "0"],
            "seed: the rows that are given are the",
        ),
        (["--num-heads", "5"], "12 is not divisible by 5 heads"),
        (["--num-heads", "3", "--seed", "18446744073709551616"], "seed: expected a whole number from -92"),
        (["--num-heads", "3", "--d-head", "5"], "d_head: the heads of this layer have 4 columns, got 5\n"),
        (
            ["--num-heads", "3", "--d-model", "20"],
            "d_model: the input of this layer has 12 columns, got 20\n",
        ),
        (["--num-heads", "0"], "12 is not divisible by 0 heads"),
        (["--num-heads", "-4"], "12 is not divisible by -4 heads"),
        (["--heads", "a"], "argument --heads: expected whole numbers such as 0,3"),
        (["--inputs", "a.b.out_proj.weight", "--rows", "99"], "rows: expected rows from 0 to 11, got 99"),
    ],
)
def test_bad_imports_are_refused_in_one_line(run, model, arguments, sentence):
    status, out, err = run("import", model[0], *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_weight_file_comes_on_standard_input(run, model, monkeypatch):
    for command in (["layers"], ["import", "--num-heads", "3"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(model[0]).read_bytes())))
        assert run(command[0], "-", *command[1:]) == run(command[0], model[0], *command[1:])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hello, I am weights")))
    assert run("layers", "-")[::2] == (
        2,
        "this is neither a .safetensors file nor a file written by torch.save\n",
    )


def test_no_more_of_standard_input_is_read_than_the_limit(run, monkeypatch):
    class Endless(io.RawIOBase):
        requested = 0

        def read(self, size=-1):
            assert size >= 0
            Endless.requested += size
            return bytes(size)

    monkeypatch.setattr("mha_core.commands.MAX_BYTES", 1000)
    monkeypatch.setattr("mha_core.interop.saved.weights.MAX_BYTES", 1000)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless()))
    assert run("layers", "-")[0] == 2
    assert Endless.requested == 1001


def test_a_config_beside_the_file_says_how_many_heads_there_are(run, model):
    path, layer = model
    config = Path(path).with_name("config.json")
    config.write_text(json.dumps({"hidden_size": 12, "num_attention_heads": 3}))
    assert json.loads(run("layers", path)[1])[0]["heads"] == 3
    status, out, err = run("import", path, "--heads", "2", "--seed", "0", "--d-head", "4")
    assert (status, err) == (0, "")
    assert parse(out).heads[0].w_q == tuple(map(tuple, layer.in_proj_weight[8:12, :8].T.tolist()))
    assert "assumed" not in text_in(parse(out).note, "en")
    status, out, err = run("import", path, "--num-heads", "6")
    assert (status, out, err) == (2, "", "a.b.: the file says that this layer has 3 heads, not 6\n")
    for text in ("[3]", "{", "\0", "[" * 100_000, "{}" + " " * 1_000_000):
        config.write_text(text)
        assert run("import", path) == (
            2,
            "",
            "config.json: this is not a JSON object like a model's config\n",
        )


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        {"hidden_size": 12, "num_attention_heads": 10**9},
        {"hidden_size": 24, "num_attention_heads": 3},  # of another model
        {"hidden_size": 12, "num_attention_heads": "3"},
        {"hidden_size": 12, "num_attention_heads": True},
        {"hidden_size": 12, "num_attention_heads": -3},
    ],
)
def test_where_nothing_says_how_many_heads_there_are_it_is_said_what_was_assumed(run, model, config):
    path, _ = model
    if config is not None:
        Path(path).with_name("config.json").write_text(json.dumps(config))
    assert json.loads(run("layers", path)[1])[0]["heads"] is None
    status, out, err = run("import", path, "--seed", "0", "--d-head", "4")
    assert status == 0
    assert err == (
        "the number of heads of this layer is not given, so 1 head of 12 "
        "columns each is assumed; give it with --num-heads, or put the config.json beside the file\n"
    )
    assert "The number of heads of this layer is not given. 1 head of 12 columns each is assumed." in text_in(
        parse(out).note, "en"
    )
    status, out, err = run("import", path, "--num-heads", "1", "--seed", "0", "--d-head", "4")
    assert (status, err) == (0, "")
    assert "assumed" not in text_in(parse(out).note, "en")


def test_heads_come_in_the_order_that_they_are_named_in(run, model):
    one, other = (
        parse(run("import", model[0], "--num-heads", "3", "--heads", heads)[1]) for heads in ("2,0", "0,2")
    )
    assert one.heads == other.heads[::-1]


def test_a_layer_s_last_dot_may_be_left_out(run, tmp_path):
    path = tmp_path / "two.safetensors"
    state = nn.MultiheadAttention(4, 2).state_dict()
    names = [f"h.{n}.attn." for n in (1, 2, 10)]
    save_file({name + part: tensor.clone() for name in names for part, tensor in state.items()}, path)
    options = ["--num-heads", "2"]
    whole = run("import", str(path), *options, "--layer", "h.10.attn.")
    assert whole[0] == 0
    assert run("import", str(path), *options, "--layer", "h.10.attn") == whole
    assert run("import", str(path), *options) == run("import", str(path), *options, "--layer", "h.1.attn.")
    for said in ("h.10", "2", "-1"):  # whole parts of the name, and its number from the end
        assert run("import", str(path), *options, f"--layer={said}") == whole
    assert run("import", str(path), *options, "--layer", "1") == run(
        "import", str(path), *options, "--layer", "h.2"
    )
    status, _, err = run("import", str(path), *options, "--layer", "h.3.attn.")
    assert (status, err.count("\n")) == (2, 1)
    assert (
        err
        == "there is no layer named 'h.3.attn.'; similar names are 'h.1.attn.', 'h.2.attn.', 'h.10.attn.'\n"
    )


def test_a_hostile_file_is_refused_in_one_line(run, tmp_path):
    for name in ("code.pt", "huge-header.safetensors"):
        path = tmp_path / name
        path.write_bytes(FILES[name][0])
        status, out, err = run("layers", str(path))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert FILES[name][1] in err


def test_import_takes_a_whole_layer(run, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({f"self_attn.{name}_proj.weight": torch.eye(12) for name in "qkvo"}, path)
    status, out, _ = run("import", str(path), "--num-heads", "3", "--whole")
    example = parse(out)
    assert (status, len(example.heads), example.dims.d_model, example.dims.d_k) == (0, 3, 12, 4)
    status, out, _ = run("import", str(path), "--num-heads", "3", "--whole", "--heads", "2,0")
    chosen = parse(out)
    assert (status, chosen.heads) == (0, (example.heads[2], example.heads[0]))
    status, out, error = run("import", str(path), "--num-heads", "3", "--whole", "--d-head", "2")
    assert (status, out) == (2, "")
    assert error == "--d-head: --whole takes all columns, so none can be chosen\n"


def test_heads_of_a_whole_layer_share_the_keys_that_the_file_shares(run, tmp_path):
    path = tmp_path / "model.safetensors"
    rows = {"q": 12, "k": 6, "v": 6, "o": 12}
    save_file({f"self_attn.{name}_proj.weight": torch.ones(rows[name], 12) for name in rows}, path)
    whole, some = (
        parse(run("import", str(path), "--num-heads", "4", *options)[1])
        for options in (["--whole"], ["--heads", "0,1"])
    )
    assert (whole.kv_heads, [head.w_k is None for head in whole.heads]) == (2, [False, True] * 2)
    assert (some.kv_heads, [head.w_k is None for head in some.heads]) == (None, [False] * 2)


def test_import_refuses_what_an_example_has_no_place_for_and_leaves_it_out_on_request(run, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({f"self_attn.{name}_proj.weight": torch.eye(4) for name in "qkvo"}, path)
    config = {"model_type": "gemma2", "hidden_size": 4, "num_attention_heads": 1, "query_pre_attn_scalar": 16}
    config |= {"attn_logit_softcapping": 5.0, "use_qk_norm": True}
    path.with_name("config.json").write_text(json.dumps(config))
    status, out, error = run("import", str(path))
    assert (status, out) == (2, "")
    assert error.startswith("config.json: use_qk_norm: layer 'self_attn.' uses this")
    status, out, error = run("import", str(path), "--leave-out")
    example = parse(out)
    assert (status, error, example.scale, example.mask) == (0, RANDOM, 4.0, "causal")
    assert example.softcap == 5.0
    assert "differ from the model's: use_qk_norm." in text_in(example.note, "en")
