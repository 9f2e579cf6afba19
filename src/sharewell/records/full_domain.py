"""Full-domain recoding: one level for each column, the same for all rows."""

from itertools import product

from sharewell.errors import Refused
from sharewell.records import kernels, lattice
from sharewell.records.annealing import PACE, Budget, compile_kernels
from sharewell.records.diversity import Limits
from sharewell.records.guidance import guided
from sharewell.records.lattice import Found
from sharewell.records.space import PRIOR, Aim, Node, Space, evaluate, make_space
from sharewell.records.task import Recoding, Task, at_levels

OUTCOME_SHARE = 0.4  # of the time: how well can the outcomes be kept at all?


def recode(task: Task) -> Recoding:
    task = guided(task)
    space = make_space(task.aim, task.hierarchies, task.sensitive)
    if task.weight > 0 and space.sums.shape[0]:
        found = search_for_outcomes(space, task)
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


def search_for_outcomes(space: Space, task: Task) -> Found:
    """Keep what predicts the outcomes, and as much of the rest as the limits allow.

    First the levels whose classes explain the outcomes best, whatever else is lost; then the least loss, with every
    step away from that best explanation weighed against it.
    """
    limits, sharp = task.limits, Aim(weight=1.0)
    if space.size * space.counts.size <= task.seconds * PACE:
        return every_node(space, task)
    compile_kernels(space, limits)
    budget = Budget(OUTCOME_SHARE * task.seconds)
    start = lattice.descend(space, limits, sharp, budget)
    first = evaluate(space, start.best.node, limits, sharp)
    explained, tried = lattice.near(space, limits, sharp, first, budget=budget, seed=task.seed)
    aim = Aim(weight=task.weight, best=left_unexplained(space, explained.node, limits))
    second = evaluate(space, explained.node, limits, aim)
    budget = Budget((1 - OUTCOME_SHARE) * task.seconds)
    best, more = lattice.near(space, limits, aim, second, budget=budget, seed=task.seed + 1)
    return Found(best=best, proven=False, evaluated=start.evaluated + tried + more)


def every_node(space: Space, task: Task) -> Found:
    """A small lattice: look at all nodes, and take the best."""
    limits, sharp = task.limits, Aim(weight=1.0)
    nodes = product(*(range(height + 1) for height in space.top))
    looked = [evaluate(space, node, limits, sharp) for node in nodes]
    fine = [verdict for verdict in looked if verdict.feasible]
    if not fine:
        raise Refused(f"even with every quasi column hidden, {space.rows} rows cannot meet {limits}")
    aim = Aim(weight=task.weight, best=min(verdict.value for verdict in fine))
    best = min(fine, key=lambda verdict: aim.value(verdict.loss, verdict.value))
    return Found(best=best, proven=True, evaluated=len(looked))


def left_unexplained(space: Space, node: Node, limits: Limits) -> float:
    """What the classes of a node leave open of the outcomes: 1 is as little as the overall mean tells."""
    ids, classes = space.classes(node)
    wrong = space.faults(ids, classes, limits)
    return float(kernels.unexplained(ids, classes, wrong, space.counts, space.sums, space.squares, PRIOR))
