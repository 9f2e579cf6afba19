"""What a class gives away of the outcomes that analysts want to predict."""

from collections.abc import Sequence

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.records.combinations import combine
from sharewell.records.kind import ONE_OUTCOME
from sharewell.records.measure.class_sizes import class_sizes
from sharewell.stats.intervals import wilson


def one_outcome_risks(table: Table, quasi: Sequence[str], targets: Sequence[str]) -> list[Risk]:
    """For every target: the share of students in classes that hold one outcome only."""
    risks = []
    for target in targets:
        if target in quasi:
            continue
        found = combine(table, tuple(quasi), (target,))
        ids, sizes = class_sizes(found)
        kinds = np.bincount(ids)  # combinations differ in the outcome only, within a class
        hits = int(sizes[kinds == 1].sum())
        low, high = wilson(hits, int(sizes.sum()))
        risks.append(
            Risk(
                measure=ONE_OUTCOME, attacker="knows the class", value=hits / int(sizes.sum()), low=low, high=high,
                n=int(sizes.sum()), setting={"column": target},
                story="The share of students whose class holds one outcome only: finding the class tells it.",
            )
        )  # fmt: skip
    return risks
