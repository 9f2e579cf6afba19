"""Profiles, discretisation, selection and inference on planted truth."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from sharewell import keystrokes
from sharewell.errors import InputError
from sharewell.fiction import make_course
from sharewell.keystrokes.keygroups import GROUPS, digraph_groups, key_kinds
from sharewell.keystrokes.utility.experience import matthews
from sharewell.keystrokes.utility.feature_selection import best_first
from sharewell.stats.discretise import coded, cut_points, symmetrical_uncertainty

COLUMNS: dict[str, Any] = {
    "student": "student_id",
    "session": "exercise",
    "key": "key",
    "press": "press_ms",
    "week": "week",
}


@pytest.fixture(scope="module")
def course():  # type: ignore[no-untyped-def]
    return make_course(students=90, seed=11, parts=("keys",), characters_per_week=900)


def test_experience_is_inferred_from_coarse_averages(course) -> None:  # type: ignore[no-untyped-def]
    timed = keystrokes.timings(course.keys, **COLUMNS)
    classes = dict(zip(course.truth.student_ids, course.truth.experience.astype(int).tolist(), strict=True))
    found = {one.name: one.value for one in keystrokes.infer(timed, classes, step_ms=300, folds=5, seed=1)}
    best = max(found["accuracy (bayes net)"], found["accuracy (random forest)"])
    assert best >= found["accuracy (majority)"] + 0.1
    assert found["Matthews correlation (majority)"] == 0


def test_classes_that_mean_nothing_are_not_inferred(course) -> None:  # type: ignore[no-untyped-def]
    """Feature selection on all rows would find something in noise; inside the folds it must not."""
    timed = keystrokes.timings(course.keys, **COLUMNS)
    coin = np.random.default_rng(5).permutation(np.arange(90) % 2)
    classes = dict(zip(course.truth.student_ids, coin.tolist(), strict=True))
    found = {one.name: one for one in keystrokes.infer(timed, classes, folds=5, seed=1)}
    for name in ("Matthews correlation (bayes net)", "Matthews correlation (random forest)"):
        assert found[name].value < 0.3


def test_one_class_is_refused(course) -> None:  # type: ignore[no-untyped-def]
    timed = keystrokes.timings(course.keys, **COLUMNS)
    with pytest.raises(InputError, match="two classes"):
        keystrokes.infer(timed, dict.fromkeys(course.truth.student_ids, 1))


def test_profiles_leave_out_who_typed_little(course) -> None:  # type: ignore[no-untyped-def]
    everyone = keystrokes.profile(course.keys, first_week_characters=10, **COLUMNS)
    assert everyone.num_rows == 90 and everyone.num_columns == 26
    with pytest.raises(InputError, match="first week"):
        keystrokes.profile(course.keys, **COLUMNS)
    scaled = keystrokes.profile(course.keys, first_week_characters=10, scaled=True, **COLUMNS)
    assert all(pa.compute.max(scaled[name]).as_py() == 1 for name in scaled.column_names[1:])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_matthews_is_what_another_library_says(pairs: list[tuple[bool, bool]]) -> None:
    answers, guesses = np.array(pairs).astype(int).T
    assert matthews(answers, guesses) == pytest.approx(matthews_corrcoef(answers, guesses))


def test_cuts_are_where_the_classes_part() -> None:
    values = np.arange(60.0)
    classes = ((values >= 20) & (values < 40)).astype(int)
    assert cut_points(values, classes).tolist() == [19.5, 39.5]
    assert coded(values, np.array([19.5, 39.5]))[[0, 20, 59]].tolist() == [0, 1, 2]
    assert len(cut_points(np.random.default_rng(0).random(200), np.arange(200) % 2)) == 0


def test_selection_takes_what_tells_and_leaves_what_repeats() -> None:
    generator = np.random.default_rng(1)
    classes = generator.integers(0, 2, 300)
    telling = np.where(generator.random(300) < 0.15, 1 - classes, classes)
    other = np.where(generator.random(300) < 0.2, 1 - classes, classes)
    noise = generator.integers(0, 2, (300, 20))
    columns = np.column_stack([telling, telling, other, noise])
    chosen = best_first(columns, classes)
    assert 2 in chosen and len({0, 1} & set(chosen)) >= 1 and len(chosen) <= 5
    assert symmetrical_uncertainty(telling, telling) == pytest.approx(1)


def test_seven_groups_of_digraphs() -> None:
    keys = ["a", "1", "Shift", "ArrowLeft", ";"]
    kinds = dict(zip(keys, key_kinds(keys), strict=True))
    pairs = [("a", "a"), ("1", "1"), ("Shift", "Shift"), ("ArrowLeft", "ArrowLeft"), (";", ";"), ("a", "ArrowLeft")]
    pairs.append(("a", ";"))
    first, second = (np.array([kinds[pair[side]] for pair in pairs]) for side in (0, 1))
    assert [GROUPS[group] for group in digraph_groups(first, second)] == list(GROUPS)
    assert key_kinds(["65", "8", "37", "50", "188"]).tolist() == [0, 2, 3, 1, 4]
