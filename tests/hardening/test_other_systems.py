"""A system without fcntl, O_NOFOLLOW, user numbers and folders opened by handle, as far as one can be had here."""

import subprocess
import sys
from pathlib import Path

import pytest

STRIPPED = """
import os, signal, sys, types
real, held = __import__("fcntl"), {}
def locking(handle, mode, count):
    real.flock(handle, real.LOCK_EX | (real.LOCK_NB if mode == 2 else 0))
import asyncio, subprocess, tempfile, shutil, multiprocessing.connection, multiprocessing.util, mmap, selectors
import duckdb, ibis, numba, pyarrow, cryptography.hazmat.primitives.asymmetric.ed25519, jinja2, rich.progress
sys.modules["fcntl"] = None
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_LOCK=1, LK_NBLCK=2)
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "geteuid", "fchmod"):
    delattr(os, name)
del signal.SIGHUP
os.supports_dir_fd = set()
sys.platform = "win32"
import sharewell.data.system
sys.platform = "linux"
assert "fcntl" not in vars(sharewell.data.system)
from sharewell.cli import main
sys.argv = ["sharewell", *sys.argv[1:]]
main()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", STRIPPED, *arguments], capture_output=True, text=True, timeout=300)


def test_a_release_is_made_and_verified_without_what_only_some_systems_have(tmp_path: Path) -> None:
    rows = "".join(f"s{n},{19 + n % 3},{n % 2}\n" for n in range(90))
    (tmp_path / "students.csv").write_text("student_id,age,sex\n" + rows)
    for command in (["init", "."], ["release", "plan.toml"], ["verify", "release"]):
        arguments = [command[0], str(tmp_path / command[1])]
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "release" / "manifest.json").is_file()


HELD = """
import re, sys, pathlib
import pyarrow as pa
import pyarrow.parquet as pq
from sharewell.data import system
def held():
    return int(re.search(r"VmRSS:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) // 1024
pq.write_table(pa.table({"student": [f"u{number}" for number in range(400_000)]}), sys.argv[1])
for _ in range(8):
    pq.read_table(sys.argv[1])
before = held()
system.give_memory_back()
after = held()
system._trim.cache_clear()
sys.platform = "darwin"  # whose C library has no such call
system.give_memory_back()
print(before - after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read as Linux tells it")
def test_what_was_freed_goes_back_to_the_system(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HELD, str(tmp_path / "students.parquet")]
    assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) > 10  # megabytes
