"""What cannot be: rules of a plan such as "age < 15 and married != N", which no invented row breaks."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import Leaf

_PART = re.compile(r"^(?P<column>.+?)\s*(?P<sign>==|!=|<=|>=|=|<|>)\s*(?P<value>.*?)$")
_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_ORDERED = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Condition:
    """A column compared with a value; a missing cell is the empty text, and no number."""

    column: str
    sign: str
    value: str

    def of(self, texts: Sequence[str | None]) -> Array:
        """Where the condition holds."""
        compare = _SIGNS[self.sign]
        numbers, wanted = _numbers(texts), _number(self.value)
        if self.sign in _ORDERED:
            ordered: Array = np.isfinite(numbers) & np.asarray(compare(numbers, wanted), bool)
            return ordered
        same: Array = np.array([(text or "") == self.value for text in texts]) | (numbers == wanted)
        return same if compare is np.equal else ~same

    def of_leaves(self, leaves: Sequence[Leaf], step: float) -> Array:
        """Find for which leaves it holds, whatever value they become."""
        low = self.of([leaf.value if leaf.low is None else repr(leaf.low) for leaf in leaves])
        high = self.of([leaf.value if leaf.high is None else repr(leaf.high - step) for leaf in leaves])
        listed = np.array([not leaf.rare for leaf in leaves])
        found: Array = low & high & listed
        return found

    @property
    def cuts(self) -> tuple[float, ...]:
        """Where ranges must end so that no range is cut in two."""
        return (_number(self.value),) if self.sign in _ORDERED else ()


@dataclass(frozen=True)
class ImpossibleRule:
    """Conditions that never hold together."""

    parts: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.column for part in self.parts))

    def broken(self, table: pa.Table) -> Array:
        """The rows that break it."""
        found = (part.of(table[part.column].cast(pa.string()).to_pylist()) for part in self.parts)
        return reduce(np.logical_and, found)


def parsed(rules: Sequence[str], columns: Sequence[str]) -> tuple[ImpossibleRule, ...]:
    """Rules as a plan writes them: comparisons with `and` between them."""
    return tuple(ImpossibleRule(tuple(_condition(part, columns) for part in _parts(rule))) for rule in rules)


def _parts(rule: str) -> list[str]:
    """Split at every " and " that stands between two comparisons."""
    words = rule.split(" and ")
    ends = [place for place, part in enumerate(words) if _PART.match(part.strip())]
    return [" and ".join(words[low:high]).strip() for low, high in pairwise([*ends, len(words)])] if ends else [rule]


def _condition(part: str, columns: Sequence[str]) -> Condition:
    found = _PART.match(part)
    if found is None or found["column"].strip() not in columns:
        raise InputError(f'impossible: "{part}" is no comparison of a column, as in  age < 15 and married != N')
    made = Condition(found["column"].strip(), found["sign"], found["value"].strip("\"' "))
    if made.sign in _ORDERED and not np.isfinite(_number(made.value)):
        raise InputError(f'impossible: "{part}" compares with something that is no number', column=made.column)
    return made


def _numbers(texts: Sequence[str | None]) -> Array:
    return np.array([_number(text or "") for text in texts], float)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
