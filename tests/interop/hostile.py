"""Weight files that a person, a bug or an attacker might upload, and the sentence that refuses each.

``python -m tests.interop.hostile`` reads them all in a process of its own and prints what happened, and by how many
bytes the process grew.
"""

import io
import json
import os
import pickle
import sys
import tempfile
import zipfile
from pathlib import Path

import torch

from tools.memory import peak

MARK = Path(tempfile.gettempdir()) / f"mha-hostile-{os.getppid()}"
"""A file that appears if a hostile pickle's code has run."""


class Code:
    """Runs a command when it is unpickled."""

    def __reduce__(self):
        return (os.system, (f"touch {MARK}",))


class Evaluated:
    def __reduce__(self):
        return (eval, (f"__import__('pathlib').Path({str(MARK)!r}).touch()",))


class Huge:
    def __reduce__(self):
        return (bytearray, (20_000_000_000,))


class HugeTensor:
    def __reduce__(self):
        return (torch.Tensor, (100_000, 100_000))


def saved(thing, **options):
    out = io.BytesIO()
    torch.save(thing, out, **options)
    return out.getvalue()


def rezipped(data, change=lambda name, text: text, *, method=zipfile.ZIP_STORED, extra=None):
    """A .pt file with records changed (None drops one) or added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", method) as new:
        for record in old.infolist():
            text = change(record.filename, old.read(record))
            if text is not None:
                new.writestr(record.filename, text)
        for name, text in (extra or {}).items():
            new.writestr(name, text)
    return out.getvalue()


def with_pickle(pickled):
    """A .pt file around this pickle."""
    return rezipped(PLAIN, lambda name, text: pickled if name.endswith("data.pkl") else text)


def patched(old, new):
    def change(name, text):
        if not name.endswith("data.pkl"):
            return text
        assert old in text
        return text.replace(old, new)

    return rezipped(PLAIN, change)


def safetensors(header, numbers=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + numbers


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"w": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


PLAIN = saved({"w": torch.arange(5.0)})
EIGHT = bytes(8)
DAMAGED = "this is not a readable .pt or .safetensors file; it may be damaged or incomplete"
TOO_MUCH = "the file contains more than can be read here (5000 tensors in a .pt file"
CALLS = "which is not part of a plain state dict; none of its code was run"

FILES = {
    # pickles with code, in every dress
    "code.pt": (saved({"w": torch.ones(2), "x": Code()}), CALLS),
    "eval.pt": (saved(Evaluated()), CALLS),
    "module.pt": (saved(torch.nn.MultiheadAttention(4, 2)), CALLS),
    "protocol4.pt": (with_pickle(pickle.dumps(Code(), 4)), CALLS),
    "protocol0.pt": (with_pickle(pickle.dumps(Code(), 0)), CALLS),
    "bytearray.pt": (with_pickle(pickle.dumps(Huge(), 2)), CALLS),
    "tensor-class.pt": (with_pickle(pickle.dumps(HugeTensor(), 2)), CALLS),
    "inst.pt": (with_pickle(b"(S'touch x'\nios\nsystem\n."), CALLS),
    "bare-pickle.pt": (pickle.dumps(Code()), "older formats can run code and are not read"),
    "bare-pickle.safetensors": (pickle.dumps(Code()), "older formats can run code and are not read"),
    "legacy.bin": (
        saved({"w": torch.ones(2)}, _use_new_zipfile_serialization=False),
        "older formats can run code and are not read",
    ),
    "torchscript.pt": (
        rezipped(PLAIN, extra={"archive/code/__torch__.py": b"import os"}),
        "a state dict has no record 'archive/code/__torch__.py'",
    ),
    "constants.pt": (rezipped(PLAIN, extra={"archive/constants.pkl": b"."}), "a state dict has no record"),
    "path.pt": (rezipped(PLAIN, extra={"../../evil": b"."}), "a state dict has no record"),
    # zips
    "two-pickles.pt": (
        rezipped(PLAIN, extra={"other/data.pkl": b"."}),
        "this zip is not one that torch writes",
    ),
    "no-pickle.pt": (
        rezipped(PLAIN, lambda name, text: None if name.endswith("data.pkl") else text),
        "this zip is not one that torch writes",
    ),
    "bomb.pt": (
        rezipped(PLAIN, extra={"archive/data/1": bytes(50_000_000)}, method=zipfile.ZIP_DEFLATED),
        "this zip is not one that torch writes",
    ),
    "large-pickle.pt": (with_pickle(bytes(5_000_000)), TOO_MUCH),
    "nested-tuples.pt": (with_pickle(b"\x80\x02)" + b"\x85" * 2_000_000 + b"."), TOO_MUCH),
    "many-dicts.pt": (with_pickle(b"\x80\x02" + b"}" * 2_000_000 + b"."), TOO_MUCH),
    "many-records.pt": (
        rezipped(PLAIN, extra={f"archive/data/{i}": b"" for i in range(1, 5_001)}),
        TOO_MUCH,
    ),
    "cut.pt": (PLAIN[: len(PLAIN) // 2], DAMAGED),
    "noise.pt": (b"PK\x03\x04" + bytes(range(256)) * 9, DAMAGED),
    "noise-pickle.pt": (with_pickle(bytes(range(256))), DAMAGED),
    "empty-pickle.pt": (with_pickle(b""), DAMAGED),
    "no-numbers.pt": (rezipped(PLAIN, lambda name, text: None if "data/0" in name else text), DAMAGED),
    "storage-beyond-record.pt": (patched(b"cpuq\x06K\x05", b"cpuq\x06J\x00\x00\x00\x40"), DAMAGED),
    "shape-beyond-storage.pt": (
        patched(b"K\x00K\x05\x85", b"K\x00\x8a\x08" + (10**12).to_bytes(8, "little") + b"\x85"),
        DAMAGED,
    ),
    "repeating.pt": (
        saved({"w": torch.zeros(1).expand(10**9)}),
        (
            "no tensor in this file can be read; tensors whose strides repeat memory, such as "
            "expanded ones, are skipped"
        ),
    ),
    "list.pt": (saved([torch.ones(2)]), "the file contains no named tensors"),
    "numbers-for-names.pt": (saved({1: torch.ones(2)}), "the file contains no named tensors"),
    "unprintable-name.pt": (saved({"\x1b[31m": torch.ones(2)}), "the file contains no named tensors"),
    # safetensors
    "huge-header.safetensors": (
        safetensors({}, length=10_000_000_000),
        "the header claims to be 10000000000",
    ),
    "endless-header.safetensors": (safetensors({}, length=2**64 - 1), "the header claims to be"),
    "cut-header.safetensors": (safetensors(entry(), EIGHT, length=5000), DAMAGED),
    "cut-numbers.safetensors": (safetensors(entry(), EIGHT[:5]), DAMAGED),
    "more-numbers.safetensors": (safetensors(entry(), EIGHT * 2), DAMAGED),
    "deep-header.safetensors": (safetensors(b'{"w":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), DAMAGED),
    "no-json.safetensors": (safetensors(b"{]"), DAMAGED),
    "unknown-type.safetensors": (safetensors(entry("F1024"), EIGHT), DAMAGED),
    "wrong-type.safetensors": (safetensors(entry("F64"), EIGHT), DAMAGED),
    "wrong-shape.safetensors": (safetensors(entry(shape=(3,)), EIGHT), DAMAGED),
    "overflowing-shape.safetensors": (safetensors(entry(shape=(2**62, 2**62)), EIGHT), DAMAGED),
    "negative-shape.safetensors": (safetensors(entry(shape=(-2,)), EIGHT), DAMAGED),
    "backward-offsets.safetensors": (safetensors(entry(offsets=(8, 0)), EIGHT), DAMAGED),
    "empty.safetensors": (safetensors({}), "the file contains no named tensors"),
    "nothing.safetensors": (b"", DAMAGED),
    "short.safetensors": (b"\x01\x02\x03", DAMAGED),
    "text.safetensors": (b"hello, I am weights", "this is neither a .safetensors file nor a file"),
    "zip.safetensors": (PLAIN, "the name says .safetensors, but this is a zip file"),
    "safetensors.pt": (
        safetensors(entry(), EIGHT),
        "this is not a .pt file in the format used since torch 1.6",
    ),
}


def main():
    from mha_core import InteropError
    from mha_core.interop import layers, read_weights
    from mha_core.interop.saved.weights import safetensors_library

    read_weights(PLAIN)
    safetensors_library()
    before = peak()
    refusals: dict[str, str | None] = {}
    for name, (data, _) in FILES.items():
        try:
            layers(read_weights(data, name))
            refusals[name] = None
        except InteropError as error:
            refusals[name] = str(error)
    grown = peak() - before
    json.dump({"refusals": refusals, "grown": grown}, sys.stdout)


if __name__ == "__main__":
    main()
