"""What a plan may say of records: one row per student."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.audience_limits import Audience, limits_of
from sharewell.plan.sections import Columns, column, columns, mentions, setting, table


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What the released table is held to; `l` and `t` are for the sensitive columns."""

    k: int | None = sections.limit(low=1, says="the fewest students who must look alike in the quasi columns")
    l: int | None = sections.limit(  # noqa: E741  (the name that everyone knows it by)
        low=1, says="the fewest different values of each sensitive column in a group of students who look alike"
    )
    t: float | None = sections.limit(
        low=0, high=1, says="how far the sensitive values of a group may lie from those of everyone, 0 to 1"
    )
    kept: float | None = sections.limit(
        low=0, high=1, says="the largest share of students whom their group and one or two kept columns single out"
    )
    predicate: float | None = sections.limit(
        low=0,
        high=1,
        says="how many students, as a share beyond chance, a description chosen from the release may single out",
    )
    advised_kept: float | None = field(default=None, metadata={"internal": True})  # the audience's, where no gate is


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """One row per student: who could recognise a student by what they know?"""

    kind: ClassVar[str] = "records"
    used_again: ClassVar[str | None] = "recoding.csv"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = limits_of("records")

    student: str = column("student", says="the column that names the student; one row each unless rows says otherwise")
    quasi: Columns = columns("quasi", says="columns with what others may know of a student")
    sensitive: Columns = columns("sensitive", says="columns with what nobody should learn of a student")
    target: Columns = mentions(says="outcomes that analysts want to predict; the search keeps what predicts them")

    rows: str = setting(
        "one",
        one_of=("one", "several", "numbered"),
        says="whether a student has one row, or several (one per course, say): then students must look alike in all "
        "their rows together; numbered: no column names students and each row is one, so `student` names a new column",
    )
    method: str = setting(
        "best",
        one_of=("best", "full-domain", "local", "stinar"),
        says="how values become coarser: one level per column for everybody, group by group, the better of these two, "
        "or the paper's way",
    )
    hierarchies: str | None = setting(
        says="a folder with one CSV per column, named after it: a row per value, a column per level"
    )
    recoding: str | None = setting(
        says="the private recoding.csv of an earlier release: rows that look like earlier ones get the same cells, "
        "others are held back as rows of *; two such releases cannot be intersected"
    )
    max_suppressed: float = setting(
        0.02, low=0.0, high=1.0, says="the largest share of rows that may come out as rows of *"
    )
    target_weight: float = setting(
        0.8, low=0.0, high=1.0, says="what the targets count against general detail: 0 nothing, 1 everything"
    )
    seconds: float = setting(
        5.0,
        low=0.1,
        says="how long the search may take on a modest machine; it counts steps, so that the clock changes nothing",
    )
    limit: Limit = table(default_factory=Limit, says="what the released table is held to")

    @property
    def one_row_per_student(self) -> bool:  # type: ignore[override]
        return self.rows != "several"

    @property
    def numbers_rows(self) -> bool:  # type: ignore[override]
        return self.rows == "numbered"

    def problems(self) -> list[str]:
        found = []
        if not self.quasi:
            found.append("name at least one quasi column (what others may know of a student)")
        if self.limit.t is not None and not self.sensitive:
            found.append("limit t needs a sensitive column")
        if self.rows == "several" and (self.target or self.keep):
            found.append("with rows = 'several' no column is kept as it is and none guides: make it quasi or sensitive")
        if self.method == "stinar" and not self.target:
            found.append("method 'stinar' needs a target")
        return found

    def reads(self) -> Mapping[str, Path]:
        return {"hierarchies": self.folder / self.hierarchies} if self.hierarchies else {}

    def limits(self) -> dict[str, float]:
        """l and t speak of sensitive columns, `kept` of kept ones; without any there is nothing to hold to them."""
        silent = {*(() if self.sensitive else ("l", "t")), *(() if self.keep else ("kept",))}
        silent |= {"predicate", "kept"} if self.rows == "several" else set()
        return {name: float(value) for name, value in super().limits().items() if name not in silent}
