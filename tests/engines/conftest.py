"""Every engine that is at hand, in a process of its own; a missing one skips with a reason."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from engines.cases import CASES, ONLY_ON_SPARK
from engines.cluster import SETTINGS, cluster

PROGRAM = Path(__file__).with_name("cases.py")
SOURCE = Path(__file__).parents[2] / "src"
FEW = {  # what Spark is asked wherever tests run before anything lands; "all" asks everything, which takes many minutes
    "spark": ("coarsened", "searched", "company", "ids of rows", "registered", *ONLY_ON_SPARK),
    "cluster": ("coarsened", "company"),
}
QUICK = """spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.adaptive.enabled false
"""  # on so little data half of the time goes into compiling what runs once
LEAST_JAVA = 17
EVENT_LOG = "spark.eventLog.enabled true\nspark.eventLog.dir file://{folder}\nspark.eventLog.compress false\n"


def asked_of_spark() -> str:
    """What `make spark` asks: "few" cases, "all" of them, or nothing where Spark is not tried."""
    return os.environ.get("SHAREWELL_TEST_SPARK", "")


def cases_for(engine: str) -> tuple[str, ...]:
    """The cases that an engine is asked; DuckDB those of any other."""
    if asked_of_spark() != "few":
        return (*CASES, *ONLY_ON_SPARK) if engine == "spark" else tuple(CASES)
    return tuple(case for case in FEW.get(engine, FEW["spark"]) if engine == "spark" or case in CASES)


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
        if asked_of_spark():
            return "make test compares Sail"
        there = all(importlib.util.find_spec(name) for name in ("pysail", "pyspark", "grpc"))
        return None if there else "Sail is not installed: pip install pysail pyspark-client"
    if not asked_of_spark():
        return "Spark takes minutes, most of them to start and to plan: make spark"
    if importlib.util.find_spec("py4j") is None:
        return "pyspark is not installed: pip install 'sharewell[spark]'"
    return None if _java() >= LEAST_JAVA else f"Spark needs a Java runtime of version {LEAST_JAVA} or later"


def _java() -> int:
    """The version of the Java runtime; 0 where there is none."""
    if shutil.which("java") is None:
        return 0
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


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
        also = (SETTINGS if engine == "cluster" else "") + (QUICK if asked_of_spark() == "few" else "")
        (settings / "spark-defaults.conf").write_text(EVENT_LOG.format(folder=log) + also)
        here = {**with_source(), "SPARK_CONF_DIR": str(settings)}
        if engine != "cluster":
            return _ran(engine, folder, here, log, cases_for(engine))
        with cluster(settings, here) as started:
            return _ran("spark", folder, {**here, "SHAREWELL_SPARK": started.address}, log, cases_for(engine))

    return run


def with_source() -> dict[str, str]:
    """The environment in which our own source is found, by workers as well."""
    paths = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, "PYSPARK_PYTHON": sys.executable}


def _ran(engine: str, folder: Path, environment: dict[str, str], log: Path, cases: tuple[str, ...]) -> Ran:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), engine, str(folder), *cases],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return Ran(found=json.loads(done.stdout), errors=done.stderr, log=log)
