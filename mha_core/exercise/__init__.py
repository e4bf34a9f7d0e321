"""Exercises: numbers that are drawn so that working with them teaches something.

``diagnoses`` (how each known mistake would show), ``laws`` (what the numbers must satisfy), ``exercise`` (draws them),
``hints`` (for a cell that is still open), ``ideas`` (the first hint), ``judged`` (the verdict on a learner's numbers).
"""
