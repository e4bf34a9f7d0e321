"""The numbers of a model's folder: ``model.safetensors``, or several such files with an index, mapped into memory.

A tensor is read on request by its name, after its shape in the file's header has been compared with the expected one.
So memory is never allocated for whatever a file claims, and tensors that are not needed are never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mha_core.errors import N_, ModelError, Reason, needs
from mha_core.interop.saved.settings import read_json

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
MAX_INDEX = 20_000_000
"""Longest index, in bytes."""
MAX_FILES = 1000
MAX_HEADER = 10_000_000
"""Longest header of a .safetensors file, in bytes: that of a model of 100,000 tensors."""
_NUMBERS = frozenset(("F64", "F32", "F16", "BF16"))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tensors of a model by name. ``files``: the open file of each; ``device``, ``dtype``: of the tensors read."""

    files: Mapping[str, Any]
    device: torch.device
    dtype: torch.dtype

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def tensor(self, name: str, *shape: int) -> Tensor:
        """The tensor of this name and shape. Raises ``ModelError`` where there is none, or one of another shape."""
        if name not in self.files:
            raise ModelError(N_("is missing from the model's files"), place=name)
        header = self.files[name].get_slice(name)
        if tuple(header.get_shape()) != shape:
            raise ModelError(
                N_("config.json says {expected}, but the file has {got}"),
                place=name,
                expected=_size(shape),
                got=_size(header.get_shape()),
            )
        if header.get_dtype() not in _NUMBERS:
            raise ModelError(
                N_("numbers of type {dtype} cannot be read; use a model that is not quantized"),
                place=name,
                dtype=header.get_dtype(),
            )
        return self.files[name].get_tensor(name).to(self.device, self.dtype)  # type: ignore[no-any-return]


def _size(shape: Any) -> str:
    return " × ".join(map(str, shape)) or "1"


def open_checkpoint(folder: Path, device: torch.device, dtype: torch.dtype) -> Checkpoint:
    """The checkpoint of a folder. Raises ``ModelError`` where there is none, or where it is damaged."""
    names = file_names(folder)
    opened = [open_file(folder / name) for name in names]
    return Checkpoint({name: file for file in opened for name in file.keys()}, device, dtype)  # noqa: SIM118


def file_names(folder: Path) -> list[str]:
    """The names of a folder's .safetensors files. Raises ``ModelError`` where it has none."""
    if (folder / SINGLE).exists():
        return [SINGLE]
    if not (folder / INDEX).exists():
        raise ModelError(
            N_("the model's folder has no {name}; other formats (.bin, .gguf, .onnx, …) cannot be read"),
            name=SINGLE,
        )
    listed = read_json(folder / INDEX, MAX_INDEX).get("weight_map")
    names = sorted(set(map(str, listed.values()))) if isinstance(listed, dict) else []
    if not names or len(names) > MAX_FILES or not all(map(_is_in_folder, names)):
        raise ModelError(N_("expected a weight_map: the names of files beside it"), place=INDEX)
    return names


def _is_in_folder(name: str) -> bool:
    return Path(name).name == name and name.endswith(".safetensors") and name.isprintable()


def open_file(path: Path) -> Any:
    """An open .safetensors file. Raises ``ModelError`` where it cannot be read or is damaged."""
    with needs("safetensors", "models", ModelError):
        from safetensors import safe_open  # noqa: PLC0415  # optional

    try:
        _require_header_size(path)
        opened: Any = safe_open(path, "pt")
        return opened.__enter__()
    except OSError as error:
        raise ModelError(N_("cannot be read: {reason}"), place=path.name, reason=Reason(error)) from None
    except Exception:  # noqa: BLE001  # the library raises its own error, KeyError for a dtype and more
        raise ModelError(
            N_("this is not a readable .pt or .safetensors file; it may be damaged or incomplete"),
            place=path.name,
        ) from None


def _require_header_size(path: Path) -> None:
    with path.open("rb") as stream:
        if int.from_bytes(stream.read(8), "little") > MAX_HEADER:
            raise ValueError(path)
