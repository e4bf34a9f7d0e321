"""``python -m mha_core``: JSON on standard output; status 2 and one line on standard error for bad input."""

import argparse
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mha_core import __version__, backend, built_in, dump, library, pretty, trace
from mha_core.__main__ import ARGPARSE
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.example.puzzle_library import built_in_puzzles
from mha_core.messages import catalogue
from mha_core.vocabulary import STEPS
from tests.sizes import in_turn

ROOT = Path(__file__).resolve().parent.parent.parent
FIRST = str(ROOT / "examples" / "10_first.mha.json")
CAUSAL = str(ROOT / "examples" / "50_causal.mha.json")
SATURATED = str(ROOT / "examples" / "80_saturated.mha.json")
PUBLISHED = str(ROOT / "examples" / "91_published.mha.json")
STARTS = str(Path(__file__).parent / "starts_further_on.mha.json")
CPU = ["--device", "cpu"]


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def run(mha):
    return mha


def shell(*arguments, **options):
    """Run a command as a person does, in a new process."""
    environment = {**os.environ, "LANG": "en_US.UTF-8", **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "mha_core", *arguments],
        cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False, **options,
    )  # fmt: skip


# --- what it prints --------------------------------------------------------------------------------------------


def test_trace_prints_every_step_unrounded(run):
    status, out, err = run("trace", FIRST, *CPU)
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert list(answer) == ["format", "device", "dtype", "steps"]
    assert (answer["format"], answer["device"], answer["dtype"]) == ("mha-trace/1", "cpu", "float64")
    assert answer["steps"] == trace(built_in("first"), backend("cpu")).values
    assert list(answer["steps"]) == [
        "q",
        "k",
        "v",
        "scores",
        "scaled_scores",
        "weights",
        "head_outputs",
        "concat",
    ]


def test_trace_writes_what_a_mask_hides_as_text(run):
    _, out, _ = run("trace", CAUSAL, *CPU)
    masked = json.loads(out)["steps"]["masked_scores"][0]
    assert masked[0][1:] == ["-inf"] * 4
    assert masked[4] == trace(built_in("causal"), backend("cpu")).values["masked_scores"][0][4]


def test_trace_in_float32(run):
    _, out, _ = run("trace", FIRST, *CPU, "--dtype", "float32")
    assert json.loads(out)["dtype"] == "float32"


def test_trace_of_heads_that_start_further_on(run):
    _, out, _ = run("trace", STARTS, *CPU)
    steps = json.loads(out)["steps"]
    assert steps["scores"][3] is None
    assert steps["weights"][3] == [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]


def test_explain_prints_terms_value_and_what_is_fed(run):
    status, out, err = run(
        "explain", FIRST, *CPU, "--step", "scores", "--head", "0", "--row", "0", "--col", "1"
    )
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert answer["format"] == "mha-explain/1"
    assert answer["cell"] == {"step": "scores", "head": 0, "row": 0, "col": 1}
    assert (answer["value"], answer["op"], answer["formula"]) == (13, "matmul", "Q·Kᵀ")
    assert answer["arithmetic"] == "1·7 + 2·3 = 13"
    assert [term["numbers"] for term in answer["terms"]] == [[1, 7], [2, 3]]
    assert answer["terms"][1]["cells"] == [
        {"step": "q", "head": 0, "row": 0, "col": 1},
        {"step": "k", "head": 0, "row": 1, "col": 1},
    ]
    assert answer["feeds"] == [{"step": "scaled_scores", "head": 0, "row": 0, "col": 1}]


def test_explain_prints_a_hidden_score(run):
    _, out, _ = run("explain", CAUSAL, *CPU, *"--step masked_scores --head 1 --row 0 --col 4".split())
    answer = json.loads(out)
    assert (answer["value"], answer["constant"], answer["op"]) == ("-inf", "-inf", "masked_fill")
    assert answer["formula"] == "mask(S/√d_k, M)"


def test_explain_an_input(run):
    _, out, _ = run("explain", FIRST, *CPU, *"--step x --row 2 --col 1".split())
    answer = json.loads(out)
    assert answer["value"] == 6
    assert len(answer["feeds"]) == 12
    assert "terms" not in answer


def test_explain_what_one_head_computes_and_another_starts_from(run):
    _, computed, _ = run("explain", STARTS, *CPU, *"--step k --head 1 --row 0 --col 0".split())
    assert json.loads(computed)["formula"] == "X·W_K + b_K"
    _, unbiased, _ = run("explain", STARTS, *CPU, *"--step k --head 0 --row 0 --col 0".split())
    assert json.loads(unbiased)["formula"] == "X·W_K"
    _, given, _ = run("explain", STARTS, *CPU, *"--step k --head 2 --row 2 --col 0".split())
    assert json.loads(given)["value"] == 1
    assert "terms" not in json.loads(given)


def test_explain_needs_no_head_where_there_is_one(run):
    for step in ("weights", "q"):
        status, out, _ = run("explain", SATURATED, *CPU, "--step", step, "--row", "0", "--col", "0")
        assert status == 0
        assert json.loads(out)["cell"]["head"] == 0


def test_check_prints_what_is_wrong_and_says_so_by_its_status(run):
    status, out, err = run("check", PUBLISHED)
    assert (status, err) == (1, "")
    assert json.loads(out) == json.loads(json.dumps(as_json(check(built_in("published")))))


@pytest.mark.parametrize("how", [[], ["--markdown"]])
def test_a_file_that_claims_nothing_is_not_called_right(run, how):
    assert run("check", FIRST, *how) == (2, "", "claimed: there are no numbers to check\n")
    assert as_json(check(built_in("first")))["ok"] is None


def test_check_of_right_numbers(run, tmp_path):
    file = tmp_path / "right.mha.json"
    file.write_text(
        dump(built_in("first")).replace('"scale"', '"claimed":{"q":[[["1",null],null,null],null]},"scale"')
    )
    status, out, _ = run("check", str(file))
    assert (status, json.loads(out)["ok"]) == (0, True)


def test_check_prints_a_report_to_read(run, monkeypatch):
    status, out, _ = run("check", PUBLISHED, "--markdown")
    assert (status, out) == (1, as_markdown(check(built_in("published"))))
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("check", PUBLISHED, "--markdown")[1] == as_markdown(check(built_in("published")), "zh")
    assert "没有" in run("check", PUBLISHED)[1]


def test_examples_lists_the_built_in_ones(run):
    status, out, err = run("examples")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert [entry["name"] for entry in answer] == list(library())
    assert all(
        entry[text][language] for entry in answer for text in ("title", "note") for language in ("en", "zh")
    )
    assert answer[0]["title"]["zh"].startswith("思考 计算机 程序")


def test_puzzles_lists_the_built_in_ones_and_prints_one(run):
    status, out, err = run("puzzles")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert [entry["name"] for entry in answer] == list(built_in_puzzles())
    assert answer[0] == {
        "name": "book",
        "stage": "aim",
        "title": built_in_puzzles()["book"].title,
        "note": built_in_puzzles()["book"].note,
    }
    assert run("puzzles", "book") == (0, pretty(built_in_puzzles()["book"]), "")
    status, out, err = run("puzzles", "books")
    assert (status, out) == (2, "")
    assert err.startswith("there is no puzzle named 'books'; the puzzles are: book, bank, itself,")


def test_a_dash_reads_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(dump(built_in("causal")).encode())))
    piped = run("trace", "-", *CPU)
    assert piped == run("trace", CAUSAL, *CPU)
    assert piped[0] == 0


def test_a_built_in_example_is_known_by_its_name(run):
    assert run("trace", "causal", *CPU) == run("trace", CAUSAL, *CPU)


def test_a_file_of_that_name_wins(run, monkeypatch, tmp_path):
    (tmp_path / "first").write_text(dump(built_in("causal")), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("trace", "first", *CPU) == run("trace", CAUSAL, *CPU)


def test_help_names_steps_defaults_and_an_example(run):
    help_text = " ".join(run("explain", "--help")[1].split())
    assert all(step in help_text for step in STEPS)
    assert "float64 if omitted" in help_text
    assert help_text.endswith(
        "For example: python -m mha_core explain first --step weights --head 1 --row 0 --col 2"
    )


def test_the_version(run):
    assert run("--version") == (0, f"mha {__version__}\n", "")


# --- bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "this is not valid JSON: line 1, column 1"),
        (b"{}", 'format: expected "mha-example/1", got null'),
        (b"\xff\xfe", "the file is not UTF-8 text (byte 0)"),
        (b"[" * 40_000, "the file is nested too deeply"),
        (b" " * 5_000_001, "the file is larger than 5 MB"),
        (b'{"\\ud800\\n\\u2028": 1}', 'unknown key "\\ud800\\n\\u2028"'),
        (dump(built_in("first")).encode().replace(b'"w_k":[[0,1],[1,1]]', b'"w_k":[[0,1,2],[1,1,2]]'),
         "heads[1].w_k: expected 2 × 2, got 2 × 3"),
        (dump(built_in("first")).encode().replace(b'"w_k":[[0,1],[1,1]]', b'"w_k":[[0,NaN],[1,1]]'),
         "heads[1].w_k[0][1]: expected a finite number, got NaN"),
        (dump(built_in("first")).replace("[5,6]]", "[5,6],[7,8]]").encode(),
         "tokens: expected 4 tokens, one per row of x, got 3"),
    ],
    ids=lambda value: repr(value[:24]),
)  # fmt: skip
@pytest.mark.parametrize("command", ["trace", "explain", "check"])
def test_bad_files(run, tmp_path, command, content, line):
    file = tmp_path / "bad.mha.json"
    file.write_bytes(content)
    more = "--step q --head 0 --row 0 --col 0".split() if command == "explain" else []
    has_place = line.startswith(("format: ", "heads[", "tokens: "))
    assert run(command, str(file), *more) == (2, "", f"{line}\n" if has_place else f"{file}: {line}\n")


def test_bad_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert run("trace", "-") == (2, "", "this is not valid JSON: line 1, column 2\n")


def test_files_that_cannot_be_read(run, tmp_path):
    missing, folder = tmp_path / "missing.json", tmp_path
    assert run("trace", str(missing)) == (
        2,
        "",
        f"{missing}: there is no such file\n",
    )
    assert run("trace", "none.mha.json") == (2, "", "none.mha.json: there is no such file\n")
    assert run("trace", "frist") == (
        2,
        "",
        f"frist: there is no such file, and no such built-in example; the examples are: {', '.join(library())}\n",
    )
    assert run("trace", str(folder)) == (2, "", f"{folder}: cannot be read: Is a directory\n")
    assert run("trace", "nul\0nul")[0] == 2


HAS_FIRST = (
    "; this example has x, w_q, w_k, w_v, q, k, v, scores, scaled_scores, weights, head_outputs, concat"
)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("--step q --head 0 --row 3 --col 0", "q has rows 0 to 2 and columns 0 to 1, got row 3, column 0"),
        ("--step q --head 0 --row -1 --col 0", "q has rows 0 to 2 and columns 0 to 1, got row -1, column 0"),
        ("--step q --head 2 --row 0 --col 0", "expected a head from 0 to 1, got 2"),
        ("--step q --row 0 --col 0", "q has one matrix per head; give a head, 0 to 1"),
        ("--step weights --row 0 --col 0", "weights has one matrix per head; give a head, 0 to 1"),
        ("--step x --head 0 --row 0 --col 0", "x belongs to the whole layer; do not give a head"),
        ("--step output --row 0 --col 0", f"there is no output here{HAS_FIRST}"),
        (
            "--step masked_scores --head 0 --row 0 --col 0",
            f"there is no masked_scores, head 0 here{HAS_FIRST}",
        ),
        ("--step nonsense --row 0 --col 0", f"there is no 'nonsense' here{HAS_FIRST}"),
    ],
)
def test_cells_that_do_not_exist(run, place, line):
    assert run("explain", FIRST, *CPU, *place.split()) == (2, "", line + "\n")


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["nonsense"], ["trace"], ["trace", FIRST, "--device", "tpu"], ["trace", FIRST, "--dtype", "float16"],
        ["explain", FIRST, "--step", "q"], ["explain", FIRST, "--step", "q", "--row", "one", "--col", "0"],
        ["trace", FIRST, "--frobnicate"], ["examples", "more"],
    ],
    ids=lambda arguments: " ".join(Path(argument).name for argument in arguments) or "nothing",
)  # fmt: skip
def test_bad_arguments(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("python -m mha_core")


def test_numbers_beyond_float32(run, tmp_path):
    file = tmp_path / "large.mha.json"
    text = dump(built_in("first")).replace("[5,6]", "[1e12,1e12]")
    file.write_text(
        text.replace("[[1,1],[1,0]]", "[[1e12,0],[0,1e12]]").replace('"w_q":[[1,', '"w_q":[[1e12,'), "utf-8"
    )
    assert run("trace", str(file), *CPU)[0] == 0
    line = "scores: a number exceeded the range of float32\n"
    assert run("trace", str(file), *CPU, "--dtype", "float32") == (2, "", line)


def test_torch_computes_in_one_thread(run):
    """For matrices this small, threads spend longer waiting for each other than computing."""
    torch.set_num_threads(2)
    assert run("trace", FIRST, *CPU)[0] == 0
    assert torch.get_num_threads() == 1


# --- in a process of its own -----------------------------------------------------------------------------------


def test_the_command_in_a_shell():
    done = shell("trace", "-", *CPU, input=dump(built_in("first")).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["steps"] == trace(built_in("first"), backend("cpu")).values


def test_bad_input_in_a_shell_without_utf8():
    done = shell("trace", "-", input=b'{"format":"mha-example/2"}', env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b'format: expected "mha-example/1", got "mha-example/2"\n'


def test_json_is_utf8_whatever_the_shells_encoding():
    done = shell("examples", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "思考" in done.stdout.decode("utf-8")


def test_check_in_a_shell():
    wrong = shell("check", "-", input=dump(built_in("published")).encode())
    assert (wrong.returncode, wrong.stderr) == (1, b"")
    assert json.loads(wrong.stdout)["format"] == "mha-check/1"


def test_a_reader_that_quits_early_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "mha_core", "trace", "-"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.close()
    process.stdin.write(dump(built_in("first")).encode())
    process.stdin.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), errors) == (0, b"")


# --- what is nobody's fault but has to be said ---------------------------------------------------------------------


def closing(descriptors, *arguments):
    """Run a command in a shell with redirections such as ``<&-``."""
    line = f'"$0" -m mha_core {shlex.join(arguments)} {descriptors}'
    environment = {**os.environ, "LANG": "en_US.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", line, sys.executable], cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


NOWHERE = {"> /dev/full": "No space left on device", ">&-": "it is closed", "> /dev/full 2>&-": None}


@pytest.mark.parametrize(("descriptors", "arguments"), in_turn(NOWHERE, [["--help"], ["check", PUBLISHED]]))
def test_an_answer_that_cannot_be_written(arguments, descriptors):
    reason = NOWHERE[descriptors]
    message = "" if reason is None else f"standard output: cannot write: {reason}\n"
    assert closing(descriptors, *arguments) == (3, "", message)


@pytest.mark.parametrize("command", ["trace", "layers"])
def test_standard_input_that_is_closed(command):
    assert closing("<&-", command, "-") == (2, "", "-: cannot be read: it is closed\n")


def test_an_error_message_that_cannot_be_written():
    assert closing("2> /dev/full", "trace", "missing.json") == (2, "", "")
    assert closing("2>&-", "trace", "missing.json") == (2, "", "")


@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        (
            ZeroDivisionError("a\nb"),
            3,
            r"unexpected ZeroDivisionError in test_command_line\.py, line \d+: a b\n",
        ),
        (MemoryError(), 3, r"unexpected MemoryError in test_command_line\.py, line \d+\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("arguments", [["trace", FIRST], ["check", PUBLISHED]])
def test_an_unexpected_error_is_one_line_with_its_own_status(
    run, monkeypatch, arguments, fault, status, message
):
    def planted(_):
        raise fault

    monkeypatch.setattr("mha_core.__main__.parse", planted)
    found, out, err = run(*arguments)
    assert (found, out) == (status, "")
    assert re.fullmatch(message, err)


# --- devices -------------------------------------------------------------------------------------------------------


def test_mps_is_a_valid_device(run, monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    backend.cache_clear()
    assert run("trace", FIRST, "--device", "mps") == (2, "", "the device mps is not available here\n")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    backend.cache_clear()
    answer = run("trace", FIRST, "--device", "mps", "--dtype", "float64")
    assert answer == (2, "", "float64 is not available on mps; use float32\n")
    assert backend("mps").dtype == "float32"
    backend.cache_clear()


# --- Chinese -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"])
def chinese(request, monkeypatch):
    monkeypatch.setenv(request.param, "zh_CN.UTF-8")


COMMANDS = [
    "trace",
    "explain",
    "check",
    "marks",
    "bank",
    "examples",
    "puzzles",
    "read",
    "export",
    "layers",
    "import",
    "models",
    "train",
]
NAMES = re.compile(
    r"--?[a-z][\w-]*|\{[^}]*\}|[Pp]ython(?: -m mha_core)?|Moodle|Canvas|[A-Z_]+|" + "|".join(COMMANDS)
)


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_is_chinese_in_a_chinese_shell(run, chinese, command):
    status, out, err = run(*command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith("用法：")
    text, _, instance = out.rpartition("例如：")
    assert instance.startswith("python -m mha_core")
    for step in STEPS:
        text = re.sub(rf"\b{step}\b", "", text)
    words = set(re.findall(r"[A-Za-z]{3,}", NAMES.sub("", text)))
    assert words <= {
        "mha",
        "tex",
        "html",
        "ipynb",
        "moodle",
        "txt",
        "pdf",
        "json",
        "safetensors",
        "mps",
        "npy",
        "torch",
        "float",
        "weights",
        "state",
        "dict",
        "statedict",
        "config",
        "gpu",
        "layers",
        "examples",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "缺少参数：COMMAND"),
        (["trace"], "缺少参数：FILE"),
        (["trace", FIRST, "--dtype"], "参数 --dtype：后面要有一个值"),
        (
            ["trace", FIRST, "--dtype", "int"],
            "参数 --dtype：没有 'int' 这个选项（可选：'float64', 'float32'）",
        ),
        (["nonsense"], "参数 COMMAND：没有 'nonsense' 这个选项（可选：'trace', "),
        (
            ["explain", FIRST, "--step", "q", "--row", "one", "--col", "0"],
            "参数 --row：应为 int 类型的值，实际是 'one'",
        ),
        (["trace", FIRST, "--frobnicate"], "无法识别的参数：--frobnicate"),
        (["trace", FIRST, "--d", "cpu"], "--d 不明确，可能是 --device, --dtype"),
        (["import", FIRST, "--heads", "a"], "参数 --heads：应为整数，例如 0,3"),
        (["check", PUBLISHED, "--markdown=1"], "参数 --markdown：后面不能有值，却有 '1'"),
    ],
    ids=lambda value: " ".join(Path(part).name for part in value) if isinstance(value, list) else "",
)
def test_usage_errors_are_chinese_in_a_chinese_shell(run, monkeypatch, arguments, message):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_argparse_says_nothing_that_is_not_in_the_catalogue():
    """Every sentence of argparse that one of our commands can print."""
    source = Path(argparse.__file__).read_text("utf-8")
    for sentence in ARGPARSE:
        assert f"_('{sentence}')" in source
        assert catalogue("zh").gettext(sentence) != sentence
        fields = r"%(?:\(\w+\))?[sr]"
        assert re.findall(fields, sentence) == re.findall(fields, catalogue("zh").gettext(sentence))


WORKED = [str(path) for path in sorted((Path(__file__).parent / "worked").glob("*.mha.json"))]


def test_a_table_has_a_row_for_each_file_and_counts_causes(run):
    status, out, err = run("check", *WORKED, "--table")
    first, second = out.strip().split("\n\n")
    rows = list(csv.reader(first.split("\n")))
    assert (status, err) == (1, "")
    assert rows[0] == ["file", "result", "right", "wrong", "blank", "first wrong", "cause"]
    assert [row[0] for row in rows[1:]] == WORKED
    catsleeps = next(row for row in rows if "catsleeps" in row[0])
    assert catsleeps[2:] == [
        *("24", "4", "0"),
        "head outputs, head 2, row 1, column 1",
        "head 2: Possibly a row of zero scores is given weights of 0, but its softmax is uniform.",
    ]
    assert second.split("\n")[:2] == ["cause,solutions", "No known mistake explains this.,3"]
    assert "The scores are not divided by √d_k.,1" in second


def test_a_file_that_cannot_be_checked_is_a_row_of_the_table(run, tmp_path):
    (tmp_path / "=1+1").write_text("[", "utf-8")
    status, out, _ = run("check", str(tmp_path / "nothing"), FIRST, "--table")
    assert status == 2
    rows = list(csv.reader(out.strip().split("\n")))
    assert [row[2:] for row in rows[1:]] == [[""] * 5] * 2
    assert rows[2][1] == "claimed: there are no numbers to check"


@pytest.mark.parametrize("how", [(), ("--markdown",)])
def test_files_beside_one_that_cannot_be_checked_are_reported(run, tmp_path, how):
    gone = str(tmp_path / "nothing")
    status, out, err = run("check", gone, WORKED[0], FIRST, *how)
    assert status == 2
    assert err.split("\n")[0].startswith(f"{gone}: there is no such file")
    assert err.split("\n")[1:] == [f"{FIRST}: claimed: there are no numbers to check", ""]
    assert "Check: " in out if how else [one["ok"] for one in json.loads(out)] == [True]


def test_where_no_file_can_be_checked_each_is_named(run, tmp_path):
    status, out, err = run("check", FIRST, str(tmp_path / "nothing"))
    assert (status, out) == (2, "")
    assert len(err.strip().split("\n")) == 2


def test_a_file_with_the_wanted_steps_has_a_denominator(run, tmp_path):
    """In "first" K and the scores are wanted, 30 numbers in all, and K of head 1 is given: 6 of 30."""
    example = built_in("first")
    k = trace(example).values["k"][0]
    rows = tuple(tuple(f"{cell:g}" for cell in row) for row in k)
    solved = replace(example, claimed={"k": (rows, None)}, asked=("k", "scores"))
    file = tmp_path / "ada.mha.json"
    file.write_text(dump(solved), "utf-8")
    _, out, _ = run("check", str(file), "--table")
    assert list(csv.reader(out.split("\n")))[1][1:5] == [
        "6 of 30 filled in so far, all correct. 24 left.",
        "6",
        "0",
        "24",
    ]
    assert "6 of 30 filled in so far" in run("check", str(file), "--markdown")[1]


def test_several_files_without_a_table_are_a_list(run):
    status, out, _ = run("check", *WORKED[:2])
    assert status == 0
    assert [one["ok"] for one in json.loads(out)] == [True, True]
