"""A saved model: a weight file, the index of its shards, or a folder with either; and an adapter for it.

An index (``model.safetensors.index.json``) names the file of each tensor. It may only name files beside it. Nothing
but the headers of ``.safetensors`` files is read until a tensor is used, so that a model may be larger than the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.saved import adapters
from mha_core.interop.saved.settings import read_json
from mha_core.interop.saved.weights import (
    MAX_BYTES,
    MAX_HEADER,
    Weights,
    damaged,
    in_natural_order,
    is_name,
    read_weights_file,
    safetensors_library,
)
from mha_core.quoted import quoted, quoted_json

MAX_INDEX: Final = 20_000_000
"""The longest index of shards, in bytes: enough for a model of 100,000 tensors."""
_MODELS: Final = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "consolidated.safetensors",
    "consolidated.00.pth",
)
_ADAPTERS: Final = ("adapter_model.safetensors", "adapter_model.bin")
_SHARD: Final = re.compile(r"\w[\w.\-]*\.(safetensors|bin|pt|pth)")
"""The name of a file beside the index: no folder, no drive, nothing hidden."""


def read_model(path: str) -> Weights:
    """The tensors of a model: ``path`` is a weight file, the index of its shards, or the folder with either.

    A checkpoint that still has the matrices of a LoRA adapter beside its own is merged with the adapter_config.json
    beside it. Raises ``InteropError`` or ``ModelError``, which name the place, for anything that cannot be read.
    """
    file = _chosen(Path(path), (*_MODELS, *_ADAPTERS))
    weights = _sharded(file) if file.suffix == ".json" else _opened(file)
    if adapters.is_unmerged(weights):
        return adapters.merge_unmerged(weights, _adapter_config(file))
    return weights


def read_adapter(path: str) -> tuple[Weights, bytes]:
    """The tensors of an adapter, and the adapter_config.json beside them; ``path`` is its file or its folder."""
    file = _chosen(Path(path), _ADAPTERS)
    adapter = _opened(file)
    if not any(map(adapters.is_adapter, adapter)):
        raise adapters.no_adapter(file.name)
    return adapter, _adapter_config(file)


def _chosen(path: Path, names: tuple[str, ...]) -> Path:
    """The file in a folder that has one of these names, or the file itself."""
    if not path.is_dir():
        return path
    file = next((path / name for name in names if (path / name).is_file()), None)
    if file is None:
        raise InteropError(
            N_("this folder has none of the files that a model is saved in: {names}"),
            place=str(path),
            names=", ".join(names),
        )
    if file.name == "consolidated.00.pth" and (path / "consolidated.01.pth").exists():
        raise InteropError(
            N_("each file of this model has a slice of every matrix, and slices are not joined here"),
            place=str(file),
        )
    return file


def _adapter_config(file: Path) -> bytes:
    """The adapter_config.json beside an adapter's file."""
    try:
        with file.with_name(adapters.CONFIG).open("rb") as stream:
            return stream.read(adapters.MAX_CONFIG + 1)
    except (OSError, ValueError):
        raise InteropError(
            N_(
                "{config} is missing beside this adapter; only its lora_alpha tells by how much the model's "
                "matrices change"
            ),
            place=file.name,
            config=adapters.CONFIG,
        ) from None


# --- a file ----------------------------------------------------------------------------------------------------


def _opened(file: Path) -> Weights:
    """The tensors in a file, each read when it is used if the file is a .safetensors file."""
    if file.suffix.lower() != ".safetensors" or not _has_header(file):
        return read_weights_file(str(file))
    library: Any = safetensors_library()
    try:
        opened = library.safe_open(file, framework="pt")
        names = in_natural_order(filter(is_name, opened.keys()))
    except Exception:  # noqa: BLE001  # the library raises its own error, and others
        raise damaged(file.name) from None
    if not names:
        raise InteropError(N_("the file contains no named tensors"), place=file.name)
    return _Mapped(opened, names, file.name)


def _has_header(file: Path) -> bool:
    """Whether the file, which is not a pipe, begins like a .safetensors file, with a header that is not too long."""
    if not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            start = stream.read(9)
    except (OSError, ValueError):
        return False
    return start[8:] == b"{" and int.from_bytes(start[:8], "little") <= MAX_HEADER


class _Mapped(Mapping[str, Tensor]):
    """The tensors of a .safetensors file."""

    def __init__(self, opened: Any, names: list[str], file: str) -> None:
        self._opened, self._names, self._file = opened, dict.fromkeys(names), file

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._names:
            raise KeyError(name)
        try:
            tensor: Tensor = self._opened.get_tensor(name)
        except Exception:  # noqa: BLE001  # for a type that torch does not have, and more
            raise damaged(self._file) from None
        if tensor.nbytes > MAX_BYTES:
            raise InteropError(
                N_("this tensor is larger than {most} MB"), place=name[:200], most=MAX_BYTES // 1_000_000
            )
        return tensor

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


# --- shards ----------------------------------------------------------------------------------------------------


def _sharded(index: Path) -> Weights:
    """The tensors that an index names, each in the file that it gives."""
    given = read_json(index, MAX_INDEX).get("weight_map")
    if not isinstance(given, dict) or not given:
        raise InteropError(
            N_(
                "this is not the index of a model's files: it has no weight_map that gives the file of each tensor"
            ),
            place=index.name,
        )
    for name, file in given.items():
        if not is_name(name) or not isinstance(file, str) or not _SHARD.fullmatch(file):
            raise InteropError(
                N_(
                    "{name}: expected a file in the same folder, such as model-00001-of-00002.safetensors, got {got}"
                ),
                place=index.name,
                name=quoted(name),
                got=quoted_json(file),
            )
    missing = next(
        (file for file in sorted(set(given.values())) if not (index.parent / file).is_file()), None
    )
    if missing is not None:
        raise InteropError(N_("this file is named in the index, but it is not in the folder"), place=missing)
    return _Shards(index.parent, {name: given[name] for name in in_natural_order(given)})


class _Shards(Mapping[str, Tensor]):
    """The tensors of a model in several files. The last file that was used stays open."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self._folder, self._files = folder, files
        self._last: tuple[str, Weights] = "", {}

    def __getitem__(self, name: str) -> Tensor:
        file = self._files[name]
        if self._last[0] != file:
            self._last = file, self._read(file)
        if name not in self._last[1]:
            raise InteropError(N_("{file} does not have this tensor"), place=name[:200], file=quoted(file))
        return self._last[1][name]

    def _read(self, file: str) -> Weights:
        try:
            return _opened(self._folder / file)
        except InteropError as error:
            raise InteropError(error.template, place=error.place or file, **error.values) from None

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
