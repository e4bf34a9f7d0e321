"""The computation stage by stage, in words.

``text`` (the sentences), ``stages`` (the stages and their cells), ``summary`` (where each head looks), ``handout`` (the
whole walk in one language, for any format), ``markdown`` (one format).
"""
