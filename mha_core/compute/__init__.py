"""The computation: declared once, computed by torch, derived to its terms.

``graph`` (the declaration), ``trace`` (every number), ``derive`` (where a number comes from), ``gradients`` (what moves
it), ``weights`` (those of a layer of any size, alone), ``pooled`` (those of more tokens than a screen has points),
``metrics`` (what weights are like), ``head_terms`` (what each head adds to the output), ``scaling`` (why √d_k, as an
experiment), ``block`` (what is around attention), ``cost`` (multiplications, and what a cache stores), ``printed``
(which values a printed number may represent), ``device`` (what computes).
"""
