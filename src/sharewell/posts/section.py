"""What a plan may say of posts: free text that students wrote."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.sections import Audience, Columns, column, columns, setting


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Names left per word of the released text: the upper end of its interval, from a labelled random sample."""

    residual: float | None = sections.limit(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class RosterFile:
    """A list of the people of the course; its words are looked for in the posts and written nowhere."""

    file: str
    columns: Columns


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """Free text: which words name somebody, or tell where they live and work?"""

    kind: ClassVar[str] = "posts"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = {
        "public": {"residual": 0.0002},
        "agreement": {"residual": 0.0005},
        "enclave": {"residual": 0.002},
    }

    student: str = column("student")
    text: Columns = columns("text")
    roster: RosterFile | None = None
    numbers: str = setting("all", one_of=("all", "long"))  # "long" keeps short numbers that carry meaning
    replace_by: str = setting("placeholder", one_of=("placeholder", "surrogate", "surrogate-of-same-origin"))
    recall: float = setting(0.99, low=0.5, high=1.0)  # share of the names that the word model is to find
    model: str | None = setting()  # a name model taught with `sharewell posts learn`
    limit: Limit = field(default_factory=Limit)

    def problems(self) -> list[str]:
        found = []
        if not self.text:
            found.append("name at least one text column")
        if self.roster is not None and not self.roster.columns:
            found.append("name the columns of the roster that hold names or e-mail addresses")
        return found

    def files(self) -> Mapping[str, Path]:
        return {"roster": self.folder / self.roster.file} if self.roster is not None else {}
