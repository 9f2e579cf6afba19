"""Making a table k-anonymous, with as little lost as the method can manage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import LINES, Change
from sharewell.data import engine
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.records import midpoints, outcomes
from sharewell.records.arguments import check_arguments, check_roles
from sharewell.records.arrays import Array
from sharewell.records.closeness import closeness, is_ordered
from sharewell.records.combinations import Combinations
from sharewell.records.given_hierarchies import with_categories
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.limits import Limits
from sharewell.records.protection import cell_values, reasons, released_rows
from sharewell.records.protection.recoding import Recode, Recoding, Request
from sharewell.records.protection.search_space import make_space
from sharewell.records.protection.settings import TARGET_WEIGHT, Settings

Frame = TypeVar("Frame")
Method = Literal["best", "full-domain", "local", "arx", "stinar", "stinar-printed"]
MOST_TIGHTENINGS = 5


@dataclass(frozen=True, kw_only=True, repr=False)
class Anonymized(Generic[Frame]):
    """A table that keeps its limits, and what that took.

    `k` is the smallest class of the rows that are not suppressed, `suppressed` the share of rows that became rows of
    `*`, and `proven` says that no other choice of levels is better. `levels` is empty for local recoding.
    """

    table: Frame
    levels: Mapping[str, int]
    suppressed: float
    suppressed_rows: int
    loss: float
    k: int
    proven: bool
    method: str = ""  # the one that was taken
    loss_if_listed: float = 0.0  # what labels would lose that list which values occur in each class: not safe
    one_outcome: Mapping[str, float] = field(default_factory=dict)  # share of students in classes of one outcome
    changes: tuple[Change, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    recoding: Recoding | None = field(default=None, repr=False)  # what `table` was made with

    def to_dict(self) -> dict[str, Any]:
        """What was done and reached, as plain data; without the table."""
        hidden = ("table", "hierarchies", "changes", "recoding")
        plain = {name: value for name, value in vars(self).items() if name not in hidden}
        maps = {"levels": dict(self.levels), "one_outcome": dict(self.one_outcome)}
        return {**plain, **maps, "changes": [change.to_dict() for change in self.changes]}

    def __str__(self) -> str:
        sure = "the least possible for levels" if self.proven else "the best found in time"
        head = f"k = {self.k}, loss {self.loss:.4f} ({sure}), {self.suppressed_rows:,} rows suppressed"
        return "\n".join([head, *(f"  {change}" for change in self.changes)])

    def __repr__(self) -> str:
        """The same in three lines; `print` shows every change."""
        lines = str(self).splitlines()
        return "\n".join(
            lines if len(lines) <= LINES else [*lines[: LINES - 1], f"  … and {len(lines) - LINES + 1} more"]
        )


def anonymize(
    table: Frame,
    *,
    quasi: Sequence[str],
    k: int = 5,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    target: str | Sequence[str] | None = None,
    method: Method = "best",
    hierarchies: Any = None,
    categories: Sequence[str] = (),
    values: Literal["ranges", "midpoints", "drawn"] = "ranges",
    max_suppressed: float = 0.02,
    seconds: float = 5,
    seed: int = 0,
    target_weight: float = TARGET_WEIGHT,
) -> Anonymized[Frame]:
    """Recode quasi-identifiers until every class keeps the limits, rows in order.

    Args:
        table: A pandas, polars or pyarrow frame, or a path to a file.
        quasi: Columns with what others may know of a student.
        k: The fewest students who must look alike.
        l: The fewest different values of every sensitive column in a class; None for no such limit.
        t: How far the sensitive values of a class may lie from those of everyone; None for no such limit.
        sensitive: Columns with what nobody should learn.
        keep: Further columns, which pass as they are. A column without a role is refused.
        target: One or more outcomes that analysts want to predict; the search keeps what predicts them.
        method: "full-domain" (one level per column), "local" (group by group), "best" (the better of the two), "arx"
            (one level per column, with ARX's loss), "stinar" (the paper's, with a last step that keeps what predicts
            the target) or "stinar-printed" (the paper's to the letter).
        hierarchies: A mapping of columns to ARX files, frames or rows (a row per value, a column per level), groups
            (value to group, or group to values) or rules, or a folder of files; what is not given is made from the
            values.
        categories: Columns whose numbers are codes: no range is made of them.
        values: "ranges"; "midpoints" for a number in place of each range of numbers (missing where it is `*`); or
            "drawn" for one value inside, the same for all rows of a class: columns keep their types then.
        max_suppressed: The largest share of rows that may become rows of `*`.
        seconds: How long the search may take on a modest machine; counted in steps, not by the clock.
        seed: For the parts of the search that draw at random.
        target_weight: What the targets count against general usefulness, 0 to 1.

    Returns:
        The table, the same kind of frame as came in, with what was done to it.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> students = pa.table({"age": [18, 19, 18, 19, 30, 31], "sex": ["f", "m"] * 3})
        >>> done = sw.records.anonymize(students, quasi=["age", "sex"], k=2)
        >>> done.k, done.table["age"].to_pylist(), done.table["sex"].to_pylist()
        (3, ['*', '*', '*', '*', '*', '*'], ['f', 'm', 'f', 'm', 'f', 'm'])
    """
    source = engine.table(table)
    if values not in ("ranges", "midpoints", "drawn"):
        raise InputError("values must be one of ranges, midpoints, drawn")
    check_arguments(k=k, l=l, t=t, max_suppressed=max_suppressed, quasi=quasi, sensitive=sensitive, keep=keep)
    targets = outcomes.as_columns(target)
    check_columns(source, quasi=quasi, sensitive=sensitive, keep=keep, target=targets)
    check_roles(source.columns, [*quasi, *sensitive, *keep, *targets])
    settings = Settings(
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        keep=tuple(keep),
        targets=targets,
        limits=Limits(k=k, l=l, t=t, max_suppressed=max_suppressed),
        method=method,
        hierarchies=with_categories(hierarchies, categories, quasi),
        weight=target_weight,
        seconds=seconds,
        seed=seed,
    )
    row = engine.fresh(source.columns, "row")
    done = protect(engine.numbered(source, row), settings)
    made = done.table
    if values == "drawn":
        labels = {name: engine.fresh(source.columns, f"label_{number}") for number, name in enumerate(quasi)}
        made = cell_values.as_values(made, source, done.hierarchies, labels, np.random.default_rng(seed))
    ordered = made.order_by(row).select(*source.columns)
    if values == "midpoints":
        ordered = engine.table(midpoints.of(engine.arrow(ordered), quasi))
    return replace(done, table=engine.like(ordered, table))


def protect(table: Table, settings: Settings, request: Request | None = None) -> Anonymized[Table]:
    """Recode an Ibis table; the result is one, too, with its rows in any order.

    In suppressed rows that are too few, sensitive and kept columns are emptied. `request` is the table as the settings
    want it searched, where that has been made already.
    """
    request = request or settings.request_for(table)
    made = _recode(request, settings.recode)
    combinations = request.combinations
    blank = [*settings.sensitive, *settings.keep] if _too_few_gone(request, made.gone) else []
    rows = int(combinations.counts[made.gone].sum())
    return Anonymized(
        table=released_rows.released(table, combinations, made, blank),
        levels=made.levels,
        suppressed=rows / combinations.rows,
        suppressed_rows=rows,
        loss=made.loss,
        k=smallest_class(combinations, made),
        proven=made.proven,
        loss_if_listed=loss_if_listed(request, made),
        method=_method(settings, made),
        one_outcome=one_outcome(combinations, made, settings.targets),
        changes=reasons.explain(request, made),
        hierarchies=made.hierarchies,
        recoding=made,
    )


def _method(settings: Settings, made: Recoding) -> str:
    """The one that was taken."""
    if settings.known is not None:
        return "as before"
    if settings.method in ("arx", "stinar", "stinar-printed"):
        return settings.method
    return "local" if made.labels else "full-domain"


def _recode(request: Request, method: Recode) -> Recoding:
    """The method's recoding; where emptied rows leave the whole table, t speaks of what is left of it."""
    made, limits = method(request), request.limits
    for _ in range(MOST_TIGHTENINGS):
        if limits.t is None or not _too_few_gone(request, made.gone):
            break
        over = max(_farthest(request, made, name) for name in request.sensitive) - limits.t
        if over <= 0:
            break
        request = replace(request, limits=replace(request.limits, t=max(0.0, (request.limits.t or 0.0) - over - 1e-9)))
        made = method(request)
    return made


def _farthest(request: Request, made: Recoding, name: str) -> float:
    """t over the rows that are not suppressed, against those rows."""
    column, kept = request.combinations.other(name), ~made.gone
    counts = np.zeros((int(made.classes.max()) + 1, len(column.values)))
    np.add.at(counts, (made.classes[kept], column.codes[kept]), request.combinations.counts[kept])
    counts = counts[counts.sum(axis=1) > 0]
    return float(closeness(counts, ordered=is_ordered(column.values)).max()) if len(counts) else 0.0


def _too_few_gone(request: Request, gone: Array) -> bool:
    """Whether the suppressed rows, taken as one class of `*`, miss a limit themselves.

    An attacker who finds no class for a student of the table knows that they are among the suppressed.
    """
    if not gone.any():
        return False
    space = make_space(request.combinations, request.hierarchies, request.sensitive)
    return bool(space.failing(np.where(gone, 0, 1), 2, request.limits)[0])


def smallest_class(combinations: Combinations, made: Recoding) -> int:
    kept = ~made.gone
    if not kept.any():
        return 0
    sizes = np.bincount(made.classes[kept], weights=combinations.counts[kept])
    return int(sizes[sizes > 0].min())


def loss_if_listed(request: Request, made: Recoding) -> float:
    """The loss of the same classes, were every cell a list of the values that occur: what safe labels are paid with."""
    rows = request.combinations.counts
    classes, lost = np.unique(made.classes, return_inverse=True)[1].reshape(-1), made.gone.astype(float)
    for column in request.combinations.quasi:
        size, values = int(classes.max()) + 1, len(column.values)
        pairs = np.unique(classes[~made.gone].astype(np.int64) * values + column.codes[~made.gone])
        listed = np.bincount(pairs // values, minlength=size)
        whole = max(len(request.hierarchies[column.name].leaves) - 1, 1)
        share = np.where(made.gone, 0.0, np.maximum(listed - 1, 0)[classes] / whole)
        lost = lost + np.where(made.gone, 0.0, share / len(request.combinations.quasi))
    return float(lost @ rows / rows.sum())


def one_outcome(combinations: Combinations, made: Recoding, targets: Sequence[str]) -> dict[str, float]:
    """The share of students whose class holds one outcome only: to find the class is to know the outcome."""
    groups = np.where(made.gone, made.classes.max() + 1, made.classes)
    sizes = np.bincount(groups, weights=combinations.counts)
    varies = np.zeros(sizes.size, bool)
    for total, square in zip(combinations.sums, combinations.squares, strict=True):
        s, sq = np.bincount(groups, weights=total), np.bincount(groups, weights=square)
        varies |= sq - s * s / np.maximum(sizes, 1) > 1e-9 * np.maximum(sq, 1)
    share = float(sizes[~varies].sum() / sizes.sum())
    return {", ".join(targets): share} if targets else {}
