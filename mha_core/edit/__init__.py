"""The next example: edits as plain data, each applied by a pure function.

``fields`` (an edit as it arrives), ``matrices`` (one matrix, read and written), ``axes`` (an axis of all matrices),
``sizes`` (tokens, heads and sizes), ``sentence`` (words as tokens), ``layer`` (what the layer has), ``paste`` (numbers
from a text), ``shapes`` (what gave a matrix another shape), ``claims`` (somebody's own numbers, filled in), ``edits``
(all of them, by name).
"""
