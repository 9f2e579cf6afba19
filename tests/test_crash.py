"""Killed at any moment: no release, or a complete one. A full disk: one sentence, nothing half written."""

import os
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


def entries(folder: Path) -> set[Path]:
    """All that lies in a folder; what goes while it is listed counts or not."""
    return {Path(where) / name for where, folders, files in os.walk(folder) for name in (*folders, *files)}


@pytest.mark.parametrize("moments", [(1, 8, 16, 24), pytest.param(tuple(range(1, 40)), marks=pytest.mark.deep)])
def test_killed_at_any_moment_leaves_nothing_half_done(moments: tuple[int, ...], tmp_path: Path) -> None:
    """Killed as soon as so many files are new; benchmarks/kills.py does it two hundred times at random."""
    plan = make_folder(tmp_path)
    interrupted = 0
    for moment in moments:
        before = entries(tmp_path)
        process = start(plan, "--replace")
        while process.poll() is None and len(entries(tmp_path) - before) < moment:
            time.sleep(0.001)
        process.kill()
        process.communicate()
        interrupted += process.returncode == -signal.SIGKILL
        if (tmp_path / "release").exists():
            assert verification.verify(tmp_path / "release").problems == ()
    assert interrupted
    process = start(plan, "--replace")
    _, error = process.communicate()
    assert process.returncode == 0, error
    assert verification.verify(tmp_path / "release").problems == ()
    leftovers = {path.name for path in tmp_path.iterdir()}
    assert leftovers == {"plan.toml", "students.csv", "clicks.csv", "optouts.csv", "release", "private"}


def test_a_full_disk_is_one_sentence_and_no_release(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    process = start(plan, limit=2_000)
    _, error = process.communicate()
    assert process.returncode == 6, error
    assert len(error.strip().splitlines()) == 1 and "disk" in error
    assert not (tmp_path / "release").exists()
