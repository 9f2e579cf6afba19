"""Two files under different pseudonyms: what they tell puts them together again, whatever their columns are called."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from whole.planted import events, file, names, rounded

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.release.linkage import File, attack
from sharewell.release.linkage.evidence import windows_of

DAY = 86_400


def linked(*files: File, audience: str = "agreement") -> list[Risk]:
    return attack(files, joined=False, audience=audience, seed=0)


def counts(table: pa.Table) -> dict[str, int]:
    who, many = np.unique(np.asarray(table["who"]), return_counts=True)
    return dict(zip(who.tolist(), many.tolist(), strict=True))


def test_days_of_one_file_meet_the_weeks_of_another() -> None:
    """The same clicks, by day in one file and by week in the other, under other column names."""
    clicks = events(120, seed=1)
    by_day = file("a", rounded(clicks, "at", 1), times=["at"], known=["at"])
    by_week = file(
        "b", rounded(clicks, "at", 7).rename_columns(["student", "wk", "what"]), student="student", times=["wk"]
    )
    (risk,) = linked(by_day, by_week)
    assert risk.value > 0.9 and risk.holds is False and risk.gate == "linkage"


@pytest.mark.parametrize("days", [2, 3, 14])
def test_windows_of_any_width_are_aligned(days: int) -> None:
    clicks = events(100, seed=2)
    wide = file("b", rounded(clicks, "at", days), times=["at"])
    (risk,) = linked(file("a", clicks, times=["at"]), wide)
    assert risk.value > 0.7 and risk.holds is False


def test_the_width_of_windows_is_read_off_the_file() -> None:
    weeks = np.arange(12) * 7 * DAY + 4 * DAY
    assert windows_of(weeks).width == 7 * DAY
    assert windows_of(np.array([0, 60, 180, 600])).width == 60
    months = np.array(["2025-01-01", "2025-02-01", "2025-05-01"], "datetime64[s]").astype(np.int64)
    assert windows_of(months).monthly


def test_a_number_of_clicks_in_a_table_finds_the_log() -> None:
    """No column name in common: a column with the number of clicks is enough."""
    clicks = events(150, seed=3, mean=400)
    many = counts(clicks)
    table = pa.table({"id": list(many), "engagement": list(many.values()), "grade": [0] * len(many)})
    (risk,) = linked(file("records.table", table, student="id"), file("traces.log", rounded(clicks, "at", 7)))
    assert risk.value > 0.6 and risk.holds is False
    assert "engagement" in str(risk.setting["through"]) and "rows" in str(risk.setting["through"])


def test_a_text_column_of_numbers_is_a_number_too() -> None:
    clicks = events(150, seed=3, mean=400)
    many = counts(clicks)
    table = pa.table({"id": list(many), "score": [f"{7.5 * count:.1f}" for count in many.values()]})
    (risk,) = linked(file("records.table", table, student="id"), file("traces.log", rounded(clicks, "at", 7)))
    assert risk.value > 0.5 and risk.holds is False


def test_last_days_and_totals_that_say_little_alone_add_up() -> None:
    """A table with a rounded number of clicks, the first and the last week, and the number of active weeks."""
    draw = np.random.default_rng(5)
    clicks = rounded(events(200, seed=5, mean=100), "at", 7)
    rows: dict[str, Any] = {}
    for name, at in zip(clicks["who"].to_pylist(), clicks["at"].to_pylist(), strict=True):
        rows.setdefault(name, []).append(at)
    table = pa.table({
        "id": list(rows),
        "amount": [float(np.log(len(own)) + draw.normal(0, 0.02)) for own in rows.values()],
        "mean": [float(np.mean([at.timestamp() for at in own]) + draw.normal(0, 20_000)) for own in rows.values()],
    })  # fmt: skip
    (risk,) = linked(file("records.table", table, student="id"), file("traces.log", clicks, times=["at"]))
    assert risk.value > 0.3 and risk.holds is False


def replies(students: int, seed: int) -> pa.Table:
    """Who answered whom: everyone has partners of their own."""
    draw = np.random.default_rng(seed)
    people = names(students)
    rows = [(who, people[int(whom)]) for who in people for whom in draw.choice(students, draw.integers(2, 9))]
    return pa.table(
        {"who": [who for who, whom in rows if who != whom], "whom": [whom for who, whom in rows if who != whom]}
    )


def test_reply_graphs_of_two_files_are_laid_on_each_other() -> None:
    """Degrees alone leave most students in company: only whom they answer tells them apart."""
    graph = replies(120, seed=6)
    one = file("posts.forum", graph, peers=["whom"])
    other = file("traces.messages", graph.rename_columns(["from", "to"]), student="from", peers=["to"])
    (risk,) = linked(one, other)
    assert risk.value > 0.8 and risk.holds is False


def test_a_third_file_helps_to_link_two() -> None:
    """Each file tells a part of the term; the one in the middle overlaps with both."""
    clicks = events(150, seed=7, weeks=12, mean=300)
    when = np.asarray(clicks["at"]).astype("datetime64[D]")
    start = when.min()
    parts = [(0, 56), (0, 84), (28, 84)]
    files = [
        file(f"log{place}", clicks.filter(pa.array((when >= start + low) & (when < start + high))), times=["at"])
        for place, (low, high) in enumerate(parts)
    ]
    assert all(risk.holds is False and risk.value > 0.8 for risk in linked(*files))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("students", [30, 60, 200])
def test_files_that_know_nothing_of_each_other_pass(students: int, seed: int) -> None:
    """The same students, files drawn apart from each other: small classes are not refused for lucky guesses."""
    clicks = file("a", rounded(events(students, seed=2 * seed), "at", 7), times=["at"])
    other = file("b", rounded(events(students, seed=2 * seed + 1), "at", 7), times=["at"])
    (risk,) = linked(clicks, other, audience="public")
    assert risk.holds, risk


def test_files_without_a_student_in_common_are_told_and_hold_nothing() -> None:
    one = file("a", events(30, seed=1))
    apart = events(30, seed=1)
    others = pa.table({"who": [f"x{name}" for name in apart["who"].to_pylist()], "at": apart["at"]})
    (risk,) = linked(one, file("b", others))
    assert risk.value == 0.0 and risk.gate is None and "No two students" in risk.story


def test_nothing_can_be_compared_and_still_an_attack_is_made() -> None:
    """One row per student and constant columns: every candidate is as good, so the attack is a blind guess."""
    table = pa.table({"who": names(80), "x": ["a"] * 80})
    (risk,) = linked(file("a", table), file("b", table.rename_columns(["who", "y"])))
    assert risk.value == pytest.approx(1 / 80) and risk.holds


def test_real_logs_by_day_and_by_week(shared_data: Path) -> None:
    path = shared_data / "moodle_edify" / "moodle_events.csv.gz"
    moment = """try_strptime("Time", ['%d/%m/%y, %H:%M', '%m/%d/%y, %H:%M'])"""
    log = engine.view(f"SELECT user_id AS who, {moment} AS at FROM read_csv('{path}', all_varchar = true)")
    table = engine.arrow(log.filter(log.who.notnull() & log["at"].notnull()))
    by_day, by_week = rounded(table, "at", 1), rounded(table, "at", 7)
    (risk,) = linked(file("a", by_day, times=["at"]), file("b", by_week, times=["at"]))
    assert risk.value > 0.73 and risk.holds is False
