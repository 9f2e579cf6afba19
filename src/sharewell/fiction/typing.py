"""Typing events with a personal rhythm: log-normal latencies around each student's own pace per pair of keys.

log latency = log base(pair) + speed(student) + habit(student, pair) + experience(student, pair) + noise.
Students who have programmed before are quicker at pairs with brackets, quotes and operators. Editors indent
by themselves, so no run of blanks opens a line; texts are lines of `programs.py`.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.fiction.data import load
from sharewell.fiction.names import plain
from sharewell.fiction.roster import Roster
from sharewell.fiction.term import running_count, running_sum
from sharewell.stats.arrays import Array

WEEKS, PER_WEEK = 7, 2
MOST_TYPISTS = 1_000
BACKSPACE, ENTER = 8, 10
_SLIP = 0.012  # share of keys hit wrongly, and taken back
_SPEED, _HABIT, _NOISE = 0.14, 0.12, 0.33  # standard deviations of log latencies
_EXPERIENCED_OVERALL, _EXPERIENCED_SPECIAL = -0.03, -0.26
_PLAIN_BASE, _SPECIAL_BASE = 142.0, 330.0  # ms
_HOLD, _HOLD_PERSON, _HOLD_HABIT, _HOLD_NOISE = 92.0, 0.13, 0.12, 0.2
_THINKING, _BREAK = 0.012, 0.0008  # shares of keys before which a student thinks, or leaves the desk
_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
KEY_NAMES = [{BACKSPACE: "Backspace", ENTER: "Enter"}.get(code, chr(code)) for code in range(128)]


@dataclass(frozen=True, kw_only=True)
class Typing:
    table: pa.Table
    long_pauses: Array  # per student: pauses over ten seconds
    breaks: Array  # per student: pauses over four minutes


@dataclass(frozen=True, kw_only=True)
class _Texts:
    """All sessions one after the other: whose they are, how long, and the keys."""

    student: Array
    exercise: Array
    length: Array
    keys: Array


def make_typing(
    rng: np.random.Generator, roster: Roster, *, characters_per_week: int = 800, signed: float = 0.0
) -> Typing:
    """Every student types two exercises a week; `signed` is the share of sessions opened by a name."""
    everyone, typists = len(roster.people), _draw_typists(rng, len(roster.people))
    roster = roster.take(typists)
    texts = _draw_texts(rng, roster, characters_per_week // PER_WEEK, signed)
    student = np.repeat(texts.student, texts.length)
    exercise = np.repeat(texts.exercise, texts.length)
    first = running_count(texts.length) == 0
    latency = _draw_latencies(rng, roster, texts.keys, student)
    pause = _draw_pauses(rng, len(student))
    pause[first] = 0
    press = running_sum(np.maximum(np.rint(latency + pause), 1).astype(np.int64), texts.length)
    release = press + np.maximum(np.rint(_draw_holds(rng, roster, texts.keys, student)), 1).astype(np.int64)
    names = [f"w{week + 1}-e{number + 1}" for week in range(WEEKS) for number in range(PER_WEEK)]
    table = pa.table(
        {
            "student_id": roster.ids.take(pa.array(student)),
            "exercise": pa.array(names).take(pa.array(exercise)),
            "week": pa.array((exercise // PER_WEEK + 1).astype(np.int16)),
            "key": pa.array(KEY_NAMES).take(pa.array(texts.keys)),
            "press_ms": pa.array(press),
            "release_ms": pa.array(release),
        }
    )
    gaps = np.where(first, 0, np.diff(press, prepend=0))
    return Typing(
        table=table,
        long_pauses=np.bincount(typists[student[gaps > 10_000]], minlength=everyone),
        breaks=np.bincount(typists[student[gaps > 240_000]], minlength=everyone),
    )


def _draw_typists(rng: np.random.Generator, students: int) -> Array:
    """Everyone in a usual course; of a huge one as many as a typing study takes."""
    if students <= MOST_TYPISTS:
        return np.arange(students)
    return np.sort(rng.choice(students, size=MOST_TYPISTS, replace=False))


def _draw_texts(rng: np.random.Generator, roster: Roster, characters: int, signed: float) -> _Texts:
    lines = [np.frombuffer(f"{line}\n".encode(), dtype=np.uint8) for line in load("snippets")["lines"]]
    sizes = np.array([len(line) for line in lines])
    weights = np.where(np.char.startswith(np.array(load("snippets")["lines"]), "#"), 3.0, 1.0)
    students, exercises = len(roster.people), WEEKS * PER_WEEK
    needed = int(characters / sizes.mean() * 1.8) + 4
    drawn = rng.choice(len(lines), size=(students * exercises, needed), p=weights / weights.sum())
    until = np.argmax(np.cumsum(sizes[drawn], axis=1) >= characters, axis=1) + 1
    signs = rng.random(students * exercises) < signed
    keys = []
    for number, row in enumerate(drawn):
        head = [_signature(roster, number // exercises)] if signs[number] else []
        keys.append(np.concatenate([*head, *(lines[line] for line in row[: until[number]])]))
    lengths = np.array([len(text) for text in keys])
    everything, lengths = _plant_slips(rng, np.concatenate(keys), lengths)
    session = np.arange(students * exercises)
    return _Texts(student=session // exercises, exercise=session % exercises, length=lengths, keys=everything)


def _signature(roster: Roster, student: int) -> Array:
    name = plain(roster.people[student].full).encode("ascii", "ignore").decode()
    return np.frombuffer(f"# written by {name}\n".encode(), dtype=np.uint8)


def _plant_slips(rng: np.random.Generator, keys: Array, lengths: Array) -> tuple[Array, Array]:
    """Before some keys a wrong letter and a backspace."""
    slip = rng.random(len(keys)) < _SLIP
    repeat = np.where(slip, 3, 1)
    longer = np.repeat(keys, repeat)
    at = np.cumsum(repeat)[slip] - 3
    longer[at] = rng.choice(_LETTERS, size=len(at))
    longer[at + 1] = BACKSPACE
    session = np.repeat(np.arange(len(lengths)), lengths)
    return longer, np.bincount(session, weights=repeat, minlength=len(lengths)).astype(np.int64)


def is_special(key: Array) -> Array:
    """Keys that programmers press and others seldom do: not letters, blank, comma, stop or hash."""
    letter = ((key >= 97) & (key <= 122)) | np.isin(key, [32, 35, 44, 46, BACKSPACE, ENTER])
    return ~letter


def _draw_latencies(rng: np.random.Generator, roster: Roster, keys: Array, student: Array) -> Array:
    """Time since the previous key, in ms; the first key of a session waits about as long as any other."""
    pair = np.append(ENTER, keys[:-1]).astype(np.int64) * 128 + keys
    pairs, which = np.unique(pair, return_inverse=True)
    special = is_special(pairs // 128) | is_special(pairs % 128)
    base = np.log(np.where(special, _SPECIAL_BASE, _PLAIN_BASE)) + rng.normal(0, 0.1, size=len(pairs))
    traits = roster.traits
    own = _SPEED * traits.speed + _EXPERIENCED_OVERALL * traits.experience
    shift = np.where(special, _EXPERIENCED_SPECIAL, 0)
    habits = rng.standard_normal((len(own), len(pairs)), dtype=np.float32) * np.float32(_HABIT)
    habits += (base + own[:, None] + traits.experience[:, None] * shift).astype(np.float32)
    noise = rng.standard_normal(len(keys), dtype=np.float32) * np.float32(_NOISE)
    return np.exp(habits[student, which] + noise)


def _draw_holds(rng: np.random.Generator, roster: Roster, keys: Array, student: Array) -> Array:
    """How long each key stays down, in ms."""
    count = len(roster.people)
    person = rng.normal(np.log(_HOLD), _HOLD_PERSON, size=(count, 1))
    habits = (person + rng.normal(0, _HOLD_HABIT, size=(count, 128))).astype(np.float32)
    noise = rng.standard_normal(len(keys), dtype=np.float32) * np.float32(_HOLD_NOISE)
    return np.exp(habits[student, keys] + noise)


def _draw_pauses(rng: np.random.Generator, count: int) -> Array:
    """Extra ms before a key: seldom seconds of thought, very seldom a break of more than four minutes."""
    chance = rng.random(count)
    thought = rng.lognormal(8.3, 0.9, size=count)
    away = 240_000 + rng.exponential(300_000, size=count)
    return np.where(chance < _BREAK, away, np.where(chance < _BREAK + _THINKING, thought, 0.0))
