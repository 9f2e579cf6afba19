"""The register: append-only, chained, whole after a kill, a full disk, or two writers at once."""

import os
import random
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import ibis
import pytest

from sharewell.errors import DiskError, InputError
from sharewell.release import recorded
from sharewell.release.recorded import FileRecord
from sharewell.release.register import START, Kind, Register

SOURCE = Path(__file__).parents[2] / "src"
WRITER = """
import sys
from pathlib import Path
from sharewell.release.register import Register
register = Register(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    body = {"audience": "public", "files": {}, "long": "x" * 20_000}
    entry = register.append("release", f"{sys.argv[2]}-{number}", body)
    print(entry.release, flush=True)
"""


def writer(folder: Path, name: str, count: int, limit: int | None = None) -> subprocess.Popen[str]:
    def cap() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=cap,
    )


def filled(folder: Path, count: int = 3) -> Register:
    register = Register(folder)
    for number in range(count):
        register.append("release", f"r{number}", {"audience": "public", "files": {}})
    return register


def test_entries_are_chained_and_private(tmp_path: Path) -> None:
    register = filled(tmp_path / "register")
    entries = register.entries()
    assert [entry.previous for entry in entries] == [START, *(entry.digest for entry in entries[:-1])]
    assert register.problems() == [] and register.head() == entries[-1].digest
    assert stat.S_IMODE(register.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(register.folder.stat().st_mode) == 0o700


def test_entries_can_be_neither_changed_nor_removed_by_accident(tmp_path: Path) -> None:
    register = filled(tmp_path)
    connection = sqlite3.connect(register.path)
    for statement in ("UPDATE entries SET release = 'x'", "DELETE FROM entries"):
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            connection.execute(statement)


@pytest.mark.parametrize(
    ("forgery", "told"),
    [
        ("UPDATE entries SET body = replace(body, 'public', 'enclave') WHERE number = 2", "entry 2: its content"),
        ("UPDATE entries SET at = '2020-01-01T00:00:00+00:00' WHERE number = 2", "entry 2: its content"),
        ("UPDATE entries SET kind = 'abandoned' WHERE number = 3", "entry 3: its content"),
        ("DELETE FROM entries WHERE number = 2", "entry 3: does not follow"),
        ("DELETE FROM entries WHERE number = 1", "entry 2: does not follow"),
        ("UPDATE entries SET number = 9 WHERE number = 2", "does not follow"),
    ],
)
def test_a_forged_entry_is_detected(tmp_path: Path, forgery: str, told: str) -> None:
    register = filled(tmp_path)
    connection = sqlite3.connect(register.path)
    for trigger in ("no_change", "no_removal"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(forgery)
    connection.commit()
    connection.close()
    assert any(told in problem for problem in register.problems()), register.problems()


def test_a_cut_off_end_shows_in_the_head_alone(tmp_path: Path) -> None:
    register = filled(tmp_path)
    head = register.head()
    connection = sqlite3.connect(register.path)
    connection.execute("DROP TRIGGER no_removal")
    connection.execute("DELETE FROM entries WHERE number = 3")
    connection.commit()
    connection.close()
    assert register.problems() == [] and register.head() != head


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.deep)])
def test_killed_at_any_moment_no_entry_is_lost_or_half(times: int, tmp_path: Path) -> None:
    """What a writer said is written is there after the kill; what is there is whole."""
    draw = random.Random(3)
    promised: list[str] = []
    for turn in range(times):
        process = writer(tmp_path, f"turn{turn}", 10_000)
        assert process.stdout is not None
        promised.append(process.stdout.readline().strip())
        time.sleep(draw.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        promised += rest.splitlines()[:-1]  # the last line may itself be cut off
        register = Register(tmp_path)
        assert register.problems() == []
        assert set(promised) <= {entry.release for entry in register.entries()}
    assert len(promised) >= times


def test_two_writers_at_once_make_one_chain(tmp_path: Path) -> None:
    processes = [writer(tmp_path, name, 40) for name in ("one", "two")]
    for process in processes:
        _, error = process.communicate()
        assert process.returncode == 0, error
    register = Register(tmp_path)
    assert register.problems() == []
    assert {entry.release for entry in register.entries()} == {
        f"{name}-{n}" for name in ("one", "two") for n in range(40)
    }


def test_a_full_disk_leaves_the_register_as_it_was(tmp_path: Path) -> None:
    register = filled(tmp_path)
    process = writer(tmp_path, "full", 1000, limit=200_000)
    out, error = process.communicate()
    assert process.returncode != 0 and "DiskError" in error and "full" in error
    kept = [entry.release for entry in register.entries()]
    assert register.problems() == [] and kept == ["r0", "r1", "r2", *out.splitlines()]
    register.append("release", "after", {"audience": "public", "files": {}})
    assert register.problems() == []


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    register = filled(tmp_path)
    register.path.write_bytes(b"not a database at all, but long enough to be read as one" * 40)
    with pytest.raises(DiskError, match="damaged"):
        register.entries()


def test_students_stand_in_it_as_tokens(tmp_path: Path) -> None:
    register = Register(tmp_path)
    tokens = register.tokens(["s1", "S1 ", "s2"])
    assert tokens["s1"] == tokens["S1 "] != tokens["s2"]
    assert Register(tmp_path).tokens(["s1"])["s1"] == tokens["s1"]
    assert Register(tmp_path / "other").tokens(["s1"])["s1"] != tokens["s1"]
    (tmp_path / "secret").write_text("zz")
    with pytest.raises(InputError, match="damaged"):
        register.tokens(["s1"])


def test_what_became_of_a_release_is_told(tmp_path: Path) -> None:
    register = Register(tmp_path)
    for name in ("r0", "r1", "r2", "r3"):
        register.append("release", name, {"audience": "public", "files": {}, "place": "here"})
    register.append("published", "r0", {})
    register.append("superseded", "r0", {"by": "r1"})
    register.settle("here", published="r1", waiting="r3")
    told = {release.id: release for release in register.releases()}
    assert (
        set(told) == {"r0", "r1", "r3"}
        and told["r1"].published
        and not told["r3"].published
        and told["r0"].superseded_by == "r1"
    )
    register.append("published", "r2", {})
    assert "r2" in {release.id for release in register.releases()}  # what was published was not abandoned after all


def test_no_name_is_given_twice_and_no_copy_is_written_over(tmp_path: Path) -> None:
    """A candidate that was sent back has a copy as well, and so has what was made again after it."""
    register, names = Register(tmp_path), []
    students = ibis.memtable({"value": ["s1", "s2"]})
    held = [FileRecord(label="records.students", students=students, pseudonyms=None, linkable=None)]
    fates: tuple[Kind, ...] = ("abandoned", "abandoned", "published", "abandoned")
    for became in fates:
        names.append(recorded.release_id(register, "key"))
        files = recorded.copies(register, names[-1], held)
        register.append("release", names[-1], {"audience": "public", "key": "key", "files": files})
        register.append(became, names[-1], {})
    assert names == ["key", "key-2", "key-3", "key-4"] and register.problems() == []
    assert [one.id for one in register.releases()] == ["key-3"]
    with pytest.raises(DiskError, match="another release has this name"):
        recorded.copies(register, "key", held)
