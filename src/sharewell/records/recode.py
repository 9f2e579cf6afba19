"""Writing the chosen recoding into the table, as one Ibis expression: the rows never pass through Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table, Value

from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import STAR, Label
from sharewell.records.task import Recoding

MISSING = "\u0001missing"  # stands for null in joins only
ROW = "__row"


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """Rows whose `keys` equal those of the table give it the `answers`; the names of both are new to the table."""

    keys: Mapping[str, str]  # name in the lookup → column of the table
    table: Table
    answers: tuple[str, ...]


@dataclass(kw_only=True)
class Plan:
    """Lookups to join, and what every quasi column becomes."""

    lookups: list[Lookup] = field(default_factory=list)
    becomes: dict[str, str] = field(default_factory=dict)  # column → answer that holds its label
    hidden: list[str] = field(default_factory=list)  # columns that become `*` everywhere


def released(table: Table, combinations: Combinations, made: Recoding, blank: Sequence[str]) -> Table:
    """The table after the recoding. Suppressed rows stay, as rows of `*`, with the `blank` columns emptied."""
    plan = _by_combination(combinations, made) if made.labels else _by_level(made)
    gone = np.flatnonzero(made.gone)
    if gone.size:
        flag = {"__gone": pa.array([True] * len(once := _once(combinations, gone)))}
        plan.lookups.append(_combinations_lookup(combinations, once, flag, "__g"))
    joined = _join(table, plan.lookups)
    suppressed = joined["__gone"].fill_null(False) if gone.size else None
    cells = {name: _cell(joined, name, plan, combinations, suppressed, blank) for name in table.columns}
    return joined.select(**cells)


def _cell(
    joined: Table, name: str, plan: Plan, combinations: Combinations, suppressed: Value | None, blank: Sequence[str]
) -> Any:
    quasi = any(column.name == name for column in combinations.quasi)
    if name in plan.hidden:
        return ibis.literal(STAR)
    cell: Any = joined[plan.becomes.get(name, name)]
    if suppressed is None:
        return cell
    if quasi:
        return ibis.ifelse(suppressed, ibis.literal(STAR), as_text(cell))
    return ibis.ifelse(suppressed, ibis.null(cell.type()), cell) if name in blank else cell


def _by_level(made: Recoding) -> Plan:
    """A small lookup for every column that changes."""
    plan = Plan()
    for number, (name, level) in enumerate(made.levels.items()):
        hierarchy = made.hierarchies[name]
        if level == hierarchy.height:
            plan.hidden.append(name)
        elif level > 0 or not hierarchy.is_plain:
            labels = [hierarchy.labels[level][group] for group in hierarchy.groups[level]]
            leaves = [_safe(leaf) for leaf in hierarchy.leaves]
            lookup = pa.table({f"__from_{number}": leaves, f"__to_{number}": pa.array(labels, pa.string())})
            plan.lookups.append(
                Lookup(keys={f"__from_{number}": name}, table=ibis.memtable(lookup), answers=(f"__to_{number}",))
            )
            plan.becomes[name] = f"__to_{number}"
    return plan


def _by_combination(combinations: Combinations, made: Recoding) -> Plan:
    """Every combination of quasi-identifiers becomes its own labels (local recoding)."""
    once = _once(combinations, np.arange(combinations.counts.size))
    labels = {
        f"__to_{number}": pa.array([made.labels[column.name][place] for place in once], pa.string())
        for number, column in enumerate(combinations.quasi)
    }
    becomes = {column.name: f"__to_{number}" for number, column in enumerate(combinations.quasi)}
    return Plan(lookups=[_combinations_lookup(combinations, once, labels, "__from")], becomes=becomes)


def _combinations_lookup(
    combinations: Combinations, which: np.ndarray, answers: Mapping[str, pa.Array], prefix: str
) -> Lookup:
    keys = {
        f"{prefix}_{number}": pa.array([_safe(value) for value in column.values], pa.string()).take(
            pa.array(column.codes[which])
        )
        for number, column in enumerate(combinations.quasi)
    }
    names = dict(zip(keys, (column.name for column in combinations.quasi), strict=True))
    return Lookup(keys=names, table=ibis.memtable(pa.table({**keys, **answers})), answers=tuple(answers))


def _join(table: Table, lookups: Sequence[Lookup]) -> Table:
    """One chain of left joins; missing cells meet missing cells."""
    if not lookups:
        return table
    used = dict.fromkeys(column for lookup in lookups for column in lookup.keys.values())
    safe = {f"__key_{number}": _as_key(table[name]) for number, name in enumerate(used)}
    place = dict(zip(used, safe, strict=True))
    joined: Any = table.mutate(**safe)
    for lookup in lookups:
        same = [joined[place[column]] == lookup.table[key] for key, column in lookup.keys.items()]
        joined = joined.left_join(lookup.table, same)
    return joined


def _once(combinations: Combinations, which: np.ndarray) -> np.ndarray:
    """Combinations that differ only in other columns are one here."""
    if not combinations.others:
        return which
    codes = np.stack([column.codes[which] for column in combinations.quasi])
    return which[np.unique(codes, axis=1, return_index=True)[1]]


def as_text(column: Any) -> Any:
    return column if column.type().is_string() else column.cast("string")


def _as_key(column: Value) -> Value:
    return as_text(column).fill_null(MISSING)


def _safe(value: Label) -> str:
    return MISSING if value is None else value
