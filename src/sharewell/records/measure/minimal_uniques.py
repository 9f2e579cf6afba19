"""Minimal sample uniques: small sets of columns that single a student out, none of whose parts does.

Elliot, Manning and Ford (2002) call records with such sets special uniques: the fewer columns it takes, the likelier
that they are unique in the world as well. Sets of up to three columns; where there are too many, a sample of them, and
the result says so.
"""

from itertools import combinations as subsets
from math import comb

import numpy as np

from sharewell.contract import Risk
from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.kind import MINIMAL_UNIQUE
from sharewell.stats.intervals import wilson

MOST_SETS, LEAST_SETS = 1500, 60  # of columns that are looked at for each size
MOST_CELLS = 1e9  # sets × combinations that are worth the wait
MOST_COUNTERS = 1 << 25
SHOWN = 10


def minimal(combinations: Combinations, ids: Array, sizes: Array, *, seed: int) -> list[Risk]:
    """The sets of up to three columns that single out most students, most first."""
    first = np.flatnonzero(np.diff(ids, prepend=-1))  # combinations of one class stand together
    all_differ = first.size == ids.size  # nothing but the quasi-identifiers was combined: no copy is needed
    codes = [column.codes if all_differ else column.codes[first] for column in combinations.quasi]
    names = [column.name for column in combinations.quasi]
    draw = np.random.default_rng(seed)
    seen: dict[tuple[int, ...], Array] = {}  # which classes a set singles out, a bit for each
    found: list[tuple[int, tuple[int, ...]]] = []
    looked, possible = 0, 0
    for size in (1, 2, 3):
        for chosen in _column_sets(len(codes), size, draw, first.size):
            alone = np.packbits(_alone(codes, chosen, sizes))
            if size < 3:
                seen[chosen] = alone
            for part in (part for count in range(1, size) for part in subsets(chosen, count)):
                if part in seen:
                    alone = alone & ~seen[part]
            found.append((int(np.bitwise_count(alone).sum()), chosen))
            looked += 1
        possible += comb(len(codes), size)
    rows = int(sizes.sum())
    best = sorted((entry for entry in found if entry[0]), key=lambda entry: (-entry[0], len(entry[1]), entry[1]))
    return [_risk(hits, [names[c] for c in chosen], rows, looked, possible, seed) for hits, chosen in best[:SHOWN]]


def _column_sets(columns: int, size: int, draw: np.random.Generator, classes: int) -> list[tuple[int, ...]]:
    most = int(min(MOST_SETS, max(LEAST_SETS, MOST_CELLS / max(classes, 1))))
    if comb(columns, size) <= most:
        return list(subsets(range(columns), size))
    drawn = {tuple(sorted(draw.choice(columns, size, replace=False).tolist())) for _ in range(most)}
    return sorted(drawn)


def _alone(codes: list[Array], chosen: tuple[int, ...], sizes: Array) -> Array:
    """Which classes are one student whom the chosen columns alone single out."""
    cell, cells = codes[chosen[0]].astype(np.int64), int(codes[chosen[0]].max()) + 1
    for column in chosen[1:]:
        wide = int(codes[column].max()) + 1
        cell *= wide
        cell += codes[column]
        cells *= wide
    if cells > MOST_COUNTERS:
        ids = np.empty(sizes.size, np.int32)
        cells = kernels.classify(cell.view(np.uint64), ids, kernels.scratch(sizes.size))
        cell = ids.astype(np.int64)
    classes = np.bincount(cell, minlength=cells)  # a class is alone where it is the only one of its cell
    alone: Array = (classes[cell] == 1) & (sizes == 1)
    return alone


def _risk(hits: int, names: list[str], rows: int, looked: int, possible: int, seed: int) -> Risk:
    low, high = wilson(hits, rows)
    how = "all" if looked == possible else f"a sample of {looked:,} of {possible:,}"
    return Risk(
        measure=MINIMAL_UNIQUE, attacker="knows few facts", value=hits / rows, low=low, high=high, n=rows, seed=seed,
        setting={"columns": names, "sets looked at": how},
        story=f"Students whom {' and '.join(names)} alone single out, and nothing less does.",
    )  # fmt: skip
