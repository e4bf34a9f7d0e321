"""The lessons' declarations: words, live parts, questions and puzzles, as plain data.

``lesson`` says what a lesson is made of, and ``scene`` what its tables are. Each other module is one lesson. The page
that draws them: ``mha_ui.lessons``.
"""
