"""What two files have in common, as scores of every student of one against every student of the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import sparse

from sharewell.release.linkage.match import standardised
from sharewell.release.linkage.tells import Tells, ValueCounts
from sharewell.stats.arrays import Array

DAY, WEEK = 86_400, 7 * 86_400
MONDAY = 4 * DAY  # the first Monday after the epoch began
LEVELS = (("minute", 60, 0), ("hour", 3_600, 0), ("day", DAY, 0), ("week", WEEK, MONDAY))
MOST_COLUMNS = 400  # of a profile that are compared by counts: the commonest ones
OVERLAP = 0.5  # of the cells of one column that must occur in the other for the two to speak of the same things


@dataclass(frozen=True)
class Evidence:
    """One kind of evidence: its name in words, and the scores."""

    name: str
    scores: Array


@dataclass(frozen=True)
class Windows:
    """How times of a file are rounded: to multiples of `width` seconds from `start`, or to months."""

    width: int
    start: int
    monthly: bool = False

    def of(self, seconds: Array) -> Array:
        if self.monthly:
            return seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
        return (seconds - self.start) // self.width


def windows_of(seconds: Array) -> Windows:
    """The windows that a file was coarsened to, read off its times: the greatest step that all of them share."""
    distinct = np.unique(seconds)
    days = distinct.astype("datetime64[s]").astype("datetime64[D]")
    midnight = bool((distinct % DAY == 0).all())
    first_of_month = (days.astype("datetime64[M]").astype("datetime64[D]") == days).all()
    if midnight and first_of_month and distinct.size > 1:
        return Windows(28 * DAY, 0, monthly=True)
    step = int(np.gcd.reduce(np.diff(distinct))) if distinct.size > 1 else DAY
    return Windows(max(step, 1), int(distinct[0]) % max(step, 1))


def gathered(one: Tells, other: Tells) -> Iterator[Evidence]:
    """All evidence that needs no training, one kind after the other."""
    yield from by_time(one, other)
    yield from by_rhythm(one, other)
    yield from by_values(one, other)
    shared = sorted(one.numbers.keys() & other.numbers.keys())
    if shared:
        yield Evidence(
            "the same numbers", _near([one.numbers[name] for name in shared], [other.numbers[name] for name in shared])
        )


def by_time(one: Tells, other: Tells) -> Iterator[Evidence]:
    """Times aligned to the coarser of the two files; days and weeks beside them, where both files tell them."""
    for here, there in product(one.moments, other.moments):
        mine, theirs = one.moments[here], other.moments[there]
        if not (mine.value.size and theirs.value.size):
            continue
        for name, windows in _levels(windows_of(mine.value), windows_of(theirs.value)):
            sides = [_replaced(side, windows.of(side.value)) for side in (mine, theirs)]
            yield from _profiles(name, [(sides[0], one)], [(sides[1], other)])


def _levels(mine: Windows, theirs: Windows) -> Iterator[tuple[str, Windows]]:
    coarser = max((mine, theirs), key=lambda windows: windows.width)
    yield "the coarser windows", coarser
    for name, width, start in LEVELS:
        if width > coarser.width:
            yield f"{name}s", Windows(width, start)


def by_rhythm(one: Tells, other: Tells) -> Iterator[Evidence]:
    """Hour of day and day of week: what is left where whole calendars were moved."""
    for here, there in product(one.moments, other.moments):
        mine, theirs = one.moments[here], other.moments[there]
        if not (mine.value.size and theirs.value.size):
            continue
        width = max(windows_of(mine.value).width, windows_of(theirs.value).width)
        if width <= DAY:
            unit = 3_600 if width <= 3_600 else DAY
            sides = [_replaced(side, (side.value - MONDAY) % WEEK // unit) for side in (mine, theirs)]
            yield from _profiles("the rhythm of the week", [(sides[0], one)], [(sides[1], other)])


def by_values(one: Tells, other: Tells) -> Iterator[Evidence]:
    """Columns that speak of the same things, whatever they are called: their values occur in both files."""
    here: list[tuple[ValueCounts, Tells]] = []
    there: list[tuple[ValueCounts, Tells]] = []
    for left, right in product(one.values, other.values):
        mine, theirs = one.values[left], other.values[right]
        if _overlap(mine, theirs) >= OVERLAP:
            prefix = f"{len(here)}="
            here.append((_replaced(mine, np.char.add(prefix, mine.value)), one))
            there.append((_replaced(theirs, np.char.add(prefix, theirs.value)), other))
    if here:
        yield from _profiles("values that both files hold", here, there)


def _overlap(mine: ValueCounts, theirs: ValueCounts) -> float:
    """The share of cells whose value the other column knows; one value alone says nothing."""
    shared = np.intersect1d(mine.value, theirs.value)
    if shared.size < 2:
        return 0.0
    shares = [side.times[np.isin(side.value, shared)].sum() / side.times.sum() for side in (mine, theirs)]
    return float(max(shares))


def _replaced(counted: ValueCounts, value: Array) -> ValueCounts:
    return ValueCounts(counted.student, value, counted.times)


def _profiles(
    name: str, here: Sequence[tuple[ValueCounts, Tells]], there: Sequence[tuple[ValueCounts, Tells]]
) -> Iterator[Evidence]:
    """The same profile compared twice: which values a student has, weighed by rarity, and how often."""
    known = np.unique(np.concatenate([counted.value for counted, _ in (*here, *there)]))
    left, right = (_matrix(side, known) for side in (here, there))
    yield Evidence(f"{name}: which", _by_rarity(left, right))
    common = np.argsort(-np.asarray((left > 0).sum(axis=0)).ravel())[:MOST_COLUMNS]
    yield Evidence(f"{name}: how often", _by_counts(left[:, common].toarray(), right[:, common].toarray()))


def _matrix(sides: Sequence[tuple[ValueCounts, Tells]], known: Array) -> sparse.csr_matrix:
    students = sides[0][1].students.size
    student = np.concatenate([counted.student for counted, _ in sides])
    value = np.concatenate([np.searchsorted(known, counted.value) for counted, _ in sides])
    times = np.concatenate([counted.times for counted, _ in sides])
    return sparse.csr_matrix((times, (student, value)), shape=(students, known.size))


def _by_rarity(left: sparse.csr_matrix, right: sparse.csr_matrix) -> Array:
    """What both have counts by its rarity, and is set against all that each has (cosine)."""
    have = [(side > 0).astype(float) for side in (left, right)]
    share = (np.asarray(have[1].sum(axis=0)).ravel() + 1) / (right.shape[0] + 1)
    weight = sparse.diags(np.sqrt(-np.log(np.minimum(share, 1)) + 1e-3))
    scaled = [side @ weight for side in have]
    lengths = [np.sqrt(np.asarray(side.multiply(side).sum(axis=1)).ravel()) + 1e-12 for side in scaled]
    return np.asarray((scaled[0] @ scaled[1].T).toarray() / lengths[0][:, None] / lengths[1][None, :])


def _by_counts(left: Array, right: Array) -> Array:
    """Correlation of log counts, each column on one scale in either file."""
    return _correlated(np.log1p(left), np.log1p(right))


def _correlated(left: Array, right: Array) -> Array:
    sides = [_scaled(side) for side in (left, right)]
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) + 1e-12 for side in sides]
    return np.asarray((sides[0] / lengths[0]) @ (sides[1] / lengths[1]).T)


def _scaled(side: Array) -> Array:
    spread = side.std(axis=0)
    return np.asarray((side - side.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0))


def _near(here: Sequence[Array], there: Sequence[Array]) -> Array:
    """Closeness over several numbers, each by its rank within its own file; a missing number says nothing."""
    total = np.zeros((here[0].size, there[0].size))
    for mine, theirs in zip(here, there, strict=True):
        gap = np.abs(ranks(mine)[:, None] - ranks(theirs)[None, :])
        total -= np.where(np.isfinite(gap), gap, 0.5)
    return total


def ranks(numbers: Array) -> Array:
    """Ranks between 0 and 1, equal for equal numbers; nan stays nan."""
    from scipy.stats import rankdata  # 30 MB, which a release of one file is attacked without

    out = np.full(numbers.size, np.nan)
    present = np.isfinite(numbers)
    if present.sum() > 1:
        out[present] = (rankdata(numbers[present]) - 1) / (present.sum() - 1)
    return out


def spread_through(scores: Array, one: Tells, other: Tells) -> Array | None:
    """Reply graphs: two students match the better, the better those match whom they answer and who answer them."""
    if one.graph is None or other.graph is None:
        return None
    belief = soft(scores)
    for _ in range(3):
        near = (one.graph @ belief) @ other.graph.T + (one.graph.T @ belief) @ other.graph
        total = standardised(scores) + 3 * standardised(np.asarray(near))
        belief = soft(total)
    return np.asarray(total)


def soft(scores: Array) -> Array:
    """Scores as chances."""
    scaled = 3 * standardised(scores)
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
