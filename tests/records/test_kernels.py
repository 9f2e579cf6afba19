"""Compiled loops of records beside the same in plain numpy."""

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records import Limits, kernels
from sharewell.records.arrays import Array
from sharewell.records.protection import annealing, local, local_cuts
from sharewell.records.protection.recoding import Request
from sharewell.records.protection.search_space import Aim, Space, evaluate, make_space
from sharewell.records.protection.settings import Settings
from sharewell.records.protection.trimming import Start
from sharewell.records.public_labels import labels_of

SEEDS = range(6)


def request(seed: int, limits: Limits | None = None) -> Request:
    """Skewed columns, numbers and categories, with a sensitive column and an outcome that follow them."""
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(60, 200))
    columns = {
        "age": np.minimum(18 + draw.poisson(3, rows), 30),
        "town": np.array(["a", "b", "c", "d"])[draw.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05])],
        "year": draw.integers(1, 5, rows),
    }
    mark = np.clip(columns["age"] - 15 + draw.integers(-2, 3, rows), 1, 6)
    table = pa.table({**columns, "mark": mark, "passed": (mark > 3).astype(float) + draw.random(rows)})
    settings = Settings(
        limits=limits or Limits(k=3), quasi=tuple(columns), sensitive=("mark",), targets=("passed",), seed=seed
    )
    return settings.request_for(engine.table(table))


def space_of(asked: Request) -> Space:
    return make_space(asked.combinations, asked.hierarchies, asked.sensitive)


def plain_unexplained(ids: Array, counts: Array, sums: Array, squares: Array) -> float:
    groups = np.eye(ids.max() + 1)[ids].T
    n, shares = groups @ counts, []
    for s, q in zip(sums @ groups.T, squares @ groups.T, strict=True):
        mean = s.sum() / counts.sum()
        a, b = n + kernels.PRIOR, s + kernels.PRIOR * mean
        error = (a**2 * q - 2 * a * b * s + n * b**2)[n > 0] / (a - 1)[n > 0] ** 2
        shares.append(error.sum() / (q.sum() - counts.sum() * mean**2))
    return float(np.mean(shares))


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_are_numbered_in_order_of_first_sight(seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, 40, 300).astype(np.uint64) * np.uint64(2**57)
    ids = np.empty(300, np.int32)
    count = kernels.classify(keys, ids, kernels.scratch(300))
    seen = {key: number for number, key in enumerate(dict.fromkeys(keys.tolist()))}
    assert count == len(seen) and ids.tolist() == [seen[key] for key in keys.tolist()]


@pytest.mark.parametrize("ordered", [False, True])
def test_distance_is_that_of_earth_movers(ordered: bool) -> None:
    draw = np.random.default_rng(1)
    counts, whole = draw.integers(0, 9, 7), draw.dirichlet(np.ones(7))
    gap = counts / counts.sum() - whole
    far = np.abs(np.cumsum(gap)).sum() / 6 if ordered else np.abs(gap).sum() / 2
    assert kernels.distance(counts, whole, 7, ordered) == pytest.approx(far)


@pytest.mark.parametrize("limits", [Limits(k=3), Limits(k=2, l=2), Limits(k=2, l=2, t=0.4)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_node_suppresses_and_costs_what_numpy_says(seed: int, limits: Limits) -> None:
    space = space_of(request(seed, limits))
    for node in (tuple(0 for _ in space.columns), tuple(min(1, int(h)) for h in space.heights), space.top):
        ids, classes = space.classes(node)
        gone, few = (space.failing(ids, classes, one)[ids] for one in (limits, Limits(k=limits.k, l=limits.l)))
        costs = sum(
            space.costs[space.at(c, level)][codes]
            for c, (level, codes) in enumerate(zip(node, space.codes, strict=True))
        )
        found = kernels.assess_node(space.keys(node), np.array(node), space.ground(limits), True)
        left = plain_unexplained(np.where(gone, classes, ids), space.counts, space.sums, space.squares)
        assert found[:2] == (space.counts[gone].sum(), space.counts[few].sum())
        assert found[2:] == pytest.approx((space.counts[gone] @ (len(node) - costs)[gone], left))


def plain_walk(space: Space, limits: Limits, aim: Aim, node: Array, batch: annealing.Moves) -> tuple[Array, Array]:
    draw = np.random.RandomState(batch.seed)
    here = best = trial = np.array(node)
    value, least = np.inf, batch.least
    for move in range(batch.moves):
        if move:
            trial = here.copy()
            first, second = draw.randint(here.size), draw.randint(here.size)
            low, span = batch.lowest[first], space.heights[first] - batch.lowest[first]
            if span > 0:
                trial[first] = low + (here[first] - low + 1 + draw.randint(span)) % (span + 1)
                if draw.random_sample() >= 0.5 and second != first:
                    room = space.heights[second] - here[second], here[second] - batch.lowest[second]
                    if trial[first] < here[first] and room[0]:
                        trial[second] += 1 + draw.randint(room[0])
                    elif trial[first] > here[first] and room[1]:
                        trial[second] -= 1 + draw.randint(room[1])
        verdict = evaluate(space, tuple(int(level) for level in trial), limits, aim)
        if verdict.feasible and verdict.value < least:
            least, best = verdict.value, trial
        beyond = max(0, verdict.rows - limits.most_suppressed(space.rows))
        new = verdict.value + annealing.PRICE * beyond / space.rows
        if move == 0 or new < value or draw.random_sample() < np.exp((value - new) / batch.heat):
            value, here = new, trial
    return here, best


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_of_moves_ends_where_plain_ones_do(seed: int) -> None:
    limits = Limits(k=3, max_suppressed=0.05)
    space, aim = space_of(request(seed, limits)), Aim(weight=0.5, best=0.1)
    batch = annealing.Moves(np.zeros(3, np.int64), 0.05, 1.0, 60, 11 * seed)
    top = np.array(space.top, np.int64)
    end, best = annealing._moved(space, limits, aim, top, batch)
    here, least = plain_walk(space, limits, aim, top, batch)
    assert end.tolist() == here.tolist() and best == tuple(least)


def plain_cuts(
    cells: local_cuts.Cells, sought: local_cuts.Sought, region: Array, bounds: Array, thrift: float
) -> list[tuple[float, int, int, int]]:
    """Gain, column and ends of every cut, the largest gain first."""
    found, rows, guide = [], cells.counts[region], sought.guide
    for c, codes in enumerate(cells.codes[:, region]):
        wide, (low, high) = int(cells.places[c]), bounds[:, c]
        place = cells.place[cells.starts[c] + codes]
        cost = cells.cost[cells.cost_starts[c] :][: wide**2].reshape(wide, wide)
        nodes = slice(cells.node_starts[c], cells.node_starts[c + 1])
        spans = (
            [(low, last) for last in range(low, high)]
            if cells.ordered[c]
            else zip(cells.first[nodes], cells.last[nodes], strict=True)
        )
        for first, last in spans if low < high else ():
            left = (place >= first) & (place <= last)
            share = rows[left].sum() / rows.sum()
            if min(rows[left].sum(), rows[~left].sum()) < sought.k:
                continue
            rest = (last + 1, high) if first <= low else (low, first - 1) if last >= high else (low, high)
            ours = cost[max(first, low), min(last, high)]
            won = rows.sum() * cost[low, high] - rows[left].sum() * ours - rows[~left].sum() * cost[rest]
            explained = 0.0
            for sums, variance in zip(guide.sums[:, region], guide.variances, strict=True):
                parts = [(sums[side].sum(), rows[side].sum()) for side in (left, ~left, left | ~left)]
                squares = [s**2 / n for s, n in parts]
                explained += (squares[0] + squares[1] - squares[2]) / variance / sought.rows / len(guide.sums)
            gain = guide.weight * explained + (1 - guide.weight) * won / sought.rows / len(cells.codes)
            if won > 1e-9 and gain > 0:
                bits = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
                found.append((gain / bits**thrift, c, int(first), int(last)))
    return sorted(found, reverse=True)


def room_for(cells: local_cuts.Cells, guide: local_cuts.Guide) -> local_cuts.Room:
    most = int(cells.places.sum()) + cells.first.size
    wide = int(cells.places.max()) + 1
    return local_cuts.Room(
        rows=np.empty(wide, np.int64), sums=np.empty((len(guide.sums), wide)), cuts=np.empty((most, 3), np.int64),
        losses=np.empty(most), inside=np.empty(9, np.int64), moved=np.empty(cells.counts.size, np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("limits", [Limits(k=3), Limits(k=2, l=2, t=0.45)])
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_are_those_that_numpy_would_take(seed: int, limits: Limits) -> None:
    asked = request(seed, limits)
    space, labels = space_of(asked), [labels_of(one) for one in asked.hierarchies.values()]
    cells, secrets = local._cells(asked, space, labels), space.secrets(limits)
    guide = local_cuts.Guide(space.sums, local._variances(space), 0.5)
    sought = local_cuts.Sought(secrets, guide, limits.k, space.rows)
    everyone = np.arange(space.counts.size)
    bounds = np.array([[0] * 3, cells.places - 1], np.int32)
    cuts = partial(plain_cuts, cells, sought)

    room = room_for(cells, guide)
    found: Any = np.int64(0)
    for c in range(3):
        found = local_cuts._add_cuts(everyone, c, bounds, cells, sought, 0.5, room, found)
    expected = cuts(everyone, bounds, 0.5)
    order = np.argsort(room.losses[:found])
    assert np.allclose(-room.losses[order], [gain for gain, *_ in expected])

    def keeps(region: Array) -> bool:
        codes, held = space.sensitive[0][region], np.zeros(int(space.sensitive_sizes[0]), np.int64)
        np.add.at(held, codes, space.counts[region])
        far = kernels.distance(held, secrets.whole[0], held.size, bool(secrets.ordered[0]))
        return (held > 0).sum() >= secrets.l and (secrets.t < 0 or far <= secrets.t)

    def sides(region: Array, cut: tuple[float, int, int, int]) -> list[Array]:
        place = cells.place[cells.starts[cut[1]] + cells.codes[cut[1], region]]
        left = (place >= cut[2]) & (place <= cut[3])
        return [region[left], region[~left]]

    chance = local_cuts.Chance(0.0, seed, 0.5)
    chosen = local_cuts._choose_cut(everyone, bounds, cells, sought, chance, room)
    fine = [cut for cut in expected if all(map(keeps, sides(everyone, cut)))]
    assert fine[0][0] == pytest.approx(-room.losses[chosen]) if fine else chosen == -1

    leaf, tree, ends = local_cuts.grow(cells, secrets, guide, limits.k, Start(everyone, bounds), chance)
    for number in range(leaf.max() + 1):  # every region is whole, keeps the limits, and no cut of it does
        region = np.flatnonzero(leaf == number)
        assert space.counts[region].sum() >= limits.k and keeps(region)
        assert space.counts[region].sum() < 2 * limits.k or not [
            cut for cut in cuts(region, ends[number], 0.5) if all(map(keeps, sides(region, cut)))
        ]
    assert local_cuts.descend(cells.codes, tree).tolist() == leaf.tolist()
