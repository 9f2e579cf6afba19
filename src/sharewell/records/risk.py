"""Who could be singled out, by what others may know of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharewell import engine
from sharewell.records.combinations import Combinations, combine
from sharewell.records.diversity import closeness, is_ordered
from sharewell.results import Risk
from sharewell.stats.intervals import wilson


def assess(table: Any, *, quasi: Sequence[str], sensitive: Sequence[str] = ()) -> list[Risk]:
    """Class sizes and what they mean for attackers who know the quasi-identifiers."""
    combinations = combine(engine.table(table), tuple(quasi), tuple(sensitive))
    ids, sizes = class_sizes(combinations)
    return [*size_risks(sizes), *sensitive_risks(combinations, ids, sizes)]


def class_sizes(combinations: Combinations) -> tuple[np.ndarray, np.ndarray]:
    """The class of every combination, and the rows of every class."""
    codes = np.stack([column.codes for column in combinations.quasi])
    changes = np.any(np.diff(codes, axis=1) != 0, axis=0)  # combinations come sorted by the quasi-identifiers
    ids = np.concatenate([[0], np.cumsum(changes)])
    return ids, np.bincount(ids, weights=combinations.counts).astype(np.int64)


def size_risks(sizes: np.ndarray) -> list[Risk]:
    rows = int(sizes.sum())
    alone = int((sizes == 1).sum())
    low, high = wilson(alone, rows)
    return [
        Risk(
            name="k",
            attacker="prosecutor",
            value=float(sizes.min()),
            n=rows,
            better="higher",
            story="The smallest number of students who look alike in what others may know of them.",
        ),
        Risk(
            name="alone",
            attacker="prosecutor",
            value=alone / rows,
            low=low,
            high=high,
            n=rows,
            story="The share of students whom nobody else looks like.",
        ),
        Risk(
            name="prosecutor",
            attacker="prosecutor",
            value=1 / float(sizes.min()),
            n=rows,
            chance=1 / rows,
            story="Someone knows that a certain student is in the table and looks for them: the chance to be right "
            "about the student who is easiest to find.",
        ),
        Risk(
            name="marketer",
            attacker="marketer",
            value=sizes.size / rows,
            n=rows,
            chance=1 / rows,
            story="Someone matches every row with a list of everybody: the share of students they get right.",
        ),
    ]


def sensitive_risks(combinations: Combinations, ids: np.ndarray, sizes: np.ndarray) -> list[Risk]:
    risks = []
    for column in combinations.others:
        held = np.zeros((sizes.size, len(column.values)), np.int64)
        np.add.at(held, (ids, column.codes), combinations.counts)
        kinds = (held > 0).sum(axis=1)
        apart = closeness(held, ordered=is_ordered(column.values))
        setting = {"column": column.name}
        rows = int(sizes.sum())
        risks += [
            Risk(
                name="l",
                attacker="knows the class",
                value=float(kinds.min()),
                n=rows,
                better="higher",
                setting=setting,
                story="The smallest number of different values in a class of students.",
            ),
            Risk(
                name="t",
                attacker="knows the class",
                value=float(apart.max()),
                n=rows,
                setting=setting,
                story="How far the values in a class lie from those of everyone (earth mover's distance).",
            ),
        ]
    return risks
