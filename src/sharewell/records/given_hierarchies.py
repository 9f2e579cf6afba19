"""A hierarchy for every quasi column: as a person gives it, in any of several forms, or made from the values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records import hierarchy_rules
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import STAR, Hierarchy, Label, from_levels, from_rows, read_csv
from sharewell.stats.number_grid import make_grid

MOSTLY = 0.5  # of the values of a column must be named by its groups


def gather(given: Any, columns: Mapping[str, Sequence[Label]], counts: Mapping[str, Array]) -> dict[str, Hierarchy]:
    """A hierarchy for every column: the given one, or one made from its values.

    `given` maps columns to a Hierarchy, a CSV path, a frame or rows (a row per value, a column per level), a mapping
    value → group or group → values, or the name of a rule; or it is a folder with a CSV per column (`age.csv`, or any
    name that ends in `_age.csv`).
    """
    known = _from_folder(given, columns) if isinstance(given, str | Path) else dict(given or {})
    for name in known:
        if name not in columns:
            raise InputError("a hierarchy is given for a column that is not a quasi column", column=name)
    made = {}
    for name, values in columns.items():
        given_one = known.get(name)
        file = given_one if isinstance(given_one, Path) else None
        one = _checked(_one(name, given_one, values, counts[name]), values, file)
        made[name] = _with_grid(one, values, counts[name])
    return made


def with_categories(given: Any, categories: Collection[str], quasi: Sequence[str]) -> Any:
    """Add the rule of categories for columns of codes that have no hierarchy."""
    known = _from_folder(given, dict.fromkeys(quasi)) if isinstance(given, str | Path) else dict(given or {})
    return {**{name: "rare" for name in quasi if name in categories}, **known}


def _with_grid(hierarchy: Hierarchy, values: Sequence[Label], counts: Array) -> Hierarchy:
    """Numbers get their public grid, also beside groups that a person gave."""
    if hierarchy.grid is not None or not hierarchy.ordered:
        return hierarchy
    holders = [(value, float(count)) for value, count in zip(values, counts, strict=True) if value is not None]
    if not holders or not all(hierarchy_rules.is_number(leaf) for leaf in hierarchy.leaves if leaf is not None):
        return hierarchy
    return replace(hierarchy, grid=make_grid([value for value, _ in holders], [count for _, count in holders]))


def _from_folder(folder: str | Path, columns: Mapping[str, Any]) -> dict[str, Path]:
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no such folder of hierarchies", file=folder)
    found = {}
    for name in columns:
        files = [path for path in sorted(folder.glob("*.csv")) if path.stem == name or path.stem.endswith(f"_{name}")]
        if files:
            found[name] = files[0]
    return found


def _one(name: str, given: Any, values: Sequence[Label], counts: Array) -> Hierarchy:
    match given:
        case Hierarchy():
            return given
        case None:
            return hierarchy_rules.make(name, values, counts)
        case str() if given in hierarchy_rules.RULES:
            return hierarchy_rules.RULES[given](name, values, counts)
        case str() | Path():
            return read_csv(name, given)
        case Mapping():
            return _from_mapping(name, given, values)
        case _ if hasattr(given, "columns"):
            return _from_frame(name, given)
        case _:
            return from_rows(name, [[_text(cell) for cell in row] for row in given])


def _from_frame(name: str, frame: Any) -> Hierarchy:
    """A pandas, polars or pyarrow frame: a row per value, a column per level, whatever the columns are called."""
    columns = [column.to_pylist() for column in engine.arrow(frame).columns]
    rows = [[_text(cell) for cell in row] for row in zip(*columns, strict=True)]
    numeric = all(row[0] is None or hierarchy_rules.is_number(row[0]) for row in rows)
    return from_rows(name, rows, ordered=numeric and rows == sorted(rows, key=lambda row: float(row[0] or "inf")))


def _from_mapping(name: str, given: Mapping[Any, Any], values: Sequence[Label]) -> Hierarchy:
    """Value → group, or group → values; refused where it leaves out more than half of the values."""
    groups: dict[str, str] = {}
    for key, members in given.items():
        if isinstance(members, list | tuple | set | frozenset):
            groups |= {str(value): str(key) for value in members}
        else:
            groups[str(key)] = str(members)
    present = [value for value in values if value is not None]
    if sum(value in groups for value in present) < MOSTLY * len(present):
        problem = 'its groups name few of its values; write value to group, as in {"Yemen": "Asia"}, or group to values'
        raise InputError(problem, column=name)
    return hierarchy_rules.from_groups(name, values, groups)


def _text(cell: Any) -> Label:
    """Cells of a frame as the data writes them: 24 beside "24", a missing one as nothing."""
    if cell is None or cell != cell:
        return None
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _checked(hierarchy: Hierarchy, values: Sequence[Label], file: Path | None) -> Hierarchy:
    """Every value of the data must be in the hierarchy; a missing value is added as a group of its own."""
    missing = [value for value in values if value not in hierarchy.position]
    if [value for value in missing if value is not None]:
        problem = f"{len(missing)} of its values are not in its hierarchy; add a row for each, such as Yemen;Asia"
        raise InputError(problem, file=file, column=hierarchy.column)
    return _with_missing(hierarchy) if missing else hierarchy


def _with_missing(hierarchy: Hierarchy) -> Hierarchy:
    alone: list[list[Label]] = [[*level, None] for level in _levels(hierarchy)[:-1]]
    levels: list[list[Label]] = [*alone, [STAR] * (len(hierarchy.leaves) + 1)]
    return replace(from_levels(hierarchy.column, levels[0], levels, hierarchy.ordered), grid=hierarchy.grid)


def _levels(hierarchy: Hierarchy) -> list[list[Label]]:
    return [
        [hierarchy.labels[level][group] for group in hierarchy.groups[level]] for level in range(hierarchy.height + 1)
    ]
