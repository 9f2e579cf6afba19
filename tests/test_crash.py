"""Killed at any moment: no release, or a complete one. A full disk: one sentence, nothing half written."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from course_folder import make_folder

from sharewell.release import verify as verification

SOURCE = Path(__file__).parents[1] / "src"


def start(plan: Path, *options: str, limit: int | None = None) -> subprocess.Popen[str]:
    """The command in a process of its own; `limit` caps the size of any file it writes."""

    def cap() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-m", "sharewell", "release", str(plan), *options],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=cap,
    )


@pytest.fixture(scope="module")
def seconds(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a whole release takes here."""
    plan = make_folder(tmp_path_factory.mktemp("timed"))
    began = time.monotonic()
    process = start(plan)
    _, error = process.communicate()
    assert process.returncode == 0, error
    return time.monotonic() - began


def test_killed_at_random_moments_leaves_nothing_half_done(seconds: float, tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    draw = random.Random(20)
    seen = set()
    for _ in range(8):  # benchmarks/kills.py does it two hundred times
        process = start(plan, "--replace")
        time.sleep(draw.uniform(0.2, 1.05) * seconds)
        process.kill()
        process.communicate()
        if (tmp_path / "release").exists():
            assert verification.verify(tmp_path / "release").problems == ()
        seen.add((tmp_path / "release").exists())
    process = start(plan, "--replace")
    _, error = process.communicate()
    assert process.returncode == 0, error
    assert verification.verify(tmp_path / "release").problems == ()
    leftovers = {path.name for path in tmp_path.iterdir()}
    assert leftovers == {"plan.toml", "students.csv", "clicks.csv", "optouts.csv", "release", "private"}
    assert seen  # every kill was followed by a look


def test_a_full_disk_is_one_sentence_and_no_release(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    process = start(plan, limit=2_000)
    _, error = process.communicate()
    assert process.returncode == 2, error
    assert len(error.strip().splitlines()) == 1 and "disk" in error
    assert not (tmp_path / "release").exists()
