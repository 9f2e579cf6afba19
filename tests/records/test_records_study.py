"""The study of records, as the pipeline asks it."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Job, Protected, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.plan.audience_limits import AUDIENCES, Audience
from sharewell.records import study
from sharewell.records.kind import KIND, PREDICATE
from sharewell.records.measure import predicates
from sharewell.records.recheck import recheck, recount
from sharewell.records.section import Limit, Section


def students(rows: int = 400) -> pa.Table:
    draw = np.random.default_rng(3)
    return pa.table(
        {
            "id": [f"s{n}" for n in range(rows)],
            "name": [f"n{n}" for n in range(rows)],
            "age": draw.integers(18, 40, rows).astype(str),
            "sex": draw.choice(["f", "m", "x"], rows, p=[0.5, 0.47, 0.03]),
            "postcode": draw.integers(10000, 10400, rows).astype(str),
            "disability": draw.choice(["none", "yes"], rows, p=[0.8, 0.2]),
            "passed": draw.choice(["0", "1"], rows),
        }
    )


def job(**changes: Any) -> Job:
    roles = {"student": "id", "direct": ("name",), "keep": ("passed",), "quasi": ("age", "sex", "postcode")}
    settings: dict[str, Any] = {
        "sensitive": ("disability",),
        "target": ("passed",),
        "limit": Limit(k=5, l=2, predicate=0.03),
        **roles,
        **changes,
    }
    section = Section(name="students", folder=Path(), file="students.csv", **settings)
    return Job(section=section, source=engine.table(students()), seed=1, keyed=Keyed(b"0" * 32, "records"))


def test_the_released_table_keeps_the_limits_and_drops_what_must_go() -> None:
    work = study.open(job())
    protected = work.protect()
    written = set(protected.table.columns) - set(protected.helpers)
    assert written == {"id", "age", "sex", "postcode", "disability", "passed"}
    gated = [risk for risk in work.attack(protected) if risk.gate]
    assert sum(risk.gate == "predicate" and risk.bound == "high" for risk in gated) == 2
    after = {risk.gate: risk for risk in gated}
    assert set(after) == {"k", "l", "predicate"}
    assert all(risk.holds for risk in gated)
    again = {risk.gate: risk.value for risk in recheck(protected.table, protected.facts) if risk.gate}
    assert again == {name: risk.value for name, risk in after.items() if name != "predicate"}


def test_the_original_fails_the_gate() -> None:
    work = study.open(job())
    risks = {risk.gate: risk.holds for risk in work.attack(Protected(table=work.rows)) if risk.gate}
    assert risks["k"] is False


def test_every_student_stays_in_the_table() -> None:
    released = engine.arrow(study.open(job()).protect().table)
    assert sorted(released["id"].to_pylist()) == sorted(students()["id"].to_pylist())


def test_helper_columns_never_meet_a_column_of_the_file() -> None:
    names = ["__row", "c0", "rows", "gone", "key_0"]
    table = students().rename_columns(["id", *names, "passed"])
    section = Section(
        name="students", folder=Path(), file="students.csv", student="id", direct=("__row",), quasi=("c0", "rows"),
        sensitive=("key_0",), keep=("gone", "passed"), limit=Limit(k=5), max_suppressed=0.0,
    )  # fmt: skip
    work = study.open(Job(section=section, source=engine.table(table), seed=1, keyed=Keyed(b"0" * 32, "records")))
    released = engine.arrow(work.protect().table)
    assert set(released.column_names) >= {"id", "c0", "rows", "gone", "key_0", "passed"}
    assert sorted(released["gone"].to_pylist()) == sorted(table["gone"].to_pylist())
    assert recount(released, quasi=["c0", "rows"])[0].value >= 5


@pytest.mark.parametrize("audience", AUDIENCES)
def test_audience_limits_name_fields(audience: Audience) -> None:
    assert set(Section.audience_limits[audience]) <= {field.name for field in fields(Limit)}
    asked = Section(name="s", folder=Path(), file="s.csv", student="id", quasi=("age",), limit=Limit(k=5, kept=0.05))
    assert asked.limits() == {"k": 5.0}


def test_every_measure_is_declared_once() -> None:
    names = [measure.id for measure in KIND.measures]
    assert len(names) == len(set(names))
    work = study.open(job())
    protected = work.protect()
    told: list[Any] = [*work.before(), *work.attack(protected), *work.utility(protected)]
    assert {one.measure for one in told} <= set(KIND.measures)
    assert protected.curve is not None and {protected.curve.risk, protected.curve.utility} <= set(KIND.measures)


def test_kept_columns_gate_where_the_plan_asks_and_advise_where_the_audience_does() -> None:
    asked = study.open(job(limit=Limit(k=5, kept=0.001)))
    protected = asked.protect()
    gated = [risk for risk in asked.attack(protected) if risk.gate == "kept"]
    assert gated and all(risk.limit == 0.001 for risk in gated)
    again = [risk for risk in recheck(protected.table, protected.facts) if risk.gate == "kept"]
    assert max(risk.value for risk in again) == max(risk.value for risk in gated)
    advised = study.open(job(limit=Limit(k=5, advised_kept=0.2)))
    told = [risk for risk in advised.before() if risk.name == "kept"]
    assert told and all(risk.gate is None and risk.limit == 0.2 for risk in told)


def test_an_outcome_may_be_sensitive_and_what_it_gives_away_is_told() -> None:
    work = study.open(job(sensitive=("passed",), keep=(), drop=("disability",), limit=Limit(k=5, t=0.3)))
    protected = work.protect()
    after = work.attack(protected)
    known = next(risk for risk in after if risk.name == "outcome known")
    assert known.n == 400 and known.value < 0.2
    assert next(risk for risk in after if risk.gate == "t").holds
    assert work.utility(protected)


def test_where_predicate_asks_for_larger_groups_the_curve_shows_those(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_by_labels(*_: object, k: int, **__: object) -> list[Risk]:
        share = 0.0 if k >= 8 else 0.5
        return [Risk(measure=PREDICATE, attacker="a", value=share, high=share, chance=0.0, n=400)]

    monkeypatch.setattr(predicates, "singled_out", told_by_labels)
    work = study.open(job(seconds=1.0))
    protected = work.protect()
    curve = protected.curve
    assert protected.facts["searched k"] == 8 and curve is not None and curve.chosen is not None
    assert curve.chosen.strength == 8 and curve.chosen.risk <= 1 / 8
    assert curve.chosen.utility == pytest.approx(1 - protected.facts["loss"])
    (loss,) = [one for one in work.utility(protected) if one.name == "loss"]
    assert loss.value == pytest.approx(protected.facts["loss"]) and "asks for k = 5" in curve.note


def test_a_release_of_groups_stands_beside_other_methods_by_the_same_yardsticks() -> None:
    work = study.open(job())
    protected = work.protect()
    assert protected.methods is not None
    points = {point.label.partition(",")[0]: point for point in protected.methods.points}
    assert set(points) == {"best", "full-domain", "local", "stinar", "invented"}
    assert [label for label, point in points.items() if point.chosen] == ["best"]
    assert all(0 <= point.risk < 1 and 500 < point.utility <= 1000 for point in points.values())
    uses = {one.name for one in work.utility(protected)}
    assert {"k-marginal", "propensity", "associations moved", "trained on the release", "coefficients"} <= uses
    assert "unique matches" in {risk.name for risk in work.attack(protected)}
