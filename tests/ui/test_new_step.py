"""A step and an operation added in three files of the core appear on the bench, in the walk and in a figure."""

import pytest

from tests.core.new_step import output_of, with_the_step

SCRIPT = """
import json
from mha_core import built_in
from mha_ui.state.history import begun
from mha_ui.bench.model import payload
from mha_ui.conventions.model import numbers, rows_payload
from mha_view.figures.scores import scores_heatmaps
from mha_view.language import words_in
from mha_ui.state import Work
from mha_ui.walkthrough.model import payload as walk_payload

work = Work(begun(built_in("first"), None), "en")
figure = scores_heatmaps(work.trace, theme="light", words=words_in("en"))
print(json.dumps({
    "bench": payload(work),
    "conventions": rows_payload(work, numbers(work))["entries"][0],
    "walk": walk_payload(work)["stages"],
    "figure": figure.payload["data"],
    "values": work.trace.values["softened_scores"],
}))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return output_of(with_the_step(tmp_path_factory.mktemp("new-step")), SCRIPT)


def test_it_is_on_the_bench(results):
    bench = results["bench"]
    matrix = bench["matrices"]["softened_scores"]
    assert matrix["values"] == results["values"]
    assert (matrix["word"], matrix["formula"]) == ("softened scores", "soften(S/√d_k)")
    assert bench["steps"]["softened_scores"]["operands"] == [["scaled_scores", "ij", ""]]
    assert bench["steps"]["softened_scores"]["lines"] == ["{0} ÷ (1 + |{0}|)"]
    assert bench["steps"]["weights"]["operands"] == [["softened_scores", "ik", ""]]
    stage = next(stage for stage in bench["stages"] if stage["title"] == "Scores")
    assert stage["matrices"] == ["scores", "scaled_scores", "capped_scores", "softened_scores"]


def test_it_has_a_stage_in_the_walk(results):
    ids = [stage["id"] for stage in results["walk"]]
    assert ids.index("scaled_scores") + 1 == ids.index("softened_scores") == ids.index("weights") - 1
    stage = results["walk"][ids.index("softened_scores")]
    assert stage["title"] == "Softening"
    assert stage["steps"][0]["layout"] == "beside"


def test_it_is_in_both_conventions(results):
    entry = next(entry for entry in results["conventions"] if entry["name"] == "softened_scores")
    assert entry["row"]["signs"] == entry["column"]["signs"] == ["soften", ""]
    assert entry["column"]["formula"] == "soften(S′/√d_k)"


def test_it_is_drawn_among_the_scores(results):
    drawn = [panel["z"] for panel in results["figure"] if panel["type"] == "heatmap"]
    assert all(rows in drawn for rows in results["values"])
