"""The six analyses: planted findings are found, and what a release no longer shows is called lost."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from traces.small_course import clicks, job, materialised

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.study import TraceStudy, open
from sharewell.traces.utility.six_analyses import AnalysisColumns, SixAnalyses

COLUMNS = AnalysisColumns(
    student="user", at="time", outcome="passed", mark="mark", score="score", item="item", shared=("passed", "mark")
)
START = datetime(2024, 3, 4, 9)


def course(students: int = 80, seed: int = 3) -> pa.Table:
    """Diligent students do more, stay longer and get better marks; item 9 is the hardest."""
    draw, rows = np.random.default_rng(seed), []
    for student in range(students):
        diligence = (student + 0.5) / students
        weeks = 10 if diligence > 0.5 else 3 + int(draw.integers(0, 5))
        mark = 40 + 50 * diligence + draw.normal(0, 5)
        for week in range(weeks):
            for _ in range(1 + int(draw.poisson(6 * diligence))):
                item = int(draw.integers(0, 10))
                when = START + timedelta(days=7 * week + int(draw.integers(0, 5)), minutes=int(draw.integers(0, 400)))
                score = 100 - 8 * item + draw.normal(0, 5)
                rows.append(
                    (f"s{student}", when, f"item {item}", round(score, 1), round(mark, 1), str(diligence > 0.5))
                )
    names = ("user", "time", "item", "score", "mark", "passed")
    return pa.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def found(six: SixAnalyses, table: pa.Table) -> dict[str, Utility]:
    return {one.name: one for one in six.utilities(six.of_events(engine.table(table), shares=True))}


@pytest.fixture(scope="module")
def six() -> SixAnalyses:
    return SixAnalyses(engine.table(course()), COLUMNS, seed=0)


def test_the_original_keeps_every_analysis(six: SixAnalyses) -> None:
    same = found(six, course())
    assert same["uses kept"].value == 1 and "lost: none" in str(same["uses kept"].setting["analyses"])
    assert same["outcome predicted early"].value == same["outcome predicted early"].baseline
    assert (same["outcome predicted early"].value or 0) > 0.8
    assert same["activity and marks, slope"].value > 0.6
    assert same["item difficulty, correlation"].value == pytest.approx(1)
    assert same["drop-out curve, difference"].value == 0


def _until_the_end(table: pa.Table) -> pa.Table:
    """Everybody once more in the last week, as where a group goes on for those who left."""
    firsts = table.group_by("user", use_threads=False).aggregate([(name, "min") for name in table.column_names[1:]])
    last = firsts.rename_columns(table.column_names).set_column(
        1, "time", pa.array([START + timedelta(days=64)] * firsts.num_rows, table["time"].type)
    )
    return pa.concat_tables([table, last])


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (_until_the_end, "drop-out curve"),
        (lambda table: table.filter(pc.less(table["time"], START + timedelta(days=21))), "weekly activity"),
        (lambda table: table.set_column(3, "score", pc.multiply(table["score"], -1)), "item difficulty"),
        (lambda table: table.drop_columns(["score"]), "item difficulty"),
        (lambda table: table.set_column(4, "mark", pc.multiply(table["mark"], -1)), "activity and marks"),
        (lambda table: table.set_column(1, "time", pc.floor_temporal(table["time"], unit="week")), "sessions"),
    ],
)
def test_what_a_release_no_longer_shows_is_lost(six: SixAnalyses, change: Any, lost: str) -> None:
    said = str(found(six, change(course()))["uses kept"].setting["analyses"])
    assert lost in said.partition("lost: ")[2]


def test_a_perfect_outcome_within_copies_is_no_early_warning(six: SixAnalyses) -> None:
    """Twenty copies each of four students: whoever learned from a copy would be right about all of them."""
    table = course().to_pandas()
    parts = []
    for number in range(80):
        one = table[table.user == f"s{number % 4}"].copy()
        one["user"], one["passed"] = f"s{number}", f"{number % 2 == 0} 1"
        parts.append(one)
    released = pa.Table.from_pandas(pd.concat(parts), preserve_index=False)
    assert found(six, released)["outcome predicted early"].value < 0.75


def test_the_way_is_chosen_by_what_analysts_keep() -> None:
    """Groups by the day keep the curve of weeks and the drop-outs; a search that keeps a few events does not win."""
    study: TraceStudy = open(job(clicks(), target="passed", keep=("passed",)))
    made = materialised(study.protect())
    assert made.curve is not None and made.curve.chosen is not None
    others = [point.utility for point in made.curve.points if point.meets]
    assert made.curve.chosen.utility >= max(others) - 0.15  # the chosen one is measured after groups were balanced
    (summary,) = [one for one in study.utility(made) if one.name == "uses kept"]
    assert summary.value == pytest.approx(made.curve.chosen.utility)
    assert "kept:" in summary.story and "lost:" in summary.story
