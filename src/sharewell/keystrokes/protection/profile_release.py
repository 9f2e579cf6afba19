"""Averages protected: rows alike within a class of students, and the least noise that hides who is in them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sharewell.contract import Change, Count, Curve, CurvePoint, Protected, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import MEANS_KEPT
from sharewell.keystrokes.measure import profile_attacks
from sharewell.keystrokes.profile_values import ProfileValues
from sharewell.keystrokes.protection import lots
from sharewell.keystrokes.protection.alike_profiles import (
    ProfileSetting,
    alike,
    bisected,
    class_means,
    classes_for,
    noisy_means,
    round_number,
)
from sharewell.keystrokes.section import COURSE, PROFILES
from sharewell.lab.least import Choice, Race, scale
from sharewell.lab.membership import AUC
from sharewell.stats.correlation import pearson

NOISES = scale(0.5, 30)
FIRST_LOOK, START = 20, 4.0
ROOMS = 1.5  # standard errors of both looks between what is expected and the limit
SURE = 1.96
COURSE_COLUMNS: tuple[str, ...] = ("about", "keys", "students", "mean", "low", "high")


@dataclass(frozen=True, kw_only=True)
class ProfileGoal:
    """Limits of a release of averages."""

    found: float  # on a list of this length
    within: int
    membership: float
    course: bool = False

    def setting(self, students: int, noise: float) -> ProfileSetting:
        if self.course:
            return ProfileSetting(classes=1, drawn=0.0, noise=noise)
        classes, drawn = classes_for(self.found, self.within, students)
        return ProfileSetting(classes=classes, drawn=drawn, noise=noise)


def chosen_noise(values: Array, goal: ProfileGoal) -> Choice:
    """Choose the least noise that is expected to keep attacks within the limit."""

    def look(noise: float, splits: int) -> list[Risk]:
        risks = profile_attacks.membership(
            values, goal.setting(len(values), noise), profile_attacks.CHOOSE, splits
        )  # fmt: skip
        return [replace(one, limit=goal.membership) for one in risks]

    splits = profile_attacks.SPLITS
    race = Race(
        strengths=NOISES, first=FIRST_LOOK, draws=splits, judged_on=splits, rooms=ROOMS, chance={AUC: (0.5, 0.01)}
    )
    return race.least(look, start=START)


def protected_profiles(
    values: ProfileValues, goal: ProfileGoal, student: str, keyed: Keyed, removed: Sequence[str] = ()
) -> Protected:
    """The averages with the least noise that hides who is in them."""
    choice = chosen_noise(values.whole, goal)
    setting = goal.setting(len(values.students), choice.strength)
    fresh = keyed.generator(f"noise of profiles: {setting} {_digest(values)}")  # other data have other noise
    curve = _curve(values, goal, choice)
    if goal.course:
        table, changes = _of_course(values, setting, fresh), _told_of_course(removed)
        made = COURSE_COLUMNS
    else:
        chances = lots.numbers(keyed.pads("lots of profiles"), map(str, values.students), 2)
        shared = alike(values.whole, setting, chances, fresh)
        cells = {name: shared.values[:, place] for place, name in enumerate(values.columns.names)}
        table = pa.table({student: values.students.tolist(), **cells})
        changes, made = _told_of_profiles(values, setting, removed), values.columns.names
    facts = {
        "publish": COURSE if goal.course else PROFILES,
        "student": student,
        "classes": setting.classes,
        "drawn": setting.drawn,
        "noise": setting.noise,
        "within": goal.within,
        "found": goal.found,
        "accepted": choice.accepted,
    }
    return Protected(table=engine.listed(table), changes=changes, curve=curve, facts=facts, made=made,
                     aggregate=goal.course)  # fmt: skip


def _digest(values: ProfileValues) -> str:
    content = hashlib.sha256("\0".join(map(str, values.students)).encode())
    content.update(np.ascontiguousarray(values.whole).tobytes())
    return content.hexdigest()


def _of_course(values: ProfileValues, setting: ProfileSetting, chance: np.random.Generator) -> pa.Table:
    """Tabulate means over students, with intervals for sampling and noise.

    Widths are one number for all averages of a kind, or they would tell of students as means do.
    """
    whole, students = values.whole, len(values.students)
    (means,) = noisy_means(whole, np.zeros(students, dtype=np.int64), setting, chance)
    about = np.array(values.columns.about)
    error = whole.std(axis=0, ddof=1) / np.sqrt(students) * np.sqrt(1 + setting.noise**2)
    wide = {one: round_number(SURE * float(np.quantile(error[about == one], 0.9))) for one in dict.fromkeys(about)}
    half = np.array([wide[one] for one in about])
    columns = [about.tolist(), list(values.columns.names), [students // 5 * 5] * len(about)]
    return pa.table(dict(zip(COURSE_COLUMNS, [*columns, means, means - half, means + half], strict=True)))


def _told_of_profiles(values: ProfileValues, setting: ProfileSetting, removed: Sequence[str]) -> tuple[Change, ...]:
    what = f"one row of averages per student, that of one of {setting.classes} classes of students"
    drawn = f"; {setting.drawn:.0%} of the rows by lot" if setting.drawn else ""
    why = "even those who know all typing cannot tell the rows of a class apart"
    noise = f"noise of {setting.noise:g} standard errors on every average"
    return (
        *_without_events(removed),
        Change(columns=values.columns.names, action="merged", detail=what + drawn, reason=why,
               cells=Count(values.whole.size)),
        Change(columns=values.columns.names, action="coarsened", detail=noise, reason="averages tell who is in them"),
    )  # fmt: skip


def _told_of_course(removed: Sequence[str]) -> tuple[Change, ...]:
    what, why = "averages of all students, with noise", "exact averages tell who is in them"
    return (*_without_events(removed), Change(columns=COURSE_COLUMNS, action="merged", detail=what, reason=why))


def _without_events(removed: Sequence[str]) -> tuple[Change, ...]:
    why = "averages are released, and no events"
    return (Change(columns=tuple(removed), action="dropped", reason=why),) if removed else ()


def _curve(values: ProfileValues, goal: ProfileGoal, choice: Choice) -> Curve:
    """Noise against what is left of the averages of the classes."""
    points = []
    for noise, seen in sorted(choice.tried.items()):
        worst = max(seen.risks, key=lambda one: one.high or one.value)
        points.append(
            CurvePoint(
                label=f"noise of {noise:g} standard errors", strength=noise, risk=worst.value, low=worst.low,
                high=worst.high, utility=_kept(values.whole, goal.setting(len(values.whole), noise)),
                meets=choice.meets[noise], chosen=noise == choice.strength,
            )
        )  # fmt: skip
    return Curve(strength="noise, in standard errors", risk=AUC, utility=MEANS_KEPT, limit=goal.membership,
                 points=tuple(points))  # fmt: skip


def _kept(values: Array, setting: ProfileSetting) -> float:
    """Correlate averages of classes before and after, on a draw of its own."""
    own = bisected(values, setting.classes)
    exact = class_means(values, own, setting.classes)
    noisy = noisy_means(values, own, setting, np.random.default_rng(7))
    return pearson(_by_column(exact, values), _by_column(noisy, values))


def _by_column(rows: Array, values: Array) -> Array:
    """In standard deviations of students: columns of times and of rates weigh alike."""
    return np.ravel((rows - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-12))
