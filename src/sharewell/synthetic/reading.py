"""Read columns as codes: listed values, and ranges of a public grid for numbers.

What is listed is taken as public: a value only where `FEWEST` rows have it (or a person gave it), the ends of the grid
where as many lie beyond. Rare values become one code and are drawn anew among the listed ones.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sharewell.data.coded import Coded, code_column
from sharewell.errors import InputError
from sharewell.stats.arrays import Array
from sharewell.stats.number_grid import NumberGrid, make_grid
from sharewell.synthetic.columns import Leaf, ModelledColumn, ReadColumn

FEWEST = 5  # rows that must have a value before it is listed
FEW_NUMBERS = 12  # different numbers, up to which each is a value of its own
FREQUENT = 0.01  # of the rows: a number that so many have is listed beside the ranges
MOST_DECIMALS = 6
MOSTLY = 0.25  # of the rows must be numbers, where others are codes such as N

Groups = Callable[[Sequence[str | None]], tuple[Array, ...]]  # of values: their group at every level, −1 for none


def read(
    name: str, cells: pa.ChunkedArray, *, category: bool = False, listed: Collection[str] | None = None,
    groups: Groups | None = None, cuts: Sequence[float] = (), fewest: int = FEWEST,
) -> ReadColumn:  # fmt: skip
    """Read the domain and codes of a column; ranges must end at `cuts`."""
    coded = code_column(name, cells)
    counts = np.bincount(coded.codes, minlength=len(coded.values))
    numeric = [value is not None and _is_number(value) for value in coded.values]
    numbers = not category and listed is None and sum(numeric) > FEW_NUMBERS
    if numbers and counts[np.array(numeric)].sum() >= MOSTLY * counts.sum():
        return _numbers(coded, cells.type, np.array(numeric), cuts, fewest)
    return _categories(coded, cells.type, listed, groups, ordered=not category and all(numeric), fewest=fewest)


def _categories(
    coded: Coded, type: pa.DataType, listed: Collection[str] | None, groups: Groups | None, *, ordered: bool,
    fewest: int,
) -> ReadColumn:  # fmt: skip
    counts = np.bincount(coded.codes, minlength=len(coded.values))
    values = [value for value, count in zip(coded.values, counts, strict=True) if count >= fewest or value is None]
    if listed is not None:
        values = [*listed, *([None] if None in coded.values else [])]
    if not [value for value in values if value is not None] and len(coded.values) > 1:
        raise InputError(f"no value is shared by {fewest} rows; give it in groups, or drop it", column=coded.name)
    place = {value: number for number, value in enumerate(values)}
    leaves = [Leaf(value=value) for value in values]
    rare = np.array([place.get(value, len(values)) for value in coded.values])
    if (rare == len(values)).any():
        leaves.append(Leaf(rare=True))
    column = ModelledColumn(
        name=coded.name,
        type=type,
        leaves=tuple(leaves),
        ordered=sum(value is not None for value in values) if ordered else 0,
        parents=groups(values) if groups is not None else (),
    )
    return ReadColumn(column=column, codes=rare[coded.codes])


def _numbers(coded: Coded, type: pa.DataType, numeric: Array, cuts: Sequence[float], fewest: int) -> ReadColumn:
    counts = np.bincount(coded.codes, minlength=len(coded.values))
    values = [value for value, number in zip(coded.values, numeric, strict=True) if number and value is not None]
    rows = counts[numeric]
    decimals = min(MOST_DECIMALS, max(_decimals(value) for value in values))
    spikes = {
        float(value): value
        for value, count in zip(values, rows, strict=True)
        if count >= max(fewest, FREQUENT * counts.sum())
    }
    grid = make_grid(values, rows.tolist())
    edges = sorted({*map(float, _ends(grid)), *cuts, *spikes, *(after(value, decimals) for value in spikes)})
    leaves = [Leaf(value=spikes[low]) if low in spikes else Leaf(low=low, high=high) for low, high in pairwise(edges)]
    inside = np.clip([bisect_right(edges, float(value)) - 1 for value in values], 0, len(leaves) - 1)
    code_of = np.empty(len(coded.values), np.int64)
    code_of[numeric] = inside
    others = [place for place in np.flatnonzero(~numeric) if counts[place] >= fewest or coded.values[place] is None]
    for number, place in enumerate(others, len(leaves)):
        code_of[place] = number
    ordered = len(leaves)
    leaves += [Leaf(value=coded.values[place]) for place in others]
    unlisted = sorted(set(np.flatnonzero(~numeric).tolist()) - set(map(int, others)))
    if unlisted:
        code_of[unlisted] = len(leaves)
        leaves.append(Leaf(rare=True))
    digits = max(len(value.partition(".")[2]) for value in values)
    column = ModelledColumn(
        name=coded.name, type=type, leaves=tuple(leaves), ordered=ordered, decimals=decimals, digits=digits
    )
    return ReadColumn(column=column, codes=code_of[coded.codes])


def _ends(grid: NumberGrid) -> list[Decimal]:
    """The cuts of a grid, and as ends of its open cells the width of their neighbours."""
    cuts = list(grid.cuts)
    if grid.whole or len(cuts) < 2:
        low = cuts[0] - 1 if cuts else Decimal(0)
        return [low, *cuts, (cuts[-1] if cuts else low) + 1]
    first = cuts[0] - (cuts[1] - cuts[0])
    return [Decimal(0) if first < 0 < cuts[0] else first, *cuts, cuts[-1] + (cuts[-1] - cuts[-2])]


def after(value: float, decimals: int) -> float:
    """The next number that can be written."""
    return round(value + 10.0**-decimals, decimals)


def _decimals(value: str) -> int:
    exponent = Decimal(value).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _is_number(value: str) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except ValueError:
        return False
