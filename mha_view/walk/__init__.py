"""The data of the walk: the numbers of the tables, and the stages as the core declares them, as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mha_core import built_in, from_token
from mha_core.compute.graph import formula, signs, symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import key_tokens, text_in
from mha_core.example.share_link import packed
from mha_core.numbers import fixed
from mha_core.walk.lecture import shown
from mha_core.walk.pairs import Pair, pairs
from mha_core.walk.stages import Looked, Stage, exponentials_of, layout_of, looked_at, result_of, walk
from mha_core.walk.summary import tied
from mha_core.walk.text import Words
from mha_view import page_words, payloads
from mha_view.tables import numbers


def followed(address: Mapping[str, str], language: str, decimals: int) -> payloads.FollowedWalk:
    """What the walk shows of an address's example to those who only look: without the lecturer's notes.

    Raises ``MhaError`` where there is no such example.
    """
    computed = trace(from_token(address["s"]) if "s" in address else built_in(address["example"]))
    data = numbers(computed, language, decimals)
    words = {**page_words.words_of("walk", language), **data["own_words"]}
    if computed.example.lecture is not None:
        address = {"s": packed(replace(computed.example, lecture=None))}
    return {**data, **walked(computed, language), "words": words, "address": address}


def walked(trace: Trace, language: str) -> payloads.Walked:
    """What the walk shows besides the numbers."""
    keys = key_tokens(trace.example)
    return {
        "stages": stages(trace, language),
        "closing": {
            "matrix": result_of(trace.example),
            "looked": [[_looked(looked, keys, language) for looked in head] for head in looked_at(trace)],
        },
        "compare": [
            [pair and (_share(pair), pair.query, pair.alike) for pair in row] for row in pairs(trace)
        ],
        "title": text_in(trace.example.title, language),
    }


def _looked(looked: Looked | None, keys: Sequence[str], language: str) -> payloads.LooksMost | None:
    """Where a query looks most: the keys, by their places and as they are told, and the weight."""
    if looked is None:
        return None
    name = tied([keys[key] for key in looked.keys], language)
    return {"keys": looked.keys, "name": name, "weight": looked.weight}


def _share(pair: Pair) -> str:
    return f"{fixed(100 * pair.share, 0)}%"


def stages(trace: Trace, language: str) -> list[payloads.WalkStage]:
    """The stages of the walk that are shown, in the lecture's order, with their words in one language."""
    return [_stage(trace, stage, language) for stage in shown(walk(trace), trace.example.lecture)]


def _stage(trace: Trace, stage: Stage, language: str) -> payloads.WalkStage:
    words = zip(stage.steps, stage.step_words, strict=True)
    data: payloads.WalkStage = {
        "id": stage.id,
        "kind": stage.kind,
        "head": stage.head,
        **_translated(stage.words, language),
        "lesson": stage.lesson,
        "steps": [_step(trace, stage, step, step_words, language) for step, step_words in words],
        "parts": stage.parts,
    }
    for step in stage.steps:
        if step.op == "softmax" and stage.kind == "step":
            data["powers"] = [
                {"powers": row.exponentials, "total": row.total, "shift": row.shift}
                for row in exponentials_of(trace, step, stage.head or 0)
            ]
    return data


def _step(trace: Trace, stage: Stage, step: Step, words: Words, language: str) -> payloads.WalkStep:
    return {
        "name": step.name,
        **_translated(words, language),
        "symbol": symbol(step.name, trace.example).replace("head_i", f"head_{(stage.head or 0) + 1}"),
        "formula": formula(step, trace.example),
        "signs": signs(step, trace.example),
        "layout": layout_of(step),
        "operands": [(operand.name, operand.index) for operand in step.tables],
    }


def _translated(words: Words, language: str) -> payloads.StepWords:
    title, what, why, note = (sentence.translated(language) for sentence in words)
    return {"title": title, "what": what, "why": why, "note": note}
