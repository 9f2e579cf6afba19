"""Tracing: many released averages, each a linear measurement of who was averaged, solved together.

A released average moves a little towards every student who is in it. One average says next to nothing about one
student; thousands of them, taken together, name students (Dinur and Nissim 2003; Homer et al. 2008; Dwork, Smith,
Steinke, Ullman and Vadhan 2015). With z = 1 for members and 0 for others, around its mean,

    y = D z + noise,   z ~ (0, share·(1 − share)),   the posterior mean solves  (DᵀWD + I/variance) z = DᵀWy

with y how far each released average lies from that of the population, D what each student would move it by, and W one
over the variance of the noise. What the averages are is for each kind of data to say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix, diags_array
from scipy.sparse.linalg import LinearOperator, cg

from sharewell.stats.arrays import Array

STEPS, CLOSE = 200, 1e-4  # of the conjugate gradients
WRITTEN_OUT = 600  # students up to whom the equations are written out and solved
MOST_CELLS = 10_000_000  # averages × students, for the same
FEW_CELLS = 1_000_000  # averages × students that are sooner multiplied than searched for zeros
LEAST = 1e-12
LEAST_NOISE = 0.01  # of plain sampling: a solution that trusts numbers without end is not found in few steps


@dataclass(frozen=True, kw_only=True)
class Averages:
    """A group of averages Σ counts / Σ base over students, and what each student would move each of them by.

    Average k has the counts of row k over the base of row `over[k]`; a student moves it by scale·(counts − share·base).
    `family` names averages whose strength and noise are alike: those over few students scatter more.
    """

    counts: csr_matrix  # averages × students
    base: csr_matrix  # bases × students
    over: Array  # int per average: its base
    share: Array  # the average in the population
    scale: Array
    family: Array  # int per average, counted from zero

    def moved_by(self, z: Array) -> Array:
        """D z: how far the averages move when students come in by z."""
        found: Array = self.scale * (self.counts @ z - self.share * (self.base @ z)[self.over])
        return found

    def towards(self, change: Array) -> Array:
        """Dᵀ u: which students a change of the averages points to."""
        scaled = self.scale * change
        back = np.bincount(self.over, weights=self.share * scaled, minlength=self.base.shape[0])
        found: Array = self.counts.T @ scaled - self.base.T @ back
        return found

    def gram(self, weight: Array) -> Array:
        """DᵀWD, students × students; of many averages few concern the same student: most products are zero."""
        many = self.share.size
        if many * self.counts.shape[1] <= FEW_CELLS:
            counted = np.flatnonzero(weight)  # what does not follow its members says nothing
            scaled = np.sqrt(weight[counted])[:, None] * self._written_out[counted]
            dense: Array = scaled.T @ scaled
            return dense
        weighed = diags_array(weight * self.scale**2)
        shares = csr_matrix((self.share, (np.arange(many), self.over)), shape=(many, self.base.shape[0]))
        own = self.counts.T @ (weighed @ self.counts)
        crossed = (self.counts.T @ (weighed @ shares)) @ self.base
        back = self.base.T @ (shares.T @ (weighed @ shares)) @ self.base
        found: Array = (own - crossed - crossed.T + back).toarray()
        return found

    @cached_property
    def _written_out(self) -> Array:
        return self.rows(np.arange(self.share.size))

    def rows(self, chosen: Array) -> Array:
        """Some rows of D."""
        counts, base = self.counts[chosen].toarray(), self.base.toarray()[self.over[chosen]]
        found: Array = self.scale[chosen, None] * (counts - self.share[chosen, None] * base)
        return found

    def squares(self, weight: Array) -> Array:
        """About the diagonal of DᵀWD: enough to speed up a solution."""
        found: Array = self.counts.multiply(self.counts).T @ (weight * self.scale**2)
        return found


@dataclass(frozen=True, kw_only=True)
class Observed:
    """The same averages of one release: how far they lie from the population's, and one over their plain variance."""

    change: Array
    size: Array


@dataclass(frozen=True, kw_only=True)
class Strength:
    """How strongly averages follow their members in releases like this one, family by family, and how they scatter."""

    slope: Array  # per family: 1 where a release follows its members fully, 0 where not at all
    noise: Array  # per family: variance of the change, times the size
    bias: Array  # per average: what every release is off by, for any members


@dataclass(frozen=True)
class Sums:
    """What releases with known members say of every average, added up, so that one of them is soon taken out again."""

    releases: int
    values: Array  # rows: how many count, Σ size, and size times signal, change, signal², signal·change and change²

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.releases + other.releases, self.values + other.values)

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(self.releases - other.releases, self.values - other.values)


def sums_of(averages: Averages, seen: Observed, member: Array) -> Sums:
    """Of one release: the signal is how far its members alone would move every average."""
    signal, change, size = averages.moved_by(centred(member)), seen.change, seen.size
    rows = (size > 0, size, size * signal, size * change, size * signal**2, size * signal * change, size * change**2)
    return Sums(1, np.stack([np.asarray(row, dtype=float) for row in rows]))


def calibrated(averages: Averages, sums: Sums) -> Strength:
    """Slope, noise and bias from releases whose members are known: the attacker makes them, knowing the algorithm."""
    counted, size, led, moved, led_led, led_moved, moved_moved = sums.values
    over = np.maximum(size, LEAST)

    def total(values: Array) -> Array:
        return np.bincount(averages.family, weights=values)

    led_led, moved_moved = np.maximum(led_led - led**2 / over, 0.0), np.maximum(moved_moved - moved**2 / over, 0.0)
    led_moved = led_moved - led * moved / over
    slope = np.maximum(total(led_moved) / np.maximum(total(led_led), LEAST), 0.0)
    steep = slope[averages.family]
    left = moved_moved - 2 * steep * led_moved + steep**2 * led_led
    freedom = sums.releases / max(sums.releases - 1, 1)  # the bias comes from the same releases
    noise = freedom * total(left) / np.maximum(total(counted), 1.0)
    spread = 1 + 1 / sums.releases  # the bias is known up to the noise of a mean
    bias = (moved - steep * led) / over
    return Strength(slope=slope, noise=np.maximum(spread * noise, LEAST_NOISE), bias=bias)


def uncalibrated(averages: Averages) -> Strength:
    """Without releases to learn from: the averages follow their members fully, with the noise of plain sampling."""
    families = int(averages.family.max(initial=-1)) + 1
    return Strength(slope=np.ones(families), noise=np.ones(families), bias=np.zeros(averages.family.size))


@dataclass(frozen=True, kw_only=True)
class Equations:
    """What one group of averages says of who was in: DᵀWD and DᵀWy."""

    group: Averages
    weight: Array
    towards: Array

    @cached_property
    def system(self) -> Array:
        return self.group.gram(self.weight)


def equations(group: Averages, seen: Observed, strength: Strength) -> Equations:
    slope = strength.slope[group.family]
    weight = seen.size / strength.noise[group.family]
    towards = group.towards(slope * weight * (seen.change - strength.bias))
    return Equations(group=group, weight=slope * slope * weight, towards=towards)


def posterior_mean(
    averages: Sequence[Averages], observed: Sequence[Observed], strengths: Sequence[Strength], *, share: float
) -> Array:
    """The posterior mean of every student's membership, around the share of members."""
    return solution([equations(*part) for part in zip(averages, observed, strengths, strict=True)], share=share)


def solution(parts: Sequence[Equations], *, share: float) -> Array:
    """The same for equations that are there already."""
    students = parts[0].towards.size
    ridge = 1 / (share * (1 - share))
    if students <= WRITTEN_OUT and students * sum(part.weight.size for part in parts) <= MOST_CELLS:
        system = ridge * np.eye(students)
        for part in parts:
            system += part.system
        return np.linalg.solve(system, np.sum([part.towards for part in parts], axis=0))
    return _approached(parts, ridge)


def _approached(parts: Sequence[Equations], ridge: float) -> Array:
    """By conjugate gradients, where there are too many to write out."""
    students = parts[0].towards.size
    diagonal = ridge + np.sum([part.group.squares(part.weight) for part in parts], axis=0)

    def product(z: Array) -> Array:
        total: Array = ridge * z
        for part in parts:
            total = total + part.group.towards(part.weight * part.group.moved_by(z))
        return total

    shape = (students, students)
    system = LinearOperator(shape, matvec=product, dtype=float)
    nearly = LinearOperator(shape, matvec=lambda z: z / diagonal, dtype=float)
    towards = np.sum([part.towards for part in parts], axis=0)
    found: Array = cg(system, towards, rtol=CLOSE, maxiter=STEPS, M=nearly)[0]
    return found


def centred(member: Array) -> Array:
    """Membership around its mean."""
    found: Array = member.astype(float) - member.mean()
    return found
