"""Where a causal mask has another number of queries than keys, a sentence says at which corner it starts."""

from dataclasses import replace

import pytest
import torch

from mha_core import built_in, trace, validate
from mha_core.export import TARGETS, export
from mha_core.walk.handout import Handout
from mha_core.walk.markdown import as_markdown
from mha_view.handout import as_html
from mha_view.handout.sheet import sheets
from mha_view.tables import numbers

APART = validate(replace(built_in("translation"), mask="causal"))
SQUARE = built_in("causal")
SAID = {"en": "top left corner", "zh": "左上角"}


def test_it_starts_where_torch_s_own_does():
    assert APART.dims.n_q != APART.dims.n_k
    computed = trace(APART)
    q, k, v = (computed[name][None] for name in ("q", "k", "v"))
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)[0]
    torch.testing.assert_close(computed["head_outputs"], theirs)


def shown(example, language):
    """Every text about the example, by its kind."""
    computed = trace(example)
    texts = {target: export(example, target, None, language) for target in TARGETS}
    texts["bench"] = " ".join(stage["hint"] for stage in numbers(computed, language, 4)["stages"])
    texts["walk"] = as_markdown(computed, language, 4)
    texts["page"] = as_html(computed, language, 4)
    texts["slides"] = " ".join(sheet.notes for sheet in sheets(Handout(computed, language, 4)))
    return texts


@pytest.mark.parametrize("language", SAID)
def test_every_export_and_page_names_the_corner_where_it_matters(language):
    assert [name for name, text in shown(APART, language).items() if SAID[language] not in text] == []


def test_no_corner_is_named_where_there_are_as_many_queries_as_keys():
    assert [name for name, text in shown(SQUARE, "en").items() if SAID["en"] in text] == []


@pytest.mark.parametrize("write", [as_markdown, as_html])
def test_a_name_that_has_an_underscore_is_no_symbol(write):
    assert "torch's is_causal" in write(trace(APART), "en", 4).replace("&#39;", "'")
