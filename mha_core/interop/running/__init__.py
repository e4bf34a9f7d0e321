"""The heads of a module of torch, from one run of it. Read in this order:

``qkv`` (an example from Q, K and V), ``einsum`` (products as einsum equations), ``scores`` (what is done to a product
before softmax), ``origins`` (where queries, keys and values are computed), ``uses`` (what else reads weights),
``watch`` (what a running module calls in torch), ``samples`` and ``second_run`` (which axis is samples and which is
heads), ``captured`` and ``one_sample`` (one attention, verified), ``attentions`` and ``found`` (every attention of a
run), ``edits``, ``changed``, ``new_scores`` (other queries, keys and values), ``intervene`` (heads changed while a
module runs, and what that does to its output), ``texts`` (of ids of tokens), ``linearity`` and ``linear`` (a run whose
output is a sum of terms), ``capture``, ``sweep`` and ``attribution`` (the functions that callers use).
"""
