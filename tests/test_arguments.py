"""What is wrong with a frame is said by the argument of the call and the row of the frame, never by a plan's key."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.errors import SharewellError

ROWS = 12
WHO = [f"s{row % 3}" for row in range(ROWS)]
CLOCK = [f"2025-09-02 10:{row:02d}:00" for row in range(ROWS)]


def at_row_seven(values: list[Any], wrong: Any) -> pa.Array:
    return pa.array([*values[:6], wrong, *values[7:]])


STUDENTS = pa.table({"age": [18, 19] * 6, "sex": ["f", "m"] * 6})
CLICKS = pa.table({"user": [None, *WHO[1:]], "time": at_row_seven(CLOCK, None)})
WORDS = CLICKS.set_column(1, "time", at_row_seven(CLOCK, "soon"))
ANSWERS = pa.table({"user": WHO, "skill": ["a", "b"] * 6, "correct": at_row_seven(["1"] * ROWS, "perhaps")})
POSTS = pa.table({"message": ["Hello"] * ROWS, "likes": list(range(ROWS))})
KEYS = pa.table({
    "user": WHO, "task": ["t"] * ROWS, "key": ["a", "b"] * 6,
    "press": at_row_seven([str(100 * row) for row in range(ROWS)], "soon"),
})  # fmt: skip
TIMINGS = pa.table(
    {"student": at_row_seven(WHO, None), "kind": ["hold"] * ROWS, "keys": ["a"] * ROWS, "ms": [80.0] * ROWS}
)
EVENTS: dict[str, Any] = {"student": "user", "at": "time"}
TYPED: dict[str, Any] = {"student": "user", "session": "task", "key": "key", "press": "press"}

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "anonymize": (lambda: sw.records.anonymize(STUDENTS, quasi=["agee"], k=2), "column 'agee'.* named by quasi="),
    "no list": (lambda: sw.records.anonymize(STUDENTS, quasi=3, k=2), "quasi takes a list of columns.* not int"),  # type: ignore[arg-type]
    "assess": (lambda: sw.records.assess(STUDENTS, quasi=["age"], sensitive=["ill"]), "'ill'.* named by sensitive="),
    "no number": (lambda: sw.records.fit(STUDENTS, epsilon="one"), "epsilon takes a number, not str"),  # type: ignore[arg-type]
    "protect": (lambda: sw.traces.protect(CLICKS, student="user", at="hour"), "column 'hour'.* named by at="),
    "no time": (lambda: sw.traces.protect(CLICKS, **EVENTS), "^column 'time', row 7: has no time.* of the frame"),
    "unicity": (lambda: sw.traces.unicity(CLICKS, **EVENTS), "^column 'time', row 7: has no time.* of the frame"),
    "a word": (lambda: sw.traces.unicity(WORDS, **EVENTS), "^column 'time', row 7: .* a column of times$"),
    "no name": (lambda: sw.traces.unicity(CLICKS, student="user", at=3), "column 3.* named by at="),  # type: ignore[arg-type]
    "item": (lambda: sw.responses.fit(ANSWERS, student="user", item="task"), "column 'task'.* named by item="),
    "answer": (
        lambda: sw.responses.fit(ANSWERS, student="user", item="skill", correct="correct"),
        "^column 'correct', row 7: expected 0 or 1",
    ),
    "m": (lambda: sw.responses.fit(ANSWERS, student="user", item="skill", m="5"), "m takes a number, not str"),  # type: ignore[arg-type]
    "posts": (lambda: sw.posts.redact(POSTS, text="body"), "column 'body'.* named by text="),
    "no text": (lambda: sw.posts.redact(POSTS, text="likes"), "column 'likes': expected text"),
    "profile": (lambda: sw.keystrokes.profile(KEYS, **{**TYPED, "press": "down"}), "column 'down'.* named by press="),
    "clock": (lambda: sw.keystrokes.profile(KEYS, **TYPED), "^column 'press', row 7: expected a number .* the cell$"),
    "no timings": (lambda: sw.keystrokes.identify(KEYS, TIMINGS), "train= are no timings"),
    "no student": (lambda: sw.keystrokes.identify(TIMINGS, TIMINGS), "^column 'student', row 7: .* train="),
    "infer": (lambda: sw.keystrokes.infer(KEYS, {}), "timings= are no timings"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_argument_and_the_row_are_named(name: str) -> None:
    call, words = CALLS[name]
    with pytest.raises(SharewellError, match=words) as raised:
        call()
    for foreign in ("dates =", "missing =", "rows_without_time", "soon", "perhaps"):
        assert foreign not in str(raised.value)


def test_columns_of_keys_that_are_not_named_are_listed() -> None:
    with pytest.raises(TypeError, match="key=, press= missing"):
        sw.keystrokes.profile(KEYS, student="user", session="task")  # type: ignore[call-arg]
