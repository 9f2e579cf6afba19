"""Ito, Hsu and Ogata: Algorithm 1 on events, against a plain program."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell import papers
from sharewell.data.formats import read
from sharewell.errors import InputError

ito = papers.ito
START = datetime(2024, 3, 4)


def log(seed: int = 0, students: int = 12, days: int = 8) -> pa.Table:
    draw = np.random.default_rng(seed)
    rows = [(s, d) for s in range(students) for d in draw.choice(days, draw.integers(3, 30))]
    return pa.table({
        "user": [f"u{s}" for s, _ in rows],
        "time": [START + timedelta(days=int(d)) for _, d in rows],
        "verb": ["read" if d % 2 else "note" for _, d in rows],
    })  # fmt: skip


def algorithm_1(table: pa.Table, epsilon: int, seeds: int) -> float:
    trajectories: dict[str, list[datetime]] = {}
    for row in table.to_pylist():
        trajectories.setdefault(row["user"], []).append(row["time"])
    alone, draw = 0, np.random.default_rng(7)
    for _ in range(seeds):
        for events in trajectories.values():
            known = {events[n] for n in draw.choice(len(events), min(epsilon, len(events)), replace=False)}
            alone += sum(known <= set(other) for other in trajectories.values()) == 1
    return alone / (seeds * len(trajectories))


@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_events_are_drawn_as_algorithm_1_draws_them(epsilon: int) -> None:
    table = log()
    ours = ito.unicity(table, epsilon=epsilon, student="user", at="time", window="1d", seeds=400)
    assert ours.value == pytest.approx(algorithm_1(table, epsilon, 400), abs=0.03)


def test_repeated_events_tell_less_than_distinct_points() -> None:
    table = log(students=20, days=20)
    events, distinct = (
        sw.traces.unicity(table, student="user", at="time", window="1d", known=[6], repeats=50, points=points)[0].value
        for points in ("events", "distinct")
    )
    assert events is not None and distinct is not None and events < distinct


def test_only_the_random_attacker_draws_events() -> None:
    with pytest.raises(InputError, match="attacker 'random'"):
        sw.traces.unicity(log(), student="user", at="time", attacker="rare", points="events")


def test_figures_are_tidy_and_drawn() -> None:
    roles: Any = {"student": "user", "at": "time", "seeds": 2}
    made = ito.figure_6(log(), windows=["1d"], epsilon=[1, 2], **roles)
    assert made.rows.column_names == ["window", "epsilon", "measured", "low", "high", "published"]
    assert len(made.to_pandas()) == len(made.to_polars()) == 2 and "<svg" in made.html() and "seed 0" in made.caption
    assert ito.figure_4(log(), group="verb", window="1d", **roles).rows.num_rows == 2
    seven = ito.figure_7(log(), sets={"timestamp": [], "verb": ["verb"]}, window="1d", **roles)
    assert seven.rows["quasi-identifiers"].to_pylist() == ["timestamp", "verb"]
    assert ito.table_1(log(), student="user").rows["students"][-1].as_py() == 12


def test_the_layout_of_duolingos_vocabulary_log_is_read(tmp_path: Path) -> None:
    """Settles and Meeder (2016): seconds since 1970, a lexeme and a language per row."""
    draw = np.random.default_rng(5)
    lines = ["p_recall,timestamp,delta,user_id,learning_language,ui_language,lexeme_id,lexeme_string,history_seen"]
    for who in range(20):
        for at in draw.integers(1_362_000_000, 1_363_200_000, 12):
            lines.append(f"1.0,{at},60,u:{who},{'de' if who % 2 else 'es'},en,{at % 7:x},wort/wort<n>,6")
    file = tmp_path / "learning_traces.13m.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = read(file).table
    roles: Any = {"student": "user_id", "at": "timestamp", "seeds": 2}
    assert ito.figure_4(table, group="learning_language", **roles).rows["students"].to_pylist() == [10, 10]
    sets = {"timestamp": [], "lexeme": ["lexeme_id"]}
    assert ito.figure_7(table, sets=sets, **roles).rows["measured"].to_pylist()[0] > 0.9
