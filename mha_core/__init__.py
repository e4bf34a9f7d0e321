"""Multi-head attention, every number of it: examples, traces and derivations.

Read in this order: ``example`` (the data), ``files`` and ``validate`` (the way in), ``graph`` (the declared
computation), ``trace`` (torch computes it), ``derive`` (where a number comes from); ``printed``, ``mistakes``,
``hypotheses`` and ``check`` (somebody's own numbers: which are wrong, and why), ``paste``, ``edit_fields`` (an edit as
it arrives) and ``claims`` (filling such numbers in), ``report`` (what was found, in words); ``diagnoses`` (how each
known mistake would show), ``teaching`` and ``exercise`` (numbers to be worked out); ``edit`` (the next example),
``link`` (an example in a URL), ``library`` (the built-in ones); ``mistaken`` (what a known mistake makes of all that
comes after it) and
``pairs`` (five to be looked at); ``measures`` (what weights are like), ``scaling`` (why √d_k, as an experiment),
``gradients`` (what moves a number, and how much); ``variant`` (an example done otherwise), ``compare`` (what differs)
and ``head_terms`` (what each head adds); ``narration`` and ``walk`` (the computation stage by stage), ``takeaway`` (a
walk as a page or as Markdown).
Beside them: ``interop`` (other libraries' layers), ``export`` (programs and documents) and ``conventions`` (rows or
columns, packed weights, masks).
"""

from mha_core.check import Verdict, check
from mha_core.derive import Cell, Derivation, Term, arithmetic, derive, feeds
from mha_core.device import Place, place
from mha_core.errors import (
    CellError,
    DeviceError,
    ExampleError,
    ExportError,
    InteropError,
    LinkError,
    MhaError,
    NumberRangeError,
)
from mha_core.example import AddMask, AllowMask, Dims, Example, Head, Positions
from mha_core.files import dump, parse, pretty
from mha_core.graph import Operand, Step, formula, graph
from mha_core.library import OPENS_FIRST, built_in, library
from mha_core.link import from_token, to_token
from mha_core.takeaway import as_html, as_markdown
from mha_core.trace import Trace, trace
from mha_core.validate import validate
from mha_core.walk import walk

__all__ = [
    "OPENS_FIRST",
    "AddMask",
    "AllowMask",
    "Cell",
    "CellError",
    "Derivation",
    "DeviceError",
    "Dims",
    "Example",
    "ExampleError",
    "ExportError",
    "Head",
    "InteropError",
    "LinkError",
    "MhaError",
    "NumberRangeError",
    "Operand",
    "Place",
    "Positions",
    "Step",
    "Term",
    "Trace",
    "Verdict",
    "arithmetic",
    "as_html",
    "as_markdown",
    "built_in",
    "check",
    "derive",
    "dump",
    "feeds",
    "formula",
    "from_token",
    "graph",
    "library",
    "parse",
    "place",
    "pretty",
    "to_token",
    "trace",
    "validate",
    "walk",
]
