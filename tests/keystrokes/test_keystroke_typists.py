"""Real typists: the attack is at least as strong as known ones, and the protection stands up to it."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sharewell import keystrokes
from sharewell.stats.arrays import Array

COLUMNS: dict[str, Any] = {
    "student": "participant",
    "session": "section",
    "press": "press_ms",
    "release": "release_ms",
    "key": "keycode",
}


@pytest.fixture(scope="module")
def events(shared_data: Path) -> pa.Table:
    file = shared_data / "aalto_keystrokes" / "keystrokes_2329users.csv.gz"
    if not file.exists():
        pytest.skip("the typists are not among the real data here")
    return (
        duckdb.connect()
        .execute(f"""
        WITH events AS (SELECT * FROM read_csv('{file}')),
             people AS (SELECT DISTINCT participant FROM events ORDER BY participant LIMIT 200)
        SELECT participant, section, keycode, press_ms, release_ms,
               dense_rank() OVER (PARTITION BY participant ORDER BY section) AS sentence
        FROM events SEMI JOIN people USING (participant)
        ORDER BY participant, section, press_ms, keystroke_id""")
        .to_arrow_table()
    )


def halves(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    early = pc.less_equal(events["sentence"], 10)
    first, second = (keystrokes.timings(events.filter(part), **COLUMNS) for part in (early, pc.invert(early)))
    return first, second


def speeds(events: pa.Table) -> Array:
    timed = keystrokes.timings(events, **COLUMNS)
    means = timed.filter(pc.equal(timed["kind"], "latency")).group_by("student").aggregate([("ms", "mean")])
    return np.asarray(means.sort_by("student")["ms_mean"].to_numpy())


def sections(events: pa.Table) -> set[tuple[int, int]]:
    return set(zip(events["participant"].to_pylist(), events["section"].to_pylist(), strict=True))


def test_raw_typists_are_found(events: pa.Table) -> None:
    first, ten = keystrokes.identify(*halves(events), attack="likelihood", accept=[1, 10])
    assert first.value >= 0.89 and ten.value >= 0.995
    assert ten.chance == pytest.approx(0.05) and ten.n == 200


@pytest.mark.parametrize(("limit", "correlation"), [(0.10, 0.60), (0.25, 0.90)])
def test_protected_typists_are_lost_and_their_speed_is_kept(events: pa.Table, limit: float, correlation: float) -> None:
    done = keystrokes.protect(events, limit=limit, accept=10, seed=1, **COLUMNS)
    train, test = halves(done.table)
    for reference in (halves(events)[0], train):
        found = [
            keystrokes.identify(reference, test, attack=attack, accept=[10])[0]
            for attack in ("nearest", "likelihood", "same side", "kinds of pairs", "lengths")
        ]
        assert np.mean([one.value for one in found]) <= limit  # one draw: each may be over it by chance
        assert all(one.low is not None and one.low <= limit for one in found)
    assert np.corrcoef(speeds(events), speeds(done.table))[0, 1] >= correlation
    assert sections(done.table) == sections(events)  # whole sessions may change places, so that their sizes do
    assert done.table.num_rows == events.num_rows
    inside = np.diff(done.table["section"].to_numpy()) == 0
    assert (np.diff(done.table["press_ms"].to_numpy())[inside] >= 0).all()
