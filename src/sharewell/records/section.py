"""What a plan may say of records: one row per student."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.sections import Audience, Columns, column, columns, mentions, setting


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What the released table is held to; `l` and `t` are for the sensitive columns."""

    k: int | None = sections.limit(low=1)
    l: int | None = sections.limit(low=1)  # noqa: E741  (the name that everyone knows it by)
    t: float | None = sections.limit(low=0, high=1)


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

    student: str = column("student")
    quasi: Columns = columns("quasi")  # what others may know of a student
    sensitive: Columns = columns("sensitive")  # what nobody should learn
    target: Columns = mentions()  # outcomes that analysts want to predict

    method: str = setting("full-domain", one_of=("full-domain", "local", "stinar"))
    hierarchies: str | None = setting()  # a folder with one CSV per column (a row per value, a column per level)
    max_suppressed: float = setting(0.02, low=0.0, high=1.0)
    target_weight: float = setting(0.8, low=0.0, high=1.0)  # 0: general usefulness alone, 1: the target alone
    seconds: float = setting(5.0, low=0.1)
    limit: Limit = field(default_factory=Limit)

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

    def files(self) -> Mapping[str, Path]:
        return {}
