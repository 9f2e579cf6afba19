"""One log of responses under study: read once, then asked the four questions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.data.engine import fresh, listed
from sharewell.errors import InputError
from sharewell.lab.least import not_accepted
from sharewell.lab.membership import AUC, MEMBERSHIP, NEAR_COPIES, STRONGEST, TPR
from sharewell.lab.threads import one_thread
from sharewell.responses import recheck as second_program
from sharewell.responses.drawn_students import drawn
from sharewell.responses.kind import DIFFICULTY_RANKS, LEARNING_WORST, RARE_STEPS_AGAIN
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.attackers import DRAWN, FEWEST_COMPARED, drawn_words, most_compared
from sharewell.responses.measure.membership_risks import membership_of
from sharewell.responses.protection import strength_search
from sharewell.responses.protection.generator import Model
from sharewell.responses.protection.strength_search import Candidate, Level, Search
from sharewell.responses.section import Section
from sharewell.responses.settings import Settings
from sharewell.responses.utility.simpler import beside, independent_rows, not_worth_it
from sharewell.responses.utility.usefulness import usefulness

GATES = {AUC: "membership", TPR: "tpr"}
LEFT = {DIFFICULTY_RANKS.id: "ranks", LEARNING_WORST.id: "jump"}  # uses without which a release is refused


def open(job: Job) -> "ResponsesStudy":
    """Read the log once; what the plan leaves open (strengths, repeats) is settled here."""
    section: Section = job.section
    columns = _columns(section)
    some = drawn(job, columns)
    try:
        log = read(some.rows, columns, layout=section.dates.get(section.time or ""))
    except InputError as error:
        raise some.at_its_place(error) from None
    search = Search(
        log=log,
        columns=columns,
        settings=_settings(section),
        levels=_levels(section, log),
        students=section.students or (None if section.epsilon else some.expected or log.lengths.size),
        control=section.control,
        repeats=section.repeats or strength_search.splits_to_judge(log.lengths.size, section.control),
        limits=section.limits(),
        # Noise that another version had, too, would cancel. And a version with the same bytes, after a student left who
        # was not drawn, would disclose that the student was never in.
        keyed=job.keyed.within(log.digest() + some.everybody),
        seed=job.seed,
    )
    job = replace(job, source=some.rows.select(*job.source.columns))
    return ResponsesStudy(
        job=job,
        log=log,
        search=search,
        place=fresh(job.source.columns, "place"),
        drawn_from=some.students,
        expected=some.expected,
    )


@dataclass(frozen=True, kw_only=True)
class ResponsesStudy:
    """A log, read; `place` is the helper column that keeps the rows of an invented student in order.

    Where the key drew some students to be learnt from, `drawn_from` is how many the file has, and `expected` stands
    for how many were drawn: the true number, one less in a next version, would disclose that a student who left was in.
    """

    job: Job
    log: Log
    search: Search
    place: str
    drawn_from: int | None = None
    expected: int | None = None

    @property
    def section(self) -> Section:
        section: Section = self.job.section
        return section

    def before(self) -> list[Risk]:
        """The log as it stands with new ids: a part of the students is "released", the others are the control."""
        member = strength_search.members(self.log, self.section.control, np.random.default_rng(self.job.seed))
        with one_thread():
            risks = membership_of(self.log, self.log.only(member), member, seed=self.job.seed)
        released = self.expected - math.ceil(self.section.control * self.expected) if self.expected else 0
        return self._with_expected(risks, released=released)

    def protect(self) -> Protected:
        """Fit, generate, attack; raise the noise until the limits hold."""
        with one_thread():
            made, level, curve, accepted = strength_search.search(self.search)
        return Protected(
            table=listed(self._placed(made.table)),
            changes=tuple(_changes(self.section, made, level, self.drawn_from, accepted=accepted)),
            curve=curve,
            synthetic=True,
            order=(self.place,),
            helpers=(self.place,),
            facts={
                **_facts(self.section, made.model, self.search.invented(made.model)),
                **self._drawn(),
                "accepted": accepted or len(self.search.levels) == 1,
            },
        )

    def _drawn(self) -> Mapping[str, Any]:
        """How many students were drawn; under a budget their number is hidden."""
        return {} if self.expected is None or self.section.epsilon else {"students drawn": self.expected}

    def attack(self, protected: Protected) -> list[Risk]:
        """Attack exactly what is released; the students kept aside are drawn again from the same secret."""
        m = int(protected.facts["students_per_step"])
        released = self._released(protected.table)
        with one_thread():
            risks = self.search.judged(Level(float(protected.facts["noise"]), m), released)
        again = second_program.against_original(
            self.job.source,
            protected.table,
            self.section,
            place=self.place,
            fitted=self.log.students.filter(pa.array(self.search.members())),
            m=m,
        )
        found = [*(_gated(risk, self.section) for risk in risks), *again]
        if not protected.facts["accepted"]:
            found.append(not_accepted(float(protected.facts["noise"])))
        found += [
            *_left(self._uses(released), self.section),
            *not_worth_it(self._uses(released), self._table(protected)),
        ]
        return self._with_expected(found, released=released.lengths.size)

    def _with_expected(self, risks: Sequence[Risk], *, released: int) -> list[Risk]:
        """Without the true number of those who were drawn, or of any part of them."""
        return list(risks) if self.expected is None else [self._as_expected(risk, released) for risk in risks]

    def _as_expected(self, risk: Risk, released: int) -> Risk:
        """How many students an attack looked at if as many had been drawn as are on average."""
        assert self.expected is not None
        if risk.measure == NEAR_COPIES:
            return replace(risk, n=min(released, FEWEST_COMPARED) if risk.n == FEWEST_COMPARED else released)
        if risk.measure not in (*MEMBERSHIP, RARE_STEPS_AGAIN):
            return risk  # counts of released rows
        if DRAWN not in risk.setting:
            return replace(risk, n=self.expected)
        outside = math.ceil(self.section.control * self.expected)
        compared = sum(min(side, most_compared(released) // 2) for side in (self.expected - outside, outside))
        return replace(risk, n=compared, setting={**risk.setting, DRAWN: drawn_words(compared, self.expected)})

    def utility(self, protected: Protected) -> list[Utility]:
        """Every use of the released rows beside the original ones, and beside what simpler things would give."""
        rows = usefulness(self.log, independent_rows(self.log, seed=self.job.seed), seed=self.job.seed)
        return beside(self._uses(self._released(protected.table)), rows, self._table(protected))

    def _uses(self, released: Log) -> list[Utility]:
        return usefulness(self.log, released, seed=self.job.seed)

    def _table(self, protected: Protected) -> Mapping[str, float]:
        """What a table of items would serve that carries as much noise; a budget and a network have no such noise."""
        if not self.search.settings.noisy or self.log.correct is None:
            return {}
        level = Level(float(protected.facts["noise"]), int(protected.facts["students_per_step"]))
        return self.search.item_table(level).uses(self.log, seed=self.job.seed)

    def _placed(self, table: pa.Table) -> pa.Table:
        """Columns in the order of the source, with the helper behind them."""
        made = table.select([name for name in self.job.source.columns if name in table.column_names])
        return made.append_column(self.place, pa.array(np.arange(made.num_rows)))

    def _released(self, table: Table) -> Log:
        """The released rows in the coding of the original."""
        seen = strength_search.coded_columns(self.search.columns)
        return read(table.order_by([self.section.student, self.place]), seen, items=self.log.items)


def _columns(section: Section) -> Columns:
    """Columns to keep are drawn given the item like further ones: nothing is passed on as it is."""
    return Columns(
        student=section.student,
        item=section.item,
        correct=section.correct,
        skill=section.skill,
        time=section.time,
        attempt=section.attempt,
        duration=section.duration,
        further=(*section.further, *section.keep),
        ids=section.ids,
    )


def _settings(section: Section) -> Settings:
    return Settings(
        model=section.model,
        outcomes=section.outcomes or ("pfa" if section.epsilon is None else "rasch"),
        ability=section.ability,
        m=section.m or strength_search.FEWEST_STUDENTS,
        order=section.order,
        smoothing=section.smoothing,
        longest=section.longest,
        epsilon=section.epsilon,
        items=section.items or None,
        max_rows=section.max_rows,
    )


def _levels(section: Section, log: Log) -> tuple[Level, ...]:
    """What the plan fixes, or what may be tried; a budget brings its own noise, and a network has none to offer."""
    if section.epsilon is not None or section.model == "gru":
        return (Level(0.0, section.m or strength_search.FEWEST_STUDENTS),)
    return strength_search.levels_for(log, section.control, m=section.m, noise=section.noise)


def _gated(risk: Risk, section: Section) -> Risk:
    """Gate the strongest attacker, at the upper ends of both intervals."""
    gate = GATES.get(risk.measure) if risk.attacker == STRONGEST else None
    limit = section.limits().get(gate) if gate else None
    return risk if limit is None or gate is None else replace(risk, gate=gate, limit=limit, bound="high")


def _left(uses: Sequence[Utility], section: Section) -> list[Risk]:
    """What must be left for an analyst: a release that says nothing of it is refused unless the plan insists."""
    limits = section.limits()
    return [
        Risk(
            measure=use.measure,
            attacker="an analyst of the release",
            value=use.value,
            n=use.n,
            setting=use.setting,
            story=use.story,
            gate=LEFT[use.name],
            limit=limits[LEFT[use.name]],
        )
        for use in uses
        if LEFT.get(use.name) in limits
    ]


def _changes(
    section: Section, made: Candidate, level: Level, drawn_from: int | None, *, accepted: bool
) -> list[Change]:
    whom = "the students" if drawn_from is None else "the students whom the key drew"
    changes = [
        Change(
            columns=(section.student,),
            action="invented",
            detail="rows of real students replaced by rows of students who do not exist",
            reason=f"a generator learnt from {made.member.mean():.0%} of {whom}; "
            "the others were kept aside as the control of every attack",
        )
    ]
    if drawn_from is not None:
        about = round(drawn_from, 1 - len(str(drawn_from)))  # the number itself changes with every single one
        detail = f"learnt from students drawn from all, who are about {about:,}"
        reason = "invented rows need no more, and students who are not drawn shape nothing"
        changes.append(Change(columns=(section.student,), action="invented", detail=detail, reason=reason))
    if made.model.budget is not None:
        detail = f"counts of steps, items, lengths and right answers carry noise (epsilon = {section.epsilon:g})"
        reason = "the generator hardly depends on whether any one student was in"
        return [*changes, Change(columns=(section.item,), action="invented", detail=detail, reason=reason)]
    if level.noise:
        changes.append(
            Change(
                columns=(section.item, section.correct),
                action="invented",
                detail=f"noise of {level.noise:g} standard errors on every number that the generator learnt",
                reason=f"averages, taken together, disclose who was in them; {_why(section.noise, accepted=accepted)}",
            )
        )
    return [*changes, *_changes_to_items(section, made.model)]


def _changes_to_items(section: Section, model: Model[Any]) -> list[Change]:
    item, m, gone, noisy = (section.item,), model.settings.m, model.left_out, model.settings.noise > 0
    detail = f"steps from item to item that fewer than {m} students took are not repeated"
    reason = "a step that few students took would give them away"
    changes = [Change(columns=item, action="suppressed", detail=detail, reason=reason)]
    for rows, detail, reason in (
        (
            gone.few_students_rows,
            f"items with fewer than {m} students left out" + (", and some with little more" if noisy else ""),
            "too few students to hide among"
            + ("; which items come would disclose who was learnt from" if noisy else ""),
        ),
        (gone.extreme_rows, "items that everyone or no one got right left out", "they have no finite difficulty"),
    ):
        if rows:
            changes.append(Change(columns=item, action="suppressed", detail=detail, reason=reason, cells=Count(rows)))
    return changes


def _why(fixed: float | None, *, accepted: bool) -> str:
    if fixed is not None:
        return "the plan fixes this number"
    if accepted:
        return "this number is the least of those tried that was found to keep every attack within the limits"
    return "no number tried was found to keep every attack within the limits, and this is the greatest"


def _facts(section: Section, model: Model[Any], students: int) -> Mapping[str, Any]:
    return {
        "student": section.student,
        "item": section.item,
        "correct": section.correct,
        "skill": section.skill,
        "time": section.time,
        "attempt": section.attempt,
        "students": students,
        "model": section.model,
        "students_per_step": model.settings.m,
        "noise": model.settings.noise,
        "longest": model.sequences.longest,
        "prefix": model.prefix,
        "control": section.control,
        "privacy budget": None if model.budget is None else dict(model.budget),
    }
