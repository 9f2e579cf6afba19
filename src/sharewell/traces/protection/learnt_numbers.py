"""What is learnt of a course: totals over students, each with noise, and nothing that fewer than m students share.

A total moves by its sampling error when other students are in it. Noise of c such errors hides who was in, the better
the larger c; two halves of a class differ by two of them, so that noise of this size is what an analyst has to live
with anyway. Students who did very much count as if they had done less: nobody dominates a total. After the noise a
total is drawn towards what coarser ones let expect, by as much as the noise makes it untrustworthy (James and Stein
1961, positive part): that uses noisy numbers only and gives nothing away.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.errors import Refused
from sharewell.traces.arrays import Array

CAP = 0.95  # a student counts for at most what this share of the students stay below
MANY = 16.0  # a sixteenth as many totals as students have the noise that is asked for; more of them more, fewer less
LEAST_NOISE = 0.5  # of what is asked for: what single numbers have
MOST_DOUBT = 0.3  # logarithm: how far the size of noise is off
STEP, WHOLE = 1.25, 8  # from one bound to the next; up to eight, whole numbers
STEADY = 1.2  # of what is asked for: what the waves of the day have
FIRM = 0.35  # the same for what analysts ask first: how activity goes with an outcome
FLOOR = 0.02  # of what was expected: what is left of a total that noise made negative
STEEPEST, HALVINGS = 8.0, 30  # how far classes are tilted at most, and in how many steps it is found
LEANS = 2.0 ** np.linspace(-3, 3, 25)
INNER = 2.0  # values are so much further apart, about, as they are without their lowest and highest
KNOTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # of a distribution over students


@dataclass(frozen=True, kw_only=True)
class Learning:
    """Noise in sampling errors, students that everything needs, and where the noise comes from."""

    noise: float
    m: int
    generator: np.random.Generator

    def totals(
        self,
        table: csr_matrix,
        *,
        expected: Array | None = None,
        there: Array | None = None,
        asked: Array | None = None,
        skewed: bool = False,
    ) -> Array:
        """Totals of the columns of students × cells, drawn towards what is expected of them, otherwise their mean.

        `there` says which cells there are, otherwise those that enough students share; cells that are not `asked` for
        are what is expected. Of `skewed` totals few are large and most are next to nothing: what noise alone may show
        is believed to be nothing.
        """
        capped, error, unsure = _errors(table)
        total = np.asarray(capped.sum(axis=0)).ravel()
        holders = np.bincount(table.indices, minlength=table.shape[1])
        shared = self.shared(holders, table.shape[0]) if there is None else there
        if not shared.any():
            return np.zeros(table.shape[1])
        level = total[shared].mean() if expected is None else expected * total.sum() / max(expected.sum(), 1e-12)
        looked = shared if asked is None else shared & asked
        usual = self._usual_error(error[looked], unsure)
        typical = np.full(total.size, 1.0) if expected is None else np.maximum(level, FLOOR * np.mean(level))
        alike = usual * np.sqrt(typical / max(float(typical[looked].mean()), 1e-12)) if looked.any() else error
        spread = self.noise * harder(int(looked.sum()), table.shape[0]) * shared_out(alike, looked)
        noisy = total + spread * self.generator.standard_normal(total.size)
        level = np.broadcast_to(level, total.shape)
        level = FLOOR * level if skewed else level
        trust = (_alone if skewed else partial(_trust, level=level, shared=looked))(noisy - level, spread) * looked
        found: Array = np.maximum(level + trust * (noisy - level), FLOOR * level) * shared
        return found

    def waves(self, table: csr_matrix, count: int) -> Array:
        """Totals of cells that go round, such as hours, by their slow waves alone: one cell is much like the next.

        Fewer numbers than cells need less noise each; waves of the day are steady and bear more of it than others.
        """
        cells = table.shape[1]
        wave = circle(cells, count)
        capped, _, unsure = _errors(table)
        weight = np.asarray(capped.sum(axis=1)).ravel()
        learnt = wave @ np.asarray(capped.sum(axis=0)).ravel()
        own = capped @ wave.T - np.outer(weight / weight.sum(), learnt)
        usual = self._usual_error(np.sqrt((own[:, 1:] ** 2).sum(axis=0)), unsure)
        spread = STEADY * self.noise * harder(2 * count, table.shape[0]) * usual
        learnt[1:] += spread * self.generator.standard_normal(2 * count)
        found = wave.T @ learnt
        return np.asarray(np.maximum(found, FLOOR * weight.sum() / cells))

    def _usual_error(self, error: Array, unsure: float) -> float:
        """One size of error for all totals, itself with noise.

        With a size for each total the noise would tell what it should hide: a day on which one student alone was active
        has a sampling error if the student was in, and none if not, and large noise shows the student.
        """
        if not error.size:
            return 0.0
        doubt = min(LEAST_NOISE * self.noise * unsure / 2, MOST_DOUBT)  # half of what the squares are unsure by
        return float(np.sqrt(np.mean(error**2)) * np.exp(doubt * self.generator.standard_normal()))

    def shared(self, holders: Array, students: int) -> Array:
        """What surely more than m students have: the number plus noise must pass m by a standard error of the noise.

        Were it the number alone, whatever m students have would tell of each of them whether they were in.
        """
        least = self.noise * LEAST_NOISE * np.sqrt(self.m)
        doubtful = np.count_nonzero((holders > 0) & (holders < self.m + 3 * least))  # others are there in any case
        spread = self.noise * harder(doubtful, students) * np.sqrt(self.m)
        noisy = holders + spread * self.generator.standard_normal(holders.size)
        enough = holders >= self.m
        surely = enough & (noisy >= self.m + spread)
        return np.asarray(surely if surely.any() else enough)  # much noise must not leave an empty course

    def several(self) -> int:
        """At least m students, by chance more: at exactly m, one student would decide, and everybody could see it."""
        beyond = abs(float(self.generator.standard_normal())) * LEAST_NOISE * self.noise * np.sqrt(self.m)
        return self.m + int(beyond)

    def mean(self, values: Array) -> float:
        """The mean over students, each counting for at most what m of them reach."""
        values = np.minimum(values, np.sort(values)[-min(self.m, values.size)])
        error = float(np.std(values)) / np.sqrt(max(1, values.size))
        return float(np.mean(values) + LEAST_NOISE * self.noise * error * self.generator.standard_normal())

    def share(self, student: Array, does: Array, students: int) -> float:
        """How often something is so, students weighing by how many they have, up to the cap."""
        found = mean_of_students(self, student, does.astype(float), students) if does.size else 0.0
        return float(np.clip(found, 0.0, 0.98))

    def effects(self, values: Array, group: Array, groups: int, *, doubted: bool = True) -> Array:
        """By how much each group lies above the mean of all; drawn towards zero where doubted."""
        if groups == 1:
            return np.zeros(1)
        spread = max(float(np.std(values)), 1e-9)
        centre = float(np.mean(values))
        size = np.bincount(group, minlength=groups)
        off = np.bincount(group, weights=values - centre, minlength=groups) / np.maximum(size, 1)
        error = (LEAST_NOISE if doubted else FIRM) * self.noise * spread / np.sqrt(np.maximum(size, 1))
        noisy = off + error * self.generator.standard_normal(groups)
        noisy -= float(size @ noisy) / max(1, int(size.sum()))  # as they are without noise: above and below the mean
        trust = np.maximum(1 - error**2 / np.maximum(noisy**2, 1e-12), 0.0) if doubted else 1.0
        return np.asarray(np.where(size >= self.m, trust * noisy, 0.0))

    def quantiles(self, values: Array) -> Array:
        """The values at KNOTS: each the mean of the m nearest in rank to a noisy rank, with noise; in ascending order.

        Noise of the rank alone ends at the first and the last m: of few students it would tell their mean. The lowest
        and the highest of the m count for nothing: one student far away from all others would move both the mean and
        the size of its noise. So at least four are taken, of whom two count: one alone would have no noise at all.
        """
        ordered, n = np.sort(values), values.size
        error = self.noise * harder(KNOTS.size, n) * np.sqrt(KNOTS * (1 - KNOTS) / n)
        rank = KNOTS + error * self.generator.standard_normal(KNOTS.size)
        wide = min(max(self.m, 4), n)
        first = np.clip(np.rint(rank * n - wide / 2), 0, n - wide).astype(np.int64)
        near = ordered[first[:, None] + np.arange(wide)]
        near = near[:, 1:-1] if wide > 3 else near
        off = LEAST_NOISE * self.noise * INNER * near.std(axis=1) / np.sqrt(wide)
        return np.sort(near.mean(axis=1) + off * self.generator.standard_normal(KNOTS.size))

    def bound(self, values: Array) -> float:
        """What surely more than m students reach, in steps of a quarter: exactly, it would be somebody's own number.

        Small numbers stand as they are. They are hardly anybody's own, and a course of six days cut at five would lose
        those who were always there.
        """
        reached = max(float(np.sort(values)[-min(self.several(), values.size)]), 1.0)
        steps = np.floor(np.log(reached / WHOLE) / np.log(STEP) + 1e-9)
        return float(np.floor(reached if reached <= WHOLE else WHOLE * STEP**steps + 1e-9))


def nearest(places: Array, wanted: Array) -> Array:
    """For every wanted number the index of the nearest place; places ascend."""
    right = np.clip(np.searchsorted(places, wanted), 1, max(1, places.size - 1))
    if places.size == 1:
        return np.zeros(wanted.size, np.int64)
    nearer = np.abs(places[right - 1] - wanted) <= np.abs(places[right] - wanted)
    return np.asarray(np.where(nearer, right - 1, right))


def circle(cells: int, count: int) -> Array:
    """The mean and the slowest waves around a circle of cells, as rows of length one."""
    angle = 2 * np.pi * np.outer(np.arange(1, count + 1), np.arange(cells)) / cells
    waves = np.sqrt(2 / cells) * np.concatenate([np.cos(angle), np.sin(angle)])
    return np.concatenate([np.full((1, cells), np.sqrt(1 / cells)), waves])


def harder(totals: int, students: int) -> float:
    """How much more noise totals need that are many: what they tell of a student adds up over them.

    Of d totals with noise of c errors a student's share of what they tell is d / (c² students): a bound on it asks for
    noise that grows with the root of the number of totals per student.
    """
    return max(LEAST_NOISE, float(np.sqrt(MANY * totals / max(1, students))))


def shared_out(error: Array, shared: Array) -> Array:
    """Errors to be multiplied by the noise: relatively less of it where totals are uncertain anyway, that is, large.

    Noise n of a total with sampling error e tells (e/n)² of its students. Of all noises that tell as much together, the
    one with the least sum has n in proportion to e^(2/3).
    """
    rooted = error ** (2 / 3)
    return np.asarray(rooted * np.sqrt(rooted[shared].mean() if shared.any() else 1.0))


def _alone(away: Array, spread: Array) -> Array:
    """How much of what a noisy total is away from its level is believed by itself: James and Stein, positive part."""
    return np.asarray(np.maximum(1 - spread**2 / np.maximum(away**2, 1e-12), 0.0) * (away > 0))


def _trust(away: Array, spread: Array, level: Array, shared: Array) -> Array:
    """How much of what a noisy total is away from its level is believed: by itself, or because all of them vary much.

    By itself: James and Stein (1961), positive part. All together: the mean square beyond that of the noise, totals
    varying in proportion to their level.
    """
    alone = np.maximum(1 - spread**2 / np.maximum(away**2, 1e-12), 0.0)
    weight = shared * level / np.maximum(spread, 1e-12) ** 2  # what is surer says more
    beyond = float((weight * (away**2 - spread**2)).sum()) / max(float((weight * level**2).sum()), 1e-12)
    true = max(beyond, 0.0) * level**2
    return np.asarray(np.maximum(alone, true / np.maximum(true + spread**2, 1e-12)))


def drawn_from(knots: Array, ranks: Array) -> Array:
    """Values at these ranks of the distribution that has these values at KNOTS, and nothing beyond its ends."""
    return np.interp(ranks, KNOTS, knots)


def drawn_cells(weights: Array, size: int, generator: np.random.Generator) -> Array:
    """Cells drawn by their weights."""
    if not weights.any():
        raise Refused("too few students have anything in common: no course can be learnt from them")
    edges = np.cumsum(weights / weights.sum())
    return np.minimum(np.searchsorted(edges, generator.random(size), side="right"), weights.size - 1)


def counted(student: Array, cell: Array, students: int, cells: int) -> csr_matrix:
    """How often each student has each cell."""
    table = csr_matrix((np.ones(cell.size), (student, cell)), shape=(students, cells))
    table.sum_duplicates()
    return table


def _errors(table: csr_matrix) -> tuple[csr_matrix, Array, float]:
    """The table with nobody above the cap, and the sampling error of every total: that of students, not of events.

    Also how unsure the errors are that follow from these students: the relative sampling error of their squares.
    """
    rows = np.asarray(table.sum(axis=1)).ravel()
    cap = max(float(np.quantile(rows, CAP)), 1.0)
    scale = np.minimum(1.0, cap / np.maximum(rows, 1.0))
    capped = csr_matrix(table.multiply(scale[:, None]))
    weight = rows * scale
    total = np.asarray(capped.sum(axis=0)).ravel()
    share = total / max(total.sum(), 1e-12)
    squares = np.asarray(capped.multiply(capped).sum(axis=0)).ravel()
    crossed = np.asarray(capped.T @ weight).ravel()
    variance = squares - 2 * share * crossed + share**2 * float(weight @ weight)
    own = np.asarray(capped.multiply(capped).sum(axis=1)).ravel()
    unsure = float(np.sqrt((own**2).sum()) / max(float(own.sum()), 1e-12))
    return capped, np.sqrt(np.maximum(variance, 1.0)), unsure  # nothing is more certain than one event


def size_class(values: Array) -> Array:
    """Whole numbers from 0 on in classes that double: 0, 1, 2–3, 4–7, …"""
    found: Array = np.zeros(values.shape, np.int64)
    positive = values > 0
    found[positive] = np.floor(np.log2(values[positive])).astype(np.int64) + 1
    return found


@dataclass(frozen=True, kw_only=True)
class SizeShares:
    """A distribution of whole numbers: weights of classes that double, how draws lean within a class, the mean learnt.

    Within a class [2^k, 2^(k+1)) a draw is 2^(k + u^lean) with u uniform: the larger `lean`, the smaller the draws.
    """

    weights: Array
    mean: float
    lean: float = 1.0

    def with_mean(self, mean: float) -> "SizeShares":
        """The same with draws that lean so far that this is their mean; with other classes where no lean reaches it."""
        weights = self.weights if _reaches(self.weights, mean) else _tilted(self.weights, mean)
        return SizeShares(weights=weights, mean=mean, lean=_lean(weights, mean))

    def draw(self, size: int, generator: np.random.Generator) -> Array:
        return _within(drawn_cells(self.weights, size, generator), generator.random(size) ** self.lean)


def fit_sizes(learning: Learning, student: Array, value: Array, students: int) -> SizeShares:
    """Weights of the classes, and the lean that gives the mean of students, each counting for at most the cap."""
    if not value.size:
        return SizeShares(weights=np.ones(1), mean=0.0)
    code = size_class(value)
    table = counted(student, code, students, int(code.max()) + 1)
    weights = learning.totals(table)
    if not weights.any():
        weights = np.bincount([int(np.median(code))], minlength=int(code.max()) + 1).astype(float)
        return SizeShares(weights=weights, mean=float(_within(np.flatnonzero(weights), np.array([0.5]))[0]))
    return SizeShares(weights=weights, mean=0.0).with_mean(mean_of_students(learning, student, value, students))


def mean_of_students(learning: Learning, student: Array, value: Array, students: int) -> float:
    """The mean of a value, students weighing by how many they have, up to the cap."""
    many = np.bincount(student, minlength=students)
    weight = np.minimum(many, max(float(np.quantile(many, CAP)), 1.0))
    own = np.bincount(student, weights=value, minlength=students) / np.maximum(many, 1)
    share = weight / weight.sum()
    mean = float(share @ own)
    error = float(np.sqrt((share**2) @ (own - mean) ** 2))
    return mean + LEAST_NOISE * learning.noise * error * float(learning.generator.standard_normal())


def _lean(weights: Array, mean: float) -> float:
    """The lean under which draws have this mean, as far as any has."""
    return float(np.interp(-mean, -_means(weights), LEANS))  # means fall as the lean grows


def _reaches(weights: Array, mean: float) -> bool:
    means = _means(weights)
    return bool(means.min() <= mean <= means.max())


def _tilted(weights: Array, mean: float) -> Array:
    """Larger classes in proportion more, or less, until the mean is reached: of all that reach it the nearest.

    A mean is learnt with less noise than classes are, so that it is the classes that are put right (exponential
    tilting: the least relative entropy, Csiszár 1975).
    """
    even = int(np.argmin(np.abs(np.log(LEANS))))
    low, high = -STEEPEST, STEEPEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tilted = weights * 2.0 ** (middle * np.arange(weights.size))
        low, high = (middle, high) if _means(tilted)[even] < mean else (low, middle)
    return np.asarray(weights * 2.0 ** (low * np.arange(weights.size)))


def _means(weights: Array) -> Array:
    """The mean of draws under every lean."""
    draws = ((np.arange(64) + 0.5) / 64) ** LEANS[:, None]
    within = _within(np.arange(weights.size)[:, None, None], draws).mean(axis=2)  # classes × leans
    return np.asarray(weights / weights.sum() @ within)


def _within(classes: Array, place: Array) -> Array:
    """The whole number at a place, from 0 to 1, of each class."""
    largest = np.maximum(2 ** np.arange(int(classes.max(initial=0)) + 1) - 1, 0)
    most = largest[classes]
    found = np.floor((most + 1) / 2 * np.exp2(place)).astype(np.int64)
    return np.asarray(np.where(classes > 0, np.minimum(found, most), 0))
