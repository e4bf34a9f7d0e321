"""How the small model in ``mha_core/models/own`` is made: ``python -m training``. Read in this order:

``words`` (the lexicon, from the files in ``words/``), ``inflect`` (its English forms), ``clause`` (who does what),
``english`` and ``chinese`` (a clause told), ``templates`` (sentences with gaps), ``passages`` (texts of many kinds),
``earlier`` (texts in which one earlier word decides a hidden one), ``tokenizer``, ``corpus`` (texts as numbers),
``model`` (BERT), ``loop`` (masked words are learned), ``measures`` (what was learned, against simpler models),
``needed`` (which head finds the deciding word, and the guess without it), ``export`` (the folder). The README beside
this says what came of it.
"""
