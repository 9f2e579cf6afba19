"""Arguments from Python that are not what they should be: one sentence each."""

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from sharewell.errors import InputError

WHOLE = ("k", "l", "least", "n")
LISTS = ("quasi", "sensitive", "keep", "by", "categories")


def check_arguments(**given: Any) -> None:
    """Lists of columns must be lists, limits numbers."""
    for name, value in given.items():
        if name in LISTS:
            if isinstance(value, str) or not isinstance(value, Iterable):
                kind = "one text" if isinstance(value, str) else type(value).__name__
                raise InputError(f'{name} takes a list of columns, as in {name}=["age"], not {kind}')
        elif value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise InputError(f"{name} takes a number, not {type(value).__name__}")
        elif name in WHOLE and value is not None and not float(value).is_integer():
            raise InputError(f"{name} takes a whole number")


def check_roles(columns: Sequence[str], named: Sequence[str]) -> None:
    """A column that nobody named would pass as it is, by silence."""
    silent = [name for name in columns if name not in named]
    if silent:
        more = f" (and {len(silent) - 1} more)" if len(silent) > 1 else ""
        raise InputError(f"this column has no role{more}: name it in keep=[…] or drop it", column=silent[0])
