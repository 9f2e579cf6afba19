"""One file of student records under study."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Count, Curve, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.records import row_pairs
from sharewell.records.limits import Limits
from sharewell.records.measure import guessing, kept_columns
from sharewell.records.measure.assessment import assess
from sharewell.records.outcomes import as_columns
from sharewell.records.protection import anonymization, curve
from sharewell.records.protection.settings import Settings
from sharewell.records.recheck import recount, with_limit
from sharewell.records.section import Section
from sharewell.records.utility.prediction import held_out, labelled_rows
from sharewell.records.utility.summary import usefulness
from sharewell.records.utility.suppression_by_group import by_group

CURVE_OVER = (1, 2, 3, 5, 7, 10, 15)
CURVE_SHARE = 0.1  # of the time of the search, for every point of the curve
HELD_OUT_ROWS = 3_000
HELD_OUT_SECONDS = 0.5


def open(job: Job) -> "RecordsStudy":
    """The rows without direct identifiers, numbered so that released ones are found again."""
    section: Section = job.section
    row = engine.fresh(job.source.columns, "row")
    rows = row_pairs.numbered(job.source, row).drop(*section.direct, *section.drop)
    return RecordsStudy(section=section, rows=rows, row=row, settings=settings_of(section, job.seed), seed=job.seed)


def settings_of(section: Section, seed: int) -> Settings:
    """What the plan wants of the search; l and t speak of sensitive columns."""
    has = bool(section.sensitive)
    limits = Limits(
        k=int(section.limit.k or 1),
        l=section.limit.l if has else None,
        t=section.limit.t if has else None,
        max_suppressed=section.max_suppressed,
    )
    return Settings(
        quasi=section.quasi,
        sensitive=section.sensitive,
        targets=as_columns(section.target),
        keep=section.keep,
        limits=limits,
        method=section.method,
        weight=section.target_weight,
        hierarchies=section.folder / section.hierarchies if section.hierarchies else None,
        seconds=section.seconds,
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class RecordsStudy:
    """`rows` carry their place in the file in the column `row`."""

    section: Section
    rows: Table
    row: str
    settings: Settings
    seed: int

    def before(self) -> list[Risk]:
        found = [with_limit(one, self._limits()) for one in self._assessed(self.rows)]
        return [*found, *kept_columns.alone(self.rows, self.settings.keep)]

    def protect(self) -> Protected:
        done = anonymization.protect(self.rows, self.settings)
        facts = {
            "quasi": list(self.settings.quasi),
            "sensitive": list(self.settings.sensitive),
            "withheld": list(self.settings.keep),
            "limits": self._limits(),
            "method": self.settings.method,
            "levels": dict(done.levels),
            "suppressed": Count(done.suppressed_rows),
            "loss": done.loss,
            "proven": done.proven,
        }
        return Protected(
            table=done.table,
            changes=done.changes,
            curve=self._curve(),
            helpers=(self.row,),
            facts=facts,
            private={f"hierarchy_{name}": _as_table(made.rows()) for name, made in done.hierarchies.items()},
        )

    def attack(self, protected: Protected) -> list[Risk]:
        """The recount carries the gates; what a class gives away and what can be guessed is told beside it."""
        released: Table = protected.table
        wanted = self.settings
        recounted = recount(released, quasi=wanted.quasi, sensitive=wanted.sensitive, withheld=wanted.keep)
        counted = {one.name for one in recounted}
        rest = [one for one in self._assessed(released) if one.name not in counted]
        gated = [with_limit(one, self._limits()) for one in recounted]
        return [*gated, *rest, *self._guesses(), *kept_columns.alone(released, wanted.keep)]

    def utility(self, protected: Protected) -> list[Utility]:
        wanted = self.settings
        before, after = row_pairs.side_by_side(self.rows, protected.table, self.row, self.seed)
        found = list(
            usefulness(
                before,
                after,
                quasi=wanted.quasi,
                target=wanted.targets,
                hierarchies=wanted.hierarchies,
                seed=self.seed,
            )
        )
        found += by_group(before, after, wanted.quasi, [*wanted.sensitive, *wanted.targets])
        return found + (self._held_out(before) if before.num_rows <= HELD_OUT_ROWS else [])

    def _held_out(self, before: pa.Table) -> list[Utility]:
        """The honest protocol; sensitive columns are left out of it."""
        limits = replace(self.settings.limits, l=None, t=None)
        wanted = replace(self.settings, limits=limits, sensitive=(), seconds=HELD_OUT_SECONDS)
        found = []
        for target in wanted.targets:
            rows = labelled_rows(before, wanted.quasi, target, wanted.hierarchies)
            if np.unique(rows.outcome).size > 1:
                found += held_out(rows, wanted, target=target, seed=self.seed)
        return found

    def _assessed(self, table: Table) -> list[Risk]:
        wanted = self.settings
        return assess(table, quasi=wanted.quasi, sensitive=wanted.sensitive, target=wanted.targets, seed=self.seed)

    def _guesses(self) -> list[Risk]:
        """The inference attack, on a release of two thirds of the students so that there are others to compare with."""
        wanted = self.settings
        names = dict.fromkeys([*wanted.quasi, *wanted.sensitive, *wanted.targets])
        return guessing.rehearsed(engine.arrow(self.rows.order_by(self.row).select(*names)), wanted)

    def _curve(self) -> Curve:
        wanted = replace(self.settings, seconds=CURVE_SHARE * self.settings.seconds)
        return curve.draw(wanted.request_for(self.rows), wanted.recode, CURVE_OVER)

    def _limits(self) -> dict[str, float]:
        """The limits that the file can be held to: l and t speak of sensitive columns."""
        limits = self.section.limit
        named: Mapping[str, Any] = {"k": limits.k}
        if self.section.sensitive:
            named = {**named, "l": limits.l, "t": limits.t}
        return {name: float(value) for name, value in named.items() if value is not None}


def _as_table(rows: list[list[str]]) -> pa.Table:
    return pa.table({f"level_{n}": [row[n] for row in rows] for n in range(len(rows[0]))})
