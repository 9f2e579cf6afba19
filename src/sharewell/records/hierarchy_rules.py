"""Hierarchies made from the values: numbers, dates, codes by prefix, given groups, rare values merged."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np

from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.category_bands import in_order, make_bands
from sharewell.records.hierarchies import STAR, Hierarchy, Label, from_rows
from sharewell.stats.number_grid import NumberGrid, make_grid

Rule = Callable[[str, Sequence[Label], Array], Hierarchy]

RARE = (0.02, 0.05, 0.10, 0.20)  # shares under which a category is merged, level by level
OTHER = "other"
_CODE_NAME = re.compile(r"post.?(al|code)|zip|plz|codepost|postleit|\bcap\b", re.IGNORECASE)


def make(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """The rule that fits the values: postcodes by name, then numbers, dates, bands in an order, and else categories."""
    present = [value for value in values if value is not None]
    if _CODE_NAME.search(column):
        return prefixes(column, values, counts)
    if present and all(_number(value) is not None for value in present):
        return powers_of_two(column, values, counts)
    if present and all(_day(value) is not None for value in present):
        return dates(column, values, counts)
    if in_order(present) is not None:
        return bands(column, values, counts)
    return rare_merged(column, values, counts)


def powers_of_two(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Bins of 2, 4, 8 … neighbouring numbers, then `*` (Stinar, Bosch and Xiong, §3.2.1), on a public grid.

    Measured numbers, and whole ones that lie far apart, first become cells between round numbers.
    """
    holders = {value: count for value, count in zip(values, counts, strict=True) if value is not None}
    present = sorted(holders, key=lambda value: (_require(column, value), value))
    if not present:
        return only_star(column, values, counts)
    grid = make_grid(present, [float(holders[value]) for value in present])
    cells = [grid.cell(value) for value in present]
    rows: list[list[Label]] = [[value] for value in present]
    for width in _widths(grid):
        for cell, row in zip(cells, rows, strict=True):
            low = (grid.first + cell) // width * width - grid.first
            row.append(grid.label(max(low, 0), min(low + width, grid.cells) - 1))
    return replace(_closed(column, rows, values, ordered=True), grid=grid)


def _widths(grid: NumberGrid) -> list[int]:
    """In cells: single ones are values already where the numbers are whole."""
    last = grid.first + grid.cells - 1
    widths = [2**power for power in range(1 if grid.whole else 0, 64)]
    return [width for width in widths if grid.first // width < last // width]


def bands(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Categories in an order (`10-20%` before `20-30%`): bands of 2, 4, 8 … neighbours, then `*`."""
    holders = {value: float(count) for value, count in zip(values, counts, strict=True) if value is not None}
    ordered = in_order(list(holders))
    if ordered is None:
        raise InputError("expected categories that begin with different numbers, such as 10-20%", column=column)
    made = make_bands(ordered, holders)
    if made is None:
        return only_star(column, values, counts)
    rows: list[list[Label]] = [[value] for value in ordered]
    for width in (2**power for power in range(64) if 2**power < made.cells):
        for value, row in zip(ordered, rows, strict=True):
            low = made.cell(value) // width * width
            row.append(made.label(low, min(low + width, made.cells) - 1))
    return replace(_closed(column, rows, values, ordered=True), grid=made)


def dates(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Day → month → quarter → year → ten years → `*`."""
    present = sorted(value for value in values if value is not None)
    rows: list[list[Label]] = []
    for value in present:
        day = _day(value)
        if day is None:
            raise InputError("expected dates such as 2001-05-31", column=column)
        quarter = (day.month + 2) // 3
        decade = day.year // 10 * 10
        named = [
            f"{day:%Y-%m}",
            f"{day.year}-Q{quarter}",
            str(day.year),
            interval(str(decade), str(decade + 9)),
        ]
        rows.append([value, *named])
    return _closed(column, rows, values, ordered=True)


def prefixes(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """One character fewer per level from the right, the length kept: 12345 → 1234* → 123** … → `*`."""
    present = sorted(value for value in values if value is not None)
    longest = max((len(value) for value in present), default=1)
    rows: list[list[Label]] = []
    for value in present:
        cuts = [max(0, len(value) - gone) for gone in range(1, longest)]
        rows.append([value, *(value[:cut] + STAR * (len(value) - cut) if cut else STAR for cut in cuts)])
    return _closed(column, _padded(rows), values, ordered=False, common=True)


def _padded(rows: list[list[Label]]) -> list[list[Label]]:
    """Codes of different lengths reach `*` at different levels; the groups of a level must still only merge."""
    for row in rows:
        row[1:] = [STAR if label is not None and set(label) == {STAR} else label for label in row[1:]]
    return rows


def rare_merged(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Categories under 2, 5, 10, 20 % become `other`, level by level; a level that merges nothing new is left out.

    Local recoding may take alphabetical bands instead.
    """
    total = counts.sum()
    rows: list[list[Label]] = [[value] for value in values if value is not None]
    shares = [count / total for value, count in zip(values, counts, strict=True) if value is not None]
    merged = 0
    for limit in RARE:
        rare = sum(share < limit for share in shares)
        if rare < 2 or rare in (merged, len(rows)):
            continue
        merged = rare
        for row, share in zip(rows, shares, strict=True):
            row.append(OTHER if share < limit else row[0])
    holders = {value: float(count) for value, count in zip(values, counts, strict=True) if value is not None}
    return replace(_closed(column, rows, values, ordered=False), grid=make_bands(sorted(holders), holders))


def from_groups(column: str, values: Sequence[Label], groups: Mapping[str, str]) -> Hierarchy:
    """Value → group → `*`; a value without a group stands alone until `*`."""
    rows: list[list[Label]] = [[value, groups.get(value, value)] for value in values if value is not None]
    return _closed(column, rows, values, ordered=False)


def only_star(column: str, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Shown or not shown."""
    return _closed(column, [[value] for value in values if value is not None], values, ordered=False)


def interval(low: str | None, high: str | None) -> str | None:
    return low if low == high else f"[{low}, {high}]"


def _closed(
    column: str, rows: list[list[Label]], values: Sequence[Label], *, ordered: bool, common: bool = False
) -> Hierarchy:
    """Missing values stand alone; `*` on top; levels that change nothing are left out.

    `common` keeps what all values have in common, such as `8063*`, as the level below `*`.
    """
    if None in values:
        rows = [*rows, [None] * (len(rows[0]) if rows else 1)]
    shapes = [_partition(rows, level) for level in range(len(rows[0]))]
    kept = [0]
    for level in range(1, len(shapes)):
        if shapes[level] != shapes[level - 1] and (common or max(shapes[level]) > 0):
            kept.append(level)
    return from_rows(column, [[*(row[level] for level in kept), STAR] for row in rows], ordered=ordered)


def _partition(rows: list[list[Label]], level: int) -> list[int]:
    numbers: dict[Label, int] = {}
    return [numbers.setdefault(row[level], len(numbers)) for row in rows]


def _require(column: str, value: str) -> float:
    number = _number(value)
    if number is None:
        raise InputError("expected numbers in every cell", column=column)
    return number


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def is_number(value: str) -> bool:
    return _number(value) is not None


def _day(value: str) -> date | None:
    try:
        return datetime.fromisoformat(value).date()
    except ValueError:
        return None


RULES: dict[str, Rule] = {
    "numbers": powers_of_two,
    "dates": dates,
    "prefix": prefixes,
    "bands": bands,
    "rare": rare_merged,
    "star": only_star,
}
