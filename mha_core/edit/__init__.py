"""The next example: edits as plain data, each applied by a pure function.

``fields`` (an edit as it arrives), ``paste`` (numbers from a text), ``shapes`` (what gave a matrix another shape),
``claims`` (somebody's own numbers, filled in), ``edits`` (all of them, by name).
"""
