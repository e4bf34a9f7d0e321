"""Loading a folder with transformers: only what lies in it, without a network, pickles, or code from the folder."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

from mha_core.errors import N_, ModelError, extra
from mha_core.example.model import Text
from mha_core.interop.saved.settings import FILE, MAX_FILE, read_json
from mha_core.models.checkpoint import file_names
from mha_core.models.ends import read_ends
from mha_core.models.foreign import NO_LIMIT, ForeignModel, Part, Shape, first_line, probed
from mha_core.models.tokenizer import MAX_TOKENS, Reader, Tokens, read_tokenizer, too_long, whole
from mha_core.quoted import quoted

TOKENIZERS: Final = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "tokenizer.model",
    "spiece.model",
    "*.bpe.model",
)
"""The files of which a tokenizer needs one."""
_LIMITS: Final = ("max_position_embeddings", "n_positions", "max_seq_len")
"""The settings that say how long a text may be."""
_ONLY_HERE: Final = {"local_files_only": True, "trust_remote_code": False}


def open_foreign(
    folder: Path,
    title: Text = "",
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    part: Part = "encoder",
) -> ForeignModel:
    """The model in a folder, loaded by transformers: config.json, .safetensors, and a tokenizer.

    ``part``: of an encoder–decoder. Raises ``ModelError``, and no other error, where transformers is not
    installed or cannot load the folder, and where ``capture`` cannot follow the model.
    """
    kind = read_json(folder / FILE, MAX_FILE).get("model_type")
    if not isinstance(kind, str):
        raise ModelError(N_("expected the name of a kind of model"), place=f"{FILE}: model_type")
    file_names(folder)
    ends = read_ends(folder)
    if not any(any(folder.glob(name)) for name in TOKENIZERS):
        raise ModelError(
            N_("the folder of this model of type {kind} has no tokenizer, such as tokenizer.json"),
            kind=quoted(kind),
        )
    try:
        import transformers  # noqa: PLC0415  # optional, and slow to import
    except ImportError:
        raise ModelError(
            N_("models of type {kind} need the package transformers: pip install {source}"),
            place=f"{FILE}: model_type",
            kind=quoted(kind),
            source=extra("transformers"),
        ) from None
    with _quiet(transformers):
        module, guesses = _loaded(transformers, folder, kind, dtype)
        reader = _reader(transformers, folder, kind)
    where = torch.device(device)
    module = module.to(where).eval().requires_grad_(False)
    text: Any = module.config.get_text_config()  # type: ignore[operator, union-attr]
    end, crosses, start = None, False, getattr(module.config, "decoder_start_token_id", None)
    is_half = bool(getattr(module.config, "is_encoder_decoder", False))
    if is_half:
        if part == "encoder" or not isinstance(start, int):
            module, guesses = module.get_encoder(), False  # type: ignore[operator]
        else:
            reader = DecoderReader(reader.tokenizer, reader.mask, reader.unknown, reader.special, start)
            end = reader.end()
            crosses = part == "cross"
    elif part != "encoder":
        raise ModelError(N_("this model has no decoder beside an encoder"), place=f"{FILE}: model_type")
    shape = Shape(
        kind,
        d_model=int(getattr(text, "hidden_size", 0) or 0),
        vocabulary=int(module.get_input_embeddings().num_embeddings),  # type: ignore[operator]
        max_tokens=min(
            [int(limit) for name in _LIMITS if (limit := getattr(text, name, None))], default=NO_LIMIT
        ),
        segments=int(getattr(text, "type_vocab_size", 0) or 0) if _reads_segments(module) else 0,
    )
    return probed(
        ForeignModel(title, shape, reader, module, where, dtype, guesses, end, crosses, is_half, ends)
    )


def _reads_segments(module: nn.Module) -> bool:
    return "token_type_ids" in inspect.signature(module.forward).parameters


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """transformers without its messages and progress bars; afterwards as before."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _loaded(transformers: Any, folder: Path, kind: str, dtype: torch.dtype) -> tuple[nn.Module, bool]:
    """The module with its numbers, and whether it guesses tokens."""
    try:
        config = transformers.AutoConfig.from_pretrained(folder, **_ONLY_HERE)
        build, guesses = _class_for(transformers, config)
        module, info = build.from_pretrained(
            folder,
            config=config,
            use_safetensors=True,
            attn_implementation="eager",
            dtype=dtype,
            output_loading_info=True,
            **_ONLY_HERE,
        )
    except Exception as error:  # noqa: BLE001  # whatever the library raises for a folder
        raise _not_loaded(folder, kind, error) from None
    missing = sorted(
        name for name in info["missing_keys"] if "pooler" not in name
    )  # no attention follows a pooler
    if missing:
        raise ModelError(N_("is missing from the model's files"), place=missing[0])
    module.config.use_cache = False
    return module, guesses


def _class_for(transformers: Any, config: Any) -> tuple[Any, bool]:
    """The class that the model was saved as if that guesses tokens, else that of the bare model."""
    saved = config.architectures or ()
    for name in ("AutoModelForSeq2SeqLM", "AutoModelForCausalLM", "AutoModelForMaskedLM"):
        auto = getattr(transformers, name)
        known = auto._model_mapping.get(type(config), None)  # noqa: SLF001  # it has no public name
        if known is not None and known.__name__ in saved:
            return auto, True
    return transformers.AutoModel, False


def _reader(transformers: Any, folder: Path, kind: str) -> Reader:
    """The tokenizer that transformers makes of the folder; where it makes none, the one in tokenizer.json."""
    try:
        made = transformers.AutoTokenizer.from_pretrained(folder, **_ONLY_HERE)
        backend = whole(made.backend_tokenizer)
        special = frozenset(made.all_special_ids) - {made.mask_token_id, made.unk_token_id}
        return Reader(backend, made.mask_token_id, made.unk_token_id, special)
    except Exception as error:  # noqa: BLE001  # whatever the library raises for a folder
        try:
            return read_tokenizer(folder)
        except ModelError:
            raise _not_loaded(folder, kind, error) from None


def _not_loaded(folder: Path, kind: str, error: Exception) -> ModelError:
    return ModelError(
        N_("transformers cannot load this model of type {kind}: {reason}"),
        kind=quoted(kind),
        reason=first_line(error, str(folder)),
    )


@dataclass(frozen=True, slots=True)
class DecoderReader(Reader):
    """Reads a text as a decoder with an encoder does: after the token ``start``, without the special tokens that end
    the text for the encoder.
    """

    start: int = 0

    def read(self, text: str, pair: str | None = None, most: int = MAX_TOKENS) -> Tokens:
        """The tokens after the start token. Raises ``ModelError`` as that of ``Reader``."""
        tokens = Reader.read(self, text, pair, most)
        kept = slice(len(tokens) - _ending(tokens.special))
        if len(tokens.ids[kept]) + 1 > most:
            raise too_long(len(tokens.ids[kept]) + 1, most)
        return Tokens(
            ids=(self.start, *tokens.ids[kept]),
            texts=(self.text(self.start), *tokens.texts[kept]),
            words=(None, *tokens.words[kept]),
            special=(True, *tokens.special[kept]),
            segments=(0, *tokens.segments[kept]),
            unknown=(None, *tokens.unknown[kept]),
        )

    def end(self) -> tuple[int, ...]:
        """The special tokens that end a text."""
        encoded = self.tokenizer.encode("a")
        count = _ending(encoded.special_tokens_mask)
        return tuple(encoded.ids[len(encoded.ids) - count :])


def _ending(special: Any) -> int:
    """How many tokens at the end are special."""
    return next((at for at, one in enumerate(reversed(special)) if not one), len(special))
