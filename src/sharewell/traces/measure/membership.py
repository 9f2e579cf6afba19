"""Who was in? Membership attacks on the logs of invented students.

The attacker holds the log of a population, knows the algorithm and its settings, and asks of every student whether the
course that students were invented from included them. See `stats.membership`, `stats.tracing` and `stats.shadows`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.lab.membership import compared_with_own, density, tracing
from sharewell.stats.membership import Scores
from sharewell.stats.shadows import Look, Shadow, Trust, strengths, told_by
from sharewell.stats.stacked import FEWEST, stacked
from sharewell.stats.tracing import Averages, Equations, Observed
from sharewell.stats.whitened import whitened
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.measure.course_profile import CALENDAR, HABITS, POINTS, TOTALS, VERBS, ProfileCells, cells
from sharewell.traces.measure.lone_ends import beyond_usual

COUNTED = (*CALENDAR, *VERBS, *HABITS, *TOTALS)
LIKENED = ("day and hour", "active days", "steps", "hours")
SIZES = (2, 3, 5, 8, 12, 20, 40, 80, 160, 640)  # students behind a total: totals between two of these are alike
RARE = (1, 2, 3, 5, 10)  # at most so many students of the population have it
SMALL = 1.0  # counts added: what the release lacks is not impossible
BLOCK = 1_000


@dataclass(frozen=True)
class Group:
    """One way to count a population: known codes, students × codes, and its averages."""

    codes: Array
    table: csr_matrix
    averages: Averages

    def of(self, found: ProfileCells, students: int) -> csr_matrix:
        """The cells of another log in the codes of this one; others are left out."""
        place, known = self._places(found)
        return _table(found.student[known], place[known], students, self.codes.size)

    def totals(self, found: ProfileCells) -> Array:
        """How often the cells of this one occur in another log."""
        place, known = self._places(found)
        return np.bincount(place[known], minlength=self.codes.size)

    def _places(self, found: ProfileCells) -> tuple[Array, Array]:
        place = np.minimum(np.searchsorted(self.codes, found.code), self.codes.size - 1)
        return place, self.codes[place] == found.code


@dataclass(frozen=True)
class Population:
    """What the attacker works out once from the log of everybody; `share` of them are in a release."""

    log: CourseLog
    share: float

    @cached_property
    def groups(self) -> dict[str, Group]:
        found = {}
        for name in dict.fromkeys((*COUNTED, *POINTS)):
            counted = cells(self.log, name)
            if counted.code.size:
                found[name] = self._group(counted)
        return found

    def _group(self, counted: ProfileCells) -> Group:
        codes, place = np.unique(counted.code, return_inverse=True)
        table = _table(counted.student, place, self.log.students, codes.size)
        totals = np.asarray(table.sum(axis=0)).ravel()
        base = csr_matrix(np.asarray(table.sum(axis=1)).reshape(1, -1))
        every = float(totals.sum())
        averages = Averages(
            counts=csr_matrix(table.T),
            base=base,
            over=np.zeros(codes.size, dtype=np.int64),
            share=totals / every,
            scale=np.full(codes.size, 1 / (self.share * every)),
            family=np.searchsorted(SIZES, np.bincount(table.indices, minlength=codes.size), side="right"),
        )
        return Group(codes, table, averages)

    @cached_property
    def known(self) -> dict[str, Averages]:
        """All totals that are traced."""
        return {name: self.groups[name].averages for name in COUNTED if name in self.groups}

    def look(self, fake: CourseLog) -> "Look":
        """The same totals of a release, and how likely it makes every student."""
        seen, density = {}, {}
        for name in COUNTED:
            if name in self.groups:
                counted = cells(fake, name)
                totals = self.groups[name].totals(counted)
                seen[name] = self._observed(name, totals, counted.code.size)
                density[name] = self._likelier(name, totals)
        return Look(seen, density)

    def _observed(self, name: str, totals: Array, every: int) -> Observed:
        share = self.groups[name].averages.share
        floor = 0.5 / max(float(self.groups[name].table.sum()), 1.0)
        plain = np.clip(share, floor, 1 - floor)
        return Observed(change=totals / max(every, 1) - share, size=every / (plain * (1 - plain)))

    def _likelier(self, name: str, totals: Array) -> Array:
        """The log ratio of what a student did, released to population (DOMIAS, van Breugel et al. 2023)."""
        table = self.groups[name].table
        own = np.asarray(table.sum(axis=0)).ravel()
        theirs = (totals + SMALL) / (totals.sum() + SMALL * totals.size)
        ours = (own + SMALL) / (own.sum() + SMALL * own.size)
        return np.asarray(table @ np.log(theirs / ours))


@dataclass(frozen=True)
class Pair:
    """A release, who was in, and the releases that the attacker made."""

    population: Population
    fake: CourseLog
    look: Look
    shadows: tuple[Shadow, ...] = ()

    @cached_property
    def trust(self) -> Trust:
        """What the attacker's releases say of every group of totals."""
        return strengths(self.population.known, self.shadows)

    @cached_property
    def equations(self) -> dict[str, Equations]:
        """What every group of totals says of who was in."""
        return told_by(self.population.known, self.look, self.trust)

    @property
    def everyone(self) -> Array:
        return np.ones(self.population.log.students, dtype=bool)


@dataclass(frozen=True)
class Inference:
    """What an attacker does, in plain words, and how."""

    story: str
    score: Callable[[Pair], Scores]
    needs_shadows: int = 0


def _whitened(pair: Pair) -> Scores:
    found = whitened(pair.population.known, pair.look, pair.shadows, pair.trust, share=pair.population.share)
    return Scores(by_setting=[({"shadows": len(pair.shadows)}, found)], about=pair.everyone)


def _nearest(pair: Pair) -> Scores:
    """Similarity to the nearest invented student, plain and less that to the nearest other real one."""
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name in LIKENED:
        group = pair.population.groups.get(name)
        if group is None:
            continue
        ours, theirs = _profile(group.table), _profile(group.of(cells(pair.fake, name), pair.fake.students))
        to_fake = _best(ours, theirs, own=False)
        scores.append(({"profile": name, "calibrated": False}, to_fake))
        scores.append(({"profile": name, "calibrated": True}, to_fake - _best(ours, ours, own=True)))
    return Scores(by_setting=scores, about=pair.everyone)


def _rare(pair: Pair) -> Scores:
    """Of what few students have, what the release contains, beyond what is usual."""
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name in POINTS:
        group = pair.population.groups.get(name)
        if group is None:
            continue
        there = group.totals(cells(pair.fake, name)) > 0
        holders = np.bincount(group.table.indices, minlength=group.codes.size)
        own = csr_matrix((np.ones(group.table.nnz), group.table.indices, group.table.indptr), group.table.shape)
        for most in RARE:
            rare = holders <= most
            if rare.any():
                usual = float((holders * there)[rare].sum() / holders[rare].sum())
                scores.append(({"of": name, "r": most}, np.asarray(own @ (rare * (there - usual)))))
    return Scores(by_setting=scores or [({}, np.zeros(pair.everyone.size))], about=pair.everyone)


def _lone_ends(pair: Pair) -> Scores:
    return Scores(by_setting=beyond_usual(pair.population.log, pair.fake), about=pair.everyone)


ATTACKS: Mapping[str, Inference] = {
    "tracing": Inference("solves all released totals together for who was in them", tracing(*COUNTED)),
    "tracing-calendar": Inference("does so with events per day, week and weekday alone", tracing(*CALENDAR)),
    "tracing-verbs": Inference("does so with kinds of events and what follows what", tracing(*VERBS)),
    "tracing-habits": Inference(
        "does so with hours, sessions, gaps and what students did in all", tracing(*HABITS, *TOTALS)
    ),
    "whitened totals": Inference(
        "does so with all totals, and looks where the attacker's own releases vary least", _whitened, needs_shadows=7
    ),
    "density": Inference("asks whether what a student did is likelier in the release than in the population", density),
    "likelihood-ratio": Inference(
        "compares that with releases made by the attacker, with the student in and without the student",
        compared_with_own,
        needs_shadows=4,
    ),
    "nearest": Inference("looks for the invented student with the most similar days, hours or steps", _nearest),
    "rare points": Inference("looks for hours, minutes and steps in the release that only few students had", _rare),
    "lone ends": Inference(
        "looks whether more invented students begin or stop near a student than other real ones do", _lone_ends
    ),
}


LEARNT = "learnt"
LEARNT_STORY = "weighs all kinds of totals as the attacker's own releases, whose members they know, say they should be"


def learnt(population: Population, releases: Sequence[Shadow]) -> list[Scores]:
    """The attack that learns from releases how to attack, for every one of them by the others."""
    if len(releases) < FEWEST:
        return []
    everyone = np.ones(population.log.students, dtype=bool)
    setting = {"shadows": len(releases) - 1}
    scores = stacked(population.known, releases, share=population.share)
    return [Scores(by_setting=[(setting, score)], about=everyone) for score in scores]


def possible(pair: Pair) -> Iterator[tuple[str, Inference]]:
    """The attacks that can be made with as many releases of their own as the attacker has."""
    yield from ((name, attack) for name, attack in ATTACKS.items() if len(pair.shadows) >= attack.needs_shadows)


def _table(student: Array, place: Array, students: int, codes: int) -> csr_matrix:
    table = csr_matrix((np.ones(place.size), (student, place)), shape=(students, codes))
    table.sum_duplicates()
    return table


def _profile(table: csr_matrix) -> csr_matrix:
    """Counts, damped by the root, of unit length, so that a product is a cosine."""
    found = csr_matrix(table, copy=True)
    found.data = np.sqrt(found.data)
    length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1))).ravel()
    found.data /= np.repeat(np.maximum(length, 1e-12), np.diff(found.indptr))
    return found


def _best(ours: csr_matrix, theirs: csr_matrix, *, own: bool) -> Array:
    """Find each row's largest cosine with one of `theirs`; `own` skips the same row."""
    best, other = np.empty(ours.shape[0]), csr_matrix(theirs.T)
    for start in range(0, ours.shape[0], BLOCK):
        part = np.asarray((ours[start : start + BLOCK] @ other).todense())
        if own:
            part[np.arange(part.shape[0]), start + np.arange(part.shape[0])] = -1
        best[start : start + BLOCK] = part.max(axis=1)
    return best
