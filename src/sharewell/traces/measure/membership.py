"""Membership attacks on the logs of invented students, by cells of `course_profile` (see `lab.attacks`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.lab.attacks import MembershipAttack, Target, compared_with_own, correlated, density, nearest, tracing
from sharewell.lab.cells import CountedCells, count_cells
from sharewell.lab.membership import Scores
from sharewell.lab.shadows import FEWEST_STACKED, Look, Shadow, stacked
from sharewell.lab.tracing import Averages
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.measure.course_profile import CALENDAR, HABITS, POINTS, TOTALS, VERBS, cells
from sharewell.traces.measure.lone_ends import beyond_usual

COUNTED = (*CALENDAR, *VERBS, *HABITS, *TOTALS)
LIKENED = ("day and hour", "active days", "steps", "hours")
RARE = (1, 2, 3, 5, 10)  # at most so many students of the population have it


@dataclass(frozen=True)
class CourseProfile:
    """What the attacker computes once from the log of everybody; `share` of them are in a release."""

    log: CourseLog
    share: float

    @property
    def lengths(self) -> Array:
        return self.log.lengths

    @cached_property
    def groups(self) -> dict[str, CountedCells]:
        counted = {name: cells(self.log, name) for name in dict.fromkeys((*COUNTED, *POINTS))}
        return {
            name: count_cells(found.student, found.code, self.log.students, share=self.share)
            for name, found in counted.items()
            if found.code.size
        }

    @cached_property
    def averages(self) -> dict[str, Averages]:
        """All totals that are traced."""
        return {name: self.groups[name].averages for name in COUNTED if name in self.groups}

    def look(self, fake: CourseLog) -> Look:
        """The same totals of a release, and the density ratio of every student."""
        seen, ratios = {}, {}
        for name in self.averages:
            code = cells(fake, name).code
            totals = self.groups[name].totals(code)
            seen[name] = self.groups[name].observed(totals, code.size)
            ratios[name] = self.groups[name].density(totals)
        return Look(seen, ratios)


CourseTarget = Target[CourseProfile]


def _nearest(target: CourseTarget) -> Scores:
    groups, profiles = target.profile.groups, {}
    for name in LIKENED:
        if name in groups:
            found = cells(target.fake, name)
            profiles[name] = (groups[name].table, groups[name].of(found.student, found.code, target.fake.students))
    return Scores(by_setting=nearest(profiles), about=target.everyone)


def _rare(target: CourseTarget) -> Scores:
    """Of what few students have, what the release contains, beyond what is usual."""
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name in POINTS:
        group = target.profile.groups.get(name)
        if group is None:
            continue
        there = group.totals(cells(target.fake, name).code) > 0
        holders = np.bincount(group.table.indices, minlength=group.codes.size)
        own = csr_matrix((np.ones(group.table.nnz), group.table.indices, group.table.indptr), group.table.shape)
        for most in RARE:
            rare = holders <= most
            if rare.any():
                usual = float((holders * there)[rare].sum() / holders[rare].sum())
                scores.append(({"of": name, "r": most}, np.asarray(own @ (rare * (there - usual)))))
    return Scores(by_setting=scores or [({}, np.zeros(target.everyone.size))], about=target.everyone)


def _lone_ends(target: CourseTarget) -> Scores:
    return Scores(by_setting=beyond_usual(target.profile.log, target.fake), about=target.everyone)


ATTACKS: Mapping[str, MembershipAttack[CourseTarget]] = {
    "tracing": MembershipAttack("solves all released totals together for who was in them", tracing(*COUNTED)),
    "tracing-calendar": MembershipAttack("does so with events per day, week and weekday alone", tracing(*CALENDAR)),
    "tracing-verbs": MembershipAttack("does so with kinds of events and what follows what", tracing(*VERBS)),
    "tracing-habits": MembershipAttack(
        "does so with hours, sessions, gaps and what students did in all", tracing(*HABITS, *TOTALS)
    ),
    "whitened totals": MembershipAttack(
        "does so with all totals, and looks where the attacker's own releases vary least", correlated, needs_shadows=7
    ),
    "density": MembershipAttack(
        "asks whether what a student did is likelier in the release than in the population", density
    ),
    "likelihood-ratio": MembershipAttack(
        "compares that with releases made by the attacker, with the student in and without the student",
        compared_with_own,
        needs_shadows=4,
    ),
    "nearest": MembershipAttack("looks for the invented student with the most similar days, hours or steps", _nearest),
    "rare points": MembershipAttack(
        "looks for hours, minutes and steps in the release that only few students had", _rare
    ),
    "lone ends": MembershipAttack(
        "looks whether more invented students begin or stop near a student than other real ones do", _lone_ends
    ),
}


LEARNT = "learnt"
LEARNT_STORY = "weighs all kinds of totals as the attacker's own releases, whose members they know, say they should be"


def learnt(profile: CourseProfile, releases: Sequence[Shadow]) -> list[Scores]:
    """The attack that learns from releases how to attack, for every one of them by the others."""
    if len(releases) < FEWEST_STACKED:
        return []
    everyone = np.ones(profile.log.students, dtype=bool)
    setting = {"shadows": len(releases) - 1}
    scores = stacked(profile.averages, releases, share=profile.share)
    return [Scores(by_setting=[(setting, score)], about=everyone) for score in scores]
