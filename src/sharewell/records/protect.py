"""Making a table k-anonymous, with as little lost as the method can manage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell import engine
from sharewell.records import lattice, recode
from sharewell.records.combinations import Combinations, combine
from sharewell.records.diversity import Limits, class_fails
from sharewell.records.hierarchies import Hierarchy, gather
from sharewell.records.space import Space, make_space
from sharewell.results import Change

Method = Literal["full-domain", "local", "stinar"]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A table that keeps its limits, and what that took.

    `k` is the smallest class of released rows; `suppressed` is the share of rows that became rows of `*`.
    """

    table: Any
    levels: Mapping[str, int]
    suppressed: float
    suppressed_rows: int
    loss: float
    k: int
    proven: bool
    changes: tuple[Change, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        hidden = ("table", "hierarchies", "changes")
        plain = {name: value for name, value in vars(self).items() if name not in hidden}
        return {
            **plain,
            "levels": dict(self.levels),
            "changes": [change.to_dict() for change in self.changes],
        }


def anonymize(
    table: Any,
    *,
    quasi: Sequence[str],
    k: int = 5,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Sequence[str] = (),
    target: str | Sequence[str] | None = None,
    method: Method = "full-domain",
    hierarchies: Any = None,
    max_suppressed: float = 0.02,
    seconds: float = 5,
    seed: int = 0,
) -> Kept:
    """Recode the quasi-identifiers until every class keeps the limits; rows keep their order."""
    limits = Limits(k=k, l=l, t=t, max_suppressed=max_suppressed)
    source = engine.table(table)
    kept = protect(
        source.mutate(**{recode.ROW: ibis.row_number()}),
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        limits=limits,
        hierarchies=hierarchies,
        seconds=seconds,
        seed=seed,
    )
    ordered = kept.table.order_by(recode.ROW).select(*source.columns)
    return Kept(**{**vars(kept), "table": engine.like(ordered, table)})


def protect(
    table: Table,
    *,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    limits: Limits,
    hierarchies: Any,
    seconds: float,
    seed: int,
    withheld: Sequence[str] = (),
) -> Kept:
    """Full-domain recoding of an Ibis table; its result is one, too, with rows in any order."""
    combinations = combine(table, quasi, sensitive)
    made = gather(hierarchies, *_values(combinations))
    space = make_space(combinations, made, sensitive)
    found = lattice.search(space, limits, seconds=seconds, seed=seed)
    node = found.best.node
    levels = dict(zip(quasi, node, strict=True))
    ids, classes = space.classes(node)
    fails = class_fails(space, ids, classes, limits)
    blank = [*sensitive, *withheld] if _too_few_gone(space, fails[ids], limits) else []
    return Kept(
        table=_released(table, combinations, made, levels, fails[ids], blank),
        levels=levels,
        suppressed=found.best.rows / space.rows,
        suppressed_rows=found.best.rows,
        loss=found.best.loss,
        k=_smallest(space, ids, classes, fails),
        proven=found.proven,
        changes=_changes(space, made, levels, found.best.rows, limits),
        hierarchies=made,
    )


def _values(combinations: Combinations) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    counts = {
        column.name: np.bincount(column.codes, weights=combinations.counts, minlength=len(column.values))
        for column in combinations.quasi
    }
    return {column.name: column.values for column in combinations.quasi}, counts


def _too_few_gone(space: Space, gone: np.ndarray, limits: Limits) -> bool:
    """Whether the suppressed rows, taken as one class of `*`, miss a limit themselves.

    Whoever knows that a student is in the table and finds no class for them knows that they are among the suppressed.
    """
    ids = np.where(gone, 0, 1).astype(np.int32)
    return bool(gone.any() and class_fails(space, ids, 2, limits)[0])


def _smallest(space: Space, ids: np.ndarray, classes: int, fails: np.ndarray) -> int:
    sizes = np.bincount(ids, weights=space.counts, minlength=classes)[~fails]
    return int(sizes.min()) if sizes.size else 0


def _released(
    table: Table,
    combinations: Combinations,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    gone: np.ndarray,
    blank: Sequence[str],
) -> Table:
    order = table.columns
    marked = recode.mark_suppressed(table, combinations, np.flatnonzero(gone))
    coarse = recode.by_levels(marked, hierarchies, levels)
    if gone.any():
        coarse = recode.star_suppressed(coarse, tuple(levels), blank)
    return coarse.select(*order)


def _changes(
    space: Space, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int], gone: int, limits: Limits
) -> tuple[Change, ...]:
    changes = [
        Change(
            column=name,
            what="hidden" if level == hierarchies[name].height else f"coarsened to level {level}",
            reason=f"so that at least {limits.k} students look alike",
            cells=space.rows,
        )
        for name, level in levels.items()
        if level
    ]
    if gone:
        reason = f"these students had fewer than {limits.k} who look alike"
        changes.append(Change(column="all quasi columns", what="rows of * only", reason=reason, cells=gone))
    return tuple(changes)
