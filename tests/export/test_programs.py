"""Every exported program runs as it stands, in a fresh process, and its assertions are about this example."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from mha_core import AllowMask, Example, ExportError, Head, built_in, library, place, trace, validate
from mha_core.example import NEG_INF
from mha_core.export import TARGETS, export
from tests.core.strategies import examples
from tests.export.samples import SAMPLES, changed

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [name for name, target in TARGETS.items() if target.suffix == "py"]
LIBRARIES = ["torch", "keras"]
VARIANTS = (
    "additive",
    "bilinear",
    "cosine",
    "sinusoidal",
    "rotary",
    "alibi",
    "grouped-query",
)
REFUSED = {
    ("mixed starts", "torch"),
    ("mixed starts", "keras"),
    ("given weights", "torch"),
    ("given weights", "keras"),
    ("filled mask", "torch"),
    ("filled mask", "keras"),
    ("added mask", "keras"),
    # programs are written for scaled dot-product attention without positions
    *((name, target) for name in VARIANTS for target in PROGRAMS),
}


def run(folder):
    """What a fresh process says about every program in a folder: (failures, printed text)."""
    answer = subprocess.run(
        [sys.executable, "-m", "tests.export.run_programs", str(folder)],
        cwd=ROOT, capture_output=True, check=True, timeout=300,
    )  # fmt: skip
    found = json.loads(answer.stdout)
    return found["failed"], found["told"]


def everything():
    return {**library(), **SAMPLES}


@pytest.mark.parametrize("target", PROGRAMS)
def test_every_program_passes_its_own_assertions(target, tmp_path):
    written = set()
    for name, example in everything().items():
        for language, decimals in (("en", None), ("zh", 3)):
            if (name, target) in REFUSED:
                with pytest.raises(ExportError):
                    export(example, target, decimals, language)
                continue
            path = tmp_path / f"{name}-{language}.py"
            path.write_text(export(example, target, decimals, language), "utf-8")
            written.add(path.name)
    failed, told = run(tmp_path)
    assert failed == {}
    assert told.keys() == written
    assert len(written) >= 2 * (len(library()) - len(VARIANTS))
    assert {text for name, text in told.items() if "-en" in name} == {"All numbers agree.\n"}
    assert {text for name, text in told.items() if "-zh" in name} == {"所有数都一致。\n"}


@pytest.mark.parametrize("target", PROGRAMS)
def test_only_variants_are_refused_of_the_built_in_examples(target):
    assert {name for name in library() if (name, target) in REFUSED} == set(VARIANTS)


@pytest.mark.parametrize("target", PROGRAMS)
def test_a_wrong_number_fails_the_program(target, tmp_path):
    """Each input of the example, changed a little in the program's text, breaks one of its assertions."""
    text = export(built_in("output-projection"), target)
    inputs, told = text.split("expected_weights = ", 1)
    places = [at for at in range(len(inputs)) if inputs.startswith(("[1., 0.", "[2., 0.", "[0.5"), at)]
    assert len(places) >= 6
    for number, at in enumerate(places):
        wrong = inputs[: at + 1] + "3" + inputs[at + 2 :]
        (tmp_path / f"{number}.py").write_text(wrong + "expected_weights = " + told, "utf-8")
    failed, _ = run(tmp_path)
    assert len(failed) == len(places)
    assert all("AssertionError" in reason for reason in failed.values())


@pytest.mark.parametrize("target", PROGRAMS)
def test_the_numbers_that_are_asserted_are_the_trace_s(target):
    example = built_in("output-projection")
    values = trace(example, place("cpu", "float64")).values
    text = export(example, target)
    for step in ("weights", "output"):
        for head in values[step] if step == "weights" else [values[step]]:
            for row in head:
                for number in row:
                    assert repr(round(number, 10)) in text
    assert "0.14," in export(example, target, decimals=2)
    assert "atol=1e-2" in export(example, target, decimals=2)


@settings(max_examples=60)
@given(examples())
def test_from_scratch_takes_every_example_of_the_format(example):
    """Run in this process, where hypothesis can shrink it; sixty kinds of example, both programs."""
    for target in ("numpy", "torch-scratch"):
        exec(
            compile(export(example, target), target, "exec"),
            {"print": lambda *_: None, "__name__": "__main__"},
        )


@settings(max_examples=60)
@given(examples())
def test_torch_takes_every_example_that_it_can_express(example):
    starts = [
        [getattr(head, part) is not None for head in example.heads] for part in ("q", "k", "v", "weights")
    ]
    refused = any(starts[3]) or any(any(some) and not all(some) for some in starts[:3])
    refused = refused or (isinstance(example.mask, AllowMask) and example.mask.fill != NEG_INF)
    if refused:
        with pytest.raises(ExportError):
            export(example, "torch")
    else:
        program = compile(export(example, "torch"), "torch", "exec")
        exec(program, {"print": lambda *_: None, "__name__": "__main__"})


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
def test_a_visitor_s_text_is_never_code(target, tmp_path):
    text = export(hostile(), target)
    assert all(c.isprintable() or c == "\n" for c in text)
    (tmp_path / "hostile.py").write_text(text, "utf-8")
    failed, told = run(tmp_path)
    assert (failed, told) == ({}, {"hostile.py": "All numbers agree.\n"})
    code = [line.partition("#")[0] for line in text.splitlines()]
    plain = export(changed(hostile(), title="", tokens=("t",) * len(HOSTILE)), target)
    assert [line.rstrip() for line in code] == [
        line.partition("#")[0].rstrip() for line in plain.splitlines()
    ]


@pytest.mark.parametrize(
    ("example", "target", "sentence"),
    [
        ("given weights", "torch", "heads[0]: a library's layer computes the attention weights itself"),
        (
            "mixed starts",
            "keras",
            "a library's layer treats all heads alike; here some start from their own Q",
        ),
        ("filled mask", "torch", "nn.MultiheadAttention gives a hidden pair no weight at all"),
        ("filled mask", "keras", "Keras gives a hidden pair no weight at all"),
        ("added mask", "keras", "Keras's mask allows or hides a pair; it adds no numbers"),
        ("low scores", "keras", "Keras hides a pair with −10⁹, and these scores are lower than that"),
    ],
)
def test_what_a_target_cannot_express_is_refused_in_a_sentence(example, target, sentence):
    head = Head(w_q=((-3e9,),), w_k=((1.0,),), w_v=((1.0,),))
    low = Example("", ("a", "b"), (head,), x=((1.0,), (1.0,)), mask="causal")
    with pytest.raises(ExportError) as caught:
        export({**SAMPLES, "low scores": low}[example], target)
    assert str(caught.value).startswith(sentence)


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
