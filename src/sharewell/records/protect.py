"""Making a table k-anonymous, with as little lost as the method can manage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Change
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records import full_domain, mondrian, outcomes, reasons, recode, stinar
from sharewell.records.combinations import Combinations, check_columns, combine
from sharewell.records.diversity import Limits, closeness, is_ordered
from sharewell.records.hierarchies import Hierarchy, gather
from sharewell.records.kernels import FINE
from sharewell.records.space import make_space
from sharewell.records.task import Recoding, Task

Method = Literal["full-domain", "local", "stinar"]
METHODS = {"full-domain": full_domain.recode, "local": mondrian.recode, "stinar": stinar.recode}
MOST_TIGHTENINGS = 5
TARGET_WEIGHT = 0.8  # of the outcomes against general usefulness, where there are outcomes


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A table that keeps its limits, and what that took.

    `k` is the smallest class of the rows that are not suppressed, `suppressed` the share of rows that became rows of
    `*`, and `proven` says that no other choice of levels is better. `levels` is empty for local recoding.
    """

    table: Any
    levels: Mapping[str, int]
    suppressed: float
    suppressed_rows: int
    loss: float
    k: int
    proven: bool
    one_outcome: Mapping[str, float] = field(default_factory=dict)  # share of students in classes of one outcome
    changes: tuple[Change, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        hidden = ("table", "hierarchies", "changes")
        plain = {name: value for name, value in vars(self).items() if name not in hidden}
        maps = {"levels": dict(self.levels), "one_outcome": dict(self.one_outcome)}
        return {**plain, **maps, "changes": [change.to_dict() for change in self.changes]}

    def __str__(self) -> str:
        sure = "the least possible for levels" if self.proven else "the best found in time"
        head = f"k = {self.k}, loss {self.loss:.4f} ({sure}), {self.suppressed_rows:,} rows suppressed"
        return "\n".join([head, *(f"  {change}" for change in self.changes)])


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
    target_weight: float = TARGET_WEIGHT,
) -> Kept:
    """Recode the quasi-identifiers until every class keeps the limits; rows keep their order.

    `hierarchies` maps columns to ARX files, rows, groups or rules, or names a folder of files; what is not given
    is made from the values. `target_weight` weighs the targets against general usefulness (0 to 1).
    """
    source = engine.table(table)
    kept = protect(
        source.mutate(**{recode.ROW: ibis.row_number()}),
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        targets=outcomes.as_columns(target),
        limits=Limits(k=k, l=l, t=t, max_suppressed=max_suppressed),
        method=method,
        hierarchies=hierarchies,
        weight=target_weight,
        seconds=seconds,
        seed=seed,
    )
    ordered = kept.table.order_by(recode.ROW).select(*source.columns)
    return replace(kept, table=engine.like(ordered, table))


def protect(
    table: Table,
    *,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    targets: tuple[str, ...],
    limits: Limits,
    method: str,
    hierarchies: Any,
    weight: float,
    seconds: float,
    seed: int,
    withheld: Sequence[str] = (),
) -> Kept:
    """Recode an Ibis table; the result is one, too, with its rows in any order.

    `withheld` are further columns that are emptied, like the sensitive ones, in suppressed rows that are too few.
    """
    check_request(table, quasi, sensitive, targets, limits, method)
    combinations = combine(table, quasi, sensitive, outcomes.numeric(table, targets))
    task = Task(
        combinations=combinations,
        hierarchies=gather(hierarchies, *value_counts(combinations)),
        limits=limits,
        sensitive=sensitive,
        weight=weight if targets else 0.0,
        seconds=seconds,
        seed=seed,
    )
    made = _recode(task, METHODS[method])
    blank = [*sensitive, *withheld] if _too_few_gone(task, made.gone) else []
    rows = int(combinations.counts[made.gone].sum())
    return Kept(
        table=recode.released(table, combinations, made, blank),
        levels=made.levels,
        suppressed=rows / combinations.rows,
        suppressed_rows=rows,
        loss=made.loss,
        k=smallest_class(combinations, made),
        proven=made.proven,
        one_outcome=one_outcome(combinations, made, targets),
        changes=reasons.explain(task, made),
        hierarchies=made.hierarchies,
    )


def check_request(
    table: Table, quasi: Sequence[str], sensitive: Sequence[str], targets: Sequence[str], limits: Limits, method: str
) -> None:
    check_columns(table, [*quasi, *sensitive, *targets])
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}")
    both = sorted(set(quasi) & set(sensitive))
    if both:
        raise InputError("a column cannot be both quasi and sensitive", column=both[0])
    if (limits.l is not None or limits.t is not None) and not sensitive:
        raise InputError("the limits l and t need a sensitive column")


def value_counts(combinations: Combinations) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    counts = {
        column.name: np.bincount(column.codes, weights=combinations.counts, minlength=len(column.values))
        for column in combinations.quasi
    }
    return {column.name: column.values for column in combinations.quasi}, counts


def _recode(task: Task, method: Callable[[Task], Recoding]) -> Recoding:
    """The method's recoding; where emptied rows leave the whole table, t is held against what is left of it."""
    made, limits = method(task), task.limits
    for _ in range(MOST_TIGHTENINGS):
        if limits.t is None or not _too_few_gone(task, made.gone):
            break
        over = max(_farthest(task, made, name) for name in task.sensitive) - limits.t
        if over <= 0:
            break
        task = replace(task, limits=replace(task.limits, t=max(0.0, (task.limits.t or 0.0) - over - 1e-9)))
        made = method(task)
    return made


def _farthest(task: Task, made: Recoding, name: str) -> float:
    """t over the rows that are not suppressed, against those rows."""
    column, kept = task.combinations.other(name), ~made.gone
    held = np.zeros((int(made.classes.max()) + 1, len(column.values)))
    np.add.at(held, (made.classes[kept], column.codes[kept]), task.combinations.counts[kept])
    held = held[held.sum(axis=1) > 0]
    return float(closeness(held, ordered=is_ordered(column.values)).max()) if len(held) else 0.0


def _too_few_gone(task: Task, gone: np.ndarray) -> bool:
    """Whether the suppressed rows, taken as one class of `*`, miss a limit themselves.

    Whoever knows that a student is in the table and finds no class for them knows that they are among the suppressed.
    """
    if not gone.any():
        return False
    space = make_space(task.combinations, task.hierarchies, task.sensitive)
    as_one = np.where(gone, 0, 1).astype(np.int32)
    return bool(space.faults(as_one, 2, task.limits)[0] != FINE)


def smallest_class(combinations: Combinations, made: Recoding) -> int:
    kept = ~made.gone
    if not kept.any():
        return 0
    sizes = np.bincount(made.classes[kept], weights=combinations.counts[kept])
    return int(sizes[sizes > 0].min())


def one_outcome(combinations: Combinations, made: Recoding, targets: Sequence[str]) -> dict[str, float]:
    """The share of students whose class holds one outcome only: whoever finds the class knows the outcome."""
    groups = np.where(made.gone, made.classes.max() + 1, made.classes)
    sizes = np.bincount(groups, weights=combinations.counts)
    varies = np.zeros(sizes.size, bool)
    for total, square in zip(combinations.sums, combinations.squares, strict=True):
        s, sq = np.bincount(groups, weights=total), np.bincount(groups, weights=square)
        varies |= sq - s * s / np.maximum(sizes, 1) > 1e-9 * np.maximum(sq, 1)
    share = float(sizes[~varies].sum() / sizes.sum())
    return {", ".join(targets): share} if targets else {}
