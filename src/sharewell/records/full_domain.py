"""Full-domain recoding: one level for each column, the same for all rows."""

import time

from sharewell.records import kernels, lattice
from sharewell.records.annealing import Budget
from sharewell.records.diversity import Limits
from sharewell.records.guidance import guide
from sharewell.records.lattice import Found
from sharewell.records.space import PRIOR, Aim, Node, Space, evaluate, make_space
from sharewell.records.task import Recoding, Task, at_levels

OUTCOME_SHARE = 0.4  # of the time: how well can the outcomes be kept at all?


def recode(task: Task) -> Recoding:
    space = make_space(guide(task), task.hierarchies, task.sensitive)
    if task.weight > 0 and space.sums.shape[0]:
        found = guided(space, task)
    else:
        found = lattice.search(space, task.limits, seconds=task.seconds, seed=task.seed)
    levels, classes, gone = at_levels(space, task.hierarchies, found.best.node, task.limits)
    return Recoding(
        classes=classes,
        gone=gone,
        loss=found.best.loss,
        proven=found.proven,
        hierarchies=task.hierarchies,
        levels=levels,
        evaluated=found.evaluated,
    )


def guided(space: Space, task: Task) -> Found:
    """Keep what predicts the outcomes, and as much of the rest as the limits allow.

    First the levels whose classes explain the outcomes best, whatever else is lost; then the least loss, with every
    step away from that best explanation weighed against it.
    """
    limits, sharp = task.limits, Aim(weight=1.0)
    budget = Budget(OUTCOME_SHARE * task.seconds, time.monotonic())
    start = lattice.descend(space, limits, sharp, budget)
    first = evaluate(space, start.best.node, limits, sharp)
    explained, tried = lattice.near(space, limits, sharp, first, budget=budget, seed=task.seed)
    aim = Aim(weight=task.weight, best=left_unexplained(space, explained.node, limits))
    second = evaluate(space, explained.node, limits, aim)
    budget = Budget((1 - OUTCOME_SHARE) * task.seconds, time.monotonic())
    best, more = lattice.near(space, limits, aim, second, budget=budget, seed=task.seed + 1)
    return Found(best=best, proven=False, evaluated=start.evaluated + tried + more)


def left_unexplained(space: Space, node: Node, limits: Limits) -> float:
    """What the classes of a node leave open of the outcomes: 1 is as little as the overall mean tells."""
    ids, classes = space.classes(node)
    wrong = space.faults(ids, classes, limits)
    return float(kernels.unexplained(ids, classes, wrong, space.counts, space.sums, space.squares, PRIOR))
