"""JSON from outside: other threads run while it is decoded, and what would block them is refused first."""

import json
import sys

import pytest

from mha_core import ExampleError, built_in, dump, parse
from mha_core.example.decoding import MAX_LISTS, decoded


def test_values_are_those_of_the_standard_library():
    text = dump(built_in("programming"))
    assert decoded(text) == json.loads(text)
    numbers = "[0, -0, -0.0, 1e3, 0.1, 123456789012345678901234567890]"
    assert list(map(repr, decoded(numbers))) == list(map(repr, json.loads(numbers)))


def test_other_threads_run_between_two_numbers():
    """Python switches threads where a Python function is called, and one is called for each number."""
    begun = 0

    def count(_frame, event, _argument):
        nonlocal begun
        begun += event == "call"

    for text in ("[" + "0," * 999 + "0]", "[" + "0.5," * 999 + "0.5]"):
        before = begun
        sys.setprofile(count)
        try:
            decoded(text)
        finally:
            sys.setprofile(None)
        assert begun - before >= 1000


@pytest.mark.parametrize("kind", [str, str.encode])
def test_more_lists_than_an_example_has_are_not_decoded(kind):
    with pytest.raises(ExampleError, match="more than 50,000 lists"):
        decoded(kind("[" * (MAX_LISTS + 1)))
    with pytest.raises(ExampleError, match="more than 50,000 lists"):
        parse(kind('{"x": [' + "[0]," * MAX_LISTS + "[0]]}"))
