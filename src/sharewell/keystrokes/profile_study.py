"""Averages instead of events: one row per student, shared by a class of students, or those of the whole course.

A row shows no more than a class, so that even an attacker who knows all typing finds no more than the limit lets. Noise
hides who was among those that averages were made of: the least that keeps every attack on membership within its limit
is chosen on some splits of the students and judged on others.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sharewell.contract import Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.keystrokes import releasing
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.kind import AVERAGES_KEPT, MEANS_KEPT, SHARED, SPEED, STRONGEST, shared_story
from sharewell.keystrokes.measure import profile_attacks
from sharewell.keystrokes.partitions import Partitions, StudentPartitions
from sharewell.keystrokes.profile_values import ProfileValues, profile_values
from sharewell.keystrokes.protection.alike_profiles import ProfileSetting
from sharewell.keystrokes.protection.profile_release import ProfileGoal, protected_profiles
from sharewell.keystrokes.section import COURSE, Section
from sharewell.lab.least import not_accepted
from sharewell.stats.correlation import fisher_interval, pearson


@dataclass(frozen=True)
class ProfileStudy:
    """A file of key events of which averages are released."""

    job: Job
    section: Section
    columns: KeyColumns
    roster: StudentPartitions
    original: Partitions

    def before(self) -> list[Risk]:
        """How many typists exact averages of their own would find."""
        found = profile_attacks.identified(self._values, None, [self._goal.within], self.job.seed)
        worst = max(found, key=lambda one: one.value)
        return [replace(worst, measure=STRONGEST), *found]

    def protect(self) -> Protected:
        kept = () if self._goal.course else (self.section.student,)
        gone = (*kept, *self.section.direct, *self.section.drop)  # or said to be dropped anyway
        removed = [name for _, name in self.section.roles() if name not in gone]
        done = protected_profiles(self._values, self._goal, self.section.student, self.job.keyed, removed)
        gate = releasing.gate_of(self.section.limit)
        return replace(done, facts={**done.facts, "gate": gate})

    def attack(self, protected: Protected) -> list[Risk]:
        """Fresh splits judge who is in; a bound that nobody exceeds says who is found."""
        setting = setting_of(protected)
        risks = profile_attacks.membership(self._values.whole, setting, profile_attacks.JUDGE)
        strongest = max(risks, key=lambda one: one.high or one.value)
        gated = replace(strongest, gate="membership", limit=self._goal.membership, bound="high")
        found = [gated, *(one for one in risks if one is not strongest)]
        if not protected.facts["accepted"]:
            found.append(not_accepted(setting.noise))
        if self._goal.course:
            return found
        _, sizes = np.unique(self._shared(protected), axis=0, return_counts=True)
        bound = shared_bound(sizes, setting.drawn, self._goal.within)
        bounded = replace(bound, gate=releasing.gate_of(self.section.limit), limit=self._goal.found)
        audits = profile_attacks.identified(self._values, setting, releasing.lists(self._goal.within), self.job.seed)
        return [bounded, *found, *audits]

    def utility(self, protected: Protected) -> list[Utility]:
        if self._goal.course:
            rows = engine.arrow(protected.table)
            return [_means_kept(self._values.whole.mean(axis=0), np.array(rows["mean"]), self._values.whole)]
        return kept_of_profiles(self._values, self._shared(protected))

    def _shared(self, protected: Protected) -> Array:
        """The finished rows of students × columns, in the order of their names."""
        rows = engine.arrow(protected.table)
        order = np.argsort(np.array(rows[self.section.student].to_pylist(), dtype=str))
        return np.asarray(np.stack([rows[name].to_numpy() for name in self._values.columns.names], axis=1)[order])

    @cached_property
    def _values(self) -> ProfileValues:
        return profile_values(
            self.original, self.roster, self.columns, self.section.about, digraphs=self.section.digraphs,
            seed=self.job.seed,
        )  # fmt: skip

    @cached_property
    def _goal(self) -> ProfileGoal:
        within, found = releasing.bound(self.section.limit, len(self.roster.names))
        return ProfileGoal(
            found=found, within=within, membership=self.section.limit.membership or 1.0,
            course=self.section.publish == COURSE,
        )  # fmt: skip


def setting_of(done: Protected) -> ProfileSetting:
    facts = done.facts
    return ProfileSetting(classes=int(facts["classes"]), drawn=float(facts["drawn"]), noise=float(facts["noise"]))


def shared_bound(sizes: Array, drawn: float, within: int) -> Risk:
    """Bound what any attacker finds in rows that so many students share."""
    students = int(sizes.sum())
    found = float((1 - drawn) * np.minimum(sizes, within).sum() + drawn * within) / students
    return Risk(
        measure=SHARED, attacker="all typing known", value=found, n=students, chance=within / students,
        setting={"within": within, "rows": len(sizes)}, story=shared_story(int(sizes.min()), drawn, found, within),
    )  # fmt: skip


def kept_of_profiles(values: ProfileValues, shared: Array) -> list[Utility]:
    """Measure which differences between students and which means are kept."""
    students, names = len(values.students), values.columns.names
    each = np.array([pearson(values.whole[:, place], shared[:, place]) for place in range(len(names))])
    kept = []
    for place, name in enumerate(names):
        if name == "mean latency":
            low, high = fisher_interval(float(each[place]), students)
            story = "Correlation of students' mean latencies."
            kept.append(Utility(measure=SPEED, value=float(each[place]), low=low, high=high, baseline=1.0, n=students,
                                story=story))  # fmt: skip
    for one in dict.fromkeys(values.columns.about):
        mine = np.array(values.columns.about) == one
        story = f"The mean over columns about {one} of the correlation over students."
        value, of = float(each[mine].mean()), {"about": one}
        kept.append(Utility(measure=AVERAGES_KEPT, value=value, baseline=1.0, n=students, story=story, setting=of))
    return [*kept, _means_kept(values.whole.mean(axis=0), shared.mean(axis=0), values.whole)]


def _means_kept(before: Array, after: Array, values: Array) -> Utility:
    """Over columns of averages, whose units differ: as relative differences."""
    away = float(np.median(np.abs(after / before - 1)))
    return Utility(
        measure=MEANS_KEPT, value=pearson(np.log(before), np.log(np.maximum(after, 1e-9))), baseline=1.0,
        n=len(before), setting={"off by": round(away, 3)},
        story="Correlation of the logarithms of the course's averages; half of them are off by no more than this part.",
    )  # fmt: skip
