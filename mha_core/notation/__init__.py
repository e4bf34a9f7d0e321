"""The same example as other texts and libraries write it. Read in this order:

``columns`` (tokens as columns, W·X), ``packing`` (all heads' matrices in one), ``masks`` (whose True hides, and what
each library gives to a query that may attend to nothing).
"""

from mha_core.notation.columns import Entry, Factor, Form, column_matrix, entries, turned
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
    "column_matrix",
    "demonstrate",
    "emptied",
    "entries",
    "is_masked",
    "layouts",
    "letters_of",
    "mask_forms",
    "refusals",
    "starts_further_on",
    "turned",
    "with_mask",
]
