"""What a class gives away of the outcomes that analysts want to predict."""

from collections.abc import Sequence

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.records.combinations import combine
from sharewell.records.kind import ONE_OUTCOME, OUTCOME_KNOWN
from sharewell.records.measure.class_sizes import class_sizes
from sharewell.stats.intervals import wilson

SURE = 0.9  # share of a class with one outcome, from which on the outcome counts as known


def outcome_risks(table: Table, quasi: Sequence[str], targets: Sequence[str]) -> list[Risk]:
    """For every target: the share of students in classes that hold one outcome only, or nearly."""
    return [risk for target in targets if target not in quasi for risk in _of_target(table, quasi, target)]


def _of_target(table: Table, quasi: Sequence[str], target: str) -> list[Risk]:
    found = combine(table, tuple(quasi), (target,))
    ids, sizes = class_sizes(found)
    commonest = np.zeros(sizes.size, np.int64)
    np.maximum.at(commonest, ids, found.counts)  # combinations differ in the outcome only, within a class
    outcome = found.other(target)
    everyone = np.bincount(outcome.codes, weights=found.counts).max() / sizes.sum()
    pure, sure = int(sizes[commonest == sizes].sum()), int(sizes[commonest >= SURE * sizes - 1e-9].sum())
    words = "The share of students whose class holds one outcome only: to find the class is to know it."
    known = (
        f"The share of students in a class of which at least {SURE:.0%} have one outcome. A search guided by an "
        "outcome gathers students of one outcome: name the column sensitive and set limit t where nobody should "
        "learn it."
    )
    setting = {"column": target, "commonest outcome of everyone": round(float(everyone), 4)}
    return [
        _risk(ONE_OUTCOME, pure, int(sizes.sum()), {"column": target}, words),
        _risk(OUTCOME_KNOWN, sure, int(sizes.sum()), setting, known),
    ]


def _risk(measure: Measure, hits: int, rows: int, setting: dict[str, object], story: str) -> Risk:
    low, high = wilson(hits, rows)
    return Risk(
        measure=measure,
        attacker="knows the class",
        value=hits / rows,
        low=low,
        high=high,
        n=rows,
        setting=setting,
        story=story,
    )
