"""Who was suppressed: no group should pay for the others unseen."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sharewell.contract import Utility
from sharewell.data.coded import code_column
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import STAR
from sharewell.records.kind import SUPPRESSED_GROUP

SMALLEST_GROUP = 20  # students; a share of fewer says little
MOST_VALUES = 30  # of a column that is looked at by group


def by_group(before: pa.Table, after: pa.Table, quasi: Sequence[str], others: Sequence[str]) -> list[Utility]:
    """For every column: the group with the largest share of suppressed rows, against the share of everyone."""
    gone = np.ones(before.num_rows, bool)
    for name in quasi:
        coded = code_column(name, after[name])
        gone &= np.array([value == STAR for value in coded.values])[coded.codes]
    if not gone.any() or gone.all():
        return []
    found = []
    for name in [*quasi, *others]:
        worst = _worst(before[name], gone)
        if worst is not None:
            found.append(
                Utility(
                    measure=SUPPRESSED_GROUP, value=worst, n=before.num_rows,
                    baseline=float(gone.mean()), setting={"column": name},
                    story=f"The largest share of suppressed rows in any group of {name} with at least "
                    f"{SMALLEST_GROUP} students; the original figure is that of everyone.",
                )
            )  # fmt: skip
    return found


def _worst(column: pa.ChunkedArray, gone: Array) -> float | None:
    coded = code_column("", column)
    sizes = np.bincount(coded.codes, minlength=len(coded.values))
    hidden = np.bincount(coded.codes, weights=gone, minlength=len(coded.values))
    large = sizes >= SMALLEST_GROUP
    if not large.any() or len(coded.values) > MOST_VALUES:
        return None
    return float((hidden[large] / sizes[large]).max())
