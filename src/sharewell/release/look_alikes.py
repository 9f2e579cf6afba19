"""Who looks like whom in a released file, to somebody who knows all of a student that may be known."""

from collections.abc import Mapping

import numpy as np

from sharewell.release.linkage import File
from sharewell.release.linkage.joint import Facts, facts_of
from sharewell.stats.arrays import Array


def look_alikes(file: File) -> Mapping[str, frozenset[str]]:
    """Student → everybody of whom the same is known in a file, the student among them."""
    facts = facts_of(file)
    number = _numbered(facts)
    order = np.argsort(number, kind="stable")
    classes = np.split(facts.students[order], np.flatnonzero(np.diff(number[order])) + 1)
    return {who: others for others in (frozenset(one.tolist()) for one in classes) for who in others}


def company(now: Facts, before: Facts) -> Array:
    """(students of both, 3): how many look like each by all that is known: in both at once, in one, in the other."""
    several, here, there = np.intersect1d(now.students, before.students, return_indices=True)
    sides = _numbered(now), _numbered(before)
    own = np.column_stack([sides[0][here], sides[1][there]])
    _, place, counts = np.unique(own, axis=0, return_inverse=True, return_counts=True)
    sizes = (np.bincount(side)[own[:, number]] for number, side in enumerate(sides))
    return np.column_stack([counts[place.reshape(several.size)], *sizes])


def _numbered(facts: Facts) -> Array:
    """The number of every student's set of facts: the same for those who have the same facts."""
    numbers: dict[bytes, int] = {}
    own = zip(facts.starts[:-1], facts.starts[1:], strict=True)
    found = [numbers.setdefault(facts.fact_of[begin:end].tobytes(), len(numbers)) for begin, end in own]
    return np.array(found, np.int64)
