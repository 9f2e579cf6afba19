"""Which engine computes is chosen outside the plan; what cannot be computed there is said before any work starts."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.cases import registered

from sharewell import cli, pipeline
from sharewell.data import backends, engine, optouts
from sharewell.errors import DiskError, EngineError, MissingExtra, PlanError
from sharewell.plan.document import load

OTHER_KIND = """
[release]
name = "x"

[responses.attempts]
file = "attempts.parquet"
student = "user"
item = "item"
correct = "correct"
"""


def write_plan(folder: Path) -> Path:
    """A plan of a kind that runs on DuckDB alone."""
    draw = np.random.default_rng(1)
    users, items = [f"u{number % 20:02d}" for number in range(200)], [f"i{one}" for one in draw.integers(0, 5, 200)]
    pq.write_table(
        pa.table({"user": users, "item": items, "correct": draw.integers(0, 2, 200)}), folder / "attempts.parquet"
    )
    plan = folder / "plan.toml"
    plan.write_text(OTHER_KIND)
    return plan


def test_the_manifest_tells_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAREWELL_ENGINE", "duckdb")
    registered(tmp_path)
    assert json.loads((tmp_path / "registered" / "release" / "manifest.json").read_text())["engine"] == "duckdb"


def test_an_unknown_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAREWELL_ENGINE", "abacus")
    with pytest.raises(PlanError, match="duckdb, spark, sail"):
        engine.chosen()


def test_late_optouts_are_left_out_where_files_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the engine that computes they could not be joined with rows that DuckDB has read."""
    monkeypatch.setattr(backends, "_spark", {}.__getitem__)  # whoever asks for it fails
    monkeypatch.setenv("SHAREWELL_ENGINE", "sail")
    found = optouts.with_later(None, frozenset({"s1"}))
    assert found is not None and engine.arrow(found.students)["student"].to_pylist() == ["s1"]
    assert engine.of(found.students) is engine.DUCKDB


def test_parts_go_to_workers_of_the_engine_that_was_chosen_also_where_tables_stay_on_duckdb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sail: Any = object()
    monkeypatch.setattr(backends, "_spark", {"sail": sail}.__getitem__)
    monkeypatch.setenv("SHAREWELL_ENGINE", "sail")
    with engine.one_of(["duckdb"]):
        assert engine.chosen() == "duckdb" and engine.workers() is sail
        with engine.one_of(["duckdb"]):
            assert engine.workers() is sail
    assert engine.workers() is sail
    monkeypatch.setenv("SHAREWELL_ENGINE", "duckdb")
    assert engine.workers() is engine.DUCKDB


def test_a_kind_that_runs_on_duckdb_alone_is_computed_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Spark being started, or installed: no file of this plan needs it."""
    plan = write_plan(tmp_path)
    monkeypatch.setenv("SHAREWELL_ENGINE", "spark")
    monkeypatch.setattr(backends, "_spark", lambda name: pytest.fail("Spark was asked for"))
    (file,) = pipeline.assess(load(plan)).files
    assert (file.engine, file.rows_before) == ("duckdb", 200)
    assert {risk.attacker for risk in file.before}


def test_what_is_said_in_a_block_holds_in_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAREWELL_ENGINE", "spark")
    with engine.one_of(["duckdb"]):
        assert engine.chosen() == "duckdb"
    with engine.one_of(["duckdb", "spark"]):
        assert engine.chosen() == "spark"
    monkeypatch.delenv("SHAREWELL_ENGINE")
    with engine.one_of(["duckdb"]):
        assert engine.chosen() == "duckdb"
    assert "SHAREWELL_ENGINE" not in os.environ


def test_the_command_line_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(tmp_path)
    monkeypatch.setenv("SHAREWELL_ENGINE", "duckdb")  # put back afterwards
    monkeypatch.setattr(sys, "argv", ["sharewell", "assess", str(plan), "--engine", "abacus"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert "duckdb, spark, sail" in capsys.readouterr().err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from sharewell.data.backends.spark import spark

    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    spark.cache_clear()
    with pytest.raises(MissingExtra, match=r"sharewell\[spark\]"):
        spark("spark")


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("java.io.IOException: No space left on device", DiskError, "is full"),
        ("ExecutorLostFailure (executor 1 exited): Cassandra", EngineError, "a worker of Spark was lost"),
        ("[PATH_NOT_FOUND] Cassandra.parquet", EngineError, "part of a table is missing"),
        ("Answer from Java side is empty", EngineError, "cannot be reached or has stopped"),
        ("The value 'Cassandra' cannot be cast", RuntimeError, "stopped at a step"),
    ],
)
def test_what_spark_says_is_replaced(said: str, kind: type[Exception], told: str) -> None:
    from sharewell.data.backends.spark import _in_one_sentence

    found = _in_one_sentence(Exception(said))
    assert isinstance(found, kind)
    assert told in str(found)
    assert "Cassandra" not in str(found)
