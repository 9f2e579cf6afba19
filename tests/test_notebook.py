"""What a notebook shows: every measuring function gives results that draw themselves."""

from typing import Any

import pytest

import sharewell as sw
from sharewell.fiction import Course, make_course


@pytest.fixture(scope="module")
def course() -> Course:
    return make_course(students=40, seed=3, characters_per_week=300)


def test_what_is_measured_draws_itself(course: Course) -> None:
    attempts = course.attempts
    assert attempts is not None
    students = sorted(set(attempts["student_id"].to_pylist()))
    roles: dict[str, Any] = {"student": "student_id", "item": "exercise", "correct": "correct"}
    keys = sw.keystrokes.timings(course.keys, student="student_id", session="exercise", key="key", press="press_ms")
    measured = [
        sw.records.assess(course.students, quasi=["age", "sex"], sensitive=["disability"]),
        sw.traces.unicity(course.clicks, student="student_id", at="time", window="1d", known=[1, 2], repeats=2),
        sw.responses.membership(attempts, attempts, members=students[:20], attack="transitions", **roles),
        sw.keystrokes.identify(keys, keys, accept=[1, 5]),
    ]
    for results in measured:
        assert isinstance(results, sw.Results) and isinstance(results, list)
        html = results._repr_html_()
        assert html.count("<tr title=") == len(results) > 0
        assert results.plot().data
