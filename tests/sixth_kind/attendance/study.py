"""Attendance under study: whoever is alone with a number of lectures loses every row."""

from dataclasses import dataclass

from ibis.expr.types import Table

from attendance.kind import ALONE, ROWS_KEPT
from attendance.section import Section
from sharewell.contract import Change, Count, Job, Protected, Risk, Utility


@dataclass(frozen=True)
class Attendance:
    job: Job

    @property
    def section(self) -> Section:
        section: Section = self.job.section
        return section

    def before(self) -> list[Risk]:
        return [alone(self.job.source, self.section.student)]

    def protect(self) -> Protected:
        source, student = self.job.source, self.section.student
        lonely = source.filter(source[student].isin(lonely_students(source, student)))
        kept = source.anti_join(lonely, student)
        gone = Count(lonely.count().execute())
        change = Change(
            columns=(self.section.lecture,), action="suppressed", reason="nobody else came as often", cells=gone
        )
        facts = {"student": student, "limit": self.section.limit.alone}
        return Protected(table=kept, changes=(change,), facts=facts)

    def attack(self, protected: Protected) -> list[Risk]:
        return [alone(protected.table, self.section.student, gate="alone", limit=self.section.limit.alone)]

    def utility(self, protected: Protected) -> list[Utility]:
        before, after = (int(table.count().execute()) for table in (self.job.source, protected.table))
        return [Utility(measure=ROWS_KEPT, value=after / before, n=before, baseline=1.0)]


def open(job: Job) -> Attendance:
    return Attendance(job)


def alone(table: Table, student: str, gate: str | None = None, limit: float | None = None) -> Risk:
    students = int(table[student].nunique().execute())
    value = len(lonely_students(table, student)) / students
    return Risk(
        measure=ALONE, attacker="a neighbour", value=value, n=students, gate=gate, limit=limit, story="They counted."
    )


def lonely_students(table: Table, student: str) -> list[str]:
    visits = table.group_by(student).agg(visits=table.count())
    rare = visits.group_by("visits").agg(students=visits.count(), one=visits[student].min())
    return list(rare.filter(rare.students == 1)["one"].to_pyarrow().to_pylist())
