"""The notes for a lecturer at each stage: for every kind of step, in both languages, with true numbers."""

import re
from pathlib import Path

import pytest

from mha_core import Cell, library, parse, trace
from mha_core.compute.derive import derive
from mha_core.example.model import allow_matrix, key_tokens
from mha_core.messages import LANGUAGES
from mha_core.vocabulary import STEPS
from mha_core.walk.stages import walk
from mha_core.walk.teaching import of_stage, of_step
from mha_core.walk.wording import WORDING
from tests.sizes import each

HERE = Path(__file__).parent
EVERY = library() | {path.stem: parse(path.read_bytes()) for path in sorted(HERE.rglob("*.mha.json"))}
TRACES = {name: trace(example) for name, example in EVERY.items()}


def test_every_step_has_its_own_notes():
    assert set(WORDING) == set(STEPS)


@each("language", LANGUAGES)
@each("name", EVERY)
def test_every_stage_of_every_example_has_words(name, language):
    for stage in walk(TRACES[name]):
        teachings = [of_stage(TRACES[name], stage)]
        teachings += [of_step(TRACES[name], step, stage.head) for step in stage.steps]
        for say, aloud, wrong in teachings:
            assert say.translated(language)
            assert wrong.translated(language)
            for sentence in (say, aloud, wrong):
                assert "{" not in sentence.translated(language)


@each("name", EVERY)
def test_the_sentences_to_read_aloud_are_about_this_example(name):
    """Against the plain loops: the largest number with its query and key, pairs hidden, a sum of its terms."""
    computed = TRACES[name]
    queries, keys = computed.example.tokens, key_tokens(computed.example)
    for stage in walk(computed):
        for step in stage.steps:
            _, aloud, _ = of_step(computed, step, stage.head)
            if not aloud.template:
                continue
            rows = computed.matrix(step.name, stage.head)
            values = aloud.values
            if "hidden" in values:
                allow = allow_matrix(computed.example)
                assert values["hidden"] == sum(1 for row in allow for allowed in row if not allowed)
                assert values["all"] == len(queries) * len(keys)
            elif "number" in values:
                most = max(number for row in rows for number in row)
                assert float(str(values["number"]).replace("−", "-")) == pytest.approx(most, abs=0.005)
                assert any(
                    (queries[i][:20], keys[j][:20]) == (values["query"], values["key"])
                    for i, row in enumerate(rows)
                    for j, number in enumerate(row)
                    if number == most
                )
                as_many = sum(1 for row in rows for number in row if most - number <= 1e-9 * abs(most))
                assert values.get("count", 1) == as_many
            else:
                assert 1 < len(derive(computed, Cell(step.name, stage.head, 0, 0)).terms) <= 4
                last = re.split(r" [=≈] ", str(values["line"]))[-1]
                assert float(last.strip("()").replace("−", "-")) == pytest.approx(
                    rows[0][0], rel=0.01, abs=0.005
                )
