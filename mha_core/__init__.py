"""Multi-head attention, every number of it: examples, traces and derivations.

Read in this order: ``example`` (the data and its ways in), ``compute`` (declared once, computed by torch, derived to
its terms), ``edit`` (the next example), ``check`` (somebody's own numbers), ``exercise`` (numbers to be worked out),
``compare`` (two computations side by side), ``walk`` (the computation in stages). Besides these: ``interop`` (other
libraries' layers), ``export`` (programs and documents) and ``notation`` (rows or columns, packed weights, masks).

The names that most callers need are exported here. Each is loaded on first use, so that torch is imported only where
something is computed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mha_core.compute.derive import Cell as Cell
    from mha_core.compute.derive import Derivation as Derivation
    from mha_core.compute.derive import Term as Term
    from mha_core.compute.derive import arithmetic as arithmetic
    from mha_core.compute.derive import derive as derive
    from mha_core.compute.derive import feeds as feeds
    from mha_core.compute.device import Backend as Backend
    from mha_core.compute.device import backend as backend
    from mha_core.compute.graph import formula as formula
    from mha_core.compute.graph import graph as graph
    from mha_core.compute.operation import Operand as Operand
    from mha_core.compute.operations import Step as Step
    from mha_core.compute.pooled import Pooled as Pooled
    from mha_core.compute.pooled import pooled_weights as pooled_weights
    from mha_core.compute.trace import Trace as Trace
    from mha_core.compute.trace import trace as trace
    from mha_core.compute.weights import attention_weights as attention_weights
    from mha_core.errors import CellError as CellError
    from mha_core.errors import DeviceError as DeviceError
    from mha_core.errors import ExampleError as ExampleError
    from mha_core.errors import ExportError as ExportError
    from mha_core.errors import InteropError as InteropError
    from mha_core.errors import LinkError as LinkError
    from mha_core.errors import MhaError as MhaError
    from mha_core.errors import ModelError as ModelError
    from mha_core.errors import NumberRangeError as NumberRangeError
    from mha_core.example.arrays import from_arrays as from_arrays
    from mha_core.example.band import BandMask as BandMask
    from mha_core.example.files import dump as dump
    from mha_core.example.files import parse as parse
    from mha_core.example.files import pretty as pretty
    from mha_core.example.library import OPENS_FIRST as OPENS_FIRST
    from mha_core.example.library import built_in as built_in
    from mha_core.example.library import library as library
    from mha_core.example.library import opens_first as opens_first
    from mha_core.example.model import AddMask as AddMask
    from mha_core.example.model import AllowMask as AllowMask
    from mha_core.example.model import Dims as Dims
    from mha_core.example.model import Example as Example
    from mha_core.example.model import Head as Head
    from mha_core.example.model import Norm as Norm
    from mha_core.example.model import Positions as Positions
    from mha_core.example.share_link import from_token as from_token
    from mha_core.example.share_link import to_token as to_token
    from mha_core.example.validate import validate as validate

__version__ = "1.0.0"

_EXPORTS: Final = {
    "mha_core.compute.derive": "Cell Derivation Term arithmetic derive feeds",
    "mha_core.compute.device": "Backend backend",
    "mha_core.compute.graph": "formula graph",
    "mha_core.compute.operation": "Operand",
    "mha_core.compute.operations": "Step",
    "mha_core.compute.pooled": "Pooled pooled_weights",
    "mha_core.compute.trace": "Trace trace",
    "mha_core.compute.weights": "attention_weights",
    "mha_core.errors": (
        "CellError DeviceError ExampleError ExportError InteropError LinkError MhaError ModelError "
        "NumberRangeError"
    ),
    "mha_core.example.arrays": "from_arrays",
    "mha_core.example.files": "dump parse pretty",
    "mha_core.example.library": "OPENS_FIRST built_in library opens_first",
    "mha_core.example.band": "BandMask",
    "mha_core.example.model": "AddMask AllowMask Dims Example Head Norm Positions",
    "mha_core.example.share_link": "from_token to_token",
    "mha_core.example.validate": "validate",
}
_MODULE_OF: Final = {name: module for module, names in _EXPORTS.items() for name in names.split()}
__all__ = sorted(_MODULE_OF)  # noqa: PLE0605


def __dir__() -> list[str]:
    """The exported names, loaded or not, so that they can be completed."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
