"""Leinonen: who is left out, what is no digraph, and the tables."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell import papers
from sharewell.errors import InputError
from sharewell.fiction import make_course

leinonen = papers.leinonen
COLUMNS: Any = {"student": "student_id", "session": "exercise", "key": "key", "press": "press_ms", "week": "week"}


def typed(keys: list[str], student: str = "a", week: int = 1) -> pa.Table:
    return pa.table({
        "student_id": [student] * len(keys),
        "exercise": [week] * len(keys),
        "key": keys,
        "press_ms": [100.0 * n for n in range(len(keys))],
        "week": [week] * len(keys),
    })  # fmt: skip


def test_students_who_typed_little_in_the_first_week_are_left_out() -> None:
    events = pa.concat_tables([typed(list("abab") * 10), typed(list("abab") * 2, "b"), typed(list("abab") * 9, "b", 2)])
    assert set(leinonen.preprocess(events, **COLUMNS, fewest=20)["student"].to_pylist()) == {"a"}
    with pytest.raises(InputError, match="first week"):
        leinonen.preprocess(events, **COLUMNS)


def test_no_digraph_leads_over_a_paste_and_named_keys_are_no_pastes() -> None:
    found = leinonen.preprocess(typed(["a", "b", "int i = 0;", "c", "d", "Backspace", "e"]), **COLUMNS, fewest=1)
    assert sorted(found["keys"].to_pylist()) == ["Backspace→e", "a→b", "c→d", "d→Backspace"]


def test_longis_other_features() -> None:
    timings = leinonen.preprocess(typed(list("abab") * 10), **COLUMNS, fewest=1)
    assert set(leinonen.as_single_characters(timings)["keys"].to_pylist()) == {"any→a", "any→b"}
    assert set(leinonen.as_typing_speed(timings)["keys"].to_pylist()) == {"any→any"}


def test_tables_and_figures_of_a_course() -> None:
    course = make_course(students=30, seed=5, parts=("keys",), characters_per_week=2500)
    train, test = leinonen.split(leinonen.preprocess(course.keys, **COLUMNS))
    experience = dict(zip(course.truth.student_ids, course.truth.experience.tolist(), strict=True))
    assert leinonen.digraphs(train, test).rows.num_rows == 25
    table = leinonen.identification_table(train, test, method="bucketing", steps=(0, 600), course="2014")
    raw, coarse = table.rows["measured"].to_pylist()
    assert raw > 95 and coarse == pytest.approx(100 * 10 / 30, abs=0.1)
    assert table.rows["published"].to_pylist() == [98.0, 6.5]
    five = leinonen.figure_5(train, test, features=[2, 25], thresholds=[1, 10]).rows["measured"].to_pylist()
    assert five[0] < five[1] and five[1] <= five[3] == raw
    figure = leinonen.figure_8(train, test, experience, steps=(0,))
    assert set(figure.rows["what"].to_pylist()) == {"identification", "bayes net", "random forest", "majority"}
    pair = max(set(train["keys"].to_pylist()), key=train["keys"].to_pylist().count)
    density = leinonen.figure_2(train, experience, digraph=pair)
    assert np.isfinite(density.rows["measured"].to_numpy()).all() and "<svg" in density.html()
