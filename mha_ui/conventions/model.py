"""The data of the page Notation: the core's data with the words of one language, as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Final, TypeAlias

import torch

from mha_core.compute.operations import OPERATIONS
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, Example, has_values, key_tokens, kv_head_of
from mha_core.notation import (
    Demonstration,
    Entry,
    Layout,
    MaskForm,
    Outcome,
    Pairings,
    entries,
    layouts,
    letters_of,
    mask_forms,
    refusals,
    starts_further_on,
    with_mask,
)
from mha_core.notation.masks import LOWEST
from mha_core.numbers import significant
from mha_core.quoted import isolated
from mha_ui.bench.model import payload as bench_payload
from mha_ui.state import Work
from mha_view import page_words
from mha_view.language import sentence, words_in

Data: TypeAlias = Mapping[str, object]
"""Plain JSON data, by name."""

_FRAME: Final = ("lang", "words", "decimals", "labels")
_NUMBERS: Final = (*_FRAME, "dims", "matrices", "steps", "constants", "dead", "shifts")
"""The parts of the bench's payload that every section reads, and those that sections with matrices read."""

_UI: Final = {
    "section_rows": N_("Rows and columns"),
    "section_packed": N_("Packed weights"),
    "section_masks": N_("Masks in libraries"),
    "section_dead": N_("A fully masked query"),
    "section_pairs": N_("Rotary positions: which columns form a pair"),
    "titled": N_("{name}: {text}"),
    "heads_of": N_("Head"),
    "matrix": N_("matrix"),
    "rows_are": N_("rows are tokens, X·W"),
    "columns_are": N_("columns are tokens, W·X"),
    "in_rows": N_("In rows"),
    "in_columns": N_("In columns"),
    "given": N_("given"),
    "all_steps": N_("Every step in both conventions"),
    "sum_rows": N_("row by row"),
    "sum_columns": N_("column by column"),
    "of_head": N_("of head {head}"),
    "hint_rows": N_(
        "Hover over a number to highlight the same number in the other convention and see its arithmetic in both."
    ),
    "hint_rows_touch": N_(
        "Tap a number to highlight the same number in the other convention and see its arithmetic in both."
    ),
    "hint_packed": N_("Hover over a number to highlight it in its head's own matrix and see its index."),
    "hint_packed_touch": N_("Tap a number to highlight it in its head's own matrix and see its index."),
    "hint_masks": N_("Hover over a pair to highlight it in every mask and see how each library writes it."),
    "hint_masks_touch": N_("Tap a pair to highlight it in every mask and see how each library writes it."),
    "hint_pairs": N_(
        "Hover over a rotated number to highlight the two numbers it is computed from and see the arithmetic."
    ),
    "hint_pairs_touch": N_(
        "Tap a rotated number to highlight the two numbers it is computed from and see the arithmetic."
    ),
    "pair_n": N_("pair {pair}"),
    "turned": N_("rotated"),
    "reorder": N_("To use weights from the other convention, reorder the columns: {code}"),
    "hint_dead": N_("Hover over a number to see where it comes from."),
    "hint_dead_touch": N_("Tap a number to see where it comes from."),
    "letter": N_("Matrix"),
    "library": N_("As stored by"),
    "library_packed": N_("one product, X·W"),
    "library_torch": "torch nn.MultiheadAttention",
    "library_keras": "Keras MultiHeadAttention",
    "library_linear": "nn.Linear, BERT",
    "about_packed": N_(
        "One product for all heads: columns side by side in W are side by side in the result."
    ),
    "about_torch": N_(
        "Transposed, as in the column convention: one row per output. Queries, keys and values are stacked."
    ),
    "about_keras": N_(
        "Heads have their own axis: the shape is d × h × d_k. The heads are drawn here side by side."
    ),
    "about_linear": N_(
        "Transposed, as in the column convention: nn.Linear computes X·weightᵀ, one row per output."
    ),
    "takes": N_("With these tensors, the library's layer gives the numbers of this example."),
    "refuses": N_("The library has no layer that gives these numbers: {reason}."),
    "first_heads": N_(
        "Only the first {shown} of {count} heads are drawn. The slices below are of these heads."
    ),
    "slices": N_("The slice of each head"),
    "head_n": N_("Head {head}"),
    "heads_n": N_("Heads {first}–{last}"),
    "zeros": N_("a head without a bias has zeros here"),
    "index_from_0": N_("indices from 0, as in Python"),
    "further_on": N_("Head {heads} starts from given numbers, so it has no weights to pack."),
    "copy_python": N_("Copy as Python"),
    "copied_python": N_("Copied."),
    "query": N_("query"),
    "key": N_("key"),
    "rule": N_("library and call"),
    "gives": N_("gives"),
    "scores_of": N_("scores of {query}, all masked"),
    "weights_over": N_("weights over the keys"),
    "sum": N_("sum"),
    "head_output": N_("head output"),
    "why": N_("because"),
    "kind_zero": N_("zeros"),
    "kind_nan": "NaN",
    "kind_uniform": N_("all keys equal"),
    "kind_weighted": N_("weights"),
}

_FORMS: Final = {
    "allow": (N_("This app and its files"), "allow", N_("True: not masked")),
    "add": (N_("This app and its files"), "add", N_("numbers, added to the scores")),
    "torch_bool": ("torch nn.MultiheadAttention", "attn_mask", N_("True: masked")),
    "torch_added": (N_("torch, both functions"), "attn_mask", N_("numbers, added to the scores")),
    "sdpa_bool": ("torch scaled_dot_product_attention", "attn_mask", N_("True: not masked")),
    "keras": ("Keras 3 MultiHeadAttention", "attention_mask", N_("True: not masked")),
    "bert_added": (
        N_("BERT self-attention (transformers)"),
        "attention_mask",
        N_("numbers, added to the scores: the most negative float32 value means masked"),
    ),
    "torch_padding": (
        "torch nn.MultiheadAttention",
        "key_padding_mask",
        N_("True: masked for every query"),
    ),
    "bert_padding": (
        N_("BERT model (transformers)"),
        "attention_mask",
        N_("1: not masked, 0: masked for every query"),
    ),
}
"""Library, argument and polarity of each form of a mask."""

_WRAPPED: Final = {
    "keras": "np.array({rows})[None]",
    "bert_added": "torch.tensor({rows})[None, None]",
    "bert_padding": "torch.tensor({rows})",
}
"""How the rows are wrapped where a library needs more axes: batch, and heads."""

_PAIRED: Final = {
    "interleaved": (
        N_("Interleaved: each column with its neighbor"),
        N_("The RoFormer paper, GPT-J, Llama's weights as first published"),
    ),
    "half": (
        N_("Half-split: column m with column m + d_k/2"),
        N_("GPT-NeoX; Llama, Mistral and Qwen in Hugging Face transformers"),
    ),
}
"""The name of each pairing of rotary positions, and who uses it."""

_RULES: Final = {
    "ours": (N_("This page"), "", N_("a row with only −∞ gets weights of 0")),
    "torch_weights": (
        "torch nn.MultiheadAttention",
        "need_weights=True",
        N_("−∞ is added to every score, and softmax divides 0 by 0"),
    ),
    "torch_output": (
        "torch nn.MultiheadAttention",
        "need_weights=False",
        N_("it calls scaled_dot_product_attention, which returns 0 here"),
    ),
    "torch_fast": (
        "torch nn.MultiheadAttention",
        "eval(), no_grad(), layer(x, x, x)",
        N_("its fast path divides 0 by 0, whether or not it returns weights"),
    ),
    "sdpa": (
        "torch scaled_dot_product_attention",
        "",
        N_("softmax, then 0 where a whole row is −∞ (since torch 2.5)"),
    ),
    "keras_scores": (
        "Keras 3 MultiHeadAttention",
        "return_attention_scores=True",
        N_("−10⁹ for every score, softmax, then 0 where masked (since 3.10)"),
    ),
    "keras_output": (
        "Keras 3 MultiHeadAttention",
        "return_attention_scores=False",
        N_(
            "on torch, −2.4·10³⁸ is added to every score, which wipes out their differences, so all "
            "weights are equal"
        ),
    ),
    "bert_eager": (
        "BERT (transformers)",
        'attn_implementation="eager"',
        N_(
            "the most negative number is added to every score, which wipes out their differences, so "
            "all weights are equal"
        ),
    ),
}
"""The library, how it is called, and the reason for its result."""


def numbers(work: Work) -> Data:
    """The example's numbers as the bench has them, with the words of this page: made once for all sections."""
    bench = bench_payload(work)
    words = {**page_words.words_of("explore", work.language), **bench["own_words"], **ui_words(work.language)}
    data: Data = {**bench, "words": words}
    return {name: data[name] for name in _NUMBERS}


def rows_payload(work: Work, shared: Data) -> Data:
    """Row and column: the bench's numbers, and every matrix of each head in both conventions."""
    example = work.example
    heads = range(len(example.heads))
    return {
        **shared,
        "part": "rows",
        "entries": [[_entry(entry, head) for entry in entries(example, head)] for head in heads],
    }


def packed_payload(work: Work, shared: Data) -> Data:
    """Packed weights: which block of which tensor belongs to which head, and whether the library takes them."""
    example, missing = work.example, ui_words(work.language)["further_on"]
    return {
        **shared,
        "part": "packed",
        "letters": letters_of(example) + ("o" if example.w_o is not None else ""),
        "layouts": [_layout(layout) for layout in layouts(example)],
        "refusals": {
            library: error and sentence(error, work.language) for library, error in refusals(example).items()
        },
        "missing": {
            letter: missing.format(heads=", ".join(str(head + 1) for head in heads))
            for letter in letters_of(example)
            if (heads := starts_further_on(example, letter))
        },
    }


def masks_payload(work: Work, shared: Data, head: int = 0) -> Data:
    """The mask of a head (a causal one where it has none) in the form of each library."""
    forms = [_form(form, work.language) for form in mask_forms(with_mask(work.example, head))]
    return {**_framed(shared), "part": "masks", "forms": forms}


def dead_payload(work: Work, shared: Data, shown: Demonstration) -> Data:
    """One query with all keys hidden, by each library's rule."""
    return {
        **_framed(shared),
        "part": "dead",
        "query": shown.query,
        "scores": shown.scores,
        "values": work.trace.matrix("v", kv_head_of(work.example, "v", shown.head))
        if has_values(work.example)
        else [],
        "outcomes": [_outcome(outcome, work.language) for outcome in shown.outcomes],
    }


def pairs_payload(work: Work, shared: Data, shown: Pairings) -> Data:
    """One row of Q, rotated with its columns paired in either way."""
    words = words_in(work.language)
    return {
        **_framed(shared),
        "part": "pairs",
        "token": shown.example.tokens[shown.query],
        "row": shown.row,
        "angles": shown.angles,
        "pairings": [
            {
                "name": pairing.pairs,
                "title": words(_PAIRED[pairing.pairs][0]),
                "users": words(_PAIRED[pairing.pairs][1]),
                "partners": pairing.partners,
                "rotated": pairing.rotated,
                "code": f"W[:, {list(pairing.order)}]",
            }
            for pairing in shown.pairings
        ],
    }


def missed(shown: Pairings, language: str) -> str:
    """The error of reading one pairing as the other, as a sentence."""
    words, example = words_in(language), shown.example
    place = words(N_("head {head}, {query} → {key}")).format(
        head=shown.head + 1,
        query=isolated(example.tokens[shown.query]),
        key=isolated(key_tokens(example)[shown.key]),
    )
    agree = words(
        N_("all weights agree to within {apart:.1g}") if shown.rounding else N_("all weights agree exactly")
    ).format(apart=shown.rounding)
    return words(
        N_(
            "If you don't reorder the columns, weights here are off by up to {by} ({place}). With "
            "reordered columns, {agree}."
        )
    ).format(by=significant(shown.error, 3), place=place, agree=agree)


def agreement(shown: Demonstration, example: Example, language: str) -> str:
    """How far the libraries agree in the other rows, as a sentence."""
    words = words_in(language)
    if len(example.tokens) == 1:
        return words(N_("There is no other query."))
    return words(N_("For all other queries, the libraries agree to within {apart:.1g}.")).format(
        apart=shown.largest_difference
    )


def ui_words(language: str) -> dict[str, str]:
    """The page's own sentences in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _UI.items()}


def _framed(shared: Data) -> Data:
    return {name: shared[name] for name in _FRAME}


def _entry(entry: Entry, head: int) -> Data:
    fields = entry._asdict()
    for form in ("row", "column"):
        side = fields[form]._asdict()
        side["symbol"] = side["symbol"].replace("head_i", f"head_{head + 1}")
        side["factors"] = [factor._asdict() for factor in side["factors"]]
        fields[form] = side
    return fields | {"rowwise": entry.op is not None and OPERATIONS[entry.op].shifts}


def _layout(layout: Layout) -> Data:
    return {
        **layout._asdict(),
        "blocks": [block._asdict() for block in layout.blocks],
        "down": [group._asdict() for group in layout.down],
        "across": [group._asdict() for group in layout.across],
    }


def _form(form: MaskForm, language: str) -> Data:
    words = words_in(language)
    library, argument, polarity = _FORMS[form.name]
    return {
        "name": form.name,
        "library": words(library),
        "argument": argument,
        "polarity": words(polarity),
        "rows": [[_printed(cell) for cell in row] for row in form.rows],
        "code": python_code(form),
        "error": form.error and sentence(form.error, language),
    }


def _printed(cell: bool | float) -> str:
    """A cell of a mask as a program prints it, in few digits."""
    return str(cell) if isinstance(cell, bool) else significant(cell, 2)


def python_code(form: MaskForm) -> str:
    """The mask as a line of Python that makes the argument."""
    rows = ", ".join("[" + ", ".join(_literal(cell) for cell in row) + "]" for row in form.rows)
    value = _WRAPPED.get(form.name, "torch.tensor({rows})").format(rows=f"[{rows}]")
    return f"{_FORMS[form.name][1]} = {value}"


def _literal(cell: bool | float) -> str:
    if cell == NEG_INF:
        return 'float("-inf")'
    return "torch.finfo(torch.float32).min" if cell == LOWEST else repr(cell)


def _outcome(outcome: Outcome, language: str) -> Data:
    words = words_in(language)
    library, call, why = _RULES[outcome.rule]
    if outcome.rule == "ours" and outcome.kind != "zero":
        why = N_("the example fills in a number other than −∞, the same for all keys")
    return {
        "rule": outcome.rule,
        "kind": outcome.kind,
        "library": words(library),
        "call": call,
        "why": words(why),
        "weights": _finite(outcome.weights),
        "total": _finite([outcome.total])[0],
        "output": _finite(outcome.output),
    }


def _finite(numbers: Sequence[float]) -> list[float | str]:
    return ["nan" if isnan(number) else number for number in numbers]


torch_version: Final = torch.__version__.partition("+")[0]
