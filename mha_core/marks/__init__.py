"""Marks of a class: ``scheme`` (what the teacher sets), ``marks`` (of one file), ``table`` (of all, as CSV),
``gradebook`` (a course's own file, with the marks filled in) and ``overview`` (a class by question and by mistake).
"""
