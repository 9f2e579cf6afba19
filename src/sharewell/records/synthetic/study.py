"""One file of records that are invented: the four questions, answered from a generator with noisy counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Change, Curve, CurvePoint, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.lab import judges
from sharewell.lab.least import Choice, Race, not_accepted, scale
from sharewell.lab.membership import AUC, STRONGEST, TPR
from sharewell.lab.splits import splits_for
from sharewell.lab.threads import one_thread
from sharewell.records.kind import EPSILON, K_MARGINAL
from sharewell.records.outcomes import as_columns
from sharewell.records.recheck import invented_rows, promise
from sharewell.records.section import Section
from sharewell.records.synthetic.generator import RecordsModel, Wanted, digest, fit_table
from sharewell.records.synthetic.membership import Rehearsals, gated
from sharewell.records.utility.yardsticks import compared, comparison, k_marginal, unique_matches
from sharewell.synthetic.columns import ModelledColumn

GATES = {AUC.id: "membership", TPR.id: "tpr"}
SHOWN = (0.3, 1.0, 3.0, 10.0)  # ε of the curve, beside the one that is released
SHOWN_REHEARSALS = 4  # that illustrate a promise
NOISES = scale(0.1, 10.0, ratio=1.25)  # without ε: noise one is that of ε = 10
AT_NOISE_ONE = 10.0
FIRST_LOOK = 4
START = 1.0
ROOMS = 2.0
CHANCE = {AUC: (0.5, 0.01), TPR: (0.01, 0.004)}


def open_invented(job: Job) -> "InventedStudy":
    """Read the rows without identifying and dropped columns; open a study of them."""
    section: Section = job.section
    away = [name for name in (*section.direct, *section.drop) if name in job.source.columns]
    return InventedStudy(job=job, section=section, rows=engine.arrow(job.source.drop(*away)))


@dataclass(frozen=True, kw_only=True)
class InventedStudy:
    """The rows as they are, in the order of the file."""

    job: Job
    section: Section
    rows: pa.Table

    @property
    def names(self) -> list[str]:
        return [name for name in self.rows.column_names if name != self.section.student]

    @property
    def promised(self) -> bool:
        return self.section.epsilon != "none"

    @property
    def limits(self) -> Mapping[str, float]:
        return self.section.limits()

    def wanted(self, epsilon: float) -> Wanted:
        section = self.section
        return Wanted(
            epsilon=epsilon,
            student=section.student if section.student in self.rows.column_names else None,
            categories=section.categories,
            targets=as_columns(section.target),
            hierarchies=section.folder / section.hierarchies if section.hierarchies else None,
            impossible=section.impossible,
        )

    def before(self) -> list[Risk]:
        """As it stands every student who is alone is found by a comparison of rows."""
        alone = unique_matches(self.rows.select(self.names), self.rows.select(self.names))
        return [replace(alone, story="Students whom all columns together single out, and who are in the table.")]

    def protect(self) -> Protected:
        choice = None if self.promised else self._least()
        epsilon = self._asked() if choice is None else AT_NOISE_ONE / choice.strength
        with one_thread():
            model = self._fitted(epsilon)
            made = model.table(None, self._secret().generator("rows"))
        facts = {**_facts(model, self.section, made), "accepted": choice is None or choice.accepted}
        if choice is not None:
            facts |= {"noise": choice.strength, "privacy budget": None}
        return Protected(
            table=engine.listed(made),
            changes=tuple(self._changes(epsilon if choice is None else None, choice)),
            curve=self._curve(epsilon, model) if choice is None else self._tried(choice),
            synthetic=True,
            facts=facts,
        )

    def attack(self, protected: Protected) -> list[Risk]:
        """Attack rehearsals: they illustrate the promise, or decide alone."""
        released = engine.arrow(protected.table)
        matched = unique_matches(self.rows.select(self.names), released.select(self.names))
        found = [matched, *invented_rows(protected.table, protected.facts)]
        if self.promised:
            risks = self._rehearsed(self.wanted(self._asked()), SHOWN_REHEARSALS, self.job.seed)
            return [*promise(protected.facts, self.limits), *found, *risks]
        epsilon = AT_NOISE_ONE / float(protected.facts["noise"])
        judge = Rehearsals(rows=self.rows, wanted=self.wanted(epsilon), seed=self.job.seed)
        with one_thread():
            measures = {AUC: self.limits.get("membership", 1.0), TPR: self.limits.get("tpr", 1.0)}
            risks = judges.judged(self._repeats, judge.make, judge.risks, measures)
        every = [*found, *gated(risks, GATES, self.limits)]
        return every if protected.facts["accepted"] else [*every, not_accepted(float(protected.facts["noise"]))]

    def utility(self, protected: Protected) -> list[Utility]:
        released = engine.arrow(protected.table)
        targets = as_columns(self.section.target)
        found = compared(self.rows, released, self.names, self.section.categories, targets, self.job.seed)
        return [one for one in found if isinstance(one, Utility)]

    def _asked(self) -> float:
        """What the plan says, or the audience allows; never more than earlier releases left of that."""
        limit = self.limits["epsilon"]
        return min(float(self.section.epsilon or limit), limit)

    def _secret(self) -> Any:
        """Another noise for every version of the table, or two versions would show who came and went."""
        return self.job.keyed.within(digest(self.rows))

    def _fitted(self, epsilon: float) -> RecordsModel[Any]:
        return fit_table(self.rows, self.wanted(epsilon), self._secret().generator(f"noise {epsilon!r}"))

    @cached_property
    def _repeats(self) -> int:
        return splits_for(min(self.rows.num_rows, 1_000), 0.5)

    def _rehearsed(self, wanted: Wanted, draws: int, seed: int) -> list[Risk]:
        rehearsals = Rehearsals(rows=self.rows, wanted=wanted, seed=seed)
        with one_thread():
            rehearsals.make(0, draws)
            return rehearsals.risks()

    def _least(self) -> Choice:
        """The least noise with which every attack is expected to stay within its limits."""

        def look(noise: float, draws: int) -> Sequence[Risk]:
            risks = self._rehearsed(self.wanted(AT_NOISE_ONE / noise), draws, self.job.seed + 1)
            limits = {measure: self.limits.get(GATES[measure.id]) for measure in (AUC, TPR)}
            return [
                risk if risk.attacker == STRONGEST else replace(risk, limit=limits.get(risk.measure)) for risk in risks
            ]

        fixed = self.section.noise
        race = Race(
            strengths=NOISES if fixed is None else (fixed,),
            first=FIRST_LOOK,
            draws=self._repeats,
            judged_on=self._repeats,
            rooms=ROOMS,
            chance=CHANCE,
        )
        return race.least(look, start=START)

    def _curve(self, epsilon: float, model: RecordsModel[Any]) -> Curve:
        """What other ε would keep; each by a draw of its own, and none of them is released."""
        points = []
        for one in sorted({*SHOWN, epsilon}):
            generator = self._secret().generator(f"curve {one!r}")
            other = model if one == epsilon else self._fitted(one)
            kept = self._k_marginal(other.table(self.rows.num_rows, generator))
            points.append(
                CurvePoint(
                    label=f"ε = {one:g}", strength=one, risk=one, utility=kept, meets=one <= self.limits["epsilon"],
                    chosen=one == epsilon,
                )
            )  # fmt: skip
        note = "Each point is a draw of its own; the promise of a point holds for it alone."
        return Curve(
            strength="ε",
            risk=EPSILON,
            utility=K_MARGINAL,
            limit=self.limits["epsilon"],
            points=tuple(points),
            note=note,
        )

    def _tried(self, choice: Choice) -> Curve:
        points = []
        for noise, seen in sorted(choice.tried.items()):
            auc = next(risk for risk in seen.risks if risk.attacker == STRONGEST and risk.measure == AUC)
            made = self._fitted(AT_NOISE_ONE / noise)
            kept = self._k_marginal(made.table(self.rows.num_rows, self._secret().generator(f"curve {noise!r}")))
            points.append(
                CurvePoint(
                    label=f"noise {noise:g}", strength=noise, risk=auc.value, low=auc.low, high=auc.high, utility=kept,
                    meets=choice.meets[noise], chosen=choice.chose(noise),
                )
            )  # fmt: skip
        return Curve(
            strength="noise on every count", risk=AUC, utility=K_MARGINAL, limit=self.limits.get("membership"),
            points=tuple(points),
        )  # fmt: skip

    def _k_marginal(self, made: pa.Table) -> float:
        if len(self.names) < 2:
            return 1000.0
        return k_marginal(comparison(self.rows, made, self.names, self.section.categories, self.job.seed)).value

    def _changes(self, epsilon: float | None, choice: Choice | None) -> list[Change]:
        names = tuple(self.names)
        why = (
            f"what comes out would be nearly the same without any one student: no conclusion from it becomes more than "
            f"e^{epsilon:g} times as likely because a student is in the table"
            if epsilon is not None
            else "counts show who was in them, taken together; the noise is the least that keeps every attack within "
            "its limits on rehearsals, and nothing beyond the attacks is promised"
        )
        noise = f"ε = {epsilon:g}" if choice is None else f"noise {choice.strength:g}"
        return [
            Change(
                columns=names,
                action="invented",
                detail="rows of real students replaced by rows of students who do not exist",
                reason="they are drawn from a model that keeps noisy counts of single columns and pairs, and no row",
            ),
            Change(columns=names, action="invented", detail=f"noise on every count ({noise})", reason=why),
        ]


def _facts(model: RecordsModel[Any], section: Section, made: pa.Table) -> dict[str, Any]:
    """What a recipient needs for checking: columns, lists and ranges, rules, and what the budget was spent on."""
    return {
        "method": "synthetic",
        "student": section.student,
        "columns": list(made.column_names),
        "prefix": model.prefix,
        "rows": made.num_rows,
        "domain": {one.column.name: _domain(one.column, model) for one in model.fields},
        "impossible": list(section.impossible),
        "limits": section.limits(),
        "privacy budget": dict(model.budget),
    }


def _domain(column: ModelledColumn, model: RecordsModel[Any]) -> dict[str, Any]:
    """Listed values, and the ends of the ranges; of dates the first and the last day, as texts have their order."""
    listed = [leaf.value for leaf in column.leaves if not leaf.is_range and not leaf.rare]
    low = min((leaf.low for leaf in column.leaves if leaf.low is not None), default=None)
    high = max((leaf.high for leaf in column.leaves if leaf.high is not None), default=None)
    if column.name not in model.dates:
        return {"listed": listed, "low": low, "high": high}
    known = [float(number) for number in (*listed, low, high) if number is not None]
    per_day = 1 if model.dates[column.name][1] else 86_400
    first, last = (str(np.datetime64(int(end // per_day), "D")) for end in (min(known), max(known) + per_day))
    return {"listed": [None] if None in listed else [], "low": first, "high": last}
