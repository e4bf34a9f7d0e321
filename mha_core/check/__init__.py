"""Somebody's own numbers: which are wrong, and why.

``catalogue`` (the known mistakes), ``search`` (which of them explain what was found), ``slips`` (one cell or one row
done otherwise; ``place``, ``of_a_cell`` and ``of_a_row`` have the ways), ``local`` (which of these explain it),
``transcription`` (what only the pen did), ``remarks`` (what an unexplained number tells of itself), ``check`` (the
verdict), ``invariants`` (what holds without an example), ``report`` (the verdict in words), ``table`` (many verdicts).
"""
