"""A released file as an attacker sees it, with the one thing that only the steward has: whose rows they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ibis.expr.types import Table

LISTS = ("known", "times", "ids", "peers", "text")


@dataclass(frozen=True, kw_only=True)
class File:
    """A released file that still carries the original ids, with what somebody may know of its rows."""

    label: str
    table: Table
    student: str
    known: tuple[str, ...]  # columns that an attacker may know of a row: all of them together make one fact
    times: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()  # numbers of rows and threads: pseudonyms, so only their number and their links tell
    peers: tuple[str, ...] = ()  # other students: a graph
    text: tuple[str, ...] = ()  # free text: its length tells

    @property
    def opaque(self) -> tuple[str, ...]:
        """Columns whose values mean nothing outside this file."""
        return (self.student, *self.ids, *self.peers, *self.text)

    def described(self) -> dict[str, Any]:
        """What somebody who has the released file needs to attack it again."""
        return {"student": self.student, **{name: list(getattr(self, name)) for name in LISTS}}


def described(label: str, table: Table, told: Mapping[str, Any]) -> File:
    """A released file by its description."""
    lists = {name: tuple(told[name]) for name in LISTS}
    return File(label=label, table=table, student=told["student"], **lists)
