"""Profiles that many students share: each row holds the noisy means of one class of students.

An attacker who knows all of a student's typing knows the class at best. With C classes of even sizes, each row given
by lot to a share s of the students, w places of a list hold the right one of N rows with a chance of
(C(1 − s) + s)·w/N. Classes are cut where students differ most. Noise hides who was among those that the means were
made of: exact means of 26 columns tell members of 100 from others with an AUC of .7.
"""

import math
from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.protection.coarsening import coarse

LEAST_IN_CLASS = 5
FINE = 0.2  # steps of rounding, in standard deviations of the noise
DIGITS = (1, 2, 5, 10)


@dataclass(frozen=True, kw_only=True)
class ProfileSetting:
    """How many classes of students there are, the share whose row is drawn by lot, and how noisy means are."""

    classes: int
    drawn: float
    noise: float  # of each mean, in standard errors

    def found(self, within: int, students: int) -> float:
        """The largest share of students that anybody finds on a list so long."""
        return min(1.0, (self.classes * (1 - self.drawn) + self.drawn) * within / students)


@dataclass(frozen=True, kw_only=True)
class AlikeProfiles:
    """A release: the class that each student's row is of, and the row of each class."""

    label: Array
    rows: Array  # classes × columns

    @property
    def values(self) -> Array:
        """Students × columns."""
        return np.asarray(self.rows[self.label])


def classes_for(found: float, within: int, students: int) -> tuple[int, float]:
    """Take as many classes as a limit lets, and lots for what is over it."""
    times = found * students / within
    classes = max(1, min(math.ceil(times - 1e-9), students // max(LEAST_IN_CLASS, within)))
    return classes, max(0.0, (classes - times) / (classes - 1)) if classes > 1 else 0.0


def bisected(values: Array, classes: int) -> Array:
    """Cut students in two along what varies most, and each part again, evenly."""
    scaled = (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-12)
    result = np.zeros(len(values), dtype=np.int64)
    waiting = [(np.arange(len(values)), 0, classes)]
    while waiting:
        people, first, parts = waiting.pop()
        result[people] = first
        if parts == 1:
            continue
        place = people[np.argsort(_along_most(scaled[people]), kind="stable")]
        below = parts // 2
        cut = len(people) * below // parts
        waiting += [(np.sort(place[:cut]), first, below), (np.sort(place[cut:]), first + below, parts - below)]
    return result


def _along_most(scaled: Array) -> Array:
    """Place students along the direction in which they differ most."""
    centred = scaled - scaled.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    along = centred @ directions[0]
    return np.asarray(along if directions[0].sum() >= 0 else -along)


def class_means(values: Array, own: Array, classes: int) -> Array:
    """Classes × columns: the unweighted mean over students."""
    sums = np.stack([np.bincount(own, column, classes) for column in values.T], axis=1)
    return np.asarray(sums / np.maximum(np.bincount(own, minlength=classes), 1)[:, None])


def noisy_means(values: Array, own: Array, setting: ProfileSetting, chance: np.random.Generator) -> Array:
    """Add noise shaped as students' own differences, and round more finely."""
    means, sizes = class_means(values, own, setting.classes), np.bincount(own, minlength=setting.classes)
    scatter = chance.standard_normal((len(values), 1)) * (values - means[own])
    noise = np.stack([np.bincount(own, column, setting.classes) for column in scatter.T], axis=1) / sizes[:, None]
    error = setting.noise * values.std(axis=0) / np.sqrt(len(values) / setting.classes)
    noisy = means + setting.noise * noise
    columns = [coarse(noisy[:, place], round_number(FINE * one), "round") for place, one in enumerate(error)]
    return np.round(np.stack(columns, axis=1), 9)


def round_number(least: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten; zero for nothing."""
    if not least > 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(least) + 1e-12)
    return next(digit * power for digit in DIGITS if digit * power >= least * (1 - 1e-12))


def alike(values: Array, setting: ProfileSetting, lots: Array, chance: np.random.Generator) -> AlikeProfiles:
    """Give each student a row, by class or by lot; `lots` says who changes places."""
    own = bisected(values, setting.classes)
    label = own.copy()
    strays: list[Array] = []
    for one in range(setting.classes):
        members = np.flatnonzero(own == one)
        moved = math.ceil(setting.drawn * len(members) - 1e-9)
        strays.append(members[np.argsort(lots[members, 0])[:moved]])
    changing = np.concatenate(strays)
    label[changing[np.argsort(lots[changing, 1])]] = own[changing]
    return AlikeProfiles(label=label, rows=noisy_means(values, own, setting, chance))
