"""Writing the chosen recoding into the table, as one Ibis expression: the rows never pass through Python.

While lookups are joined, the columns of the table go by their place (`c0`, `c1` …), so that no name can collide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations, with_text
from sharewell.records.hierarchies import STAR, Hierarchy, Label
from sharewell.records.protection.recoding import Recoding

MISSING = "\u0001missing"  # stands for null in joins only


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """Rows whose `keys` equal those of the table give it the `answers`."""

    keys: Mapping[str, str]  # name in the lookup → column of the table
    table: Table
    answers: tuple[str, ...]


@dataclass(kw_only=True)
class Replacement:
    """Lookups to join, and what every quasi column becomes."""

    lookups: list[Lookup] = field(default_factory=list)
    becomes: dict[str, str] = field(default_factory=dict)  # column → answer that holds its label
    hidden: list[str] = field(default_factory=list)  # columns that become `*` everywhere


def released(table: Table, combinations: Combinations, made: Recoding, blank: Sequence[str]) -> Table:
    """The table after the recoding. Suppressed rows stay, as rows of `*`, with the `blank` columns emptied."""
    new = _by_combination(combinations, made) if made.labels else _by_level(made.hierarchies, made.levels)
    gone = np.flatnonzero(made.gone)
    if gone.size:
        flag = {"gone": pa.array([True] * len(once := _once(combinations, gone)))}
        new.lookups.append(_combinations_lookup(combinations, once, flag, "gone_from"))
    place = {name: f"c{number}" for number, name in enumerate(table.columns)}
    joined, keys = _join(table.select(**{short: table[name] for name, short in place.items()}), place, new.lookups)
    suppressed = joined["gone"].fill_null(False) if gone.size else None
    quasi = {column.name for column in combinations.quasi}
    cells = {}
    for name, short in place.items():
        cell = ibis.literal(STAR) if name in new.hidden else joined[new.becomes.get(name, short)]
        if suppressed is not None and name in quasi:
            text = joined[keys[name]].nullif(MISSING) if cell.type().is_floating() else as_text(cell)
            cell = ibis.ifelse(suppressed, ibis.literal(STAR), text)
        elif suppressed is not None and name in blank:
            cell = ibis.ifelse(suppressed, ibis.null(cell.type()), cell)
        cells[name] = cell
    return joined.select(**cells)


def at_levels(table: Table, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Table:
    """The table with every column at its level; no row is suppressed."""
    new = _by_level(hierarchies, levels)
    place = {name: f"c{number}" for number, name in enumerate(table.columns)}
    joined, _ = _join(table.select(**{short: table[name] for name, short in place.items()}), place, new.lookups)
    cells = {
        name: ibis.literal(STAR) if name in new.hidden else joined[new.becomes.get(name, short)]
        for name, short in place.items()
    }
    return joined.select(**cells)


def with_answers(table: Table, classes: pa.Table, answers: Mapping[str, str], labels: Mapping[str, str]) -> Table:
    """Give every row the answers for its class, and its cells as `labels`.

    `classes` has the cells of every class once, and a column for each answer, named as the mapping says.
    """
    keys = {f"from_{number}": name for number, name in enumerate(answers)}
    cells = {short: pa.array([_safe(cell) for cell in classes[name].to_pylist()]) for short, name in keys.items()}
    lookup = pa.table({**cells, **{answer: classes[answer] for answer in answers.values()}})
    place = {name: f"c{number}" for number, name in enumerate(table.columns)}
    joined, _ = _join(
        table.select(**{short: table[name] for name, short in place.items()}),
        place,
        [Lookup(keys=keys, table=engine.listed(lookup), answers=tuple(answers.values()))],
    )
    made = {name: joined[answers.get(name, short)] for name, short in place.items()}
    return joined.select(**made, **{label: as_text(joined[place[name]]) for name, label in labels.items()})


def _by_level(hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Replacement:
    """A small lookup for every column that changes."""
    new = Replacement()
    for number, (name, level) in enumerate(levels.items()):
        hierarchy = hierarchies[name]
        if level == hierarchy.height:
            new.hidden.append(name)
        elif level > 0 or not hierarchy.is_plain:
            labels = [hierarchy.labels[level][group] for group in hierarchy.groups[level]]
            leaves = [_safe(leaf) for leaf in hierarchy.leaves]
            lookup = pa.table({f"from_{number}": leaves, f"to_{number}": pa.array(labels, pa.string())})
            new.lookups.append(
                Lookup(keys={f"from_{number}": name}, table=engine.listed(lookup), answers=(f"to_{number}",))
            )
            new.becomes[name] = f"to_{number}"
    return new


def _by_combination(combinations: Combinations, made: Recoding) -> Replacement:
    """Every combination of quasi-identifiers becomes its own labels (local recoding)."""
    once = _once(combinations, np.arange(combinations.counts.size))
    labels = {
        f"to_{number}": pa.array([made.labels[column.name][place] for place in once], pa.string())
        for number, column in enumerate(combinations.quasi)
    }
    becomes = {column.name: f"to_{number}" for number, column in enumerate(combinations.quasi)}
    return Replacement(lookups=[_combinations_lookup(combinations, once, labels, "from")], becomes=becomes)


def _combinations_lookup(
    combinations: Combinations, which: Array, answers: Mapping[str, pa.Array], prefix: str
) -> Lookup:
    keys = {
        f"{prefix}_{number}": pa.array([_safe(value) for value in column.values], pa.string()).take(
            pa.array(column.codes[which])
        )
        for number, column in enumerate(combinations.quasi)
    }
    names = dict(zip(keys, (column.name for column in combinations.quasi), strict=True))
    return Lookup(keys=names, table=engine.listed(pa.table({**keys, **answers})), answers=tuple(answers))


def _join(table: Table, place: Mapping[str, str], lookups: Sequence[Lookup]) -> tuple[Any, dict[str, str]]:
    """One chain of left joins, and the columns of the keys; missing cells meet missing cells.

    `place` leads from a column to its short name.
    """
    used = dict.fromkeys(column for lookup in lookups for column in lookup.keys.values())
    keys = {name: f"key_{number}" for number, name in enumerate(used)}
    joined: Any = table
    for name, key in keys.items():
        joined = with_text(joined, place[name], key)
    joined = joined.mutate(**{key: joined[key].fill_null(MISSING) for key in keys.values()}) if keys else joined
    for lookup in lookups:
        same = [joined[keys[column]] == lookup.table[key] for key, column in lookup.keys.items()]
        joined = joined.left_join(lookup.table, same)
    return joined, keys


def _once(combinations: Combinations, which: Array) -> Array:
    """Combinations that differ only in other columns are one here."""
    if not combinations.others:
        return which
    codes = np.stack([column.codes[which] for column in combinations.quasi])
    return which[np.unique(codes, axis=1, return_index=True)[1]]


def as_text(column: Any) -> Any:
    return column if column.type().is_string() else column.cast("string")


def _safe(value: Label) -> str:
    return MISSING if value is None else value
