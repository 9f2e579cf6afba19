"""One file of student records under study."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, Job, Protected, Risk, Share, Utility
from sharewell.data import engine
from sharewell.errors import Refused
from sharewell.records import row_pairs
from sharewell.records.given_hierarchies import with_categories
from sharewell.records.kind import ASSOCIATIONS_MOVED, LOSS
from sharewell.records.limits import Limits
from sharewell.records.measure import guessing, kept_columns, predicates
from sharewell.records.measure.assessment import assess
from sharewell.records.measure.most_exposed import most_exposed
from sharewell.records.outcomes import as_columns
from sharewell.records.protection import anonymization, cell_values, curve, reasons, released_rows, reused, several_rows
from sharewell.records.protection.best import binding, limit_costs
from sharewell.records.protection.recoding import Request
from sharewell.records.protection.settings import Settings
from sharewell.records.recheck import recount, recount_students, with_limit
from sharewell.records.section import Section
from sharewell.records.synthetic.study import InventedStudy, open_invented
from sharewell.records.utility import methods
from sharewell.records.utility.most_predictable import most_auc
from sharewell.records.utility.prediction import held_out
from sharewell.records.utility.protocols import labelled_rows
from sharewell.records.utility.summary import usefulness
from sharewell.records.utility.suppression_by_group import by_group
from sharewell.records.utility.yardsticks import compared, unique_matches

CURVE_OVER = (1, 2, 3, 5, 7, 10, 15)
CURVE_SHARE = 0.1  # of the time of the search, for every point of the curve
HELD_OUT_ROWS = 3_000
HELD_OUT_SECONDS = 0.5
CAREFUL = 0.5  # of the margin, where a size of groups is chosen: the gate then looks with other draws
GROWTH = (1.5, 2, 3)  # times k, where groups of k let descriptions single out too many


def open(job: Job) -> "RecordsStudy | SeveralRowsStudy | InventedStudy":
    """The rows without direct identifiers, numbered so that released ones are found again."""
    section: Section = job.section
    if section.invents:
        return open_invented(job)
    row = engine.fresh(job.source.columns, "row")
    rows = row_pairs.numbered(job.source, row).drop(*section.direct, *section.drop)
    if section.rows == "several":
        return SeveralRowsStudy(section=section, rows=rows, row=row, settings=settings_of(job), seed=job.seed)
    return RecordsStudy(section=section, rows=rows, row=row, settings=settings_of(job), seed=job.seed)


def settings_of(job: Job) -> Settings:
    """What the plan wants of the search; l and t speak of sensitive columns. Draws that protect come from the key."""
    section: Section = job.section
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
        hierarchies=with_categories(
            section.folder / section.hierarchies if section.hierarchies else None, section.categories, section.quasi
        ),
        seconds=section.seconds,
        seed=job.seed,
        secret=int(job.keyed.generator("cuts").integers(2**30)),
        known=reused.read(section.folder / section.recoding, section.quasi) if section.recoding else None,
    )


@dataclass(frozen=True, kw_only=True)
class RecordsStudy:
    """`rows` carry their place in the file in the column `row`."""

    section: Section
    rows: Table
    row: str
    settings: Settings
    seed: int

    @cached_property
    def request(self) -> Request:
        """The rows reduced to combinations, with their hierarchies: made once, for every question."""
        return self.settings.request_for(self.rows)

    @property
    def searched(self) -> Settings:
        """For rehearsals and curves, which speak of what a search would find."""
        return replace(self.settings, known=None)

    def before(self) -> list[Risk]:
        found = [with_limit(one, self.limits) for one in self._assessed(self.rows)]
        return [*found, *self._kept(self.rows)]

    def protect(self) -> Protected:
        done, k = self._grown()
        costs = limit_costs(self.request, self.searched.recode)
        facts = {
            "quasi": list(self.settings.quasi),
            "sensitive": list(self.settings.sensitive),
            "withheld": list(self.settings.keep),
            "limits": self.limits,
            "searched k": k,
            "method": done.method,
            "loss by limits": costs,
            "levels": dict(done.levels),
            "suppressed": Count(done.suppressed_rows),
            "loss": Share(done.loss),
            "loss if values were listed": Share(done.loss_if_listed),
            "proven": done.proven,
        }
        table, labels = self._written(done)
        return Protected(
            table=table,
            changes=(
                *done.changes,
                *value_changes(self.section),
                *guidance(self.settings, done, self.request),
                *growth(self.settings, k),
            ),
            curve=self._curve(done, k, f"{binding(costs)} {price(done)}"),
            methods=self._methods(done.table, k),
            helpers=(self.row, *labels),
            facts=facts,
            private={
                **{f"hierarchy_{name}": _as_table(made.rows()) for name, made in done.hierarchies.items()},
                reused.STEM: reused.written(self.rows, done.table, self.row, self.settings.quasi),
            },
        )

    def _grown(self) -> tuple[anonymization.Anonymized[Table], int]:
        """Groups of k, or larger ones where labels of small groups disclose too much; chosen on draws of its own."""
        limits = self.settings.limits
        done, used = anonymization.protect(self.rows, self.settings, self.request), limits.k
        for factor in GROWTH if self.settings.known is None else ():
            chosen_on = self._described(done.table, used, self.seed + 1, allowance=CAREFUL)
            if all(risk.holds for risk in chosen_on if risk.gate):
                break
            larger = replace(limits, k=math.ceil(factor * limits.k))
            try:
                done = anonymization.protect(self.rows, self.settings, replace(self.request, limits=larger))
            except Refused:  # too few students for groups of this size: what there is faces the gate
                break
            used = larger.k
        return done, used

    def attack(self, protected: Protected) -> list[Risk]:
        """The recount carries the gates; what a class gives away and what can be guessed stands beside it."""
        released, wanted = self._labelled(protected), self.settings
        recounted = recount(protected.table, quasi=wanted.quasi, sensitive=wanted.sensitive, withheld=wanted.keep)
        counted = {one.name for one in recounted}
        rest = [one for one in self._assessed(released) if one.name not in counted]
        gated = [with_limit(one, self.limits) for one in recounted]
        described = self._described(released, int(protected.facts.get("searched k", wanted.limits.k)), self.seed)
        before, after = row_pairs.side_by_side(self.rows, released, self.row, self.seed)
        matched = unique_matches(before.select(self._names), self._values(before, after, protected).select(self._names))
        exposed = most_exposed(released, wanted.quasi)
        return [*gated, *rest, *exposed, matched, *described, *self._guesses(), *self._kept(released)]

    def utility(self, protected: Protected) -> list[Utility]:
        wanted = self.settings
        before, after = row_pairs.side_by_side(self.rows, self._labelled(protected), self.row, self.seed)
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
        found += by_group(before, after, wanted.quasi, list(dict.fromkeys([*wanted.sensitive, *wanted.targets])))
        found = [one for one in found if one.measure != ASSOCIATIONS_MOVED]  # those of values follow
        values = self._values(before, after, protected)
        learn = bool(wanted.targets) or self.section.values != "ranges"  # to load the models alone takes a second
        codes = self.section.categories
        both = compared(before, values, self._names, codes, wanted.targets, self.seed, learn=learn)
        found += [one for one in both if isinstance(one, Utility)]
        return found + (self._held_out(before) if before.num_rows <= HELD_OUT_ROWS else [])

    @property
    def _names(self) -> list[str]:
        """The columns that are released."""
        return list(dict.fromkeys([*self.settings.quasi, *self.settings.sensitive, *self.settings.keep]))

    def _values(self, before: pa.Table, after: pa.Table, protected: Protected) -> pa.Table:
        """Released rows with values in their cells: those that are written, or draws inside the ranges."""
        if self.section.values != "ranges":
            return engine.arrow(protected.table.select(self._names))
        return cell_values.read_inside(before, after, self.settings.quasi, self.settings.hierarchies, self.seed)

    def _methods(self, released: Table, k: int) -> Curve | None:
        """The release beside what other methods would make of the same students."""
        before = row_pairs.sampled(self.rows, self.row, methods.MOST_STUDENTS, self.seed)
        after = row_pairs.sampled(released, self.row, methods.MOST_STUDENTS, self.seed)
        seconds, limits = CURVE_SHARE * self.settings.seconds, replace(self.settings.limits, k=k)
        wanted = replace(self.searched, seconds=seconds, limits=limits)
        section = self.section
        return methods.compare_methods(before, after, wanted, section.categories, section.limit.epsilon or 1.0)

    def _written(self, done: anonymization.Anonymized[Table]) -> tuple[Table, tuple[str, ...]]:
        """Labels; or a value for every cell of a class, and labels in columns that are not written."""
        if self.section.values == "ranges":
            return done.table, ()
        labels = {name: engine.fresh(self.rows.columns, f"label_{n}") for n, name in enumerate(self.settings.quasi)}
        generator = np.random.default_rng(self.settings.secret)
        return cell_values.as_values(done.table, self.rows, done.hierarchies, labels, generator), tuple(labels.values())

    def _labelled(self, protected: Protected) -> Table:
        """The released rows with the label of every cell, whatever is written in it."""
        labels = [name for name in protected.helpers if name != self.row]
        table: Table = protected.table
        own = dict(zip(self.settings.quasi, labels, strict=True)) if labels else {}
        return table.mutate(**{name: table[label] for name, label in own.items()}).drop(*labels)

    def _held_out(self, before: pa.Table) -> list[Utility]:
        """The honest protocol; sensitive columns are left out of it."""
        limits = replace(self.settings.limits, l=None, t=None)
        wanted = replace(self.searched, limits=limits, sensitive=(), seconds=HELD_OUT_SECONDS)
        found = []
        for target in wanted.targets:
            rows = labelled_rows(before, replace(wanted, targets=(target,)))
            if np.unique(rows.outcome).size > 1:
                found += held_out(rows, wanted, target=target, seed=self.seed)
        return found

    def _assessed(self, table: Table) -> list[Risk]:
        wanted = self.settings
        return assess(table, quasi=wanted.quasi, sensitive=wanted.sensitive, target=wanted.targets, seed=self.seed)

    def _guesses(self) -> list[Risk]:
        """The inference attack, on a release of two thirds of the students so that there are others to compare with."""
        wanted = self.searched
        names = dict.fromkeys([*wanted.quasi, *wanted.sensitive, *wanted.targets])
        rows = self.rows.select(self.row, *names)
        return guessing.rehearsed(row_pairs.sampled(rows, self.row, guessing.MOST_REHEARSED, self.seed), wanted)

    def _curve(self, done: anonymization.Anonymized[Table], k: int, binds: str) -> Curve:
        """Every k beside the released table, which may have larger groups than the plan asks (see `growth`)."""
        wanted = replace(self.searched, seconds=CURVE_SHARE * self.settings.seconds)
        request = replace(self.request, seconds=wanted.seconds, limits=replace(self.settings.limits, k=k))
        drawn = curve.draw(request, wanted.recode, CURVE_OVER, done.recoding)
        asked = self.settings.limits.k
        grown = "" if k == asked else f"The plan asks for k = {asked}, which the limit `predicate` did not allow."
        return replace(drawn, note=" ".join(filter(None, (drawn.note, grown, binds, curve.flat(drawn)))))

    def _described(self, released: Table, k: int, seed: int, *, allowance: float = 1.0) -> list[Risk]:
        """Descriptions chosen from the release, at their unfavourable end against chance and the margin of the plan."""
        rows = row_pairs.whole_classes(self.rows, released, self.row, self.settings.quasi, seed)
        known = self.request
        found = predicates.singled_out(*rows, known.combinations, known.hierarchies, k=k, seed=seed)
        if "predicate" not in self.limits:
            return found
        margin = allowance * self.limits["predicate"]
        return [replace(one, gate="predicate", limit=(one.chance or 0.0) + margin, bound="high") for one in found]

    def _kept(self, table: Table) -> list[Risk]:
        """Kept columns alone, and with the class; a limit of the audience that is no gate is advice."""
        wanted, advised = self.settings, self.section.limit.advised_kept
        inside = kept_columns.alone_in_class(table, wanted.quasi, wanted.keep)
        if "kept" in self.limits:
            inside = [with_limit(one, self.limits) for one in inside]
        elif advised is not None:
            inside = [replace(one, limit=advised) for one in inside]
        return [*inside, *kept_columns.alone(table, wanted.keep)]

    @property
    def limits(self) -> dict[str, float]:
        return self.section.limits()


@dataclass(frozen=True, kw_only=True)
class SeveralRowsStudy:
    """Students with several rows: the limits apply to students with all of their rows."""

    section: Section
    rows: Table
    row: str
    settings: Settings
    seed: int

    def before(self) -> list[Risk]:
        return self._alike(self.rows)

    def protect(self) -> Protected:
        wanted, student = self.settings, self.section.student
        read = several_rows.read(self.rows, student, wanted, self.row)
        made = several_rows.recode(read, wanted.limits)
        names = [column.name for column in read.columns]
        levels = dict(zip(names, made.levels, strict=True))
        left_out = int(made.gone.sum())
        table = released_rows.at_levels(self.rows, read.hierarchies, levels)
        stays = read.order[~made.gone[read.student]]
        facts = {
            "quasi": list(wanted.quasi), "sensitive": list(wanted.sensitive), "withheld": [], "student": student,
            "limits": self.section.limits(), "levels": levels, "suppressed": Count(left_out), "loss": Share(made.loss),
        }  # fmt: skip
        return Protected(
            table=row_pairs.only(table, self.row, stays),
            changes=tuple(reasons.of_students(read.hierarchies, levels, left_out, wanted.limits)),
            helpers=(self.row,),
            facts=facts,
        )

    def attack(self, protected: Protected) -> list[Risk]:
        return self._alike(protected.table)

    def utility(self, protected: Protected) -> list[Utility]:
        loss, rows = float(protected.facts["loss"]), int(engine.value(protected.table.count()))
        story = "How much detail the cells lost on average: 0 nothing, 1 everything; rows that were left out count 1."
        return [Utility(measure=LOSS, value=loss, n=rows, baseline=0.0, story=story)]

    def _alike(self, table: Table) -> list[Risk]:
        found = recount_students(table, self.section.student, self.settings.quasi, self.settings.sensitive)
        return [with_limit(one, self.section.limits()) for one in found]


def price(done: anonymization.Anonymized[Table]) -> str:
    """What labels cost that do not depend on who is in a group, in one sentence."""
    return (
        f"Labels come from a public grid and lose {done.loss:.1%} of the detail; labels that list what occurs in each "
        f"group would lose {done.loss_if_listed:.1%} and let descriptions single students out."
    )


def predictable(settings: Settings, request: Request) -> str:
    """How well an outcome with a limit t can be predicted at all, where it is a yes or no."""
    t = settings.limits.t
    for name in set(settings.targets) & set(settings.sensitive):
        column = request.combinations.other(name)
        counts = np.bincount(column.codes, weights=request.combinations.counts)
        if t is not None and len(column.values) == 2:
            most = most_auc(float(counts.max() / counts.sum()), t)
            return f" With t = {t:g} no table predicts {name} with an AUC above {most:.2f}."
    return ""


def guidance(settings: Settings, done: anonymization.Anonymized[Table], request: Request) -> list[Change]:
    """What guiding by an outcome gives away, in one sentence."""
    if not settings.targets or settings.weight <= 0:
        return []
    share = max(done.one_outcome.values(), default=0.0)
    reason = (
        f"the search kept what predicts it, and so {share:.0%} of the students sit in groups that share one outcome: "
        "someone who finds the group knows it. Name it sensitive with a limit t (0.4, say) where nobody should."
    ) + predictable(settings, request)
    return [Change(columns=settings.targets, action="untouched", detail="guides the coarsening", reason=reason)]


def value_changes(section: Section) -> list[Change]:
    """What stands in the cells where no labels do."""
    if section.values == "ranges":
        return []
    reason = (
        "columns keep their type; all students of a group have the same value, and it is nobody's by more than chance"
    )
    return [
        Change(
            columns=section.quasi,
            action="coarsened",
            detail="to one value drawn by the key, group by group",
            reason=reason,
        )
    ]


def growth(settings: Settings, k: int) -> list[Change]:
    """Why groups are larger than the plan asks."""
    if k == settings.limits.k:
        return []
    reason = (
        f"in groups of {settings.limits.k}, descriptions chosen from the labels would single out more students than "
        "chance and the limit on that allow"
    )
    detail = f"searched for groups of at least {k}"
    return [Change(columns=settings.quasi, action="coarsened", detail=detail, reason=reason)]


def _as_table(rows: list[list[str]]) -> pa.Table:
    return pa.table({f"level_{n}": [row[n] for row in rows] for n in range(len(rows[0]))})
