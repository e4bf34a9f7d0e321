"""What an example's note says of the layer that it is a slice of: what was used, assumed and left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from mha_core.errors import N_
from mha_core.example.band import BandMask, band_sentences
from mha_core.example.model import MAX_TEXT, Mask
from mha_core.interop.parameters.packed import Packed
from mha_core.interop.saved.attention import Attention
from mha_core.interop.saved.layers import KIND_NAMES, OF_MODELS, Layer, Unused
from mha_core.messages import LANGUAGE, LANGUAGES, catalogue

_PART: Final = N_(
    "{kind}: heads=[{heads}] of {h}, counted from 0; {shown} of {d_query} columns of X, {of_head} of d_k = {d_k}."
)
_ASSUMED: Final = N_(
    "The number of heads of this layer is not given. {h} {h:head|heads} of {d_k} {d_k:column|columns} each "
    "{h:is|are} assumed."
)
_STARTED: Final = N_(
    "Q, K and V were computed from the given rows with all columns of X, so the heads start from them. W_O is left out."
)
_NO_CONFIG: Final = N_(
    "No config.json was read. The divisor is assumed to be √d_k. A mask, positions and "
    "anything else the model does to its scores are missing."
)
_OTHER_CONFIG: Final = N_("The {file} has no layers of this width, so it is not used.")
_TAKEN: Final = N_("From {file}: {names}.")
_UNKNOWN: Final = N_(
    "This kind of model is unknown. The divisor is assumed to be √d_k, with no mask and "
    "no positions, so the weights may differ from the model's."
)
_IGNORED: Final = N_("These settings in its config.json are not used: {names}.")
_UNUSED: Final = N_("Not used: {names}.")
_WITHOUT: Final = N_("Left out at your request, so scores and weights differ from the model's: {names}.")
_MERGED: Final = N_("The changes of a LoRA adapter are included.")
_REORDERED: Final = N_(
    "The columns of Q and K are reordered so that columns that rotate together are half "
    "a head apart. The scores are the same."
)
_FACTOR: Final = N_(
    "The model multiplies rotated queries and keys by {factor:.6g}. Here the divisor is smaller by the square of that; "
    "the weights are the same."
)
_LEFT_OUT: Final = N_(
    "Some columns are left out, so scores and weights differ from those of the whole layer."
)
_Sentence: TypeAlias = tuple[str, dict[str, object]]
"""A template and its values."""
_MOST_NAMED: Final = 12
"""How many names a note lists."""


def note_of(
    layer: Layer,
    packed: Packed,
    small: Packed,
    chosen: Sequence[int],
    unused: Unused,
    mask: Mask,
    *,
    assumed: bool,
    reordered: bool,
    merged: bool,
    started: bool,
) -> Mapping[str, str]:
    """The note, in each language. ``packed``: the layer, and ``small``: the slice of its heads that were ``chosen``;
    ``reordered``: whether columns have another order; ``merged``: an adapter is included; ``started``: the heads start
    from Q, K and V.
    """
    heads = ", ".join(map(str, chosen))
    (d_query, d_k), (shown, head_columns) = packed.w_q.shape[1:], small.w_q.shape[1:]
    whole = all(
        getattr(small, name).shape[1:] == getattr(packed, name).shape[1:] for name in ("w_q", "w_k", "w_v")
    )
    sentences: list[_Sentence] = [
        (
            _PART,
            {
                "kind": KIND_NAMES[layer.kind],
                "heads": heads,
                "h": packed.h,
                "shown": shown,
                "d_query": d_query,
                "of_head": head_columns,
                "d_k": d_k,
            },
        )
    ]
    if started:
        sentences.append((_STARTED, {}))
    if assumed:
        sentences.append((_ASSUMED, {"h": packed.h, "d_k": d_k}))
    if merged:
        sentences.append((_MERGED, {}))
    sentences += _score_sentences(layer, unused)
    if isinstance(mask, BandMask):
        sentences += [(sentence, {"window": mask.window}) for sentence in band_sentences(mask, 1, 1)]
    if unused.harmless:
        sentences.append((_UNUSED, {"names": _listed(unused.harmless)}))
    if reordered:
        sentences.append((_REORDERED, {}))
    if not whole:
        sentences.append((_LEFT_OUT, {}))
    notes = {}
    for language in LANGUAGES:
        say = catalogue(language).gettext
        texts = [say(template).format(**values) for template, values in sentences]
        notes[language] = LANGUAGE[language].between.join(texts)[:MAX_TEXT]
    return notes


def _score_sentences(layer: Layer, unused: Unused) -> Iterator[_Sentence]:
    """Which settings of the config are used and which are not, and which tensors are left out."""
    attention = layer.attention
    left_out = [*unused.others, *(attention.refused if attention else ())]
    if left_out:
        yield _WITHOUT, {"names": _listed(left_out)}
    if layer.kind not in OF_MODELS:
        return
    if attention is None:
        yield _NO_CONFIG, {}
    elif not attention.fits:
        yield _OTHER_CONFIG, {"file": attention.file}
    else:
        yield from _config_sentences(attention)


def _config_sentences(attention: Attention) -> Iterator[_Sentence]:
    if attention.taken:
        yield _TAKEN, {"file": attention.file, "names": _listed(attention.taken)}
    if attention.rotary is not None and attention.rotary.factor != 1:
        yield _FACTOR, {"factor": attention.rotary.factor}
    if not attention.known:
        yield _UNKNOWN, {}
        if attention.ignored:
            yield _IGNORED, {"names": _listed(attention.ignored)}


def _listed(names: Sequence[str]) -> str:
    shown = [name[:100] for name in names[:_MOST_NAMED]]
    return ", ".join([*shown, f"… (+{len(names) - _MOST_NAMED})"] if len(names) > _MOST_NAMED else shown)
