"""The averages of a response log that tracing solves together for who was in.

The attacker holds the log of a population. Of answers: with θ and d of a Rasch fit to the population, an item's ease in
the release lies off by y_j = Σ(right − p) / Σp(1 − p); a student who is in moves it by (right − p) over the information
of the members. Of growth: how answers go with earlier right and wrong ones on a skill, as one step of Newton's method
from the same fit. Of steps: next-item shares per item, with starts and ends; of items: how often each comes, and which
come at all, where the counts of students that decide it differ by one for each who is in; of lengths
and of practice (right answers at the first, second … attempt on a skill) likewise; and a few numbers of the whole log
(`overall_numbers`). Of further columns: how often each value comes, on every item and over all (`further_columns`); of
times: when students begin and work, and how long they pause (`time_cells`).
`lab.tracing` solves it all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.lab.cells import SIZES, family_of
from sharewell.lab.shadows import Look
from sharewell.lab.tracing import Averages, Observed
from sharewell.responses.log import Log
from sharewell.responses.measure.density import Density
from sharewell.responses.measure.overall_numbers import MOMENTS, NUMBERS, Values, overall_values
from sharewell.responses.measure.time_cells import TimeCells
from sharewell.responses.practice_counts import attempts_before, practice
from sharewell.responses.protection.rasch import Rasch, abilities_given, cells, chance_of, fit_rasch
from sharewell.responses.steps_taken import is_among, steps_of
from sharewell.stats.arrays import Array

ATTEMPTS = 6  # attempts on a skill that are counted one by one; later ones count together
LENGTH_CLASS = 1.25  # lengths are counted in classes that grow by a quarter
STEPS = ("steps", "items", "lengths")
RATIOS = (*STEPS, "practice", "values", "usual values", "times")  # counts over counts
FURTHER = {"values": True, "usual values": False}  # shares of values of further columns: on single items or over all
LEAST_INFORMATION = 1e-6
MOST_STUDENTS = 60  # of an item whose presence may disclose anything; items with more are alike


@dataclass(frozen=True)
class Ratio:
    """Rows of a log as a ratio: which average each row counts for, which base it belongs to, who made it."""

    average: Array
    base: Array
    student: Array
    hit: Array | None = None  # the row's count; 1 where nothing is said


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Rows of a log: the skill, damped counts of earlier right and wrong answers on it, right less chance, variance."""

    skill: Array
    won: Array
    lost: Array
    residual: Array
    weight: Array


@dataclass(frozen=True)
class LogProfile:
    """What the attacker computes once from the log of the population; `share` of it is in a release."""

    log: Log
    share: float

    @property
    def lengths(self) -> Array:
        return self.log.lengths

    @cached_property
    def rasch(self) -> Rasch:
        return fit_rasch(self.log)

    @cached_property
    def averages(self) -> dict[str, Averages]:
        """Every group of averages, by name."""
        found = {name: self._group(name) for name in STEPS} | {"presence": self._presence()}
        if self.log.correct is not None:
            found["answers"] = self._answers()
            found["practice"] = self._group("practice")
            found["growth"] = self._growth()
            found["overall"] = self._overall()
        if self.density.cells.values:
            found |= {name: self._values(name) for name in FURTHER}
        if self.log.time is not None:
            found["times"] = self._alike_by(self._group("times"), lambda over: over)
        return found

    @cached_property
    def step_codes(self) -> Array:
        """The steps that somebody took, sorted."""
        taken = steps_of(self.log)
        found: Array = np.unique(taken.before * (len(self.log.items) + 1) + taken.after)
        return found

    @cached_property
    def density(self) -> Density:
        return Density(self.log)

    def look(self, fake: Log) -> "Look":
        """Compute the same averages of a release, and how likely it makes every student."""
        seen = {"presence": self._presence_in(fake)}
        for name in RATIOS:
            if name in self.averages and (name != "times" or fake.time is not None):
                seen[name] = self._seen(name, fake)
        if self.log.correct is not None:
            seen |= self._answered(fake)
        return Look({name: seen[name] for name in self.averages if name in seen}, self.density.ratios(fake))

    def _seen(self, name: str, fake: Log) -> Observed:
        averages, rows = self.averages[name], self._rows(name, fake)
        known = (rows.average >= 0) & (rows.average < averages.share.size)  # the population has no other averages
        hits = None if rows.hit is None else rows.hit[known]
        counts = np.bincount(rows.average[known], weights=hits, minlength=averages.share.size)
        base = np.bincount(rows.base, minlength=averages.base.shape[0])[averages.over]
        share = np.divide(counts, base, out=averages.share.copy(), where=base > 0)
        floor = 0.5 / np.maximum(np.asarray(averages.base.sum(axis=1)).ravel()[averages.over], 1)
        plain = np.clip(averages.share, floor, 1 - floor)
        return Observed(change=share - averages.share, size=base / (plain * (1 - plain)))

    def _group(self, name: str) -> Averages:
        rows, students = self._rows(name, self.log), self.log.lengths.size
        hit = np.ones(rows.average.size) if rows.hit is None else rows.hit
        counts = _summed(rows.average, rows.student, hit, students)
        base = _summed(rows.base, rows.student, np.ones(rows.base.size), students)
        over = np.zeros(counts.shape[0], dtype=np.int64)
        over[rows.average] = rows.base
        total = np.maximum(np.asarray(base.sum(axis=1)).ravel()[over], 1)
        share = np.asarray(counts.sum(axis=1)).ravel() / total
        behind = np.diff(counts.indptr) if name != "practice" else np.diff(base.indptr)[over]
        return Averages(
            counts=counts, base=base, over=over, share=share, scale=1 / (self.share * total), family=family_of(behind)
        )

    def _values(self, name: str) -> Averages:
        """Shares of values; those of one column are alike, for each has noise of its own."""
        column_of = partial(self.density.cells.column_of, by_item=FURTHER[name])
        return self._alike_by(self._group(name), column_of)

    def _alike_by(self, group: Averages, kind_of: Callable[[Array], Array]) -> Averages:
        return replace(group, family=kind_of(group.over) * (len(SIZES) + 1) + group.family)

    def _presence(self) -> Averages:
        """Every item as one number, 1 where it comes; items that as many students had are alike."""
        students, items = self.log.lengths.size, len(self.log.items)
        pairs = np.unique(self.log.item.astype(np.int64) * students + self.log.student)
        had = csr_matrix((np.ones(pairs.size), (pairs // students, pairs % students)), shape=(items, students))
        number = np.diff(had.indptr)
        return Averages(
            counts=had,
            base=csr_matrix((1, students)),
            over=np.zeros(items, dtype=np.int64),
            share=np.zeros(items),
            scale=1 / np.maximum(number, 1),
            family=np.minimum(number, MOST_STUDENTS),
        )

    def _presence_in(self, fake: Log) -> Observed:
        items = len(self.log.items)
        there = np.bincount(fake.item[fake.item < items], minlength=items) > 0
        return Observed(change=there - 1.0, size=np.ones(items))

    def _rows(self, name: str, log: Log) -> Ratio:
        student = log.student.astype(np.int64)
        if name == "items":
            inside = log.item < len(self.log.items)
            return Ratio(np.where(inside, log.item, -1), np.zeros(log.rows, dtype=np.int64), student)
        if name == "lengths":
            longest = int(_length_class(self.log.lengths.max()))
            code = np.minimum(_length_class(log.lengths), longest)
            return Ratio(code, np.zeros(code.size, dtype=np.int64), np.arange(code.size))
        if name == "practice":
            code = self._practised(log)
            assert log.correct is not None
            return Ratio(code, code, student, log.correct.astype(float))
        if name in FURTHER:
            found = self.density.cells.counted(log, by_item=FURTHER[name])
            return Ratio(found.cell, found.base, found.student)
        if name == "times":
            timed = self._times.counted(log)
            return Ratio(timed.cell, timed.base, timed.student)
        taken = steps_of(log)
        keys = taken.before * (len(self.log.items) + 1) + taken.after
        place = np.where(is_among(keys, self.step_codes), np.searchsorted(self.step_codes, keys), -1)
        return Ratio(place, taken.before, taken.student)

    @cached_property
    def _times(self) -> TimeCells:
        return TimeCells(self.log)

    def _practised(self, log: Log) -> Array:
        """Skill and attempt of every row as one number."""
        skill_of = self.log.skill_of
        skill = log.item.astype(np.int64) if skill_of is None else skill_of[log.item].astype(np.int64)
        found: Array = skill * ATTEMPTS + np.minimum(attempts_before(log.student, skill), ATTEMPTS - 1)
        return found

    @cached_property
    def _skill_of(self) -> Array:
        """The skill of every item; without skills every item is one of its own."""
        known = self.log.skill_of
        return np.arange(len(self.log.items), dtype=np.int32) if known is None else known

    @cached_property
    def _practice(self) -> "Scored":
        return self._scored(self.log, self.rasch.ability)

    @cached_property
    def _levels(self) -> Array:
        """Per skill: the mean damped wins, then fails as a line in wins; so that the three scores are uncorrelated."""
        rows, skills = self._practice, int(self._skill_of.max()) + 1

        def total(value: Array) -> Array:
            return np.bincount(rows.skill, weights=rows.weight * value, minlength=skills) + LEAST_INFORMATION

        every = total(np.ones(rows.skill.size))
        won, lost = total(rows.won) / every, total(rows.lost) / every
        away = rows.won - won[rows.skill]
        steep = (total(away * (rows.lost - lost[rows.skill])) - LEAST_INFORMATION) / total(away**2)
        return np.stack([won, lost, steep])

    def _growth(self) -> Averages:
        rows, students = self._practice, self.log.lengths.size
        code, score, information = self._growth_scores(rows)
        student = np.tile(self.log.student.astype(np.int64), 2)
        counts, base = (_summed(code, student, value, students) for value in (score, information))
        total = np.asarray(base.sum(axis=1)).ravel() + LEAST_INFORMATION
        return Averages(
            counts=counts,
            base=base,
            over=np.arange(total.size),
            share=np.asarray(counts.sum(axis=1)).ravel() / total,
            scale=1 / (self.share * total + 1),
            family=family_of(np.diff(base.indptr)),
        )

    def _answered(self, released: Log) -> dict[str, Observed]:
        """Averages of right and wrong, by abilities of released students under the population's difficulties."""
        inside = released.item < len(self.log.items)
        fake = released if inside.all() else released.only_rows(inside)
        student, item, right, trials = cells(fake)
        difficulty = self.rasch.difficulty[item]
        ability = abilities_given(student, difficulty, right, trials, fake.lengths.size)
        chance, items = chance_of(ability[student], difficulty), len(self.log.items)
        information = np.bincount(item, weights=trials * chance * (1 - chance), minlength=items)
        off = np.bincount(item, weights=right - trials * chance, minlength=items)

        known = self.averages["growth"]
        code, score, weight = self._growth_scores(self._scored(fake, ability))
        found, size = (np.bincount(code, weights=value, minlength=known.share.size) for value in (score, weight))

        values = overall_values(fake, ability, self._skill_of).standard(*self._everybody.scatter())
        times = np.bincount(values.number, minlength=NUMBERS)
        total = np.bincount(values.number, weights=values.value, minlength=NUMBERS)
        return {
            "answers": Observed(change=off / (information + 1), size=information),
            "growth": Observed(change=(found - known.share * size) / (size + 1), size=size),
            "overall": Observed(change=total / np.maximum(times, 1), size=times.astype(float)),
        }

    @cached_property
    def _everybody(self) -> Values:
        student, item, right, trials = cells(self.log)
        ability = abilities_given(student, self.rasch.difficulty[item], right, trials, self.log.lengths.size)
        return overall_values(self.log, ability, self._skill_of)

    def _overall(self) -> Averages:
        values, students = self._everybody.standard(*self._everybody.scatter()), self.log.lengths.size
        counts = csr_matrix((values.value, (values.number, values.student)), shape=(NUMBERS, students))
        counts.sum_duplicates()
        times = np.bincount(values.number, minlength=NUMBERS)
        return Averages(
            counts=counts,
            base=csr_matrix((1, students)),
            over=np.zeros(NUMBERS, dtype=np.int64),
            share=np.zeros(NUMBERS),
            scale=1 / (self.share * times + 1),
            family=np.minimum(np.arange(NUMBERS), MOMENTS),  # attempts are alike, moments are not
        )

    def _growth_scores(self, rows: "Scored") -> tuple[Array, Array, Array]:
        """Skill and kind of practice of every row twice, with its score and its information for that kind."""
        won, lost, steep = self._levels[:, rows.skill]
        of_wins = rows.won - won
        of_fails = rows.lost - lost - steep * of_wins
        code = np.concatenate([2 * rows.skill, 2 * rows.skill + 1])
        score = np.concatenate([rows.residual * of_wins, rows.residual * of_fails])
        return code, score, np.concatenate([rows.weight * of_wins**2, rows.weight * of_fails**2])

    def _scored(self, log: Log, ability: Array) -> "Scored":
        """Rows of a log beside the chances that the population's difficulties give them."""
        assert log.correct is not None
        chance = chance_of(ability[log.student], self.rasch.difficulty[log.item])
        wins, fails = practice(log.item, log.bounds, log.correct, self._skill_of, int(self._skill_of.max()) + 1)
        return Scored(
            skill=self._skill_of[log.item].astype(np.int64),
            won=np.log1p(wins),
            lost=np.log1p(fails),
            residual=log.correct - chance,
            weight=chance * (1 - chance),
        )

    def _answers(self) -> Averages:
        student, item, right, trials = cells(self.log)
        chance = chance_of(self.rasch.ability[student], self.rasch.difficulty[item])
        students, items = self.log.lengths.size, len(self.log.items)
        counts = csr_matrix((right - trials * chance, (item, student)), shape=(items, students))
        information = np.bincount(item, weights=trials * chance * (1 - chance), minlength=items)
        return Averages(
            counts=counts,
            base=csr_matrix((1, students)),
            over=np.zeros(items, dtype=np.int64),
            share=np.zeros(items),
            scale=1 / (self.share * information + 1),  # the ridge of the Rasch fit counts like one answer more
            family=family_of(np.diff(counts.indptr)),
        )


def _summed(row: Array, student: Array, value: Array, students: int) -> csr_matrix:
    """Values added up per row and student."""
    matrix = csr_matrix((value, (row, student)), shape=(int(row.max()) + 1, students))
    matrix.sum_duplicates()
    return matrix


def _length_class(lengths: Array) -> Array:
    found: Array = np.floor(np.log(lengths) / np.log(LENGTH_CLASS)).astype(np.int64)
    return found
