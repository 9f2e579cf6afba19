"""Numbers in place of published ranges, for models that take numbers only."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from sharewell.records.hierarchies import STAR, Label
from sharewell.records.published_cells import ends

NAN = float("nan")


def midpoint(label: Label) -> float:
    """The middle of a range, the end that an open one has, the number itself; not a number for `*` and categories."""
    if label is None or label == STAR:
        return NAN
    try:
        return float(label)
    except ValueError:
        low, high, _ = ends(str(label))
        finite = [end for end in (low, high) if abs(end) != float("inf")]
        return sum(finite) / len(finite)


def are_numbers(labels: Iterable[Label]) -> bool:
    """Whether every label but `*` and empty cells is a number or a range of numbers."""
    known = {label for label in labels if label is not None and label != STAR}
    return bool(known) and all(midpoint(label) == midpoint(label) for label in known)


def of(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """The table with midpoints in those of the columns whose cells are numbers or ranges of them."""
    for name in names:
        labels = table[name].to_pylist()
        if are_numbers(labels):
            found = {label: midpoint(label) for label in set(labels)}
            cells = [None if found[label] != found[label] else found[label] for label in labels]
            table = table.set_column(table.column_names.index(name), name, pa.array(cells, pa.float64()))
    return table
