"""The same example in the conventions of other texts and libraries. Read in this order:

``columns`` (tokens as columns, W·X), ``packing`` (all heads' matrices in one), ``masks`` (where True hides, and what
each library gives to a query that may attend to nothing), ``rotary`` (which columns are rotated together).
"""

from mha_core.notation.columns import Entry, Factor, Form, column_matrix, entries, transposed
from mha_core.notation.masks import (
    Demonstration,
    MaskForm,
    Outcome,
    demonstrate,
    is_masked,
    mask_forms,
    with_hidden_row,
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
    "with_hidden_row",
    "with_mask",
]
