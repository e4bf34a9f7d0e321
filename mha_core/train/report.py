"""Tasks and trainings as plain data for JSON, and a line about a step."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mha_core.errors import N_
from mha_core.messages import catalogue
from mha_core.numbers import fixed
from mha_core.train.ask import accuracy, alignment, induction_scores, said
from mha_core.train.saved import FORMAT
from mha_core.train.smallest import parameters
from mha_core.train.tasks import TASKS
from mha_core.train.training import Record, Training


def task_list(language: str) -> list[dict[str, Any]]:
    """Every task with its rule in a language, a sample, its default settings, and about how many steps it takes."""
    say = catalogue(language).gettext
    return [
        {
            "task": task.key,
            "title": say(task.title),
            "rule": say(task.rule),
            "sample": " ".join(task.shown.tokens),
            "steps": task.steps,
            "settings": task.settings().as_json(),
        }
        for task in TASKS.values()
    ]


def progress(record: Record, most: int, language: str) -> str:
    """A line about a step."""
    template = N_("step {step} of {most}: loss {loss}, {exact} % of the answers right, {seconds} s")
    return (
        catalogue(language)
        .gettext(template)
        .format(
            step=record.step,
            most=most,
            loss=fixed(record.loss, 3),
            exact=fixed(100 * record.exact, 0),
            seconds=fixed(record.seconds, 1),
        )
    )


def as_json(training: Training) -> dict[str, Any]:
    """What the model can do now, on lines drawn apart from those of its steps.

    ``layers``: every attention; ``right``: shares of tokens and of whole answers; ``without``: layers × heads, the
    share of right tokens with that head switched off; ``induction``: layers × heads, or null where no token has an
    earlier copy; ``alignment``: layers × heads, how often a head looks at the token of the source that the next token
    comes from, or null; ``answer``: to the task's fixed line.
    """
    task, model, batch = training.task, training.model, training.tested()
    tokens, answers = accuracy(model, batch)
    size = training.settings
    return {
        "format": FORMAT,
        "task": task.key,
        "settings": size.as_json(),
        "steps": training.step,
        "seconds": training.records[-1].seconds if training.records else 0.0,
        "layers": [asdict(part) for part in model.parts],
        "parameters": parameters(model),
        "right": {"tokens": tokens, "answers": answers},
        "without": [
            [accuracy(model, batch, [(layer, head)])[0] for head in range(size.heads)]
            for layer in range(len(model.parts))
        ],
        "induction": induction_scores(model, batch),
        "alignment": alignment(model, task, batch),
        "prompt": " ".join(task.shown.prompt),
        "answer": " ".join(one.token for one in said(model, task, task.shown.prompt)),
    }
