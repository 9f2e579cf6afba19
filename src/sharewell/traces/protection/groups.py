"""Form groups of k students with like activity, who are given the same rows.

Microaggregation by maximum distance to average vector (Domingo-Ferrer and Torra 2005, MDAV-generic), then exchanges of
members while that brings them nearer to their group's mean. Students are compared by square roots of events per day
and per week, so that quiet students count beside busy ones.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from sharewell.errors import Refused
from sharewell.plan.windows import parse
from sharewell.stats.compiled import njit
from sharewell.traces.arrays import Array
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log
from sharewell.traces.protection.recoding import Recoding

LARGEST_PART = 1_000  # students among whom groups are formed at a time
DIMENSIONS = 64  # principal components by which students are compared
PASSES = 10  # rounds of exchanges
NOBODY = -1  # the group of a student who is left out


@dataclass(frozen=True, kw_only=True)
class Balance:
    """State what groups must not reveal: numbers per student, and their weight.

    Groups are formed of students who act alike and differ in this, so that each group has it as the whole course has:
    t-closeness (Li, Li and Venkatasubramanian 2007) by exchanges of members.
    """

    values: Array
    weight: float


def formed(
    base: Log, k: int, strata: Array, balance: Balance | None = None, near: sparse.csr_matrix | None = None
) -> Array:
    """Assign students to groups of at least k; NOBODY in strata of fewer.

    `base` holds whole seconds; `strata` numbers the students who may be in one group (same course), and those who are
    to be in none are NOBODY there. `near` is what makes students alike, their events per day and week if not given.
    """
    features = _features(base) if near is None else near
    group, first = np.full(base.students, NOBODY, np.int64), 0
    for stratum in np.unique(strata[strata != NOBODY]):
        members = np.flatnonzero(strata == stratum)
        if len(members) < k:
            continue
        for part in _parts(features, members, k):
            spread = None if balance is None else replace(balance, values=balance.values[part])
            numbers = _grouped(features[part].toarray(), k, spread)
            group[part] = numbers + first
            first += int(numbers.max()) + 1
    return group


def formed_as_before(
    base: Log,
    k: int,
    strata: Array,
    earlier: Mapping[str, int],
    balance: Balance | None = None,
    near: sparse.csr_matrix | None = None,
) -> Array:
    """Use groups of an earlier release again, each whole or not at all.

    Groups formed anew would be intersected with those of before: in both a student has fewer companions than in each.
    A group from which somebody left would tell, by what its mean was before and is now, what that student did. So
    would those who are left of it in a group of their own: those left out before stay out.
    """
    known = [str(who) for who in base.ids.to_pylist()]
    before = np.array([earlier.get(who, NOBODY) for who in known], np.int64)
    sizes = Counter(earlier.values())
    new = np.array([who not in earlier for who in known], bool)
    newcomers = formed(base, k, np.where(new, strata, NOBODY), balance, near)
    group, first = newcomers, int(newcomers.max(initial=NOBODY)) + 1
    for one in np.unique(before[before != NOBODY]):
        members = np.flatnonzero(before == one)
        if members.size == sizes[int(one)] >= k and np.unique(strata[members]).size == 1:
            group[members], first = first, first + 1
    return group


def check_used_again(*, known: int, largest: int, k: int) -> None:
    """Refuse earlier groups of other students, or with none as large as k."""
    if not known:
        raise Refused("the groups of the earlier release are of other students: `recoding` names another file's")
    if largest < k:
        raise Refused(
            f"no group of the earlier release has the {k} students that the limits ask for now, and groups formed anew "
            "could be intersected with it: keep its limits, or recall it and release under a fresh key"
        )


def _features(base: Log) -> sparse.csr_matrix:
    """Square roots of events per day and per week, one row per student."""
    parts = []
    for scale in ("1d", "1w"):
        log = view(base, Recoding(window=parse(scale), dropped=base.also))
        roots = np.sqrt(log.events).astype(np.float32)
        parts.append(sparse.csr_matrix((roots, (log.owners, log.points)), shape=(log.students, len(log.keys))))
    return sparse.hstack(parts, format="csr")


def _parts(features: sparse.csr_matrix, members: Array, k: int) -> list[Array]:
    """Halve students across their leading direction until each part is small."""
    if len(members) <= max(LARGEST_PART, 2 * k):
        return [members]
    rows = features[members]
    direction = np.ones(rows.shape[1], np.float64)
    for _ in range(8):  # power iteration on the centred rows
        along = rows @ direction
        direction = rows.T @ (along - along.mean())
        direction /= np.linalg.norm(direction) or 1.0
    order = np.argsort(rows @ direction, kind="stable")
    half = len(order) // 2
    return [*_parts(features, members[order[:half]], k), *_parts(features, members[order[half:]], k)]


def _grouped(rows: Array, k: int, balance: Balance | None) -> Array:
    """Groups of one part, numbered from 0."""
    near = _components(rows)
    group = _mdav(near, k)
    apart = np.empty((len(rows), 0)) if balance is None else _weighted(balance, near)
    signs = np.repeat([1.0, -1.0], [near.shape[1], apart.shape[1]])
    _exchange(np.ascontiguousarray(np.hstack([near, apart])), signs, group, int(group.max()) + 1, PASSES)
    return group


def _weighted(balance: Balance, near: Array) -> Array:
    """Centre what is balanced and scale it to the weight."""
    values = balance.values - balance.values.mean(axis=0)
    return np.asarray(values * np.sqrt(balance.weight * near.var(axis=0).sum() / max(values.var(axis=0).sum(), 1e-12)))


def _components(rows: Array) -> Array:
    """Compute the leading principal components from the smaller product matrix."""
    centred = (rows - rows.mean(axis=0)).astype(np.float64)
    if rows.shape[1] < rows.shape[0]:  # days and weeks of a term: a hundredth of the work of as many students
        return np.ascontiguousarray(centred @ _leading(centred.T @ centred)[1])
    values, vectors = _leading(centred @ centred.T)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _leading(products: Array) -> tuple[Array, Array]:
    """Return the largest eigenvalues with their vectors, largest first."""
    last = len(products) - 1
    values, vectors = eigh(products, subset_by_index=(max(0, last + 1 - DIMENSIONS), last))
    return values[::-1], vectors[:, ::-1]


def _mdav(rows: Array, k: int) -> Array:
    """Group by MDAV-generic: the two farthest students take their k − 1 nearest."""
    group, left, number = np.full(len(rows), NOBODY, np.int64), np.arange(len(rows)), 0
    while len(left) >= 2 * k:
        far = left[np.argmax(_distances(rows, left, rows[left].mean(axis=0)))]
        for centre in (far, None):
            if len(left) < 2 * k:
                break
            centre = left[np.argmax(_distances(rows, left, rows[far]))] if centre is None else centre
            near = left[np.argsort(_distances(rows, left, rows[centre]), kind="stable")[:k]]
            group[near], number = number, number + 1
            left = left[group[left] == NOBODY]
    group[left] = number
    return group


def _distances(rows: Array, some: Array, centre: Array) -> Array:
    return np.asarray(((rows[some] - centre) ** 2).sum(axis=1))


@njit(cache=True)
def _exchange(rows: Array, signs: Array, group: Array, groups: int, passes: int) -> None:
    """Swap two students wherever the signed distances to group means fall."""
    sums, sizes = np.zeros((groups, rows.shape[1])), np.zeros(groups)
    for student in range(group.size):
        sums[group[student]] += rows[student]
        sizes[group[student]] += 1
    for _ in range(passes):
        improved = False
        for one in range(group.size):
            for other in range(one + 1, group.size):
                a, b = group[one], group[other]
                if a == b:
                    continue
                gain_a = gain_b = 0.0
                for axis in range(rows.shape[1]):
                    step = rows[other, axis] - rows[one, axis]
                    gain_a += signs[axis] * step * (2 * sums[a, axis] + step)
                    gain_b -= signs[axis] * step * (2 * sums[b, axis] - step)
                if gain_a / sizes[a] + gain_b / sizes[b] > 1e-6:
                    sums[a] += rows[other] - rows[one]
                    sums[b] -= rows[other] - rows[one]
                    group[one], group[other] = b, a
                    improved = True
        if not improved:
            break
