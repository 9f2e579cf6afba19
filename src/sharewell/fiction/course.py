"""One seeded generator of a whole course, with the truth behind every part of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from sharewell.fiction.attempts import GROWTH, TaskAttempts, make_attempts
from sharewell.fiction.clicks import make_clicks
from sharewell.fiction.forum import Forum, Style, make_forum
from sharewell.fiction.names import is_ambiguous, name_tokens
from sharewell.fiction.roster import Roster, make_roster
from sharewell.fiction.term import deadline_times, lecture_times
from sharewell.fiction.typing import Typing, make_typing
from sharewell.stats.arrays import Array

Part: TypeAlias = Any  # a table or an array; None where the course has no such part
PARTS = ("students", "clicks", "attempts", "posts", "keys")
SMALLEST, LARGEST = 30, 100_000
_OPTED_OUT = 0.02
_TOKEN_TYPES = {"person-name", "nickname", "misspelling"}
_WHOLE_TYPES = {"email", "phone", "handle", "student-number", "birth-date"}


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What the generator knows and the files do not say. Arrays are in the order of the roster."""

    identifiers: frozenset[str]  # lower case: names, their parts, nicknames, misspellings, numbers, addresses …
    ambiguous_names: frozenset[str]  # names that are words too: a search cannot separate them
    canaries: frozenset[str]  # may occur in no byte of a release
    student_ids: tuple[str, ...]
    name_origins: tuple[str, ...]
    names: dict[str, str]  # student or instructor → full name
    instructors: tuple[str, ...]
    ability: Array
    activity: Array
    night_owl: Array
    experience: Array
    speed: Array
    lectures: Array
    deadlines: Array
    difficulty: dict[str, float] = field(default_factory=dict)  # exercise → d
    growth: float = GROWTH
    mentions: Part = None  # of the posts: row, column, start, end, text, type, whose, origin
    long_pauses: Part = None  # typing pauses over ten seconds
    breaks: Part = None  # typing pauses over four minutes


@dataclass(frozen=True, kw_only=True)
class Course:
    """The files of a course as tables; parts that were not asked for are None."""

    students: pa.Table
    optouts: pa.Table
    truth: Truth
    clicks: Part = None
    attempts: Part = None
    posts: Part = None
    keys: Part = None


def make_course(
    *,
    students: int = 300,
    seed: int = 7,
    parts: Sequence[str] = PARTS,
    style: Style = "a",
    growth: float = GROWTH,
    characters_per_week: int = 800,
    signed: float = 0.0,
) -> Course:
    """A fictional course; each part has its own stream of random numbers: leaving one out changes no other.

    `style` chooses the family of forum templates, `growth` the gain in ability per attempt,
    `characters_per_week` how much each student types, and `signed` the share of programs that begin with the
    name of their author.
    """
    _check(students, parts)
    streams = dict(zip(("students", "optouts", *PARTS[1:]), np.random.SeedSequence(seed).spawn(6), strict=True))
    rng = {name: np.random.default_rng(stream) for name, stream in streams.items()}
    roster = make_roster(rng["students"], students)
    attempts = make_attempts(rng["attempts"], roster, growth) if "attempts" in parts else None
    forum = make_forum(rng["posts"], roster, style) if "posts" in parts else None
    typed = None
    if "keys" in parts:
        typed = make_typing(rng["keys"], roster, characters_per_week=characters_per_week, signed=signed)
    return Course(
        students=roster.table,
        optouts=_draw_optouts(rng["optouts"], roster),
        clicks=make_clicks(rng["clicks"], roster) if "clicks" in parts else None,
        attempts=attempts.table if attempts else None,
        posts=forum.table if forum else None,
        keys=typed.table if typed else None,
        truth=_gather_truth(roster, attempts, forum, typed, growth),
    )


def _check(students: int, parts: Sequence[str]) -> None:
    if not SMALLEST <= students <= LARGEST:
        raise ValueError(f"a course has {SMALLEST} to {LARGEST} students, not {students}")
    if unknown := set(parts) - set(PARTS):
        raise ValueError(f"unknown parts {sorted(unknown)}: there are {', '.join(PARTS)}")


def _draw_optouts(rng: np.random.Generator, roster: Roster) -> pa.Table:
    count = max(2, round(_OPTED_OUT * len(roster.people)))
    chosen = np.sort(rng.choice(len(roster.people), size=count, replace=False))
    return pa.table({"student_id": roster.ids.take(pa.array(chosen))})


def _gather_truth(
    roster: Roster, attempts: TaskAttempts | None, forum: Forum | None, typed: Typing | None, growth: float
) -> Truth:
    whole, tokens = set(_whole_identifiers(roster, forum)), set(_name_tokens(roster, forum))
    everyone = (*roster.people, *roster.instructors)
    return Truth(
        identifiers=frozenset(whole | {token for token in tokens if not is_ambiguous(token)}),
        ambiguous_names=frozenset(token for token in tokens if is_ambiguous(token)),
        canaries=frozenset((*roster.canaries, *(forum.canaries if forum else ()))),
        student_ids=tuple(person.id for person in roster.people),
        name_origins=tuple(person.origin for person in roster.people),
        names={person.id: person.full for person in everyone},
        instructors=tuple(person.id for person in roster.instructors),
        **vars(roster.traits),
        lectures=lecture_times(),
        deadlines=deadline_times(),
        difficulty=attempts.difficulty if attempts else {},
        growth=growth,
        mentions=forum.mentions if forum else None,
        long_pauses=typed.long_pauses if typed else None,
        breaks=typed.breaks if typed else None,
    )


def _whole_identifiers(roster: Roster, forum: Forum | None) -> Iterator[str]:
    """What identifies as it stands, in lower case."""
    for person in (*roster.people, *roster.instructors):
        yield from (person.id, person.email.lower(), person.handle.lower())
        if not is_ambiguous(person.full.lower()):
            yield person.full.lower()
    yield from (birth.isoformat() for birth in roster.birth_dates)
    for text, type in _mentioned(forum):
        if type in _WHOLE_TYPES:
            yield text.lower()


def _name_tokens(roster: Roster, forum: Forum | None) -> Iterator[str]:
    """Every part of every name, nickname and misspelling, in lower case."""
    for person in (*roster.people, *roster.instructors):
        yield from name_tokens(person.full) | name_tokens(person.nickname)
    for text, type in _mentioned(forum):
        if type in _TOKEN_TYPES:
            yield from name_tokens(text)


def _mentioned(forum: Forum | None) -> Iterator[tuple[str, str]]:
    if forum is not None:
        yield from zip(forum.mentions["text"].to_pylist(), forum.mentions["type"].to_pylist(), strict=True)
