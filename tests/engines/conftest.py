"""Every engine that is at hand, in a process of its own; a missing one skips with a reason."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from engines.cluster import SETTINGS, cluster

CASES = Path(__file__).with_name("cases.py")
SOURCE = Path(__file__).parents[2] / "src"
EVENT_LOG = "spark.eventLog.enabled true\nspark.eventLog.dir file://{folder}\nspark.eventLog.compress false\n"


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What an engine came to, what it wrote to its error stream, and the folder of its event log."""

    found: dict[str, Any]
    errors: str
    log: Path


def missing(engine: str) -> str | None:
    """Why an engine cannot be tried here."""
    if engine == "duckdb":
        return None
    if engine == "sail":
        there = all(importlib.util.find_spec(name) for name in ("pysail", "pyspark", "grpc"))
        return None if there else "Sail is not installed: pip install pysail pyspark-client"
    if not os.environ.get("SHAREWELL_TEST_SPARK"):
        return "Spark takes minutes, most of them to start and to plan: make spark"
    if importlib.util.find_spec("py4j") is None:
        return "pyspark is not installed: pip install 'sharewell[spark]'"
    if shutil.which("java") is None:
        return "Spark needs a Java runtime"
    return None


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """All cases on one engine, computed once; skips where there is none."""

    @cache
    def run(engine: str) -> Ran:
        if why := missing(engine):
            pytest.skip(why)
        folder, settings = tmp_path_factory.mktemp(engine), tmp_path_factory.mktemp(f"{engine}-settings")
        log = settings / "log"
        log.mkdir()
        also = SETTINGS if engine == "cluster" else ""
        (settings / "spark-defaults.conf").write_text(EVENT_LOG.format(folder=log) + also)
        here = {**with_source(), "SPARK_CONF_DIR": str(settings)}
        if engine != "cluster":
            return _ran(engine, folder, here, log)
        with cluster(settings, here) as started:
            return _ran("spark", folder, {**here, "SHAREWELL_SPARK": started.address}, log)

    return run


def with_source() -> dict[str, str]:
    """The environment in which our own source is found, by workers as well."""
    paths = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, "PYSPARK_PYTHON": sys.executable}


def _ran(engine: str, folder: Path, environment: dict[str, str], log: Path) -> Ran:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(CASES), engine, str(folder)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return Ran(found=json.loads(done.stdout), errors=done.stderr, log=log)
