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
    """Limits on the released table; `l` and `t` are for the sensitive columns."""

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
    epsilon: float | None = sections.limit(
        low=0.001, high=1000, says="how much invented rows may depend on one student; for method = 'synthetic'"
    )
    membership: float | None = sections.limit(
        low=0.5, high=1, says="how well the strongest attack may find who was learnt from; where epsilon = 'none'"
    )
    tpr: float | None = sections.limit(
        low=0,
        high=1,
        says="members found when one outsider in a hundred is accused; where epsilon = 'none'",
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
        one_of=("best", "full-domain", "local", "stinar", "synthetic"),
        says="how values become coarser: one level per column for everybody, group by group, the better of these two, "
        "or the paper's way; synthetic: no row is released, invented ones are, from counts with noise",
    )
    epsilon: float | str | None = setting(
        low=0.001,
        high=1000,
        says="with method = 'synthetic' how much the rows may depend on one student; left out, what the audience "
        "allows; 'none': no such promise, but noise by the attacks on membership",
    )
    noise: float | None = setting(
        low=0.001,
        high=10,
        says="with epsilon = 'none' the noise on every count; left out, the least that meets the limits",
    )
    categories: Columns = mentions(says="columns whose numbers are codes of categories: no range is made of them")
    impossible: Columns = setting(
        (), says='what no invented row may be, as in `impossible = ["age < 15 and married != N"]`'
    )
    values: str = setting(
        "ranges",
        one_of=("ranges", "drawn"),
        says="what a released cell is: a range or group, or one value inside it for all students of a group, drawn "
        "by the key",
    )
    hierarchies: str | None = setting(
        says="a folder with one CSV per column, named after it: a row per value, a column per level"
    )
    recoding: str | None = setting(
        says="the private recoding.csv of an earlier release: rows that look like earlier ones get the same cells, "
        "others are suppressed as rows of *; two such releases cannot be intersected"
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
    limit: Limit = table(default_factory=Limit, says="limits on the released table")

    @property
    def one_row_per_student(self) -> bool:  # type: ignore[override]
        return self.rows != "several"

    @property
    def numbers_rows(self) -> bool:  # type: ignore[override]
        return self.rows == "numbered"

    @property
    def invents(self) -> bool:
        return self.method == "synthetic"

    def problems(self) -> list[str]:
        return self._problems_of_invented() if self.invents else self._problems_of_groups()

    def _problems_of_invented(self) -> list[str]:
        found = []
        if not (self.quasi or self.sensitive or self.keep):
            found.append("name at least one column to invent, under quasi, sensitive or keep")
        if self.rows == "several":
            found.append("method 'synthetic' needs one row per student: sum the rows of a student up first")
        if isinstance(self.epsilon, str) and self.epsilon != "none":
            found.append("epsilon: give a number, or 'none' for noise by the attacks on membership")
        if isinstance(self.epsilon, int | float) and self.epsilon > (self.limit.epsilon or 0):
            found.append(
                f"epsilon: is above the limit; if it must be, say so: limit = {{ epsilon = {self.epsilon:g} }}"
            )
        if self.noise is not None and self.epsilon != "none":
            found.append("noise: only epsilon = 'none' takes it; leave it out")
        if self.recoding or self.values != "ranges":
            found.append("recoding, values: invented rows have neither groups nor ranges; leave them out")
        if self.ids or self.peers:
            found.append("ids, peers: invented rows have none; give those columns the role 'drop'")
        return found

    def _problems_of_groups(self) -> list[str]:
        found = []
        if self.epsilon is not None or self.noise is not None or self.impossible:
            found.append("epsilon, noise, impossible: only method = 'synthetic' takes them; leave them out")
        if not self.quasi:
            found.append("name at least one quasi column (what others may know of a student)")
        if self.limit.t is not None and not self.sensitive:
            found.append("limit t needs a sensitive column")
        if self.values != "ranges" and (self.rows == "several" or self.recoding):
            found.append("values: only ranges with rows = 'several' or a recoding; leave it out")
        if self.rows == "several" and (self.target or self.keep):
            found.append("with rows = 'several' no column is kept as it is and none guides: make it quasi or sensitive")
        if self.method == "stinar" and not self.target:
            found.append("method 'stinar' needs a target")
        return found

    def reads(self) -> Mapping[str, Path]:
        return {"hierarchies": self.folder / self.hierarchies} if self.hierarchies else {}

    def limits(self) -> dict[str, float]:
        """Leave out limits that have nothing to speak of."""
        if self.invents:
            holds = {"membership", "tpr"} if self.epsilon == "none" else {"epsilon"}
            return {name: float(value) for name, value in super().limits().items() if name in holds}
        silent = {*(() if self.sensitive else ("l", "t")), *(() if self.keep else ("kept",))}
        silent |= {"epsilon", "membership", "tpr"}
        silent |= {"predicate", "kept"} if self.rows == "several" else set()
        return {name: float(value) for name, value in super().limits().items() if name not in silent}
