"""How many students look alike: the smallest class, who is alone, and the chances of three attackers."""

from typing import Any

import numpy as np

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations, combine
from sharewell.records.kind import ALONE, JOURNALIST, K_MAP, MARKETER, PRESENCE, PROSECUTOR, K
from sharewell.stats.intervals import wilson


def class_sizes(combinations: Combinations) -> tuple[Array, Array]:
    """The class of every combination, and the rows of every class."""
    changes = np.zeros(combinations.counts.size - 1, bool)
    for column in combinations.quasi:  # combinations come sorted by the quasi-identifiers
        changes |= np.diff(column.codes) != 0
    ids = np.zeros(combinations.counts.size, np.int64)
    np.cumsum(changes, out=ids[1:])
    return ids, np.add.reduceat(combinations.counts, np.flatnonzero(np.diff(ids, prepend=-1)))


def size_risks(sizes: Array) -> list[Risk]:
    rows, smallest = int(sizes.sum()), float(sizes.min())
    alone = int((sizes == 1).sum())
    low, high = wilson(alone, rows)
    return [
        Risk(
            measure=K, attacker="prosecutor", value=smallest, n=rows,
            setting={"classes": int(sizes.size), "median class": _median(sizes)},
            story="The smallest number of students who look alike in what others may know of them.",
        ),
        Risk(
            measure=ALONE, attacker="prosecutor", value=alone / rows, low=low, high=high, n=rows,
            story="The share of students whom nobody else looks like.",
        ),
        Risk(
            measure=PROSECUTOR, attacker="prosecutor", value=1 / smallest, n=rows, chance=1 / rows,
            story="Someone who knows that a certain student is in the table looks for them: the chance to be right "
            "about the student who is easiest to find.",
        ),
        Risk(
            measure=MARKETER, attacker="marketer", value=sizes.size / rows, n=rows, chance=1 / rows,
            story="Someone matches every row with a list of everybody: the share of students they get right.",
        ),
    ]  # fmt: skip


def _median(sizes: Array) -> float:
    """The size of the class that the middle student is in: between two sizes for an even number of students."""
    ordered = np.sort(sizes)
    students = np.cumsum(ordered)
    middle = np.searchsorted(students, [(students[-1] - 1) // 2, students[-1] // 2], side="right")
    return float(ordered[middle].mean())


def journalist(combinations: Combinations, ids: Array, sizes: Array, population: Any) -> Risk:
    """The chance to be right about anyone, when the table is a part of a wider population (El Emam and Dankar 2008)."""
    rows = int(sizes.sum())
    smallest, story = float(sizes.min()), "No wider population was given, so this is the upper bound: the prosecutor's."
    if population is not None:
        wider = combine(engine.table(population), [column.name for column in combinations.quasi])
        smallest = float(_sizes_in(wider, combinations, ids, sizes).min())
        story = "Someone who does not know whether a student is in the table wants to show that anyone can be found."
    return Risk(measure=JOURNALIST, attacker="journalist", value=1 / smallest, n=rows, chance=1 / rows, story=story)


def population_risks(
    combinations: Combinations, ids: Array, sizes: Array, population: Any, sampled: float | None
) -> list[Risk]:
    """k-map (Sweeney 2002) and δ-presence (Nergiz, Atzori and Clifton 2007) against a wider table or a sampled share.

    Where only the share is known, a class of n students stands for n / share in the population, as expected.
    """
    if population is None and sampled is None:
        return []
    if population is not None:
        wider = combine(engine.table(population), [column.name for column in combinations.quasi])
        around = _sizes_in(wider, combinations, ids, sizes).astype(float)
    else:
        around = sizes / float(sampled or 1.0)
    rows = int(sizes.sum())
    whole = "a table of it" if population is not None else f"a sampled share of {sampled:g}"
    return [
        Risk(
            measure=K_MAP, attacker="journalist", value=float(around.min()), n=rows, setting={"population": whole},
            story="The fewest people of the population who look like a student of the table.",
        ),
        Risk(
            measure=PRESENCE, attacker="knows the population", value=float((sizes / around).max()), n=rows,
            setting={"population": whole},
            story="Somebody knows a person and asks whether they are in the table: the largest share of look-alikes "
            "who are.",
        ),
    ]  # fmt: skip


def _sizes_in(wider: Combinations, inside: Combinations, ids: Array, sizes: Array) -> Array:
    """How many of the population look like each class: never fewer than the class itself."""
    seen: dict[tuple[str | None, ...], int] = {}
    for place, rows in enumerate(wider.counts.tolist()):
        key = tuple(column.values[column.codes[place]] for column in wider.quasi)
        seen[key] = seen.get(key, 0) + rows
    first = np.unique(ids, return_index=True)[1]
    keys = [tuple(column.values[column.codes[place]] for column in inside.quasi) for place in first]
    return np.maximum([seen.get(key, 0) for key in keys], sizes)
