"""Why a column was coarsened: a sentence for each, from what to what, and why it and not another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sharewell import disclosure
from sharewell.contract import Change, Count
from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.limits import Limits
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.search_space import Node, Space, evaluate, make_space


def explain(request: Request, made: Recoding) -> tuple[Change, ...]:
    again = bool(made.labels) and made.tree is None
    changes = _as_before(request) if again else _by_region(request, made) if made.labels else _by_level(request, made)
    gone = int(request.combinations.counts[made.gone].sum())
    if gone:
        reason = f"too few students look like them to meet {request.limits}, and coarsening further would cost more"
        if again:
            reason = "nobody in the earlier release looked like them: they are suppressed"
        every = tuple(column.name for column in request.combinations.quasi)
        detail = "rows with nothing but *"
        changes.append(Change(columns=every, action="suppressed", detail=detail, reason=reason, cells=Count(gone)))
    return tuple(changes)


def of_students(
    hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int], left_out: int, limits: Limits
) -> Iterator[Change]:
    """Several rows per student: which columns got coarser, and how many students were left out."""
    why = f"a student must look like others in all their rows together to meet {limits}"
    for name, level in levels.items():
        if level:
            detail = _from_to(hierarchies[name], level)
            yield Change(columns=(name,), action="coarsened", detail=detail, reason=why)
    if left_out:
        detail = f"{_some(left_out)} students left out with all their rows"
        yield Change(columns=tuple(levels), action="suppressed", detail=detail, reason=why)


@dataclass(frozen=True, kw_only=True)
class _Without:
    """What would happen if one column were a level finer and all else stayed."""

    rows: int  # that would have to be suppressed
    allowed: int


def _by_level(request: Request, made: Recoding) -> list[Change]:
    space = make_space(request.combinations, made.hierarchies, request.sensitive)
    node = tuple(made.levels.values())
    explained = _explained_by_column(space)
    changes = []
    for number, (name, level) in enumerate(made.levels.items()):
        hierarchy = made.hierarchies[name]
        if level == 0 and hierarchy.is_plain:
            continue
        reason = _reason(_finer(space, request, node, number), explained, number, node, space)
        detail, cells = _from_to(hierarchy, level), Count(space.rows)
        changes.append(Change(columns=(name,), action="coarsened", detail=detail, reason=reason, cells=cells))
    return changes


def _from_to(hierarchy: Hierarchy, level: int) -> str:
    values, groups = len(hierarchy.leaves), len(hierarchy.labels[level])
    if level == hierarchy.height:
        return f"{values} values hidden"
    return f"from {values} values to {groups} groups (level {level} of {hierarchy.height})"


def _finer(space: Space, request: Request, node: Node, column: int) -> _Without | None:
    if node[column] == 0:
        return None
    finer = (*node[:column], node[column] - 1, *node[column + 1 :])
    verdict = evaluate(space, finer, request.limits)
    return _Without(rows=verdict.rows, allowed=request.limits.most_suppressed(space.rows))


def _reason(without: _Without | None, explained: Array | None, column: int, node: Node, space: Space) -> str:
    parts = []
    if without is None:
        parts.append("this is as far as it had to be coarsened by itself")
    elif without.rows > without.allowed:
        parts.append(
            f"one level finer, {_some(without.rows)} students would be too recognisable (at most {without.allowed:,} "
            "rows may be suppressed)"
        )
    else:
        parts.append("one level finer would be allowed here, but suppresses rows that cost more than it gains")
    if explained is not None:
        parts.append(_beside(explained, column, node, space))
    else:
        spared = [space.columns[c] for c in range(len(node)) if node[c] == 0][:3]
        others = f"; keeping {', '.join(spared)} in full loses less overall" if spared else ""
        parts.append("of all choices tried, this one loses the least detail" + others)
    return "; ".join(parts)


def _some(rows: int) -> str:
    return disclosure.UNDER if disclosure.is_few(rows) else f"{rows:,}"


def _beside(explained: Array, column: int, node: Node, space: Space) -> str:
    """What the column explains of the target, beside those that keep detail."""
    kept = [space.columns[c] for c in np.argsort(-explained, kind="stable") if node[c] < space.heights[c]][:3]
    rest = f"the detail goes to {', '.join(kept)}" if kept else "no column could keep detail"
    if explained[column] <= 0:
        return f"alone it explains nothing reliable of the target; {rest}"
    rank = 1 + int((explained > explained[column]).sum())
    return f"alone it explains {explained[column]:.0%} of the target, rank {rank} of {len(node)}; {rest}"


def _explained_by_column(space: Space) -> Array | None:
    """How much of the outcomes each column explains on its own; None without outcomes."""
    if space.sums.shape[0] == 0:
        return None
    shares = []
    for column in range(len(space.columns)):
        ids = np.ascontiguousarray(space.codes[column])
        shares.append(1 - kernels.unexplained(ids, int(space.widths[column]), space.counts, space.sums, space.squares))
    return np.array(shares)


def _as_before(request: Request) -> list[Change]:
    """The recoding of an earlier release."""
    detail = "the same cells as in the earlier release"
    reason = "groups that overlap with earlier ones could be intersected"
    names = [column.name for column in request.combinations.quasi]
    return [Change(columns=(name,), action="coarsened", detail=detail, reason=reason) for name in names]


def _by_region(request: Request, made: Recoding) -> list[Change]:
    """Local recoding: how many cells got wider, and how often a group of students was cut by the column."""
    counts = request.combinations.counts
    cuts = np.bincount(made.tree.column_of[made.tree.column_of >= 0], minlength=len(request.combinations.quasi))
    changes = []
    for number, column in enumerate(request.combinations.quasi):
        labels = made.labels[column.name]
        originals = [column.values[code] for code in column.codes]
        wider = np.array([label != value for label, value in zip(labels, originals, strict=True)])
        if wider.any():
            share = counts[wider].sum() / counts.sum()
            detail = f"{len(column.values)} values published as ranges, bands or groups; {share:.0%} of cells got wider"
            reason = _region_reason(request, int(cuts[number]), int(cuts.sum()), 1 + int((cuts > cuts[number]).sum()))
            cells = Count(counts[wider].sum())
            changes.append(
                Change(columns=(column.name,), action="coarsened", detail=detail, reason=reason, cells=cells)
            )
    return changes


def _region_reason(request: Request, cuts: int, total: int, rank: int) -> str:
    guided = request.weight > 0 and request.combinations.sums.shape[0] > 0
    aim = "explains most of the target and narrows the cells" if guided else "narrows the cells most"
    spent = f"{cuts} of {total} cuts fell on this column (rank {rank})" if cuts else "no cut fell on this column"
    return f"students were divided where a cut {aim}, as long as every group meets {request.limits}; {spent}"
