"""Loops that numba compiles. It is loaded when the first of them runs, not when a module that holds one is imported.

A process that leaves its loops to workers, as a driver of Spark does, never loads it: more than a hundred megabytes.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, update_wrapper
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = "SHAREWELL_KERNELS"  # names the folder of compiled kernels; see `sharewell.data.kernel_cache`
prange = range  # in a loop that is compiled it becomes numba's, whose rounds run side by side


class Kernel:
    """A function that is compiled when it is first called, and what it calls with it."""

    def __init__(self, function: FunctionType, options: Mapping[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, {**options, "no_cfunc_wrapper": True}  # none is called from C
        self._kept = self._options.pop("cache", False)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.compiled(*given, **named)

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of it. Numba looks other kernels up among the function's globals, so they go there."""
        import numba

        from sharewell.stats.kernel_store import KernelStore

        function, known = self._function, dict(self._function.__globals__)
        for name in function.__code__.co_names:
            if isinstance(other := known.get(name), Kernel):
                known[name] = other.compiled
            elif other is prange:
                known[name] = numba.prange
        copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
        dispatcher = numba.njit(**self._options)(copy)
        if self._kept:
            dispatcher._cache = KernelStore(Path(os.environ[FOLDER]), function.__name__, self.identity)
        return dispatcher

    @cached_property
    def identity(self) -> str:
        """Digest all that decides what is compiled, but for argument types and processor.

        That is its code and options, the constants and kernels that it names, in turn with all of theirs, and the
        versions and settings of the compiler. Where the code lies does not matter.
        """
        from importlib.metadata import version  # slow to import, and most commands run no kernel

        function = self._function
        named = {
            name: function.__globals__[name] for name in sorted(_names(function.__code__) & set(function.__globals__))
        }
        parts = [
            (function.__module__, function.__qualname__, function.__defaults__, sorted(self._options.items())),
            _described(function.__code__),
            [(name, self._of(name, value)) for name, value in named.items()],
            (sys.version, [version(name) for name in ("numba", "llvmlite", "numpy")]),
            sorted(
                (name, os.environ[name]) for name in os.environ if name.startswith("NUMBA_") and name not in NEUTRAL
            ),
        ]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _of(self, name: str, value: Any) -> str:
        """What a global is to a kernel that names it."""
        if isinstance(value, Kernel):
            return value.identity
        if isinstance(value, ModuleType) and not value.__name__.startswith("sharewell"):
            return value.__name__
        if isinstance(value, type | BuiltinFunctionType):
            return f"{value.__module__}.{value.__qualname__}"
        if isinstance(value, bool | int | float | str | tuple) or hasattr(value, "dtype"):
            content = value.tobytes() if hasattr(value, "tobytes") else b""
            return f"{type(value)} {value!r} {hashlib.sha256(content).hexdigest()}"
        raise TypeError(f"kernel {self._function.__qualname__} names {name}, which is neither a constant nor a kernel")


NEUTRAL = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER", "NUMBA_THREADING_LAYER_PRIORITY")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> set[str]:
    return {name for part in _codes(code) for name in part.co_names}


def _described(code: CodeType) -> list[object]:
    """All of the code but where it stands."""
    found: list[object] = []
    for part in _codes(code):
        found += [part.co_name, part.co_code, part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars]
        found += [part.co_argcount, part.co_posonlyargcount, part.co_kwonlyargcount, part.co_flags]
        found += [repr(constant) for constant in part.co_consts if not isinstance(constant, CodeType)]
    return found


def njit(**options: Any) -> Callable[[F], F]:
    """Numba's decorator, by its own options."""

    def kernel(function: F) -> F:
        return cast(F, Kernel(cast(FunctionType, function), options))

    return kernel
