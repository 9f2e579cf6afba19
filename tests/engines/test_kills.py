"""A job or a worker that is killed in the middle leaves a whole release or none, and nothing of anybody behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from engines.cluster import SETTINGS, cluster
from engines.conftest import PROGRAM, QUICK, Ran, asked_of_spark, missing, with_source

from sharewell.data.scratch import sweep

LONGEST = 900  # seconds to wait for a step of Spark on a busy machine


def started(folder: Path, case: str, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """A release on Spark, with a folder of its own for what passes between the steps."""
    (folder / "scratch").mkdir()
    (folder / "made").mkdir()
    here = {**with_source(), **environment, "TMPDIR": str(folder / "scratch")}
    command = [sys.executable, "-W", "ignore", str(PROGRAM), "spark", str(folder / "made"), case]
    return subprocess.Popen(command, env=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_steps(job: "subprocess.Popen[str]", folder: Path, steps: int) -> None:
    """Until so many tables were handed over: a measure of progress that does not depend on the clock."""
    until = time.monotonic() + LONGEST
    while len(list((folder / "scratch").glob("sharewell-spill-*/*"))) < steps:
        assert job.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def _spark_is_there() -> None:
    if why := missing("spark"):
        pytest.skip(why)
    if asked_of_spark() != "all":
        pytest.skip("whole releases that are killed: make spark CASES=all")


@pytest.mark.parametrize("steps", [12, 40])
def test_a_killed_job_leaves_no_half_release(steps: int, tmp_path: Path) -> None:
    job = started(tmp_path, "release", {})
    wait_for_steps(job, tmp_path, steps)
    job.send_signal(signal.SIGKILL)
    job.wait()
    assert not (tmp_path / "made" / "release").exists()
    sweep(tmp_path / "scratch")  # as the next run does
    assert [path for path in (tmp_path / "scratch").iterdir() if path.name.startswith("sharewell-")] == []


def test_a_lost_worker_is_made_up_for(tmp_path: Path, ran: Callable[[str], Ran]) -> None:
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(SETTINGS + QUICK)
    here = {**with_source(), "SPARK_CONF_DIR": str(settings)}
    with cluster(settings, here) as two:
        job = started(tmp_path, "registered", {"SPARK_CONF_DIR": str(settings), "SHAREWELL_SPARK": two.address})
        wait_for_steps(job, tmp_path, 12)
        os.kill(two.workers[0].pid, signal.SIGKILL)
        found, said = job.communicate(timeout=LONGEST)
    assert job.returncode == 0, said[-2000:]
    assert json.loads(found)["registered"] == ran("duckdb").found["registered"]
