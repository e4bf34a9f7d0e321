"""An example: its data, how it is read, and the built-in ones. Read ``model`` first.

``model`` (plain frozen data), ``validate`` and ``files`` (reading), ``share_link`` (an example in a URL), ``library``
(the built-in ones, in ``built_in/``). Puzzles: ``puzzle``, ``puzzle_library`` (the built-in ones, in ``puzzles/``).
"""
