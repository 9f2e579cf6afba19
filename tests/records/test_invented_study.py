"""Invented records in a release: what gates them, what is checked again, and what a plan may not ask for."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.records import study
from sharewell.records.recheck import recheck
from sharewell.records.section import Limit, Section
from sharewell.records.synthetic import membership
from sharewell.records.synthetic.study import InventedStudy

ROWS = 240


def rows() -> pa.Table:
    generator = np.random.default_rng(3)
    sex, age = generator.choice(["f", "m"], ROWS), generator.integers(18, 30, ROWS)
    passed = np.where((age > 23) ^ (generator.random(ROWS) < 0.2), "yes", "no")
    names = [f"name {number}" for number in range(ROWS)]
    return pa.table({"id": [f"s{n}" for n in range(ROWS)], "name": names, "sex": sex, "age": age, "passed": passed})


def section(**changes: Any) -> Section:
    given: dict[str, Any] = {
        "method": "synthetic", "quasi": ("sex", "age"), "keep": ("passed",), "target": ("passed",), "direct": ("name",),
        "impossible": ("age < 20 and passed = yes",), **changes,
    }  # fmt: skip
    made = Section(name="students", folder=Path(), file="students.csv", student="id", **given)
    return made.for_audience("agreement")


def opened(table: pa.Table, **changes: Any) -> InventedStudy:
    source = engine.table(table)
    work = study.open(Job(section=section(**changes), source=source, seed=1, keyed=Keyed(b"0" * 32, "records")))
    assert isinstance(work, InventedStudy)
    return work


@pytest.fixture(scope="module")
def released() -> Protected:
    return opened(rows()).protect()


def test_the_promise_gates_and_is_added_up_again(released: Protected) -> None:
    gated = {risk.gate: risk for risk in recheck(released.table, released.facts) if risk.gate}
    assert set(gated) == {"epsilon", "recheck"}
    assert all(risk.holds for risk in gated.values())
    assert 2.9 < gated["epsilon"].value <= 3
    louder = {**released.facts, "limits": {"epsilon": 1.0}}
    assert not next(risk for risk in recheck(released.table, louder) if risk.gate == "epsilon").holds


def test_no_row_no_id_and_no_name_of_a_student_leaves(released: Protected) -> None:
    made = engine.arrow(released.table)
    assert made.column_names == ["id", "sex", "age", "passed"]
    assert released.synthetic and not set(made["id"].to_pylist()) & set(rows()["id"].to_pylist())
    assert abs(made.num_rows - ROWS) < 60
    young = pa.compute.less(made["age"], 20)
    assert "yes" not in made.filter(young)["passed"].to_pylist()


def test_another_version_of_the_table_gets_other_noise() -> None:
    one, other = opened(rows()), opened(rows().slice(1))
    draws = [work._secret().generator("noise").integers(10**9) for work in (one, opened(rows()), other)]
    assert draws[0] == draws[1] != draws[2]


def test_without_epsilon_the_attacks_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InventedStudy, "_repeats", 6)
    quiet = opened(rows(), epsilon="none", noise=10.0, limit=Limit(membership=0.7, tpr=0.2))
    protected = quiet.protect()
    assert protected.facts["privacy budget"] is None
    gates = {risk.gate: risk for risk in quiet.attack(protected) if risk.gate}
    assert {"membership", "tpr"} <= set(gates) and "epsilon" not in gates
    assert gates["membership"].holds
    rehearsed = membership.Rehearsals(rows=quiet.rows, wanted=quiet.wanted(3_000.0), seed=1)
    rehearsed.make(0, 4)
    loud = next(risk for risk in rehearsed.risks() if risk.attacker == "strongest" and risk.name == "auc")
    assert loud.low is not None and gates["membership"].low is not None
    assert loud.low > 0.5 > gates["membership"].low


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": 9.0}, "above the limit"),
        ({"epsilon": "some"}, "give a number"),
        ({"rows": "several"}, "one row per student"),
        ({"noise": 1.0}, "only epsilon = 'none'"),
        ({"values": "drawn"}, "neither groups nor ranges"),
        ({"method": "best", "impossible": ("age < 3",)}, "only method = 'synthetic'"),
        ({"quasi": (), "keep": ()}, "at least one column"),
    ],
)
def test_what_a_plan_may_not_ask_for_gets_a_sentence(wrong: dict[str, Any], words: str) -> None:
    assert any(words in problem for problem in section(**wrong).problems())


def test_dates_are_checked_again_within_their_first_and_last_day() -> None:
    born = np.datetime64("2001-01-01") + np.random.default_rng(1).integers(0, 400, ROWS)
    work = opened(rows().append_column("born", pa.array(born)), keep=("passed", "born"))
    protected = work.protect()
    assert protected.table.schema()["born"].is_date()
    assert all(risk.holds for risk in recheck(protected.table, protected.facts) if risk.gate)
    late = engine.arrow(protected.table)
    place = late.column_names.index("born")
    late = late.set_column(place, "born", pa.array(np.full(late.num_rows, np.datetime64("2031-01-01"))))
    found = {risk.name: risk for risk in recheck(engine.table(late), protected.facts)}
    assert found["unlisted cells"].value == late.num_rows and not found["unlisted cells"].holds
