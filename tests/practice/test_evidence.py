"""What a student adds to a histogram, and whether the attack on all files together would see too much."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell import examine, kinds
from sharewell.data import sources
from sharewell.data.keyed import Keyed
from sharewell.fiction.course import make_course
from sharewell.fiction.write import write_course
from sharewell.lab.membership import AUC
from sharewell.plan.document import load
from sharewell.practice.attack import CourseRehearsals
from sharewell.practice.course import WholeCourse, learn
from sharewell.synthetic.contributions import UNIT, NoisyHistogram, contributions, on_simplex
from sharewell.synthetic.zcdp import epsilon_of


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=1, max_size=200))
def test_a_student_adds_one_in_all_and_moves_nobody(rows: list[tuple[int, int]]) -> None:
    student, cell = (np.array(column) for column in zip(*rows, strict=True))
    every = contributions("x", [9], student, [cell], 6).parts.toarray()
    assert set(every.sum(axis=1)) <= {0, UNIT}
    left = student != 0
    without = contributions("x", [9], student[left], [cell[left]], 6).parts.toarray()
    assert (without[1:] == every[1:]).all()


def test_shares_are_a_distribution_and_follow_what_is_clear() -> None:
    counts = np.array([900.0, -30.0, 20.0, 110.0])
    shares = NoisyHistogram(counts=counts, noise=10.0, rho=0.005, ordered=False).shares
    assert shares.sum() == pytest.approx(1) and (shares >= 0).all() and shares[0] == pytest.approx(0.89, abs=0.03)
    assert on_simplex(counts, 1000.0).sum() == pytest.approx(1000)


def course(folder: Path) -> WholeCourse:
    write_course(make_course(students=100, seed=3, parts=["students", "clicks"]), folder)
    plan = load(folder / "plan.toml")
    data, keyed = sources.read(plan), Keyed(bytes(32), "practice")
    files = {
        one.label: kinds.load(one.kind).practice(examine.job_of(one, plan, data, keyed), 5) for one in plan.sections
    }
    return WholeCourse(files=files, targets=("records.students: passed",))


def test_the_attack_on_all_files_finds_members_where_nothing_protects(tmp_path: Path) -> None:
    found = course(tmp_path)

    def reached(epsilon: float) -> float:
        judge = CourseRehearsals(course=found, epsilon=epsilon, seed=1)
        judge.make(0, 4)
        return next(risk.value for risk in judge.risks() if risk.measure == AUC and "attack" in risk.setting)

    assert reached(1_000.0) > 0.65
    assert reached(0.2) < 0.58


def test_the_whole_budget_is_spent_and_no_more(tmp_path: Path) -> None:
    model = learn(course(tmp_path), 2.0, np.random.default_rng(1))
    rho = sum(float(one["rho"]) for one in model.promise["spent"])
    assert 1.9 < epsilon_of(rho, model.promise["delta"]) <= 2.0
