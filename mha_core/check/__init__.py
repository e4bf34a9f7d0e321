"""Somebody's own numbers: which are wrong, and why.

``catalogue`` (the known mistakes), ``search`` (which of them explain what was found), ``transcription`` (digits slipped
in copying), ``check`` (the verdict), ``invariants`` (what holds without an example), ``report`` (the verdict in words).
"""
