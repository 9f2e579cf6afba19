"""Why a column was coarsened: a sentence for each, from what to what, and why it and not another."""

import numpy as np

from sharewell.records.task import Recoding, Task
from sharewell.results import Change


def explain(task: Task, made: Recoding) -> tuple[Change, ...]:
    rows = task.combinations.rows
    changes = [
        Change(
            column=name,
            what="hidden" if level == made.hierarchies[name].height else f"coarsened to level {level}",
            reason=f"so that at least {task.limits.k} students look alike",
            cells=rows,
        )
        for name, level in made.levels.items()
        if level
    ]
    gone = int(task.combinations.counts[made.gone].sum())
    if gone:
        reason = f"too few students look like them for {task.limits}"
        changes.append(Change(column="all quasi columns", what="suppressed rows: only *", reason=reason, cells=gone))
    return tuple(changes)


__all__ = ["explain", "np"]
