"""Times are numbers whatever the file says: text, seconds, nanoseconds, moments."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest
from keystrokes.planted import COLUMNS, job, typists

from sharewell import keystrokes
from sharewell.data import engine
from sharewell.keystrokes import study
from sharewell.keystrokes.protection import search
from sharewell.keystrokes.section import Limit
from sharewell.stats.arrays import Array


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a clock reads has nothing to do with how surely a strength is judged."""
    for name in ("LEAST_DRAWS", "MOST_DRAWS"):
        monkeypatch.setattr(search, name, 1)


def timed(table: pa.Table, make) -> pa.Table:  # type: ignore[no-untyped-def]
    for name in ("press", "release"):
        table = table.set_column(table.column_names.index(name), name, pa.array(make(table[name].to_numpy())))
    return table


CLOCKS = {
    "whole ms as text": lambda ms: [str(one) for one in ms],
    "ms with decimals as text": lambda ms: [f"{one}.5" for one in ms],
    "seconds": lambda ms: ms / 1000 - 1_700_000_000,
    "nanoseconds": lambda ms: ms * 1_000_000,
    "moments": lambda ms: [datetime(1970, 1, 1) + timedelta(milliseconds=int(one)) for one in ms],
    "moments as text": lambda ms: [
        (datetime(1970, 1, 1) + timedelta(milliseconds=int(one))).isoformat(sep=" ") + ".001"[: 4 * (one % 1000 == 0)]
        for one in ms
    ],
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_release_goes_forward_by_any_clock(clock: str) -> None:
    table = timed(typists(20, sessions=4, keys=30, seed=6), CLOCKS[clock])
    unit: dict[str, Any] = {"unit": "s"} if clock == "seconds" else {}
    opened = study.open(job(table, Limit(found=1.0, within=1), **unit))
    done = opened.protect()
    after = engine.arrow(done.table.order_by(["student", *done.order]))
    press, release = (_ms(after[name]) for name in ("press", "release"))
    where = [f"{a} {b}" for a, b in zip(after["student"].to_pylist(), after["exercise"].to_pylist(), strict=True)]
    inside = np.array(where[1:]) == np.array(where[:-1])
    assert (np.diff(press)[inside] >= 0).all() and (press[1:][~inside] == 0).all() and press[0] == 0
    assert (release >= press).all() and press.max() > 0
    assert after.schema.field("press").type == table.schema.field("press").type
    assert any(one.gate and one.holds for one in opened.attack(done))


def _ms(column: pa.ChunkedArray) -> Array:
    if pa.types.is_timestamp(column.type):
        return np.asarray(column.cast(pa.int64()).to_numpy().astype(float))
    return np.array([float(one) for one in column.to_pylist()])


def test_protect_takes_moments(tmp_path: Path) -> None:
    table = timed(typists(20, sessions=4, keys=30, seed=6), CLOCKS["moments"])
    done = keystrokes.protect(table, limit=1.0, accept=1, seed=1, **COLUMNS)
    assert pa.types.is_timestamp(done.table.schema.field("press").type)
    assert min(done.table["press"].to_pylist()) == datetime(1970, 1, 1)


def test_whole_milliseconds_in_a_text_file(tmp_path: Path) -> None:
    pcsv.write_csv(typists(20, sessions=4, keys=30, seed=6), tmp_path / "keys.csv")
    done = keystrokes.protect(str(tmp_path / "keys.csv"), limit=1.0, accept=1, seed=1, **COLUMNS)
    assert done.table.num_rows == 20 * 4 * 30


def test_nanoseconds_since_boot_are_told_by_the_name_of_their_column() -> None:
    """Too small for a date, and no milliseconds either: without the name no digraph would be short enough."""
    events = pa.table(
        {"who": ["a"] * 4, "task": [1] * 4, "key": list("abab"), "timestamp_ns": [0, 10**8, 25 * 10**7, 36 * 10**7]}
    )
    timed = keystrokes.timings(events, student="who", session="task", key="key", press="timestamp_ns")
    assert sorted(timed["ms"].to_pylist()) == [100.0, 110.0, 150.0]
