"""The examples in the documentation of every public function say what really comes out."""

import doctest
import inspect

import pytest

import sharewell as sw

PUBLIC = [getattr(sw.records, name) for name in sw.records.__all__]
FUNCTIONS = [entry for entry in PUBLIC if inspect.isfunction(entry)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_example_of_a_public_function_runs(function: object) -> None:
    [found] = doctest.DocTestFinder(recurse=False).find(function, globs={})
    assert found.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found).failed == 0
