"""A text through a model, whichever computes it: our own forward, or transformers followed by ``capture``.

Both kinds of model, of run and of layer have what the rest of this package needs, under the same names:

model   title, architecture (kind, layers, heads, d_model, d_head, causal), reader, device, dtype, most_tokens,
        can_guess, can_continue
run     ids, layers, without
layer   heads, causal, weights, weights_of(head), seen, scoring(head), pooled(head, …)
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TypeAlias, overload

import torch
from torch import Tensor

from mha_core.errors import N_, ModelError
from mha_core.example.model import Text
from mha_core.interop.saved.settings import UnsupportedError
from mha_core.models import forward
from mha_core.models.foreign import ForeignModel, Part
from mha_core.models.foreign_files import open_foreign
from mha_core.models.foreign_run import ForeignLayer, ForeignRun
from mha_core.models.forward import LayerRun, Run
from mha_core.models.model import Model, open_model
from mha_core.models.tokenizer import Tokens

AnyModel: TypeAlias = Model | ForeignModel
AnyRun: TypeAlias = Run | ForeignRun
AnyLayer: TypeAlias = LayerRun | ForeignLayer


def open_folder(
    folder: Path,
    title: Text = "",
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    part: Part = "encoder",
) -> AnyModel:
    """The model in a folder as transformers saves it: by our own forward where it computes this kind of model, which
    starts far sooner; else by transformers (the extra ``transformers``), followed by ``capture``.

    ``part``: what of an encoder–decoder is shown. Nothing is fetched, unpickled, or run from the folder. Raises
    ``ModelError``, and no other error, for a folder without such a model, for one that transformers cannot load, and
    for one whose heads cannot be followed.
    """
    try:
        own = open_model(folder, title, device, dtype)
    except UnsupportedError as error:
        unsupported = error
    else:
        if part != "encoder":
            raise ModelError(N_("this model has no decoder beside an encoder"))
        return own
    try:
        return open_foreign(folder, title, device, dtype, part)
    except ModelError as error:
        raise error from unsupported


@overload
def run(
    model: Model,
    tokens: Tokens | Tensor,
    mask: Tensor | None = None,
    segments: Tensor | None = None,
    *,
    without: Collection[tuple[int, int]] = (),
) -> Run: ...


@overload
def run(
    model: ForeignModel, tokens: Tokens | Tensor, *, without: Collection[tuple[int, int]] = ()
) -> ForeignRun: ...


@overload
def run(model: AnyModel, tokens: Tokens | Tensor, *, without: Collection[tuple[int, int]] = ()) -> AnyRun: ...


def run(
    model: AnyModel,
    tokens: Tokens | Tensor,
    mask: Tensor | None = None,
    segments: Tensor | None = None,
    *,
    without: Collection[tuple[int, int]] = (),
) -> AnyRun:
    """Run a text through the model.

    ``tokens``: from ``tokenize``, or ids, n. ``without``: pairs (layer, head), counted from 0, whose head output is set
    to 0 before W_O (Michel et al. 2019). A model of our own also takes ids with leading axes, … × n, with ``mask``
    (… × n, True or 1 for a token, False or 0 for padding) and ``segments`` (… × n). Raises ``ModelError`` for ids,
    segments or heads that the model does not have, and for a text that is too long for it.
    """
    if isinstance(model, ForeignModel):
        return model.run(tokens, without)
    return forward.run(model, tokens, mask, segments, without=without)


@overload
def continued(model: ForeignModel, past: ForeignRun, token: int) -> ForeignRun: ...


@overload
def continued(model: AnyModel, past: AnyRun, token: int) -> AnyRun: ...


def continued(model: AnyModel, past: AnyRun, token: int) -> AnyRun:
    """The run with one more token, an id, after those of ``past``, whose keys and values are used again.

    Raises ``ModelError`` for a model that reads a text as a whole, an id that it does not have, and too long a text.
    """
    if isinstance(model, ForeignModel):
        assert isinstance(past, ForeignRun)  # noqa: S101  # a run of this model
        return model.continued(past, token)
    assert isinstance(past, Run)  # noqa: S101  # a run of this model
    return forward.continued(model, past, token)


def tokenize(model: AnyModel, text: str, pair: str | None = None) -> Tokens:
    """The model's tokens for a text, or for two.

    Raises ``ModelError`` for a text that is empty, and for one with more tokens than the model takes.
    """
    return model.reader.read(text, pair, model.most_tokens)
