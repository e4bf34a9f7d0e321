"""Everything that a training follows from: the same settings give the same run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, Final, Literal, TypeAlias, get_args

from mha_core.errors import N_, TrainError

PositionsName: TypeAlias = Literal["relative", "absolute", "both"]
ArchitectureName: TypeAlias = Literal["decoder", "encoder-decoder"]
OptimizerName: TypeAlias = Literal["adam", "sgd"]

MOST_STEPS: Final = 100_000
MOST_BATCH: Final = 256

RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "layers": (1, 2),
    "heads": (1, 4),
    "d_model": (16, 64),
    "batch": (1, MOST_BATCH),
    "rate": (1e-6, 10.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 0.9),
    "seed": (0, 2**32 - 1),
}
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "architecture": get_args(ArchitectureName),
    "positions": get_args(PositionsName),
    "optimizer": get_args(OptimizerName),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The model and how it learns. Raises ``TrainError`` for anything out of range, by the setting's name.

    ``architecture``: a decoder that reads source and target as one text, or an encoder for the source and a decoder
    for the target, with so many layers each. ``feed_forward``: whether each layer has a feed-forward part, 4 × d_model
    wide. ``positions``: a learned number for each distance is added to the scores of each head ("relative"), or a
    learned vector for each position to the embeddings ("absolute"). ``batch``: lines in a step. ``weight_decay``:
    decoupled from the gradient with Adam (Loshchilov & Hutter 2019).
    """

    architecture: ArchitectureName = "decoder"
    layers: int = 2
    heads: int = 4
    d_model: int = 48
    feed_forward: bool = False
    positions: PositionsName = "relative"
    optimizer: OptimizerName = "adam"
    rate: float = 0.003
    weight_decay: float = 0.0
    dropout: float = 0.0
    batch: int = 32
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            _require_in_range(name, getattr(self, name), low, high, whole=isinstance(low, int))
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise TrainError(N_("expected one of {choices}"), place=name, choices=", ".join(choices))
        if not isinstance(self.feed_forward, bool):
            raise TrainError(N_("expected true or false"), place="feed_forward")
        if self.d_model % self.heads:
            raise TrainError(
                N_("{d_model} columns cannot be divided among {heads} heads; take a multiple of {heads}"),
                place="d_model",
                d_model=self.d_model,
                heads=self.heads,
            )

    def as_json(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self)


def settings_of(data: object) -> Settings:
    """Settings from decoded JSON; what is missing has its default. Raises ``TrainError`` for what no setting is."""
    if not isinstance(data, dict):
        raise TrainError(N_("expected settings by name"), place="settings")
    unknown = set(data) - {field.name for field in fields(Settings)}
    if unknown:
        raise TrainError(N_("there is no such setting"), place=str(min(unknown, key=str))[:40])
    return Settings(**data)


def _require_in_range(name: str, value: object, low: float, high: float, *, whole: bool) -> None:
    kinds = int if whole else (int, float)
    if (
        isinstance(value, bool)
        or not isinstance(value, kinds)
        or not isfinite(value)
        or not low <= value <= high
    ):
        template = (
            N_("expected a whole number from {low:g} to {high:g}")
            if whole
            else N_("expected a number from {low:g} to {high:g}")
        )
        raise TrainError(template, place=name, low=low, high=high)
