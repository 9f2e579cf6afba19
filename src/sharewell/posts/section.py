"""What a plan may say of posts: free text that students wrote."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from sharewell.plan import sections
from sharewell.plan.audience_limits import Audience, limits_of
from sharewell.plan.sections import Columns, Roster, column, columns, mentions, setting, table

SurrogatePer = Literal["post", "thread", "file"]
INDIRECT = ("age", "school", "employer", "relative", "illness", "date")


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Names left per word of the released text: the upper end of its interval, from a labelled random sample."""

    residual: float | None = sections.limit(
        low=0.0, high=1.0, says="names left per word of the released text, upper end of the interval"
    )


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """Free text: which words name somebody, or tell where they live and work?"""

    kind: ClassVar[str] = "posts"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = limits_of("posts")

    student: str = column("student", says="who wrote the post")
    text: Columns = columns("text", says="what was written: names and addresses are taken out of it")
    roster: Roster | None = table(None, says="a list of the people of the course; written nowhere")
    numbers: str = setting(
        "identifying", one_of=("identifying", "all"), says="which numbers go: those that can identify, or all of them"
    )
    replace_by: str = setting(
        "placeholder",
        one_of=("placeholder", "surrogate", "surrogate-of-same-origin"),
        says="what stands for a name: [NAME], an invented name, or one that tells the origin of the real one",
    )
    surrogate_per: SurrogatePer = setting(
        "post",
        one_of=("post", "thread", "file"),
        says="how far one name keeps one invented name; where it is the whole file, who remembers one mention has "
        "decoded them all",
    )
    thread: Columns = mentions(says="the columns that say which thread a post belongs to, for one name per thread")
    recall: float = setting(
        0.97,
        low=0.5,
        high=1.0,
        says="share of the persons in labelled text that the name finder is to find; by its own probabilities a name "
        "that stays then costs as much as 10 words gone needlessly at 0.9, 31 at 0.95, 58 at 0.97, 178 at 0.99",
    )
    model: str | None = setting(says="the file of a name model taught with `sharewell posts learn`")
    ordinary: Columns = setting((), says="words that name nobody here, such as famous methods (Adam, Bayes): they stay")
    indirect: Columns = setting(
        (),
        says="indirect identifiers to take out as well: age, school, employer, relative, illness, date",
    )
    style: str = setting(
        "as-written",
        one_of=("as-written", "plain"),
        says="plain writes everything in lower case with plain punctuation, so that habits tell less about a writer",
    )
    review_context: bool = setting(
        False, says="whether reviewers may see five words on either side of a place, other names masked"
    )
    review_words: int | None = setting(
        low=1,
        says="how many words people are asked about; without it as many as the limit needs. Choose before marking: a "
        "number that is raised after a look at the result makes its interval too narrow",
    )
    limit: Limit = table(default_factory=Limit, says="limits that the release is held to")

    def problems(self) -> list[str]:
        found = []
        unknown = [kind for kind in self.indirect if kind not in INDIRECT]
        if unknown:
            found.append(f"`indirect` may hold {', '.join(INDIRECT)}; not {', '.join(unknown)}")
        if not self.text:
            found.append("name at least one text column")
        if self.roster is not None and not self.roster.columns:
            found.append("name the columns of the roster that hold names or e-mail addresses")
        if self.surrogate_per == "thread" and not self.thread:
            found.append("one invented name per thread needs to know the threads: name their columns in `thread`")
        gone = [column for column in self.thread if column in (*self.direct, *self.drop)]
        if gone:
            found.append(f"the columns of threads must stay in the file: {', '.join(gone)}")
        return found

    def files(self) -> Mapping[str, Path]:
        return {"roster": self.folder / self.roster.file} if self.roster is not None else {}

    def reads(self) -> Mapping[str, Path]:
        return {"model": self.folder / self.model} if self.model else {}

    def people(self) -> Mapping[str, Columns]:
        return {"roster": self.roster.columns} if self.roster is not None else {}
