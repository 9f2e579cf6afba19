"""A transformer for scikit-learn: learn a recoding from one table, and recode further rows with it.

It recodes each column at one level: the labels of local recoding may overlap, and a row would then fit two classes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sharewell.records.hierarchies import STAR
from sharewell.records.midpoints import are_numbers, midpoint
from sharewell.records.protection.anonymization import anonymize
from sharewell.records.published_cells import ends


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recode columns so that k of the rows it is fitted on look alike; further rows get the cells of a class they fit.

    A row that fits no class gets missing values. Only the rows it is fitted on are promised company: recoding further
    rows hides detail, and is no release of them.

    Args:
        k: The fewest rows that must look alike.
        max_suppressed: The largest share of rows that may fit no class.
        values: "midpoints" gives a number for each range, "ranges" the range as text.
        seconds: How long the search may take on a modest machine.
        seed: For the parts of the search that draw at random.

    Example:
        >>> import numpy as np
        >>> import sharewell as sw
        >>> ages = np.array([[18.0], [19.0], [18.0], [19.0], [30.0], [30.0]])
        >>> coarse = sw.records.Anonymizer(k=2).fit_transform(ages)
        >>> int(np.unique(coarse, return_counts=True)[1].min())
        2
    """

    def __init__(
        self,
        *,
        k: int = 5,
        max_suppressed: float = 0.02,
        values: str = "midpoints",
        seconds: float = 5,
        seed: int = 0,
    ) -> None:
        self.k = k
        self.max_suppressed = max_suppressed
        self.values = values
        self.seconds = seconds
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> "Anonymizer":
        """Learn the classes of a table; `y` is not looked at."""
        rows = validate_data(self, X, dtype=None, ensure_min_samples=2)
        names = [f"x{place}" for place in range(rows.shape[1])]
        table = pa.table({name: _column(rows[:, place]) for place, name in enumerate(names)})
        made = anonymize(
            table, quasi=names, k=min(self.k, len(rows)), method="full-domain", max_suppressed=self.max_suppressed,
            seconds=self.seconds, seed=self.seed,
        )  # fmt: skip
        cells = zip(*(made.table[name].to_pylist() for name in names), strict=True)
        known = dict.fromkeys(tuple(map(_text, row)) for row in cells)
        self.classes_ = sorted(known, key=lambda labels: (labels.count(STAR), labels))
        self.numeric_ = [are_numbers(row[place] for row in self.classes_) for place in range(len(names))]
        return self

    def transform(self, X: Any) -> Any:
        """The rows as the classes that they fit: numbers where all columns are numbers, else labels."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=None, reset=False)
        found: dict[tuple[Any, ...], Sequence[Any]] = {}
        for row in set(map(tuple, rows)):
            found[row] = self._recoded(row)
        made = [found[row] for row in map(tuple, rows)]
        whole = self.values == "midpoints" and all(self.numeric_)
        return np.array(made, dtype=float if whole else object).reshape(len(rows), rows.shape[1])

    def _recoded(self, row: tuple[Any, ...]) -> Sequence[Any]:
        """The cells of the first class that a row fits, the most detailed ones first."""
        fits = (labels for labels in self.classes_ if all(map(_covers, labels, row)))
        labels = next(fits, (STAR,) * len(row))
        if self.values != "midpoints":
            return labels
        pairs = zip(labels, self.numeric_, strict=True)
        return [midpoint(label) if number or label == STAR else label for label, number in pairs]


def _column(cells: Any) -> pa.Array:
    """A column of an array; numbers where all of it are."""
    if any(isinstance(cell, dict | list | set) for cell in cells):
        raise TypeError("argument must be a string or a number")
    try:
        return pa.array(np.asarray(cells, dtype=float))
    except (TypeError, ValueError):
        return pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str:
    return f"{cell:.15g}" if isinstance(cell, float | np.floating) else str(cell)


def _covers(label: str, cell: Any) -> bool:
    """Whether a label may stand for a cell."""
    if label == STAR or label == _text(cell):
        return True
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return False
    low, high, closed = ends(label)
    if low == low:
        return low <= number <= high if closed else low <= number < high
    return midpoint(label) == number
