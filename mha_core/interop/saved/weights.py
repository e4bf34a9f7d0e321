"""Weight files, read so that nothing in them can run: ``.pt`` as torch has written it since 1.6, and ``.safetensors``.

A ``.pt`` file is a zip of raw numbers and one pickle that describes their arrangement. Before torch reads it (with
``weights_only``), its structure is checked, and every name that the pickle calls must be one of the few that build a
plain tensor. A ``.safetensors`` file has the length of its header in its first 8 bytes; this is checked before
anything is allocated, and the library of that name, an optional package, reads the rest.
"""

from __future__ import annotations

import io
import pickletools
import re
import zipfile
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError, Reason, needs
from mha_core.quoted import quoted

Weights: TypeAlias = Mapping[str, Tensor]
"""A file's tensors by name."""

MAX_BYTES = 1_000_000_000
"""The largest weight file read from a disk; the limit for uploads is smaller."""
MAX_HEADER = 10_000_000
"""The longest header of a .safetensors file, in bytes: enough for a model of 100,000 tensors."""
MAX_RECORDS = 5_000
"""The most tensors read from a .pt file: torch takes a second or more for so many."""
MAX_OPERATIONS = 250_000
"""The longest pickle of a .pt file, in operations: torch writes about 30 for a tensor."""
MAX_PICKLE = 4_000_000
MAX_TENSORS = 20_000
"""The most tensors read from a .safetensors file."""
MAX_NAME = 500

_RECORD = re.compile(
    r"[^/]+/(data\.pkl|data/\d+|version|byteorder|\.format_version|\.storage_alignment|\.data/serialization_id)\Z"
)
_STORAGES = tuple(
    f"torch {kind}Storage"
    for kind in "Double Float Half BFloat16 Long Int Short Char Byte Bool ComplexFloat ComplexDouble".split()
)
_ALLOWED_NAMES = frozenset(
    (
        "collections OrderedDict",
        "torch._utils _rebuild_tensor_v2",
        "torch._utils _rebuild_parameter",
        *_STORAGES,
    )
)
"""The names that the pickle of a state dict may call."""
_RUNS_WITHOUT_NAME = frozenset(("INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "STACK_GLOBAL", "EXT1", "EXT2", "EXT4"))
_STATE_DICT_KEYS = ("state_dict", "model_state_dict", "model")
"""The keys under which checkpoints have their state dict."""


def read_weights(data: bytes, name: str = "") -> Weights:
    """The tensors in a file's bytes. The ending of ``name``, if given, says what kind of file it should be.

    The tensors are in the natural order of their names: layer 2 before layer 10. Raises ``InteropError``, and no other
    error, for anything that is not a plain file of tensors. No code in the file runs, and memory is limited to a few
    times the file's size.
    """
    tensors = _read(data, name)
    return {name: tensors[name] for name in in_natural_order(tensors)}


def in_natural_order(names: Iterable[str]) -> list[str]:
    """The names sorted, with the numbers in them compared as numbers."""
    return sorted(names, key=_natural)


def _natural(name: str) -> tuple[list[str | int], str]:
    """A sort key that compares numbers in names as numbers: "layer.2." comes before "layer.10."."""
    texts_and_numbers = enumerate(re.split(r"(\d+)", name))
    return [int(part) if n % 2 else part for n, part in texts_and_numbers], name


def _read(data: bytes, name: str) -> Weights:
    if len(data) > MAX_BYTES:
        raise InteropError(N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
    claimed = name.rpartition(".")[2].lower() if "." in name else ""
    if data[:4] == b"PK\x03\x04":
        if claimed == "safetensors":
            raise InteropError(N_("the name says .safetensors, but this is a zip file, like .pt files"))
        return _read_torch(data)
    is_safetensors = data[8:9] == b"{"  # its first byte belongs to a length, and may be that of a pickle too
    if claimed in ("pt", "pth", "bin") or (data[:1] == b"\x80" and not is_safetensors):
        raise InteropError(
            N_(
                "this is not a .pt file in the format used since torch 1.6; older formats can run "
                "code and are not read"
            )
        )
    return _read_safetensors(data)


def read_weights_file(path: str) -> Weights:
    """``read_weights`` for a file on disk; no more than the limit is read."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InteropError(N_("cannot be read: {reason}"), place=path, reason=Reason(error)) from None
    return read_weights(data, path)


# --- .pt -------------------------------------------------------------------------------------------------------


def _read_torch(data: bytes) -> Weights:
    _check_pickle(_pickle_in(data))
    try:
        loaded = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception:  # noqa: BLE001  # a damaged file makes torch raise almost anything
        raise damaged() from None
    return _state_dict(loaded)


def _too_much() -> InteropError:
    return InteropError(
        N_(
            "the file contains more than can be read here ({pt} tensors in a .pt file, "
            "{safetensors} in a .safetensors file); save the layers you need in a separate file"
        ),
        pt=MAX_RECORDS,
        safetensors=MAX_TENSORS,
    )


def damaged(place: str = "") -> InteropError:
    """The error for a file that is none, or not a whole one."""
    return InteropError(
        N_("this is not a readable .pt or .safetensors file; it may be damaged or incomplete"), place=place
    )


def _pickle_in(data: bytes) -> bytes:
    """The pickle of a .pt file. Raises ``InteropError`` unless the zip has only this and records of numbers."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            records = archive.infolist()
            _check_records(records, len(data))
            return archive.read(next(record for record in records if record.filename.endswith("/data.pkl")))
    except InteropError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError, EOFError):
        raise damaged() from None


def _check_records(records: list[zipfile.ZipInfo], size: int) -> None:
    foreign = next((record.filename for record in records if not _RECORD.match(record.filename)), None)
    if foreign is not None:
        raise InteropError(
            N_(
                "a state dict has no record {name}; programs saved by torch.jit or torch.export cannot be read"
            ),
            name=quoted(foreign),
        )
    names = [record.filename for record in records]
    pickles = [record for record in records if record.filename.endswith("/data.pkl")]
    packed = any(record.compress_type != zipfile.ZIP_STORED for record in records)
    if len(pickles) != 1 or len(set(names)) != len(names) or packed:
        raise InteropError(N_("this zip is not one that torch writes"))
    numbers = sum(record.filename.rpartition("/")[0].endswith("/data") for record in records)
    if numbers > MAX_RECORDS or pickles[0].file_size > MAX_PICKLE:
        raise _too_much()
    if sum(record.file_size for record in records) > size:
        raise damaged()


def _check_pickle(text: bytes) -> None:
    """Scan the pickle without running it. Raises ``InteropError`` for any name that does not build a tensor."""
    operations = pickletools.genops(text)
    try:
        forbidden = next(filter(None, map(_forbidden_name, islice(operations, MAX_OPERATIONS))), None)
        more = forbidden is None and next(operations, None) is not None
    except Exception:  # noqa: BLE001  # a pickle of noise makes pickletools raise almost anything
        raise damaged() from None
    if more:
        raise _too_much()
    if forbidden:
        raise InteropError(
            N_("the file calls {name}, which is not part of a plain state dict; none of its code was run"),
            name=quoted(forbidden),
        )


def _forbidden_name(operation: tuple[pickletools.OpcodeInfo, object, object]) -> str:
    """The forbidden name that this operation calls; "" if there is none."""
    opcode, argument, _ = operation
    if opcode.name in _RUNS_WITHOUT_NAME:
        return opcode.name
    return (
        str(argument).replace(" ", ".") if opcode.name == "GLOBAL" and argument not in _ALLOWED_NAMES else ""
    )


def _state_dict(loaded: object) -> Weights:
    """The tensors by name, from a checkpoint's state dict if it has one."""
    if isinstance(loaded, Mapping):
        inner = next(
            (loaded[key] for key in _STATE_DICT_KEYS if isinstance(loaded.get(key), Mapping)), loaded
        )
        named = {name: tensor for name, tensor in inner.items() if is_name(name) and _is_plain(tensor)}
        if named:
            return named
        if any(is_name(name) and isinstance(tensor, Tensor) for name, tensor in inner.items()):
            raise InteropError(
                N_(
                    "no tensor in this file can be read; tensors whose strides repeat memory, such as "
                    "expanded ones, are skipped"
                )
            )
    raise InteropError(N_("the file contains no named tensors"))


def is_name(name: object) -> bool:
    """Whether this is a string that can be shown as it is."""
    return isinstance(name, str) and name.isprintable() and len(name) <= MAX_NAME


def _is_plain(thing: object) -> bool:
    """Whether this is a tensor with all its numbers in the file: not one that repeats a few of them endlessly."""
    if not isinstance(thing, Tensor):
        return False
    return thing.numel() * thing.element_size() <= thing.untyped_storage().nbytes()


# --- .safetensors ----------------------------------------------------------------------------------------------


def _read_safetensors(data: bytes) -> Weights:
    if len(data) < 10:
        raise damaged()
    header = int.from_bytes(data[:8], "little")
    if data[8:9] != b"{":
        raise InteropError(N_("this is neither a .safetensors file nor a file written by torch.save"))
    if header > MAX_HEADER:
        raise InteropError(
            N_("the header claims to be {got} bytes long; at most {most} are allowed"),
            got=header,
            most=MAX_HEADER,
        )
    if header > len(data) - 8:
        raise damaged()
    library: Any = safetensors_library()
    try:
        loaded: dict[str, Tensor] = library.load(data)
    except Exception:  # noqa: BLE001  # the library raises its own error, KeyError for a dtype and more
        raise damaged() from None
    named = {name: tensor for name, tensor in loaded.items() if is_name(name)}
    if not named:
        raise InteropError(N_("the file contains no named tensors"))
    if len(named) > MAX_TENSORS:
        raise _too_much()
    return named


def safetensors_library() -> Any:
    """The optional package that reads .safetensors files."""
    with needs("safetensors", "interop", InteropError):
        import safetensors.torch  # noqa: PLC0415  # optional
    return safetensors.torch
