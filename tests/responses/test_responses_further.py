"""Further columns and response times: what they tell of who was learnt from is seen, and hidden by noise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.responses import study
from sharewell.responses.log import Columns, read
from sharewell.responses.measure.further_columns import FurtherCells
from sharewell.responses.measure.time_cells import TimeCells
from sharewell.responses.protection import other_columns, times
from sharewell.responses.protection.markov_chain import Noise
from sharewell.responses.protection.strength_search import JUDGING, Search

SPLITS = 16


@pytest.fixture(scope="module")
def table(course: Any) -> pa.Table:
    """Students of different speed, and eight answers to every item."""
    generator = np.random.default_rng(5)
    users, place = np.unique(course.table["user"].to_pylist(), return_inverse=True)
    speed = generator.normal(0, 0.4, users.size)[place]
    seconds = np.exp(3 + speed + generator.normal(0, 0.8, place.size))
    given = generator.geometric(0.35, place.size).clip(max=8)
    answers = [f"{item} {number}" for item, number in zip(course.table["item"].to_pylist(), given, strict=True)]
    plain = course.table.select(["user", "item", "correct"])
    return plain.append_column("seconds", pa.array(seconds)).append_column("answer", pa.array(answers))


def attacked(search: Search) -> dict[str, Risk]:
    splits = search.splits(search.levels[0], JUDGING, range(SPLITS))
    return {risk.attacker: risk for risk in search.attacked(splits, slow=0) if risk.name == "auc"}


@pytest.mark.parametrize("columns", [{"duration": "seconds"}, {"further": ("answer",)}])
def test_values_of_further_columns_tell_who_was_in_unless_they_carry_noise(
    table: pa.Table, make_job: Any, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any]
) -> None:
    dropped = {"drop": tuple({"seconds", "answer"} - set(columns.get("further", ())) - {columns.get("duration")})}
    search = study.open(make_job(table, m=12, noise=1.0, repeats=SPLITS, **columns, **dropped)).search
    held = attacked(search)
    assert held["tracing-columns"].value < 0.55
    monkeypatch.setattr(other_columns, "FURTHER_NOISE", 0.0)
    monkeypatch.setattr(other_columns, "SHOWN_NOISE", 0.0)
    told = attacked(search)
    low, high = told["tracing-columns"].low, held["tracing-columns"].high
    assert low is not None and high is not None and low > high
    assert told["strongest"].value >= told["tracing-columns"].value


def test_the_gate_looks_at_every_column_of_the_release(table: pa.Table, make_job: Any) -> None:
    opened = study.open(make_job(table, duration="seconds", keep=("answer",), m=12, noise=1.0, repeats=2))
    done = opened.protect()
    risks = opened.attack(replace(done, table=engine.materialise(done.table)))
    assert "tracing-columns" in {risk.attacker for risk in risks}
    assert "tracing-columns" in {risk.attacker for risk in opened.before()}


def test_values_that_a_release_has_of_its_own_and_numbers_of_rows_say_nothing() -> None:
    columns = Columns(student="user", item="item", further=("kind",), ids=("row",))
    log = read(pa.table({"user": [1, 1, 2], "item": [0, 1, 0], "kind": ["a", "b", "a"], "row": [7, 8, 9]}), columns)
    fake = read(pa.table({"user": [1, 2], "item": [0, 0], "kind": ["a", "c"], "row": [2**62, 5]}), columns)
    cells = FurtherCells(log)
    assert list(cells.values) == ["kind"]
    assert cells.counted(log, by_item=True).cell.tolist() == [0, 1, 0]
    assert (
        cells.counted(fake, by_item=True).cell.tolist() == cells.counted(fake, by_item=False).cell.tolist() == [0, -1]
    )


def test_with_noise_a_value_that_the_item_decides_stays(course: Any) -> None:
    part = [f"part {int(item[4:]) % 3}" for item in course.table["item"].to_pylist()]
    table = course.table.append_column("part", pa.array(part))
    fake = sw.responses.fit(
        table, student="user", item="item", correct="correct", further=["part"], noise=1.0, m=12
    ).generate(200, seed=1)
    pairs = zip(fake["item"].to_pylist(), fake["part"].to_pylist(), strict=True)
    assert all(value == f"part {int(item[4:]) % 3}" for item, value in pairs)


def test_noise_on_classes_of_times_spares_those_that_few_students_have() -> None:
    generator = np.random.default_rng(0)
    value, who = np.repeat([0.5, 1.5, 2.5], [400, 200, 3]), np.concatenate([np.arange(400), np.arange(200), [0, 1, 2]])
    found = [times.classes(value, who, 5, width=1.0, noise=Noise(c, generator)) for c in (0.0, 4.0)]
    assert found[0].cumulative == pytest.approx([2 / 3, 1, 1])
    assert found[1].cumulative[0] != found[0].cumulative[0] and found[1].cumulative[1] == pytest.approx(1)


@pytest.fixture(scope="module")
def timed(course: Any) -> pa.Table:
    """Students who work at hours of their own, in sessions."""
    generator = np.random.default_rng(6)
    users, place = np.unique(course.table["user"].to_pylist(), return_inverse=True)
    hour = generator.integers(0, 24, users.size)[place]
    seen = pd.Series(place).groupby(place).cumcount().to_numpy()
    seconds = (seen // 8) * 86_400 + hour * 3_600 + (seen % 8) * generator.integers(40, 90, place.size)
    moments = (np.datetime64("2024-03-04", "us") + seconds.astype("timedelta64[s]")).astype("datetime64[us]")
    return course.table.select(["user", "item", "correct"]).append_column("at", pa.array(moments))


def test_times_tell_who_was_in_unless_they_carry_noise(
    timed: pa.Table, make_job: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When students begin and work, and how long they pause, are averages over those who were learnt from as well."""
    search = study.open(make_job(timed, time="at", m=12, noise=4.0, repeats=SPLITS)).search
    held = attacked(search)["tracing-times"]
    monkeypatch.setattr(times, "TIMES_NOISE", 0.0)
    told = attacked(search)["tracing-times"]
    assert held.value < 0.55 < told.value - 0.05


def test_a_release_without_times_says_nothing_of_them(timed: pa.Table) -> None:
    log = read(timed, Columns(student="user", item="item", correct="correct", time="at"))
    cells = TimeCells(log)
    assert cells.counted(log).cell.min() >= 0 and cells.counted(replace(log, time=None)).cell.size == 0
