"""The computation told stage by stage.

``text`` (the sentences), ``stages`` (the stages and their cells), ``summary`` (where each head looks), ``takeaway``
(the walk as a page or as Markdown).
"""
