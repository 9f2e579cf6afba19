"""Forum posts in threads, from one of three families of templates, with every planted identifier recorded."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

import numpy as np
import pyarrow as pa

from sharewell.fiction.data import load
from sharewell.fiction.grammar import Dice, Draft, Grammar, Mention, expand
from sharewell.fiction.names import Person
from sharewell.fiction.roster import Roster, canary
from sharewell.fiction.scene import Places, Scene
from sharewell.fiction.term import START, WEEK, WEEKS

Style = Literal["a", "b", "c"]
_STAFF_ANSWERS = 0.1
_CANARIES = 3
_MENTIONS = pa.schema(
    [
        ("row", pa.int64()),
        ("column", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("text", pa.string()),
        ("type", pa.string()),
        ("whose", pa.string()),
        ("origin", pa.string()),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Forum:
    table: pa.Table
    mentions: pa.Table  # row, column, start, end, text, type, whose, origin
    canaries: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Habits:
    """How one person writes."""

    slips: float
    case: str


@dataclass(kw_only=True)
class _Post:
    author: int  # students first, then instructors
    seconds: int
    kind: str  # of the thread, one of the grammar's
    topic: str
    subject: Draft
    message: Draft
    parent: "_Post | None" = None
    number: str = field(default="")


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """Everything that stays the same from post to post."""

    dice: Dice
    roster: Roster
    cast: tuple[Person, ...]
    habits: tuple[_Habits, ...]
    grammar: Grammar
    places: Places

    def scene(self, author: int, friend: int, topic: str, mark: str = "") -> Scene:
        students = len(self.roster.people)
        return Scene(
            dice=self.dice,
            places=self.places,
            author=self.cast[author],
            birth=self.roster.birth_dates[author] if author < students else None,
            friend_person=self.cast[friend],
            other_person=self.dice.pick(self.roster.people),
            third_person=self.dice.pick(self.roster.people),
            staff=self.dice.pick(self.roster.instructors),
            topic=topic,
            topics=self.grammar["topics"],
            canary=mark,
        )

    def draft(self, symbol: str, scene: Scene, author: int) -> Draft:
        draft = Draft(dice=self.dice, slips=self.habits[author].slips, case=self.habits[author].case)
        if draft.case == "normal" and self.dice.chance() < 0.01:
            draft.case = "upper"
        draft.capital = draft.case == "normal" and self.dice.chance() < 0.85
        expand(symbol, self.grammar, scene, draft)
        return draft


def make_forum(rng: np.random.Generator, roster: Roster, style: Style = "a") -> Forum:
    """About two posts per student, in threads spread over the term, sorted by time."""
    family = load(f"forum_{style}")
    dice = Dice(rng)
    cast = (*roster.people, *roster.instructors)
    writer = _Writer(
        dice=dice,
        roster=roster,
        cast=cast,
        habits=_draw_habits(rng, len(cast)),
        grammar=family["grammar"],
        places=Places(towns=family["towns"], employers=family["employers"], pets=family["pets"]),
    )
    marks = tuple(canary(rng) for _ in range(_CANARIES))
    posts = _draw_posts(rng, writer, marks)
    posts.sort(key=lambda post: post.seconds)
    for position, post in enumerate(posts):
        post.number = f"p{position + 1:06d}"
    return Forum(table=_as_table(posts, cast), mentions=_as_mentions(posts), canaries=marks)


def _draw_habits(rng: np.random.Generator, people: int) -> tuple[_Habits, ...]:
    slips = np.minimum(rng.gamma(0.7, 0.02, size=people), 0.12)
    lower = rng.random(people) < 0.08
    return tuple(
        _Habits(slips=float(s), case="lower" if low else "normal") for s, low in zip(slips, lower, strict=True)
    )


def _draw_posts(rng: np.random.Generator, writer: _Writer, marks: tuple[str, ...]) -> list[_Post]:
    """Active students write more; every thread begins with a student."""
    students = len(writer.roster.people)
    weight = np.exp(0.7 * writer.roster.traits.activity)
    weight /= weight.sum()
    threads = max(round(0.75 * students), len(marks) + 5)
    openers = rng.choice(students, size=threads, p=weight)
    replies = rng.poisson(1.9, size=threads)
    repliers = rng.choice(students, size=int(replies.sum()), p=weight)
    begin = (rng.random(threads) ** 1.3 * (WEEKS * WEEK - 86_400)).astype(int)
    posts: list[_Post] = []
    used = 0
    for thread in range(threads):
        mark = marks[thread] if thread < len(marks) else ""
        opening = _open(writer, int(openers[thread]), int(begin[thread]), mark)
        answers = [opening]
        for author in repliers[used : used + replies[thread]].tolist():
            answers.append(_answer(writer, author, answers))
        used += replies[thread]
        posts += answers
    return posts


def _open(writer: _Writer, author: int, seconds: int, mark: str) -> _Post:
    dice = writer.dice
    kind, topic = dice.pick(writer.grammar["kinds"]), dice.pick(writer.grammar["topics"])
    scene = writer.scene(author, dice.below(len(writer.roster.people)), topic, mark)
    subject = writer.draft(f"subject_{kind}", scene, author)
    message = writer.draft(f"open_{kind}", scene, author)
    if mark:
        message.raw("\n")
        scene.write_email(message)
    return _Post(author=author, seconds=seconds, kind=kind, topic=topic, subject=subject, message=message)


def _answer(writer: _Writer, author: int, earlier: list[_Post]) -> _Post:
    """A reply to the opening or to a later post; instructors step in now and then."""
    dice = writer.dice
    parent = earlier[0] if dice.chance() < 0.6 else dice.pick(earlier)
    students = len(writer.roster.people)
    staff = dice.chance() < _STAFF_ANSWERS
    if staff:
        author = students + dice.below(len(writer.roster.instructors))
    friend = parent.author if parent.author != author else earlier[0].author
    kind, topic = earlier[0].kind, earlier[0].topic
    scene = writer.scene(author, friend, topic)
    message = writer.draft(f"staff_{kind}" if staff else f"reply_{kind}", scene, author)
    if dice.chance() < 0.08:
        message = _with_quote(parent.message, message)
    seconds = max(post.seconds for post in earlier) + 60 + int(-np.log(1 - dice.chance()) * 14_000)
    return _Post(
        author=author,
        seconds=seconds,
        kind=kind,
        topic=topic,
        subject=_reply_subject(dice, earlier[0].subject),
        message=message,
        parent=parent,
    )


def _reply_subject(dice: Dice, original: Draft) -> Draft:
    subject = Draft(dice=dice)
    subject.raw("Re: ")
    subject.copy(original.text(), original.mentions)
    return subject


def _with_quote(parent: Draft, message: Draft) -> Draft:
    """The parent's first line in front of the answer, as mail programs do."""
    text = parent.text()
    end = text.find("\n", 20)
    end = end if 0 < end < 300 else min(len(text), 90)
    start = 0
    inside = [mention for mention in parent.mentions if mention.end <= end]
    cut = [mention.start for mention in parent.mentions if mention.start < end < mention.end]
    end = min([end, *cut])
    quoted = Draft(dice=message.dice)
    for line in text[start:end].split("\n"):
        quoted.raw("> ")
        within = [_moved(m, -start) for m in inside if start <= m.start and m.end <= start + len(line)]
        quoted.copy(line, within)
        quoted.raw("\n")
        start += len(line) + 1
    quoted.raw("\n")
    quoted.copy(message.text(), message.mentions)
    return quoted


def _moved(mention: Mention, by: int) -> Mention:
    return mention._replace(start=mention.start + by, end=mention.end + by)


def _as_table(posts: list[_Post], cast: tuple[Person, ...]) -> pa.Table:
    first = START.item()
    return pa.table(
        {
            "post_id": [post.number for post in posts],
            "reply_to": pa.array([post.parent.number if post.parent else None for post in posts], pa.string()),
            "author": [cast[post.author].id for post in posts],
            "time": pa.array([first + timedelta(seconds=post.seconds) for post in posts], pa.timestamp("s")),
            "subject": [post.subject.text() for post in posts],
            "message": [post.message.text() for post in posts],
        }
    )


def _as_mentions(posts: list[_Post]) -> pa.Table:
    rows = [
        (row, column, *mention)
        for row, post in enumerate(posts)
        for column, draft in (("subject", post.subject), ("message", post.message))
        for mention in draft.mentions
    ]
    columns = zip(*rows, strict=True)
    return pa.table([pa.array(column, type.type) for column, type in zip(columns, _MENTIONS, strict=True)], _MENTIONS)
