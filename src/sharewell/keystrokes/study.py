"""One file of key events under study: opened once, then asked the four questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.keystrokes import eventlog, splits
from sharewell.keystrokes.columns import Columns, canonical
from sharewell.keystrokes.kind import STRONGEST
from sharewell.keystrokes.measure import measuring
from sharewell.keystrokes.measure.averaged_rounding import averaging
from sharewell.keystrokes.measure.known_lengths import known_lengths
from sharewell.keystrokes.protection.search import Goal, protect_table
from sharewell.keystrokes.protection.typed_text import without_names
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.utility.experience import compare_inference
from sharewell.keystrokes.utility.habits import compare, habits

WITHIN = 10
Redact = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, kw_only=True)
class Study:
    """The original under canonical names, its two samples, and what the plan holds the release to."""

    job: Job
    section: Section
    columns: Columns
    original: Table
    parts: Table  # which sessions are the target of attacks
    raw: splits.Halves
    students: int
    within: int
    share: float  # that may be found on a list of `within`

    def before(self) -> list[Risk]:
        """How many typists are found in the data as it stands."""
        risks = measuring.measure(None, self.raw, within=self._lists(), seed=self.job.seed)
        rounded = averaging(self.original, self.parts, self.raw, within=[self.within], seed=self.job.seed)
        return [*risks, *rounded]

    def protect(self) -> Protected:
        """As many groups of similar typists as the limit allows; times drawn within the group."""
        goal = Goal(found=self.share, within=self.within, seed=self.job.seed)
        source, told = self._without_names()
        done = protect_table(source, self.columns, goal, self.job.keyed)
        facts = {
            **done.facts,
            "columns": self.columns.named(),
            "unit": self.columns.unit,
            "within": self.within,
            "found": self.share,
            "gate": gate_of(self.section.limit),
            "seed": self.job.seed,
        }
        return replace(done, facts=facts, changes=(*done.changes, told))

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attack on what is released, with a raw and a protected reference; the worst is held to the limit."""
        after = canonical(protected.table, self.columns)
        seen, seed = splits.halves(after, self.parts), self.job.seed
        risks = measuring.measure(self.raw, seen, within=self._lists(), seed=seed)
        worst = measuring.strongest(one for one in risks if one.setting["within"] == self.within)
        held = replace(worst, measure=STRONGEST, gate=gate_of(self.section.limit), limit=self.share)
        return [held, *risks, *known_lengths(self.original, after, self.parts, within=[self.within], seed=seed)]

    def utility(self, protected: Protected) -> list[Utility]:
        """Speed, pauses and latencies of groups of digraphs kept; a two-class column still inferred where named."""
        before, after = (eventlog.load(table, self.columns) for table in (self.job.source, protected.table))
        kept = compare(habits(before), habits(after))
        if self.section.experience is None:
            return kept
        classes = _classes(self.job.source, self.columns.student, self.section.experience)
        return [*kept, *compare_inference(before, after, classes, seed=self.job.seed)]

    def _lists(self) -> list[int]:
        return sorted({1, min(5, self.within), self.within})

    def _without_names(self) -> tuple[Table, Change]:
        """What may be released, without the names that were typed; if they stay the report says so."""
        source = self.job.source.drop(*self.section.direct, *self.section.drop)
        if not self.section.redact_text:
            what = "NOT looked through for names: every key is released as it was typed"
            why = "the plan says redact_text = false; whoever reads the keys reads the names typed into them"
            return source, Change(columns=(self.section.key,), action="untouched", detail=what, reason=why)
        table, keys = without_names(source, self.columns, redaction(self.job))
        what = "names and identifiers typed replaced by a placeholder, key by key"
        why = "they tell who typed, or of whom"
        done = Change(columns=(self.section.key,), action="redacted", detail=what, reason=why, cells=Count(keys))
        return table, done


def open(job: Job) -> Study:
    """The file prepared once, ready for the four questions."""
    section: Section = job.section
    columns = _columns(job)
    original = canonical(job.source, columns)
    students = splits.students_of(original)
    parts = engine.materialise(splits.session_parts(original))
    within, share = bound(section.limit, students)
    return Study(
        job=job,
        section=section,
        columns=columns,
        original=original,
        parts=parts,
        raw=splits.halves(original, parts),
        students=students,
        within=within,
        share=share,
    )


def redaction(job: Job) -> Redact:
    """The redaction of free text, with the people of the course."""
    from sharewell.text.redact import redact_texts

    return lambda texts: redact_texts(texts, job.people)


def gate_of(limit: Limit) -> str:
    return "found" if limit.found is not None else "times_chance"


def bound(limit: Limit, students: int) -> tuple[int, float]:
    """The length of the attacker's list and the share that may be found on it."""
    within = measuring.list_length(limit.within or WITHIN, students)
    if limit.found is not None:
        return within, limit.found
    return within, min(1.0, (limit.times_chance or 1.0) * within / students)


def _columns(job: Job) -> Columns:
    """The columns with the unit of the original clock: times that begin at zero no longer tell it."""
    section: Section = job.section
    return Columns(
        student=section.student,
        session=section.session,
        key=section.key,
        press=section.press,
        release=section.release,
        week=section.week,
        unit=section.unit or guess_unit(job.source, section.press),
    )


def _classes(source: Table, student: str, column: str) -> dict[str, str]:
    """The class of every student who has one."""
    known = source.filter(source[column].notnull())
    rows = engine.arrow(
        known.group_by(student=known[student].cast("string")).agg(value=known[column].cast("string").max())
    )
    return dict(zip(rows["student"].to_pylist(), rows["value"].to_pylist(), strict=True))
