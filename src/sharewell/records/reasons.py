"""Why a column was coarsened: a sentence for each, from what to what, and why it and not another."""

from dataclasses import dataclass

import numpy as np

from sharewell.records import kernels
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.space import PRIOR, Node, Space, evaluate, make_space
from sharewell.records.task import Recoding, Task
from sharewell.results import Change


def explain(task: Task, made: Recoding) -> tuple[Change, ...]:
    changes = _by_region(task, made) if made.labels else _by_level(task, made)
    gone = int(task.combinations.counts[made.gone].sum())
    if gone:
        reason = f"too few students look like them to meet {task.limits}, and coarsening further would cost more"
        changes.append(Change(column="all quasi columns", what="rows with nothing but *", reason=reason, cells=gone))
    return tuple(changes)


@dataclass(frozen=True, kw_only=True)
class _Without:
    """What would happen if one column were a level finer and all else stayed."""

    rows: int  # that would have to be suppressed
    allowed: int


def _by_level(task: Task, made: Recoding) -> list[Change]:
    space = make_space(task.combinations, made.hierarchies, task.sensitive)
    node = tuple(made.levels.values())
    explained = _explained_by_column(space)
    changes = []
    for number, (name, level) in enumerate(made.levels.items()):
        hierarchy = made.hierarchies[name]
        if level == 0 and hierarchy.is_plain:
            continue
        reason = _reason(_finer(space, task, node, number), explained, number, node, space)
        changes.append(Change(column=name, what=_from_to(hierarchy, level), reason=reason, cells=space.rows))
    return changes


def _from_to(hierarchy: Hierarchy, level: int) -> str:
    values, groups = len(hierarchy.leaves), len(hierarchy.labels[level])
    if level == hierarchy.height:
        return f"{values} values hidden behind *"
    return f"from {values} values to {groups} groups (level {level} of {hierarchy.height})"


def _finer(space: Space, task: Task, node: Node, column: int) -> _Without | None:
    if node[column] == 0:
        return None
    finer = (*node[:column], node[column] - 1, *node[column + 1 :])
    verdict = evaluate(space, finer, task.limits)
    return _Without(rows=verdict.rows, allowed=task.limits.most_suppressed(space.rows))


def _reason(without: _Without | None, explained: np.ndarray | None, column: int, node: Node, space: Space) -> str:
    parts = []
    if without is None:
        parts.append("this is as far as it had to be coarsened by itself")
    elif without.rows > without.allowed:
        parts.append(
            f"one level finer, {without.rows:,} students would be too recognisable (at most {without.allowed:,} "
            "rows may be suppressed)"
        )
    else:
        parts.append("one level finer would be allowed here, but suppresses rows that cost more than it gains")
    if explained is not None:
        rank = 1 + int((explained > explained[column]).sum())
        kept = [space.columns[c] for c in np.argsort(-explained, kind="stable") if node[c] < space.heights[c]][:3]
        parts.append(
            f"it ranks {rank} of {len(node)} in what it alone tells about the target; "
            + (f"the detail goes to {', '.join(kept)}" if kept else "no column could keep detail")
        )
    else:
        spared = [space.columns[c] for c in range(len(node)) if node[c] == 0][:3]
        others = f"; keeping {', '.join(spared)} in full loses less overall" if spared else ""
        parts.append("of all choices tried, this one loses the least detail" + others)
    return "; ".join(parts)


def _explained_by_column(space: Space) -> np.ndarray | None:
    """How much of the outcomes each column explains on its own; None without outcomes."""
    if space.sums.shape[0] == 0:
        return None
    shares = []
    for column in range(len(space.columns)):
        ids = np.ascontiguousarray(space.codes[column].astype(np.int32))
        classes = int(space.widths[column])
        wrong = np.zeros(classes, np.uint8)
        left = kernels.unexplained(ids, classes, wrong, space.counts, space.sums, space.squares, PRIOR)
        shares.append(1 - left)
    return np.array(shares)


def _by_region(task: Task, made: Recoding) -> list[Change]:
    """Local recoding: how wide the published ranges and sets are on average."""
    counts = task.combinations.counts
    changes = []
    for column in task.combinations.quasi:
        labels = made.labels[column.name]
        originals = [column.values[code] for code in column.codes]
        wider = np.array([label != value for label, value in zip(labels, originals, strict=True)])
        if wider.any():
            changes.append(_region_change(column.name, wider, counts, len(set(labels)), len(column.values), task))
    return changes


def _region_change(name: str, wider: np.ndarray, counts: np.ndarray, labels: int, values: int, task: Task) -> Change:
    cells = int(counts[wider].sum())
    aim = "the target" if task.weight > 0 and task.combinations.sums.shape[0] else "the cells"
    reason = (
        f"every group of students must meet {task.limits}; the groups were cut where a cut tells most about {aim}, "
        "and this column took what was left"
    )
    what = (
        f"{values} values published as {labels} ranges or sets, {cells / counts.sum():.0%} of cells wider than before"
    )
    return Change(column=name, what=what, reason=reason, cells=cells)
