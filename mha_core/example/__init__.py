"""An example: its data, the ways in, and the built-in ones. Read ``model`` first.

``model`` (plain frozen data), ``validate`` and ``files`` (the way in), ``share_link`` (an example in a URL),
``library`` (the built-in ones, in ``built_in/``).
"""
