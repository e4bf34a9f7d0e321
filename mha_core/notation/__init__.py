"""The same example as other texts and libraries write it. Read in this order:

``columns`` (tokens as columns, W·X), ``packing`` (all heads' matrices in one), ``masks`` (whose True hides, and what
each library gives to a query that may attend to nothing), ``rotary`` (which columns are rotated together).
"""

from mha_core.notation.columns import Entry, Factor, Form, column_matrix, entries, transposed
from mha_core.notation.masks import (
    Demonstration,
    MaskForm,
    Outcome,
    demonstrate,
    emptied,
    is_masked,
    mask_forms,
    with_mask,
)
from mha_core.notation.packing import (
    Block,
    Group,
    Layout,
    layouts,
    letters_of,
    refusals,
    starts_further_on,
)
from mha_core.notation.rotary import Pairing, Pairings, has_pairings, pairings, reordered

__all__ = [
    "Block",
    "Demonstration",
    "Entry",
    "Factor",
    "Form",
    "Group",
    "Layout",
    "MaskForm",
    "Outcome",
    "Pairing",
    "Pairings",
    "column_matrix",
    "demonstrate",
    "emptied",
    "entries",
    "has_pairings",
    "is_masked",
    "layouts",
    "letters_of",
    "mask_forms",
    "pairings",
    "refusals",
    "reordered",
    "starts_further_on",
    "transposed",
    "with_mask",
]
