"""Which kind of student the released table exposes most, by one or two released values."""

from collections.abc import Iterator, Sequence
from itertools import combinations as subsets

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.disclosure import FEWEST
from sharewell.records.combinations import Combinations, combine
from sharewell.records.hierarchies import STAR
from sharewell.records.kind import EXPOSED_KIND

FEWEST_STUDENTS = 20  # a kind of student is no description of a few
MOST_COLUMNS = 8  # that are looked at alone and two at a time

Exposed = tuple[float, int, str, tuple[str, ...]]  # mean of 1 / size and students, both negative; columns, and values


def most_exposed(table: Table, quasi: Sequence[str]) -> list[Risk]:
    """The kind of student whose groups of look-alikes are smallest on average; nothing where all are alike.

    The mean of 1 / size over the students of a kind is their number of groups over their number.
    """
    classes = combine(table, quasi)
    everyone = classes.counts.size / classes.rows
    places = range(min(len(quasi), MOST_COLUMNS))
    kinds = (kind for size in (1, 2) for chosen in subsets(places, size) for kind in _kinds(classes, chosen))
    mean, students, columns, values = min(kinds, default=(0.0, 0, "", ()))
    if -mean <= everyone:
        return []
    names = [quasi[int(place)] for place in columns.split()]
    who = " and ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
    return [
        Risk(
            measure=EXPOSED_KIND,
            attacker="prosecutor",
            value=-mean,
            n=-students,
            setting={"who": f"Students with {who}", "everyone": round(everyone, 4)},
            story="Students with the same released values are a group, and somebody who looks for one of them guesses "
            "within it. This kind of student has the smallest groups.",
        )
    ]


def _kinds(classes: Combinations, places: Sequence[int]) -> Iterator[Exposed]:
    """Every value of these columns that enough groups and students share, with its groups over its students."""
    chosen = [classes.quasi[place] for place in places]
    shape = [len(column.values) for column in chosen]
    cells = np.ravel_multi_index([column.codes for column in chosen], shape)
    groups, students = np.bincount(cells), np.bincount(cells, weights=classes.counts).astype(int)
    for cell in np.flatnonzero((groups >= FEWEST) & (students >= FEWEST_STUDENTS)):
        codes = np.unravel_index(cell, shape)
        values = tuple(column.values[code] for column, code in zip(chosen, codes, strict=True))
        known = tuple(value for value in values if value is not None and value != STAR)
        if len(known) == len(values):
            columns = " ".join(map(str, places))
            yield -float(groups[cell] / students[cell]), -int(students[cell]), columns, known
