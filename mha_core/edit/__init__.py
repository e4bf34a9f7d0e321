"""The next example: edits as frozen data, each applied by a pure function.

``edit`` (every edit, and how one is read from JSON), ``fields`` (the types of their fields), ``edits`` (makes any of
them), ``matrices`` (one matrix, read and written), ``axes`` (an axis of all matrices), ``sizes`` (tokens, heads and
sizes), ``sentence`` (words as tokens), ``layer`` (what the layer has), ``paste`` (numbers from a text), ``shapes``
(mistakes that change a matrix's shape), ``claims`` (filling in one's own numbers), ``removed`` (restoring what was
removed last).
"""
