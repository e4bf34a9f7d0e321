"""Numbers to be worked out: drawn so that working with them teaches something.

``diagnoses`` (how each known mistake would show), ``laws`` (what the numbers must be like), ``exercise`` (draws them),
``hints`` (for a cell that is still open).
"""
