"""Puzzles: goals about the numbers of a trace, to be met by changing an example's inputs.

Read in this order: ``goals`` (met, and how far), ``changes`` (how many numbers differ), ``solve`` (how few changes are
enough), ``made`` (a puzzle from what somebody has done). What a puzzle is: ``mha_core.example.puzzle``; the built-in
ones: ``mha_core.example.puzzle_library``.
"""

from mha_core.example.puzzle_library import built_in_puzzle, built_in_puzzles, in_language, start_of
from mha_core.puzzle.changes import changes, differing
from mha_core.puzzle.goals import after_solution, met, number_of, progress, solved
from mha_core.puzzle.made import puzzle_from
from mha_core.puzzle.solve import fewest

__all__ = [
    "after_solution",
    "built_in_puzzle",
    "built_in_puzzles",
    "changes",
    "differing",
    "fewest",
    "in_language",
    "met",
    "number_of",
    "progress",
    "puzzle_from",
    "solved",
    "start_of",
]
