"""What a kind of data must offer, and the one table of the five.

A kind is a folder. Its `section.py` describes what the plan may say of it, its `steps.py` answers the four
questions for the pipeline, and the modules beside them do the work. Nothing here imports a kind before it is used.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, cast

from sharewell.errors import PlanError
from sharewell.pseudonyms import Draws
from sharewell.results import Protected, Risk, Utility
from sharewell.sections import Section

if TYPE_CHECKING:
    from ibis.expr.types import Table

KINDS = ("records", "traces", "responses", "posts", "keystrokes")


@dataclass(frozen=True, kw_only=True)
class Job:
    """One section of a plan at work.

    `source` holds the original rows without the excluded students; cells of text files are text (missing ones are
    null), typed files keep their types. `extras` are the further tables that the section names. `seed`
    is for measurements and is published; `draws` is secret and is for everything that protects. `review` is what
    people decided earlier and left in the private folder (None at the first run). `redact` takes names and
    identifiers out of texts, for kinds that hold some beside what they protect: [NAME] and the like stand for them.
    """

    section: Any  # the kind's own Section
    source: "Table"
    seed: int
    draws: Draws
    extras: Mapping[str, "Table"] = field(default_factory=dict)
    review: Mapping[str, "Table"] = field(default_factory=dict)
    redact: Callable[[Sequence[str]], list[str]] | None = None


class Kind(Protocol):
    """The steps of one kind; a module with these five functions is one."""

    def assess(self, job: Job) -> list[Risk]:
        """The risk of the data as it stands, direct identifiers gone."""

    def protect(self, job: Job) -> Protected:
        """The least change that brings the risk under the limits of the section."""

    def attack(self, job: Job, released: "Table") -> list[Risk]:
        """The risk of what is released, to attackers who know the original; carries the gates."""

    def utility(self, job: Job, released: "Table") -> list[Utility]:
        """What an analyst can still learn from what is released."""

    def recheck(self, released: "Table", facts: Mapping[str, Any]) -> list[Risk]:
        """What can be measured from the released file alone, best by code that shares nothing with protect."""


def section_type(kind: str) -> type[Section]:
    return cast(type[Section], import_module(f"sharewell.{kind}.section").Section)


def load(kind: str) -> Kind:
    """The steps of a kind; asking for one that does not exist is a refusal, never a silent pass-through."""
    if not is_available(kind):
        raise PlanError([f"[{kind}]: this version of Sharewell cannot protect {kind} yet; take the section out"])
    return cast(Kind, import_module(f"sharewell.{kind}.steps"))


def is_available(kind: str) -> bool:
    return kind in KINDS and find_spec(f"sharewell.{kind}.steps") is not None
