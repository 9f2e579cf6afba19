"""Full-domain recoding: one level for each column, the same for all rows."""

from itertools import product

from sharewell.errors import Refused
from sharewell.records.protection import lattice
from sharewell.records.protection.annealing import PACE, Budget
from sharewell.records.protection.lattice import Optimum
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recoding, Request, at_levels
from sharewell.records.protection.search_space import Aim, Space, evaluate, make_space

OUTCOME_SHARE = 0.4  # of the time: how well can the outcomes be kept at all?


def recode(request: Request) -> Recoding:
    request = guided(request)
    space = make_space(request.aim, request.hierarchies, request.sensitive)
    if request.weight > 0 and space.sums.shape[0]:
        found = search_for_outcomes(space, request)
    else:
        found = lattice.search(space, request.limits, seconds=request.seconds, seed=request.seed)
    levels, classes, gone = at_levels(space, request.hierarchies, found.best.node, request.limits)
    return Recoding(
        classes=classes,
        gone=gone,
        loss=found.best.loss,
        proven=found.proven,
        hierarchies=request.hierarchies,
        levels=levels,
        evaluated=found.evaluated,
    )


def search_for_outcomes(space: Space, request: Request) -> Optimum:
    """Keep what predicts the outcomes, and as much of the rest as the limits allow.

    First the levels whose classes explain the outcomes best, whatever else is lost; then the least loss, with every
    step away from that best explanation weighed against it.
    """
    limits, sharp = request.limits, Aim(weight=1.0)
    if space.size * space.counts.size <= request.seconds * PACE:
        return every_node(space, request)
    budget = Budget(OUTCOME_SHARE * request.seconds)
    start = lattice.descend(space, limits, sharp, budget)
    first = evaluate(space, start.best.node, limits, sharp)
    explained, tried = lattice.near(space, limits, sharp, first, budget=budget, seed=request.seed)
    aim = Aim(weight=request.weight, best=evaluate(space, explained.node, limits, sharp).value)
    second = evaluate(space, explained.node, limits, aim)
    budget = Budget((1 - OUTCOME_SHARE) * request.seconds)
    best, more = lattice.near(space, limits, aim, second, budget=budget, seed=request.seed + 1)
    return Optimum(best=best, proven=False, evaluated=start.evaluated + tried + more)


def every_node(space: Space, request: Request) -> Optimum:
    """A small lattice: look at all nodes, and take the best."""
    limits, sharp = request.limits, Aim(weight=1.0)
    nodes = product(*(range(height + 1) for height in space.top))
    looked = [evaluate(space, node, limits, sharp) for node in nodes]
    fine = [verdict for verdict in looked if verdict.feasible]
    if not fine:
        raise Refused(f"even with every quasi column hidden, {space.rows} rows cannot meet {limits}")
    aim = Aim(weight=request.weight, best=min(verdict.value for verdict in fine))
    best = min(fine, key=lambda verdict: aim.value(verdict.loss, verdict.value))
    return Optimum(best=best, proven=True, evaluated=len(looked))
