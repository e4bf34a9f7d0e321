"""Every exported program runs unchanged, in a fresh process, and its assertions are about this example."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from mha_core import (
    AllowMask,
    Example,
    ExportError,
    Head,
    Positions,
    backend,
    built_in,
    library,
    trace,
    validate,
)
from mha_core.example.model import NEG_INF, has_values, kv_head_of
from mha_core.export import TARGETS, export
from tests.core.strategies import examples
from tests.export.samples import ROTARY, SAMPLES, changed
from tests.sizes import EVERY_STAGE, at_length, shortened, tries

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [name for name, target in TARGETS.items() if target.suffix == "py"]
LIBRARIES = ["torch", "keras"]
REFUSED = {
    ("additive", "torch"),  # PyTorch has no additive attention
    ("ALiBi, additive, filled mask", "torch"),
    ("given weights", "torch"),  # libraries compute the weights themselves
    ("given weights", "keras"),
    ("groups that start further on", "torch"),
    ("groups that start further on", "keras"),
    ("mixed starts", "keras"),  # Keras's layer treats all heads alike
    ("sinks", "torch"),  # PyTorch's own attention has none
    ("a sink in one head, dead row", "torch"),
    ("sinks, added mask, rotary", "torch"),
    ("one head's own dead row", "torch"),  # PyTorch gives NaN to it
    ("own masks beside given weights", "torch"),
    ("own masks beside given weights", "keras"),
    ("one head's own numbers", "keras"),  # Keras adds no numbers per head
    ("filled mask", "torch"),  # PyTorch's masks hide and add; they replace no score
}


@pytest.fixture(scope="module")
def run():
    """The results of every program in a folder, each in a fresh process: (failures, printed text)."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.export.run_programs"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip

        def run_in(folder):
            print(folder, file=process.stdin, flush=True)
            found = json.loads(process.stdout.readline())
            return found["failed"], found["printed"]

        yield run_in


def everything():
    return {**library(), **SAMPLES}


@pytest.mark.parametrize("target", PROGRAMS)
def test_every_program_passes_its_own_assertions(run, target, tmp_path):
    """With all decimals; and in the other language with fewer of them. At length every built-in example too."""
    stages = everything() if at_length() else EVERY_STAGE
    written, pairs = (
        set(),
        [(name, "en") for name in dict.fromkeys([*stages, *SAMPLES])] + [(name, "zh") for name in stages],
    )
    for name, language in pairs:
        example, decimals = everything()[name], {"en": None, "zh": 3}[language]
        if (name, target) in REFUSED:
            with pytest.raises(ExportError):
                export(example, target, decimals, language)
            continue
        path = tmp_path / f"{name}-{language}.py"
        path.write_text(export(example, target, decimals, language), "utf-8")
        written.add(path.name)
    failed, printed = run(tmp_path)
    assert failed == {}
    assert printed.keys() == written
    assert len(written) == sum((name, target) not in REFUSED for name, _ in pairs)
    assert {text for name, text in printed.items() if name.endswith("-en.py")} == {"All numbers agree.\n"}
    assert {text for name, text in printed.items() if name.endswith("-zh.py")} == {"所有数都一致。\n"}


def test_one_built_in_example_has_no_program_for_one_library():
    assert {pair for pair in REFUSED if pair[0] in library()} == {("additive", "torch")}


@pytest.mark.parametrize("target", PROGRAMS)
def test_a_wrong_number_fails_the_program(run, target, tmp_path):
    """Each input of the example, changed a little in the program's text, breaks one of its assertions."""
    text = export(built_in("output-projection"), target)
    inputs, expected = text.split("expected_weights = ", 1)
    places = [at for at in range(len(inputs)) if inputs.startswith(("[1., 0.", "[2., 0.", "[0.5"), at)]
    assert len(places) >= 6
    for number, at in enumerate(places):
        wrong = inputs[: at + 1] + "3" + inputs[at + 2 :]
        (tmp_path / f"{number}.py").write_text(wrong + "expected_weights = " + expected, "utf-8")
    failed, _ = run(tmp_path)
    assert len(failed) == len(places)
    assert all("AssertionError" in reason for reason in failed.values())


def with_parameter(example, head, name, values):
    heads = list(example.heads)
    heads[head] = replace(heads[head], **{name: values})
    return changed(example, heads=tuple(heads))


SHIFTED = Positions("sinusoidal", ids=(0.0, 2.0, 3.0))
CHANGES = {
    "v_a": ("additive", lambda e: with_parameter(e, 0, "v_a", (1.5, 0.0))),
    "u_a": ("additive", lambda e: with_parameter(e, 1, "u_a", ((-1.5, 0.0), (0.0, -1.0)))),
    "additive w_a": ("additive", lambda e: with_parameter(e, 0, "w_a", ((1.0, 0.0), (0.5, 1.0)))),
    "bilinear w_a": ("bilinear", lambda e: with_parameter(e, 0, "w_a", ((0.0, 1.0), (1.0, 0.5)))),
    "temperature": ("cosine", lambda e: changed(e, scale=0.75)),
    "scoring": ("cosine", lambda e: changed(e, scoring="dot")),
    "sinusoidal ids": ("sinusoidal", lambda e: changed(e, positions=SHIFTED)),
    "no positions": ("sinusoidal", lambda e: changed(e, positions=None)),
    "rotary ids": ("rotary", lambda e: changed(e, positions=Positions("rotary", ids=(0.0, 2.0, 3.0)))),
    "frequencies": ("rotary", lambda e: changed(e, positions=Positions("rotary", frequencies=(0.5,)))),
    "slope": ("alibi", lambda e: with_parameter(e, 1, "slope", (0.25,))),
    "alibi ids": ("alibi", lambda e: changed(e, positions=Positions("alibi", ids=(0.0, 1.0, 2.0, 3.0, 5.0)))),
    "shared w_k": ("grouped-query", lambda e: with_parameter(e, 2, "w_k", ((0.0, 1.0), (-1.0, 1.0)))),
    "shared w_v": ("grouped-query", lambda e: with_parameter(e, 0, "w_v", ((1.0, 1.0), (0.0, 1.0)))),
    "sharing": ("grouped-query", lambda e: with_parameter(e, 1, "w_q", ((2.0, 0.0), (0.0, 2.0)))),
}
"""One thing that makes each variant what it is, made another."""


@pytest.mark.parametrize("target", PROGRAMS)
def test_what_makes_a_variant_decides_its_program(run, target, tmp_path):
    """A program of other numbers, or of another variant, does not give this one's weights and outputs."""
    written = set()
    for what, (name, change) in CHANGES.items():
        if (name, target) in REFUSED:
            continue
        example = built_in(name)
        expected = export(example, target).split("expected_weights = ", 1)[1]
        computed = export(change(example), target).split("expected_weights = ", 1)[0]
        (tmp_path / f"{what}.py").write_text(computed + "expected_weights = " + expected, "utf-8")
        written.add(f"{what}.py")
    failed, _ = run(tmp_path)
    assert failed.keys() == written
    assert all("AssertionError" in reason for reason in failed.values())


@pytest.mark.parametrize("target", PROGRAMS)
def test_which_columns_are_a_pair_decides_a_program(run, target, tmp_path):
    example = SAMPLES["rotary by halves, causal"]
    expected = export(example, target).split("expected_weights = ", 1)[1]
    computed = export(changed(example, positions=ROTARY), target).split("expected_weights = ", 1)[0]
    (tmp_path / "neighbours.py").write_text(computed + "expected_weights = " + expected, "utf-8")
    failed, _ = run(tmp_path)
    assert "AssertionError" in failed["neighbours.py"]


USERS = {
    "rotate(": {"rotary"},
    "frequencies": {"rotary", "sinusoidal"},
    "encoding": {"sinusoidal"},
    "slope": {"alibi"},
    "distances": {"alibi"},
    "norms": {"cosine"},
    "w_a": {"additive", "bilinear"},
    "u_a": {"additive"},
    "tanh": {"additive"},
    "firsts": {"grouped-query"},
    "repeat_interleave": {"grouped-query"},
    "GroupQueryAttention": {"grouped-query"},
    "for _ in range": {"grouped-query"},
}
"""Words of programs, and the built-in examples that they are for."""


def test_a_program_has_only_what_its_example_uses():
    said = set()
    for name, example in library().items():
        for target in PROGRAMS:
            if (name, target) not in REFUSED:
                text = export(example, target)
                found = {word for word in USERS if word in text}
                assert all(name in USERS[word] for word in found), (name, target, found)
                assert ("import math" in text) == ("math.sqrt" in text)
                said |= found
    assert said == set(USERS)


@pytest.mark.parametrize("target", shortened(PROGRAMS, ["numpy", "keras"]))
def test_a_program_runs_without_this_project(target, tmp_path):
    """Outside this project, in a new folder and process."""
    (tmp_path / "program.py").write_text(export(built_in("grouped-query"), target), "utf-8")
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "KERAS_BACKEND")
    }
    answer = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (answer.returncode, answer.stdout) == (0, b"All numbers agree.\n"), answer.stderr.decode()


@pytest.mark.parametrize("target", PROGRAMS)
def test_the_numbers_that_are_asserted_are_the_trace_s(target):
    example = built_in("output-projection")
    values = trace(example, backend("cpu", "float64")).values
    text = export(example, target)
    for step in ("weights", "output"):
        for head in values[step] if step == "weights" else [values[step]]:
            for row in head:
                for number in row:
                    assert repr(round(number, 10)) in text
    assert "0.14," in export(example, target, decimals=2)
    assert "atol=1e-2" in export(example, target, decimals=2)


def execute(text):
    exec(compile(text, "program", "exec"), {"print": lambda *_: None, "__name__": "__main__"})


@pytest.mark.parametrize("target", ["numpy", "torch-scratch"])
@tries(10)
@given(example=examples() | examples(variants=True))
def test_programs_from_scratch_support_every_example_of_the_format(target, example):
    """Run in this process, where hypothesis can shrink it."""
    execute(export(example, target))


def is_mixed(example):
    """Whether some of the heads that have a Q, K or V of their own start from it, and others do not."""
    scored = [index for index, head in enumerate(example.heads) if head.weights is None]
    readers = {"q": scored, "k": scored, "v": range(len(example.heads))}
    holders = {part: {kv_head_of(example, part, index) for index in heads} for part, heads in readers.items()}
    return any(
        len({getattr(example.heads[index], part) is None for index in heads}) > 1
        for part, heads in holders.items()
    )


@pytest.mark.filterwarnings("ignore")  # Keras warns of a single key, and numpy of Keras
@pytest.mark.parametrize("target", LIBRARIES)
@tries(6)
@given(example=examples() | examples(plain=True, variants=True))
def test_libraries_support_every_example_that_they_can_express(target, example):
    filled = isinstance(example.mask, AllowMask) and example.mask.fill != NEG_INF
    refused = any(head.weights is not None for head in example.heads)
    if target == "keras":
        refused |= is_mixed(example) or not has_values(example)
    else:
        refused |= filled or example.scoring == "additive" or example.softcap is not None
        refused |= any(head.sink is not None for head in example.heads)
    if refused:
        with pytest.raises(ExportError, match="use NumPy or PyTorch from scratch"):
            export(example, target)
    else:
        execute(export(example, target))


@pytest.mark.filterwarnings("ignore")  # as above
def test_keras_computes_in_float64_whatever_was_computed_before():
    """Keras keeps the dtype policy that the first layer of a process was made with."""
    import keras

    keras.config.set_dtype_policy("float32")
    execute(export(built_in("scaled"), "keras"))


HOSTILE = [
    "x\nimport os; os.abort()",
    '"""', "'''", "\\", "# $title $[ok]", "$x", "{x}", "\r\nraise SystemExit", "\u2028raise", "\u202eevil", "\0",
    "%", "\\input{/etc/passwd}", "|", "", " ", "😀", "<script>alert(1)</script>", "a" * 1000,
]  # fmt: skip


def hostile():
    count = len(HOSTILE)
    return validate(
        Example(
            title=" ".join(HOSTILE[:-1]),
            tokens=tuple(HOSTILE),
            x=tuple((1.0, float(i)) for i in range(count)),
            heads=(Head(w_q=((1.0,), (0.0,)), w_k=((0.1,), (0.1,)), w_v=((1.0,), (2.0,))),),
        )
    )


@pytest.mark.parametrize("target", PROGRAMS)
def test_a_visitor_s_text_is_never_code(run, target, tmp_path):
    text = export(hostile(), target)
    assert all(c.isprintable() or c == "\n" for c in text)
    (tmp_path / "hostile.py").write_text(text, "utf-8")
    failed, printed = run(tmp_path)
    assert (failed, printed) == ({}, {"hostile.py": "All numbers agree.\n"})
    code = [line.partition("#")[0] for line in text.splitlines()]
    plain = export(changed(hostile(), title="", tokens=("t",) * len(HOSTILE)), target)
    assert [line.rstrip() for line in code] == [
        line.partition("#")[0].rstrip() for line in plain.splitlines()
    ]


@pytest.mark.parametrize(
    ("example", "target", "sentence"),
    [
        (
            "given weights",
            "torch",
            "heads[0]: this head starts from given weights, but a library computes them itself",
        ),
        ("mixed starts", "keras", "a layer treats all heads alike, but here some start from their own Q"),
        ("filled mask", "torch", "PyTorch gives a masked pair no weight, but here it has a score"),
        ("additive", "torch", "PyTorch has no additive attention"),
        ("low scores", "keras", "Keras masks a pair with −10⁹, but these scores are lower than that"),
    ],
)
def test_what_a_target_cannot_express_is_refused_in_a_sentence(example, target, sentence):
    head = Head(w_q=((-3e9,),), w_k=((1.0,),), w_v=((1.0,),))
    low = Example("", ("a", "b"), (head,), x=((1.0,), (1.0,)), mask="causal")
    with pytest.raises(ExportError) as caught:
        export({**everything(), "low scores": low}[example], target)
    assert str(caught.value) == f"{sentence}; use NumPy or PyTorch from scratch"


def test_decimals_have_bounds():
    for decimals in (-1, 16):
        with pytest.raises(ExportError, match="expected 0 to 15 decimals"):
            export(built_in("first"), "numpy", decimals)


@pytest.mark.parametrize("target", PROGRAMS)
def test_programs_are_laid_out_as_written_code(target):
    for example in everything().values():
        try:
            text = export(example, target)
        except ExportError:
            continue
        assert "$" not in text
        assert "\n\n\n\n" not in text
        assert not any(line != line.rstrip() for line in text.splitlines())
        assert text.endswith('print("All numbers agree.")\n')
