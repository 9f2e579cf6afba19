"""Best-first selection of features: starts empty, adds one at a time, goes back after five additions without gain.

A set is judged by how well its features correlate with the class for how little they repeat each other (Hall 1999,
CFS, eq. 1), which is what WEKA's best-first search uses by default.
"""

from dataclasses import dataclass, field

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.stats.discretise import symmetrical_uncertainty

STALE = 5  # additions without gain
GAIN = 1e-5
MOST_CANDIDATES = 400  # the features most telling by themselves; weaker ones never enter a set of this kind


@dataclass
class Merit:
    """The merit of sets of features, each correlation counted once."""

    columns: Array  # cases × features, coded
    classes: Array
    with_class: Array
    between: dict[tuple[int, int], float] = field(default_factory=dict)

    def of(self, chosen: frozenset[int]) -> float:
        size = len(chosen)
        if size == 0:
            return 0.0
        listed = sorted(chosen)
        relevance = sum(self.with_class[feature] for feature in listed)
        overlap = sum(self._pair(a, b) for i, a in enumerate(listed) for b in listed[:i])
        return float(relevance / np.sqrt(size + 2 * overlap))

    def _pair(self, a: int, b: int) -> float:
        if (a, b) not in self.between:
            self.between[(a, b)] = symmetrical_uncertainty(self.columns[:, a], self.columns[:, b])
        return self.between[(a, b)]


def best_first(columns: Array, classes: Array) -> list[int]:
    """The chosen columns of a coded matrix, in order."""
    telling = np.array([symmetrical_uncertainty(columns[:, one], classes) for one in range(columns.shape[1])])
    candidates = [int(one) for one in np.argsort(-telling, kind="stable")[:MOST_CANDIDATES] if telling[one] > 0]
    merit = Merit(columns=columns, classes=classes, with_class=telling)
    best, best_merit = frozenset[int](), 0.0
    waiting: list[tuple[float, frozenset[int]]] = [(0.0, best)]
    seen, stale = {best}, 0
    while waiting and stale < STALE:
        waiting.sort(key=lambda entry: (entry[0], -len(entry[1])))
        _, current = waiting.pop()
        children = _children(current, candidates, seen, merit)
        waiting += children
        value, child = max(children, key=lambda entry: entry[0], default=(0.0, current))
        if value > best_merit + GAIN:
            best, best_merit, stale = child, value, 0
        else:
            stale += 1
    return sorted(best)


def _children(
    current: frozenset[int], candidates: list[int], seen: set[frozenset[int]], merit: Merit
) -> list[tuple[float, frozenset[int]]]:
    grown = [current | {feature} for feature in candidates if feature not in current]
    fresh = [child for child in grown if child not in seen]
    seen.update(fresh)
    return [(merit.of(child), child) for child in fresh]
