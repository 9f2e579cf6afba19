"""Loops that numba compiles. It is loaded when the first of them runs, not when a module that holds one is imported.

A process that leaves its loops to workers, as a driver of Spark does, never loads it: more than a hundred megabytes.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

prange = range  # in a loop that is compiled it becomes numba's, whose rounds run side by side


class Kernel:
    """A function that is compiled when it is first called, and what it calls with it."""

    def __init__(self, function: FunctionType, options: Mapping[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.compiled(*given, **named)

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of it. Numba looks other kernels up among the function's globals, so they go there."""
        import numba

        function, known = self._function, dict(self._function.__globals__)
        for name in function.__code__.co_names:
            if isinstance(other := known.get(name), Kernel):
                known[name] = other.compiled
            elif other is prange:
                known[name] = numba.prange
        copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
        return numba.njit(**self._options)(copy)


def njit(**options: Any) -> Callable[[F], F]:
    """Numba's decorator, by its own options."""

    def kernel(function: F) -> F:
        return cast(F, Kernel(cast(FunctionType, function), options))

    return kernel
