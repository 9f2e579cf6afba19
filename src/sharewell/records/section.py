"""What a plan may say of records: one row per student."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.sections import Audience, Columns, column, columns, mentions, setting, table


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


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """One row per student: who could recognise a student by what they know?"""

    kind: ClassVar[str] = "records"
    one_row_per_student: ClassVar[bool] = True
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = {
        "public": {"k": 10, "l": 2},
        "agreement": {"k": 5, "l": 2},
        "enclave": {"k": 3},
    }

    student: str = column("student", says="the column that names the student; one row each")
    quasi: Columns = columns("quasi", says="columns with what others may know of a student")
    sensitive: Columns = columns("sensitive", says="columns with what nobody should learn of a student")
    target: Columns = mentions(says="outcomes that analysts want to predict; the search keeps what predicts them")

    method: str = setting(
        "full-domain",
        one_of=("full-domain", "local", "stinar"),
        says="how values become coarser: one level per column for everybody, group by group, or the paper's way",
    )
    hierarchies: str | None = setting(
        says="a folder with one CSV per column, named after it: a row per value, a column per level"
    )
    max_suppressed: float = setting(
        0.02, low=0.0, high=1.0, says="the largest share of rows that may come out as rows of *"
    )
    target_weight: float = setting(
        0.8, low=0.0, high=1.0, says="what the targets count against general detail: 0 nothing, 1 everything"
    )
    seconds: float = setting(5.0, low=0.1, says="how long the search may take")
    limit: Limit = table(default_factory=Limit, says="what the released table is held to")

    def problems(self) -> list[str]:
        found = []
        if not self.quasi:
            found.append("name at least one quasi column (what others may know of a student)")
        if self.limit.t is not None and not self.sensitive:
            found.append("limit t needs a sensitive column")
        if self.method == "stinar" and not self.target:
            found.append("method 'stinar' needs a target")
        return found

    def limits(self) -> dict[str, float]:
        """l and t speak of sensitive columns; without any there is nothing to hold to them."""
        held = super().limits()
        return held if self.sensitive else {name: value for name, value in held.items() if name == "k"}
