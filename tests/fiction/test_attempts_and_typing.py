"""What was planted in attempts and typing can be found again."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sharewell.fiction import Course, make_course
from sharewell.stats.arrays import Array


def codes(column: pa.ChunkedArray) -> Array:
    numbers: Array = column.combine_chunks().dictionary_encode().indices.to_numpy()
    return numbers


def fitted_rasch(student: Array, item: Array, correct: Array) -> tuple[Array, Array]:
    """Joint maximum likelihood by alternating Newton steps, with a weak pull towards zero."""
    ability, difficulty = np.zeros(student.max() + 1), np.zeros(item.max() + 1)
    for _ in range(60):
        for values, index, sign in ((ability, student, 1), (difficulty, item, -1)):
            p = 1 / (1 + np.exp(difficulty[item] - ability[student]))
            gradient = sign * np.bincount(index, correct - p, len(values)) - values
            values += gradient / (np.bincount(index, p * (1 - p), len(values)) + 1)
    return ability, difficulty


def test_ability_and_difficulty_are_recovered() -> None:
    made = make_course(students=600, seed=4, parts=("attempts",))
    table = made.attempts
    items = table["exercise"].combine_chunks().dictionary_encode()
    students = table["student_id"].combine_chunks().dictionary_encode()
    ability, difficulty = fitted_rasch(
        students.indices.to_numpy(), items.indices.to_numpy(), table["correct"].to_numpy().astype(float)
    )
    planted = np.array([made.truth.difficulty[name] for name in items.dictionary.to_pylist()])
    assert np.corrcoef(difficulty, planted)[0, 1] > 0.96
    theta = dict(zip(made.truth.student_ids, made.truth.ability, strict=True))
    own = np.array([theta[number] for number in students.dictionary.to_pylist()])
    assert np.corrcoef(ability, own)[0, 1] > 0.9


def test_growth_raises_success_with_practice() -> None:
    rates = []
    for growth in (0.0, 0.3):
        made = make_course(students=600, seed=4, parts=("attempts",), growth=growth)
        rates.append(made.attempts["correct"].to_numpy().mean())
    assert rates[1] > rates[0] + 0.1


def test_time_never_runs_backwards_for_a_student() -> None:
    made = make_course(students=300, seed=9, parts=("attempts", "clicks"))
    for table in (made.attempts, made.clicks):
        student, time = codes(table["student_id"]), table["time"].to_numpy().astype("int64")
        same = student[1:] == student[:-1]
        assert np.all(np.diff(time)[same] >= 0)
        assert len(np.unique(student)) == np.count_nonzero(~same) + 1
    weeks = made.attempts["time"].to_numpy().max() - np.datetime64("2025-09-01")
    assert weeks < np.timedelta64(13 * 7, "D")


def typed(students: int, seed: int, characters: int, **more: Any) -> Course:
    return make_course(students=students, seed=seed, parts=("keys",), characters_per_week=characters, **more)


def test_presses_are_strictly_ordered_within_a_session() -> None:
    keys = typed(60, 8, 400).keys
    session = codes(keys["student_id"]).astype(np.int64) * 100 + codes(keys["exercise"])
    press, release = keys["press_ms"].to_numpy(), keys["release_ms"].to_numpy()
    same = session[1:] == session[:-1]
    assert np.all(np.diff(press)[same] > 0)
    assert np.all(release > press)
    assert len(np.unique(session)) == 60 * 14 == np.count_nonzero(~same) + 1
    assert keys["key"].combine_chunks().dictionary_encode().dictionary.to_pylist().count("Backspace") == 1


def test_as_much_is_typed_as_asked_for() -> None:
    keys = typed(40, 8, 2_000).keys
    first = keys.filter(pc.equal(keys["week"], 1))
    counts = np.bincount(codes(first["student_id"]))
    assert counts.min() >= 2_000


def profiles(course: Course) -> tuple[Array, Array, Array]:
    """Mean latency of each pair of keys in weeks 1 to 6 and in week 7, and how often it occurred before."""
    keys = course.keys
    student, key, week = (
        codes(keys["student_id"]),
        codes(keys["key"]).astype(np.int64),
        keys["week"].to_numpy(),
    )
    gap = np.diff(keys["press_ms"].to_numpy())
    kept = (student[1:] == student[:-1]) & (gap >= 10) & (gap <= 750)
    pairs, pair = np.unique(key[:-1] * 1_000 + key[1:], return_inverse=True)
    cell = student[1:].astype(np.int64) * len(pairs) + pair
    shape = (student.max() + 1, len(pairs))
    means, counts = [], []
    for part in (kept & (week[1:] < 7), kept & (week[1:] == 7)):
        count = np.bincount(cell[part], minlength=shape[0] * shape[1]).reshape(shape)
        total = np.bincount(cell[part], gap[part], shape[0] * shape[1]).reshape(shape)
        mean = total.sum(1, keepdims=True) / count.sum(1, keepdims=True)
        means.append(np.where(count >= 5, total / np.maximum(count, 1), mean))
        counts.append(count)
    return means[0], means[1], counts[0]


def test_typists_are_found_by_their_rhythm_and_lost_in_wide_buckets() -> None:
    made = typed(150, 13, 1_200)
    train, test, counts = profiles(made)
    common = np.argsort(-np.median(counts, axis=0))[:25]
    train, test = train[:, common], test[:, common]
    low, span = train.min(0), np.ptp(train, axis=0)
    distance = np.linalg.norm(((train - low) / span)[None] - ((test - low) / span)[:, None], axis=2)
    rank = (distance < np.diag(distance)[:, None]).sum(1)
    assert np.mean(rank < 10) >= 0.95
    assert np.mean(train < 300) > 0.995


def test_experienced_programmers_are_quicker_at_special_keys() -> None:
    made = typed(150, 13, 800)
    keys = made.keys
    gap = np.diff(keys["press_ms"].to_numpy())
    student = codes(keys["student_id"])[1:]
    special = np.isin(np.array(keys["key"].to_pylist())[1:], list('()[]{}=+*/":_'))
    kept = (gap >= 10) & (gap <= 750) & special
    speed = np.bincount(student[kept], np.log(gap[kept])) / np.bincount(student[kept])
    best = max(np.mean((speed < cut) == made.truth.experience) for cut in speed)
    majority = max(made.truth.experience.mean(), 1 - made.truth.experience.mean())
    assert best > majority + 0.15


def test_pauses_are_planted_and_counted() -> None:
    made = typed(100, 13, 800)
    keys = made.keys
    session = codes(keys["student_id"]).astype(np.int64) * 100 + codes(keys["exercise"])
    gap = np.where(session[1:] == session[:-1], np.diff(keys["press_ms"].to_numpy()), 0)
    owner = codes(keys["student_id"])[1:]
    assert np.array_equal(np.bincount(owner[gap > 10_000], minlength=100), made.truth.long_pauses)
    assert np.array_equal(np.bincount(owner[gap > 240_000], minlength=100), made.truth.breaks)
    assert made.truth.long_pauses.min() > 0 and made.truth.breaks.sum() > 0


def test_signed_programs_hold_their_author() -> None:
    made = typed(40, 3, 300, signed=1.0)
    first = made.keys.filter(pc.equal(made.keys["student_id"], made.truth.student_ids[0]))
    text = "".join(key if len(key) == 1 else "" for key in first["key"].to_pylist())
    assert "written by" in text.replace("  ", " ")


def test_huge_courses_have_a_typing_study_of_bounded_size() -> None:
    made = typed(1_500, 5, 40)
    assert len(set(made.keys["student_id"].to_pylist())) == 1_000
    assert len(made.truth.long_pauses) == 1_500
