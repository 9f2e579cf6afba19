"""The four questions on a small class of typists with planted rhythms."""

import numpy as np
import pyarrow as pa
import pytest
from keystrokes.planted import job, typists

from sharewell.data import engine
from sharewell.keystrokes import study
from sharewell.keystrokes.section import Limit


@pytest.fixture(scope="module")
def typed() -> pa.Table:
    return typists(80)


def test_release_is_found_no_more_than_the_limit_while_the_original_is(typed: pa.Table) -> None:
    opened = study.open(job(typed, Limit(times_chance=2.0, within=10)))
    before = max(risk.value for risk in opened.before() if risk.setting["within"] == 4)
    assert before > 0.9
    done = opened.protect()
    risks = opened.attack(done)
    held = [risk for risk in risks if risk.gate]
    assert held and all(risk.gate == "times_chance" and risk.holds for risk in held)
    assert held[0].limit == pytest.approx(2.0 * 4 / 80)
    assert held[0].value == max(risk.value for risk in risks if risk.setting.get("within") == 4)
    kept = {one.name: one.value for one in opened.utility(done)}
    assert kept["mean speed kept"] > 0.6


def test_rows_keys_and_order_stay(typed: pa.Table) -> None:
    done = study.open(job(typed, Limit(found=0.2, within=4))).protect()
    before = typed.sort_by([("student", "ascending"), ("exercise", "ascending"), ("press", "ascending")])
    after = engine.arrow(done.table.order_by(["student", *done.order])).select(typed.column_names)
    for name in ("student", "exercise", "key", "note"):
        assert after[name].to_pylist() == before[name].to_pylist()
    press = after["press"].to_numpy()
    first = np.flatnonzero(np.diff(np.unique(after["exercise"].to_pylist(), return_inverse=True)[1], prepend=-1))
    assert (press[first] == 0).all()
    assert (after["release"].to_numpy() >= press).all()
    assert after.schema == typed.schema
    (told,) = [change for change in done.changes if change.columns == ("key",)]
    assert "NOT looked through for names" in told.what  # the plan of this job says so


def test_the_same_key_draws_the_same_release() -> None:
    work = job(typists(40, sessions=4, keys=40), Limit(found=0.5, within=2))
    tables = [study.open(work).protect() for _ in range(2)]
    first, second = (engine.arrow(done.table.order_by(*done.helpers)) for done in tables)
    assert first.equals(second)


def test_a_share_in_the_plan_stands_instead_of_the_audience() -> None:
    assert Limit(found=0.1, times_chance=2.0).times_chance is None
    assert Limit(times_chance=2.0).times_chance == 2.0
