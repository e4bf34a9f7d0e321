"""Somebody's own numbers: which are wrong, and why.

``catalogue`` (the known mistakes), ``search`` (which of them explain the errors), ``slips`` (one wrong cell or row;
``place``, ``cell_slips`` and ``row_slips`` have every way of making one), ``slip_search`` (which slips explain the
errors), ``transcription`` (errors in writing a number down), ``remarks`` (what an unexplained number shows),
``check`` (the verdict), ``invariants`` (what is true whatever the inputs are), ``report`` (the verdict in words),
``table`` (many verdicts).
"""
