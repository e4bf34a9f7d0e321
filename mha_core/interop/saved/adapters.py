"""LoRA adapters, as PEFT saves them: each changes a matrix W of a model to W + s·B·A (Hu et al. 2021).

A is r × d_in, B is d_out × r, and s = α/r (``lora_alpha``), or α/√r with ``use_rslora``. ``alpha_pattern`` and
``rank_pattern`` give some modules their own α and r, by the end of their names in whole parts. With
``fan_in_fan_out``, the model's rows are inputs, as in GPT-2, and B·A is transposed. An adapter's file has only A and B,
with the name of the model's module; a checkpoint that is not merged has W too, as ``base_layer``:

    base_model.model.layers.0.q_proj.lora_A.weight      base_model.model.layers.0.q_proj.lora_B.weight
    base_model.model.layers.0.q_proj.lora_A.default.weight …      base_model.model.layers.0.q_proj.base_layer.weight
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Final, NamedTuple

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import exact, wrong_shape
from mha_core.interop.saved.settings import Settings
from mha_core.interop.saved.weights import Weights

CONFIG: Final = "adapter_config.json"
MAX_CONFIG: Final = 1_000_000
"""Longest adapter_config.json that is read, in bytes."""
_WRAPPER: Final = "base_model.model."
BASE: Final = ".base_layer."
"""What PEFT puts into the name of a matrix that an adapter changes."""
_LORA: Final = re.compile(r"(.+)\.lora_([AB])(?:\.(?!weight\Z)(\w+))?\.weight", re.DOTALL)
_ADAPTER: Final = re.compile(r"(\A|\.)lora_[A-Za-z]")
_STARTS: Final = ("gaussian", "eva")
"""First values of A and B that leave W as it was. Others, such as PiSSA's, take a part out of W."""
_UNSUPPORTED: Final = (
    "use_dora",
    "use_qalora",
    "alora_invocation_tokens",
    "layer_replication",
)
"""Settings with which the change is not s·B·A, if they are on."""
_MODULE: Final = re.compile(r"\^?[\w.-]+\$?", re.ASCII)
"""A key of a pattern that is the name of a module, or its end; PEFT also takes regular expressions."""


class _Change(NamedTuple):
    """The names and the matrices of a change, and what B·A is multiplied by."""

    a_name: str
    a: Tensor
    b: Tensor
    factor: float
    transposed: bool

    def added_to(self, weight: Tensor, name: str) -> Tensor:
        """W + s·B·A, in float64."""
        product = self.factor * (exact(self.b, name) @ exact(self.a, name))
        product = product.T if self.transposed else product
        if product.shape != weight.shape:
            raise wrong_shape(self.a_name, " × ".join(map(str, weight.shape)), product)
        return exact(weight, name) + product


class Merged(Mapping[str, Tensor]):
    """A model's tensors with an adapter's changes, each computed when it is read."""

    def __init__(self, weights: Weights, changes: Mapping[str, _Change], replaced: Weights) -> None:
        self._weights, self._changes, self._replaced = weights, changes, replaced

    def __getitem__(self, name: str) -> Tensor:
        weight = self._replaced[name] if name in self._replaced else self._weights[name]
        return self._changes[name].added_to(weight, name) if name in self._changes else weight

    def __contains__(self, name: object) -> bool:
        return name in self._weights

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


class _Renamed(Mapping[str, Tensor]):
    """The tensors under other names."""

    def __init__(self, weights: Weights, names: Mapping[str, str]) -> None:
        self._weights, self._names = weights, names

    def __getitem__(self, name: str) -> Tensor:
        return self._weights[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def is_adapter(name: str) -> bool:
    """Whether this is the name of a tensor of a LoRA adapter."""
    return _ADAPTER.search(name) is not None


def is_unmerged(weights: Weights) -> bool:
    """Whether these are a model's tensors beside those of an adapter, as PEFT holds them."""
    own = (
        name for name in weights if BASE in name and not name.endswith("bias")
    )  # an adapter may have biases
    return any(own) and any(map(is_adapter, weights))


def no_adapter(place: str = "") -> InteropError:
    """The error for a file without A and B."""
    return InteropError(N_("this is not a LoRA adapter: it has no lora_A and lora_B matrices"), place=place)


def merge_adapter(weights: Weights, adapter: Weights, config: bytes) -> Weights:
    """The model's tensors, under its own names, with the adapter's changes; ``config`` is its adapter_config.json.

    Tensors of the adapter that are not A or B, such as biases that were trained along, replace the model's. Raises
    ``InteropError`` for a matrix that the model does not have or that does not fit, and for tensors and settings of
    other kinds of adapters; ``ModelError`` naming a setting that is missing or has an impossible value.
    """
    settings = _settings(config)
    start = settings.given.get("init_lora_weights")
    if isinstance(start, str) and start.lower() not in _STARTS:
        raise settings.wrong(
            "init_lora_weights",
            N_("with {got}, the adapter belongs to other matrices than the model's; merge it with PEFT"),
            start,
        )
    return _merged(weights, adapter, settings)


def merge_unmerged(weights: Weights, config: bytes) -> Weights:
    """The same for a checkpoint that has the model's tensors and the adapter's."""
    own = {_bare(name): name for name in weights if not is_adapter(name)}
    adapter = _Renamed(weights, {name: name for name in weights if is_adapter(name)})
    return _merged(_Renamed(weights, own), adapter, _settings(config))


def _merged(weights: Weights, adapter: Weights, settings: Settings) -> Weights:
    changes, own_name = {}, _OwnNames(weights)
    for module, names in _modules(adapter).items():
        name = own_name(f"{module}.weight")
        if name is None or name in changes:
            raise InteropError(
                N_("the adapter changes this matrix, but the model does not have it"),
                place=f"{module}.weight",
            )
        changes[name] = _change(adapter, names, module, settings)
    others = {name: own_name(_bare(name)) for name in adapter if not is_adapter(name)}
    for name, own in others.items():
        if own is None and own_name(_bare(name).removesuffix("bias") + "weight") is not None:
            raise InteropError(N_("the adapter has this bias, but the model's matrix has none"), place=name)
    return Merged(weights, changes, {own: adapter[name] for name, own in others.items() if own is not None})


def _bare(name: str) -> str:
    """A tensor's name without what PEFT adds to it."""
    return name.removeprefix(_WRAPPER).replace(BASE, ".")


class _OwnNames:
    """The model's own name for a tensor that an adapter names; None if it has no such tensor.

    The adapter of a whole model calls its tensors ``model.layers.0`` and so on, and a file of the model without its
    head ``layers.0``, or the reverse.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._by_rest: dict[str, list[str]] = {}
        for name in weights:
            self._by_rest.setdefault(name.partition(".")[2], []).append(name)

    def __call__(self, name: str) -> str | None:
        rest = name.partition(".")[2]
        if name in self._weights or rest in self._weights:
            return name if name in self._weights else rest
        longer = self._by_rest.get(name, [])
        return longer[0] if len(longer) == 1 else None


def _settings(config: bytes) -> Settings:
    try:
        given = None if len(config) > MAX_CONFIG else json.loads(config)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InteropError(N_("this is not a JSON object like an adapter's config"), place=CONFIG)
    settings = Settings(given, file=CONFIG)
    settings.only("peft_type", "LORA")
    for name in _UNSUPPORTED:
        if given.get(name):
            raise settings.wrong(
                name, N_("{got} is not supported here; the change must be s·B·A"), given[name]
            )
    return settings


def _modules(adapter: Weights) -> dict[str, tuple[str, str]]:
    """The names of A and B by that of the module whose matrix they change."""
    names: dict[str, dict[str, str]] = {}
    adapters = dict[str | None, None]()
    for name in filter(is_adapter, adapter):
        match = _LORA.fullmatch(name)
        if match is None:
            raise InteropError(
                N_("this tensor of an adapter cannot be merged; only lora_A.weight and lora_B.weight can"),
                place=name,
            )
        names.setdefault(match[1].removeprefix(_WRAPPER), {})[match[2]] = name
        adapters[match[3]] = None
    if not names:
        raise no_adapter()
    if len(adapters) > 1:
        raise InteropError(
            N_("these are {count} adapters ({names}); save the one that you need in a folder of its own"),
            count=len(adapters),
            names=", ".join(str(name) for name in adapters),
        )
    return {module: (_partner(pair, "A"), _partner(pair, "B")) for module, pair in names.items()}


def _partner(pair: Mapping[str, str], which: str) -> str:
    if which not in pair:
        (name,) = pair.values()
        other = "B" if which == "A" else "A"
        missing = f".lora_{which}".join(name.rsplit(f".lora_{other}", 1))
        raise InteropError(N_("missing"), place=missing)
    return pair[which]


def _own(settings: Settings, pattern: str, module: str, default: str) -> tuple[Settings, str]:
    """Where a module's own value is: the first key of the pattern that its name ends in, or else the default setting.

    "q_proj" fits every module of this name, "^model.layers.0.self_attn.q_proj" that one alone.
    """
    own = settings.part(pattern)
    for key in own.given if own else ():
        if _MODULE.fullmatch(key) is None:
            raise settings.wrong(pattern, N_("expected names of modules, got {got}"), key)
        name = key.removesuffix("$")
        if module == name.removeprefix("^") or f".{module}".endswith(f".{name}"):
            assert own is not None  # noqa: S101  # it has this key
            return own, key
    return settings, default


def _change(adapter: Weights, names: tuple[str, str], module: str, settings: Settings) -> _Change:
    a, b = (adapter[name] for name in names)
    if a.dim() != 2:
        raise wrong_shape(names[0], "r × d", a)
    if b.dim() != 2 or a.shape[0] != b.shape[1]:
        raise wrong_shape(names[1], f"d × {a.shape[0]}", b)
    inside, name = _own(settings, "alpha_pattern", module, "lora_alpha")
    alpha = inside.number(name)
    inside, name = _own(settings, "rank_pattern", module, "r")
    rank = a.shape[0]
    if rank != inside.whole(name, 1_000_000, rank):
        raise wrong_shape(names[0], f"{inside.given[name]} × d", a)
    factor = alpha / (sqrt(rank) if settings.flag("use_rslora", absent=False) else rank)
    return _Change(names[0], a, b, factor, settings.flag("fan_in_fan_out", absent=False))
