"""A scoring that is added in three files is chosen, traced, derived, checked, saved and exported."""

from math import isclose, tanh

import pytest

from tests.core.new_step import output_of, with_the_step

ADDED = (
    (
        "mha_core/vocabulary.py",
        '    Entry("scores", "S",',
        """    Entry(
        "products", "P", ("n_q", "n_k"), "head", N_("products"), "scoring", N_("products"), only=("bounded",)
    ),
""",
    ),
    ("mha_core/vocabulary.py", '        Scoring("cosine",', '        Scoring("bounded", "sqrt_dk"),\n'),
    (
        "mha_core/vocabulary.py",
        '    "cosine": Choice(',
        '    "bounded": Choice("bounded", N_("bounded"), N_("bounded scoring")),\n',
    ),
    ("mha_core/vocabulary.py", '"cosine"]\n', '"bounded", '),
    (
        "mha_core/compute/graph.py",
        '    if scoring == "bilinear":\n        return',
        """    if scoring == "bounded":
        products = Step("products", "matmul", (Operand(q, "ik"), Operand(k, "jk")))
        return products, Step("scores", "tanh", (Operand("products", "ij"),))
""",
    ),
    (
        "mha_core/export/templates.py",
        "scaled_scores        |     scores = scores / divisor",
        "products             |     scores = np.tanh(scores)\n",
    ),
    (
        "mha_core/export/templates.py",
        "scaled_scores        | scores = scores / divisor",
        "products             | scores = torch.tanh(scores)\n",
    ),
)
"""A file, the text to insert before, and what is inserted: scores are tanh of the products."""

SCRIPT = """
import json
from dataclasses import replace
from mha_core import Cell, arithmetic, built_in, derive, dump, from_token, parse, to_token, trace
from mha_core.check.check import check
from mha_core.edit.edit import SetScoring
from mha_core.edit.edits import apply
from mha_core.export import export
from mha_core.walk.stages import walk
from mha_ui.bench.model import payload
from mha_ui.state import Work, begun


def ran(target):
    exec(export(example, target), {"print": lambda *_: None})  # a program asserts the example's numbers itself
    return True


example = apply(built_in("first"), SetScoring(kind="bounded"))
computed = trace(example)
wrong = replace(example, claimed={"scores": (((99.0, 0.0, 0.0),) * 3,) * 2})
sent = payload(Work(begun(example), "en"))
print(json.dumps({
    "order": [step.name for step in computed.steps],
    "products": computed.values["products"],
    "scores": computed.values["scores"],
    "derived": derive(computed, Cell("scores", 0, 1, 2)).value,
    "arithmetic": arithmetic(derive(computed, Cell("scores", 0, 1, 2))),
    "saved": parse(dump(example)) == example and from_token(to_token(example)) == example,
    "verdict": check(wrong).ok,
    "walked": [stage.id for stage in walk(computed)],
    "programs": ran("numpy") and ran("torch-scratch"),
    "choices": json.dumps(sent["choices"]),
}))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return output_of(with_the_step(tmp_path_factory.mktemp("new-scoring"), ADDED), SCRIPT)


def test_it_touches_three_files():
    assert len({name for name, *_ in ADDED}) == 3


def test_it_is_traced_where_it_is_declared(results):
    assert results["order"].index("products") + 1 == results["order"].index("scores")
    assert results["scores"] == [
        [[pytest.approx(tanh(number)) for number in row] for row in rows] for rows in results["products"]
    ]


def test_a_score_is_derived_from_its_product(results):
    assert isclose(results["derived"], tanh(results["products"][0][1][2]))
    assert results["arithmetic"].startswith("tanh")


def test_it_is_saved_checked_walked_and_offered(results):
    assert results["saved"]
    assert not results["verdict"]
    assert "products" in results["walked"]
    assert "bounded" in results["choices"]


def test_programs_compute_it(results):
    assert results["programs"]
