"""Layers that a file, or a folder of them, holds. Read in this order:

``weights`` (files, read so that nothing in them runs), ``adapters`` (LoRA), ``folder`` (folders and shards),
``fused`` (one matrix for Q, K and V), ``projections`` (what each library calls them), ``layers`` (a layer and its
parameters), ``settings``, ``rope``, ``kinds``, ``attention``, ``config`` (what a model's config.json says about them),
``finding`` (which layers a file has), ``rows`` (what becomes a layer's tokens), ``slices`` (a slice of a layer as an
example).
"""
