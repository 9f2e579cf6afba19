"""Planted truth comes back: difficulties, abilities that grow, columns, and the second opinion of scikit-learn."""

import doctest
import importlib
import pickle
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.errors import InputError
from sharewell.responses.kind import KIND
from sharewell.responses.log import Columns, read
from sharewell.responses.protection.rasch import fit_rasch, one_hot
from sharewell.responses.utility.learning_curves import learning_curve
from sharewell.responses.utility.usefulness import usefulness
from sharewell.stats.arrays import Array

NAMES: dict[str, Any] = {"student": "user", "item": "item", "correct": "correct"}
COLUMNS = Columns(student="user", item="item", correct="correct")


def difficulties(table: pa.Table) -> Array:
    return fit_rasch(read(table, COLUMNS)).difficulty


def test_rasch_is_the_optimum_that_scikit_learn_finds(course: Any) -> None:
    from sklearn.linear_model import LogisticRegression

    log = read(course.table, COLUMNS)
    ours = fit_rasch(log)
    students = log.lengths.size
    rows = one_hot(log.student, students + log.item, students + len(log.items))
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=2000).fit(rows, log.correct)
    np.testing.assert_allclose(ours.ability, theirs.coef_[0][:students], atol=1e-3)
    np.testing.assert_allclose(ours.difficulty, -theirs.coef_[0][students:] - theirs.intercept_, atol=1e-3)


@pytest.mark.parametrize("outcomes", ["rasch", "2pl", "pfa"])
def test_planted_difficulties_come_back_from_the_log_and_from_what_is_generated(course: Any, outcomes: str) -> None:
    assert np.corrcoef(difficulties(course.table), course.difficulty)[0, 1] >= 0.95
    fake = sw.responses.fit(course.table, **NAMES, outcomes=outcomes).generate(400, seed=1)
    assert np.corrcoef(difficulties(fake), course.difficulty)[0, 1] >= 0.93


@pytest.mark.parametrize("ability", ["normal", "kernel"])
def test_abilities_keep_their_spread(course: Any, ability: str) -> None:
    model = sw.responses.fit(course.table, **NAMES, ability=ability)
    assert model.abilities is not None
    drawn = model.abilities.draw(5000, np.random.default_rng(0))
    estimated = fit_rasch(read(course.table, COLUMNS)).ability
    assert drawn.mean() == pytest.approx(estimated.mean(), abs=0.05)
    assert drawn.std() == pytest.approx(estimated.std(), rel=0.12)


def test_growth_shows_with_practice_and_not_with_rasch(make_planted: Any) -> None:
    growing = make_planted(growth=0.8, seed=3).table

    def rise(table: pa.Table) -> float:
        curve = learning_curve(read(table, COLUMNS))
        return float(curve[3] - curve[0])

    practised = sw.responses.fit(growing, **NAMES, outcomes="pfa").generate(400, seed=1)
    flat = sw.responses.fit(growing, **NAMES, outcomes="rasch").generate(400, seed=1)
    assert rise(growing) > 0.1
    assert rise(practised) > 0.6 * rise(growing)
    assert abs(rise(flat)) < 0.4 * rise(growing)


def test_two_parameters_find_which_items_tell_more(make_planted: Any) -> None:
    from sharewell.responses.protection.two_parameter import fit_two_parameter

    generator = np.random.default_rng(0)
    slope, ability = np.repeat([0.4, 2.0], 10), generator.normal(0, 1, 500)
    chance = 1 / (1 + np.exp(-slope * ability[:, None]))
    right = (generator.random(chance.shape) < chance).astype(int)
    user, item = np.divmod(np.arange(right.size), 20)
    log = read(pa.table({"user": user, "item": item, "correct": right.ravel()}), COLUMNS)
    found = fit_two_parameter(log).slope
    assert found[10:].min() > found[:10].max()


def test_further_columns_depend_on_the_item(course: Any) -> None:
    fake = sw.responses.fit(course.table, **NAMES, skill="skill", further=["device"], attempt="try").generate(
        400, seed=1
    )

    def phones(table: pa.Table, odd: int) -> float:
        rows = [
            device == "phone"
            for item, device in zip(table["item"].to_pylist(), table["device"].to_pylist(), strict=True)
            if int(item[4:]) % 2 == odd
        ]
        return float(np.mean(rows))

    for odd in (0, 1):
        assert phones(fake, odd) == pytest.approx(phones(course.table, odd), abs=0.05)
    skill_of = dict(zip(course.table["item"].to_pylist(), course.table["skill"].to_pylist(), strict=True))
    assert all(skill_of[i] == s for i, s in zip(fake["item"].to_pylist(), fake["skill"].to_pylist(), strict=True))
    seen: dict[tuple[str, str], int] = {}
    for row in fake.select(["user", "item", "try"]).to_pylist():
        seen[row["user"], row["item"]] = seen.get((row["user"], row["item"]), 0) + 1
        assert row["try"] == seen[row["user"], row["item"]]


def test_response_times_are_drawn_given_the_item(course: Any) -> None:
    generator = np.random.default_rng(0)
    slow = np.array([int(item[4:]) >= 15 for item in course.table["item"].to_pylist()])
    seconds = np.exp(generator.normal(np.where(slow, 4.0, 1.0), 0.3))
    table = course.table.append_column("seconds", pa.array(seconds))
    fake = sw.responses.fit(table, **NAMES, duration="seconds").generate(200, seed=1)
    late = np.array([int(item[4:]) >= 15 for item in fake["item"].to_pylist()])
    drawn = np.log(fake["seconds"].to_numpy())
    assert drawn[late].mean() == pytest.approx(4.0, abs=0.2)
    assert drawn[~late].mean() == pytest.approx(1.0, abs=0.2)


def test_lengths_repeats_and_frequencies_survive(course: Any) -> None:
    from sharewell.responses.log import from_frames

    fake = sw.responses.fit(course.table, **NAMES).generate(400, seed=1)
    measured = {u.name: u for u in usefulness(*from_frames([course.table, fake], COLUMNS))}
    assert measured["item frequencies off by"].value < 0.05
    assert measured["step frequencies off by"].value < 0.15
    assert measured["difficulty rank correlation"].value > 0.95
    tracing = measured["knowledge tracing AUC"]
    assert tracing.baseline is not None
    assert tracing.value > tracing.baseline - 0.02 > 0.6


def test_items_without_a_difficulty_and_rare_items_are_left_out_and_counted(course: Any) -> None:
    extra = pa.table(
        {
            "user": [f"student{k:04d}" for k in range(10)] + ["student0001"] * 2,
            "item": ["always"] * 10 + ["rare"] * 2,
            "correct": [1] * 10 + [0, 1],
        }
    )
    table = pa.concat_tables([course.table.select(["user", "item", "correct"]), extra])
    model = sw.responses.fit(table, **NAMES)
    assert (model.left_out.extreme, model.left_out.few_students, model.left_out.rows) == (1, 1, 12)
    assert {"always", "rare"}.isdisjoint(model.generate(500, seed=1)["item"].to_pylist())


def test_no_log_is_longer_than_what_m_students_reached(course: Any) -> None:
    long = pa.table({"user": ["student0000"] * 900, "item": ["item00", "item01"] * 450, "correct": [0, 1, 1] * 300})
    table = pa.concat_tables([course.table.select(["user", "item", "correct"]), long])
    fake = sw.responses.fit(table, **NAMES).generate(3000, seed=1)
    assert max(fake["user"].value_counts().field("counts").to_pylist()) < 100


def test_orders_two_and_three_remember_more(make_planted: Any) -> None:
    """Two interleaved habits: what follows b depends on what came before it."""
    rows = [(f"s{p}", item) for p in range(60) for item in (["a", "b", "c"] * 5 if p % 2 else ["d", "b", "e"] * 5)]
    user, item = zip(*rows, strict=True)
    table = pa.table({"user": list(user), "item": list(item), "correct": [0, 1] * 450})
    first = sw.responses.fit(table, **NAMES, order=1).generate(100, seed=0)["item"].to_pylist()
    for order in (2, 3):
        walked = sw.responses.fit(table, **NAMES, order=order).generate(100, seed=0)["item"].to_pylist()
        triples = list(zip(walked, walked[1:], walked[2:], strict=False))
        assert ("a", "b", "c") in triples and ("a", "b", "e") not in triples
    assert ("a", "b", "e") in list(zip(first, first[1:], first[2:], strict=False))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"correct": [2]}, "column 'correct', row 1: expected 0 or 1"),
        ({"correct": [None]}, "column 'correct', row 1: a value is missing"),
        ({"user": [None]}, "column 'user', row 1: a value is missing"),
        ({"item": [None]}, "column 'item', row 1: a value is missing"),
        ({"user": [], "item": [], "correct": []}, "the log has no rows"),
        ({"item": ["only"]}, "nothing to learn from"),
    ],
)
def test_bad_logs_are_told_in_one_sentence(change: dict[str, list[Any]], sentence: str) -> None:
    table = pa.table({"user": ["anna"], "item": ["a"], "correct": [1], **change})
    with pytest.raises(InputError, match=sentence) as error:
        sw.responses.fit(table, **NAMES)
    assert "anna" not in str(error.value)


@pytest.mark.parametrize(
    "wrong", [{"model": "magic"}, {"outcomes": "x"}, {"m": 0}, {"order": 4}, {"smoothing": 1.5}, {"skill": "none"}]
)
def test_bad_settings_are_refused(course: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sw.responses.fit(course.table, **{**NAMES, **wrong})


def test_words_and_truth_values_count_as_outcomes() -> None:
    for right, wrong in (("CORRECT", "HINT"), ("true", "false"), (True, False), (1.0, 0.0), ("1", "0")):
        table = pa.table({"user": ["a", "a", "b"], "item": ["x", "y", "x"], "correct": [right, wrong, right]})
        assert read(table, COLUMNS).correct.tolist() == [1, 0, 1]  # type: ignore[union-attr]


def test_the_fictional_course_gives_its_difficulties_back() -> None:
    from sharewell.fiction import make_course

    made = make_course(students=300, seed=7)
    names: dict[str, Any] = {"student": "student_id", "item": "exercise", "correct": "correct"}

    def correlation(table: pa.Table) -> float:
        log = read(table, Columns(student="student_id", item="exercise", correct="correct"))
        planted = [made.truth.difficulty[item] for item in log.items.to_pylist()]
        return float(np.corrcoef(fit_rasch(log).difficulty, planted)[0, 1])

    fake = sw.responses.fit(made.attempts, **names, skill="skill").generate(300, seed=1)
    assert correlation(made.attempts) >= 0.95
    assert correlation(fake) >= 0.93


def test_an_item_without_a_skill_keeps_none(course: Any) -> None:
    skill = [None if item == "item03" else f"skill{item[4]}" for item in course.table["item"].to_pylist()]
    table = course.table.set_column(2, "skill", pa.array(skill))
    fake = sw.responses.fit(table, **NAMES, skill="skill").generate(300, seed=1)
    found = dict(zip(fake["item"].to_pylist(), fake["skill"].to_pylist(), strict=True))
    assert found["item03"] is None and found["item04"] == "skill0" and found["item12"] == "skill1"


def test_what_belongs_to_a_student_is_drawn_once_for_each(course: Any) -> None:
    """A class of every student, three of them, and one that only two students are in."""
    user = course.table["user"].to_pylist()
    group = ["rare" if int(u[-4:]) < 2 else f"class{int(u[-4:]) % 3}" for u in user]
    table = course.table.append_column("class", pa.array(group))
    fake = sw.responses.fit(table, **NAMES, further=["class"]).generate(600, seed=1)
    pairs = set(zip(fake["user"].to_pylist(), fake["class"].to_pylist(), strict=True))
    assert len(pairs) == 600 and {c for _, c in pairs} == {"class0", "class1", "class2"}
    share = np.mean([c == "class0" for _, c in pairs])
    assert share == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize("outcomes", ["rasch", "2pl", "pfa"])
def test_a_fitted_model_holds_no_row_of_the_log(course: Any, outcomes: str) -> None:
    """Neither an id, nor a value that few share, nor anything that is as long as the list of students."""
    device = [f"own-{place}" if place < 3 else "desk" for place in range(course.table.num_rows)]
    table = course.table.set_column(5, "device", pa.array(device))
    model = sw.responses.fit(table, **NAMES, skill="skill", time="at", further=["device"], outcomes=outcomes)
    pickled = pickle.dumps(model)
    assert not any(user.encode() in pickled for user in set(table["user"].to_pylist()))
    assert b"own-" not in pickled and b"desk" in pickled
    assert len(pickled) < 0.1 * len(pickle.dumps(table))
    assert course.ability.size not in {array.size for array in arrays_of(model)}


def arrays_of(value: Any) -> Iterator[Array]:
    """Every array inside a dataclass."""
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value):
        for part in fields(value):
            yield from arrays_of(getattr(value, part.name))


def test_a_model_of_any_frame_is_pickled_and_generates_the_same(course: Any) -> None:
    for frame in (course.table, course.table.to_pandas()):
        model = sw.responses.fit(frame, **NAMES)
        again = pickle.loads(pickle.dumps(model))
        one, two = model.generate(20, seed=1), again.generate(20, seed=1)
        assert type(one) is type(two) is type(frame) and one.equals(two)


def test_every_measure_is_declared_once() -> None:
    ids = [measure.id for measure in KIND.measures]
    assert len(ids) == len(set(ids)) and all(measure.title for measure in KIND.measures)


@pytest.mark.parametrize(
    "module",
    [
        "protection.generator",
        "protection.dropped_rows",
        "measure.membership_risks",
        "utility.item_difficulty",
        "trade_off",
    ],
)
def test_examples_in_the_documentation_hold(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"sharewell.responses.{module}"))
    assert found.attempted and not found.failed


def test_a_model_prints_what_it_learnt_and_what_nobody_checked(make_planted: Any) -> None:
    table = make_planted(students=30, items=6, seed=1).table
    plain = sw.responses.fit(table, **NAMES)
    assert len(str(plain).splitlines()) == 4 and "30 students" in str(plain) and "nothing is promised" in repr(plain)
