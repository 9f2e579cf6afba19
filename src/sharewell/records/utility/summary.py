"""What an analyst can still learn from the released table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Results, Utility
from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.records import outcomes
from sharewell.records.arguments import check_arguments
from sharewell.records.given_hierarchies import gather
from sharewell.records.published_cells import texts
from sharewell.records.utility.detail import class_measures, losses
from sharewell.records.utility.distributions import associations, distributions
from sharewell.records.utility.prediction import predictions

MOST_ROWS = 20_000  # that models learn from; more are sampled


def usefulness(
    original: Any,
    released: Any,
    *,
    quasi: Sequence[str],
    target: str | Sequence[str] | None = None,
    hierarchies: Any = None,
    seed: int = 0,
) -> Results[Utility]:
    """Measure what is left: loss, distributions, associations, predicted targets.

    Prediction is the paper's protocol: cross-validation on the released rows.

    Args:
        original: The table as it was: a pandas, polars or pyarrow frame, or a path.
        released: The same rows after anonymization, in the same order.
        quasi: The columns that were coarsened.
        target: Outcomes that analysts want to predict.
        hierarchies: As for `anonymize`.
        seed: For the sample of rows in long tables, and the folds of the cross-validation.

    Returns:
        One measure per use, each with its figure on the original as `baseline`.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> before = pa.table({"age": ["18", "19", "20", "21"]})
        >>> after = pa.table({"age": ["[18, 19]", "[18, 19]", "[20, 21]", "[20, 21]"]})
        >>> sw.records.usefulness(before, after, quasi=["age"])[0].value
        0.3333333333333333
    """
    check_arguments(quasi=quasi)
    before, after = _sampled(engine.arrow(original), engine.arrow(released), seed)
    coded = {name: code_column(name, before[name]) for name in quasi}
    counts = {name: np.bincount(c.codes, minlength=len(c.values)) for name, c in coded.items()}
    made = gather(hierarchies, {name: c.values for name, c in coded.items()}, counts)
    cells = {name: texts(after[name]) for name in quasi}
    found = [*losses(made, cells), *class_measures(cells), *distributions(made, before, cells)]
    found += associations(before, after, [*quasi, *outcomes.as_columns(target)], seed)
    for name in outcomes.as_columns(target):
        found += predictions(before, cells, made, name, seed)
    return Results(found)


def _sampled(before: pa.Table, after: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    if before.num_rows <= MOST_ROWS:
        return before, after
    rows = np.sort(np.random.default_rng(seed).choice(before.num_rows, MOST_ROWS, replace=False))
    return before.take(rows), after.take(rows)
