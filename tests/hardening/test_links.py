"""Links, owners, leftovers: nothing private goes where others can read it, nothing of theirs is written over."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from course_folder import make_folder

from sharewell import pipeline
from sharewell.data import kernel_cache, scratch, system
from sharewell.errors import DiskError, SharewellError
from sharewell.plan.document import load
from sharewell.release import place
from sharewell.release.place import Place

SOURCE = Path(__file__).parents[2] / "src"
BYTES = b"belongs to somebody else"


def victim(folder: Path) -> Path:
    path = folder / "victim"
    path.write_bytes(BYTES)
    return path


def linked_lock(folder: Path) -> None:
    (folder / "private").mkdir(mode=0o700)
    (folder / "private" / ".lock").symlink_to(victim(folder))


def linked_page(folder: Path) -> None:
    (folder / "private").mkdir(mode=0o700)
    (folder / "private" / "explore.html").symlink_to(victim(folder))


def linked_private(folder: Path) -> None:
    (folder / "shared").mkdir()
    (folder / "private").symlink_to(folder / "shared")


def lock_is_a_pipe(folder: Path) -> None:
    (folder / "private").mkdir(mode=0o700)
    os.mkfifo(folder / "private" / ".lock")


def lock_is_a_folder(folder: Path) -> None:
    (folder / "private" / ".lock").mkdir(parents=True)


def of_somebody_else(folder: Path) -> None:
    (folder / "private").mkdir()
    os.chown(folder / "private", 12345, -1)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "the lock is a link": (linked_lock, "a link stands"),
    "the lock is a pipe": (lock_is_a_pipe, "is no file"),
    "the lock is a folder": (lock_is_a_folder, "could not be written"),
    "private is a link": (linked_private, "a link or a file stands"),
    "private is a link to nowhere": (lambda folder: (folder / "private").symlink_to(folder / "no"), "a link or a file"),
    "private is a file": (lambda folder: (folder / "private").write_bytes(b"x"), "a link or a file stands"),
    "private is a pipe": (lambda folder: os.mkfifo(folder / "private"), "a link or a file stands"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_folder_that_somebody_else_prepared_is_refused(case: str, tmp_path: Path) -> None:
    make, said = REFUSED[case]
    make(tmp_path)
    with pytest.raises(DiskError, match=said):
        place.prepare(Place(tmp_path), replace=True)
    assert not (tmp_path / "victim").exists() or (tmp_path / "victim").read_bytes() == BYTES
    assert not (tmp_path / "shared").exists() or not list((tmp_path / "shared").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_private_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    of_somebody_else(tmp_path)
    with pytest.raises(DiskError, match="belongs to somebody else"):
        place.prepare(Place(tmp_path), replace=True)


@pytest.mark.parametrize("name", ["explore.html", "key-abc", "abc/findings.json"])
def test_a_link_in_place_of_a_private_file_is_not_written_through(name: str, tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    path = where.private / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(victim(tmp_path))
    with pytest.raises(DiskError, match="a link or a folder stands"):
        place.write_private(where, name, b"secret")
    assert (tmp_path / "victim").read_bytes() == BYTES


def test_a_link_in_place_of_a_folder_inside_private_is_not_followed(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    (tmp_path / "shared").mkdir()
    (where.private / "abc").symlink_to(tmp_path / "shared")
    with pytest.raises(DiskError, match="a link or a file stands"):
        place.write_private(where, "abc/findings.json", b"secret")
    assert not list((tmp_path / "shared").iterdir())


def test_a_private_file_is_complete_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    place.write_private(where, "key-abc", b"old")

    def broken(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(os, "fsync", broken)
        place.write_private(where, "key-abc", b"new")
    assert {path.name for path in where.private.iterdir()} == {".lock", "key-abc"}
    assert (where.private / "key-abc").read_bytes() == b"old"


def finished(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for paper in place.PAPERS:
        (folder / paper).write_text("{}")
    return folder


def beside_private(folder: Path) -> Path:
    place.prepare(Place(folder), replace=False)
    return folder / "release"


def linked(target: Path, link: Path) -> Path:
    link.symlink_to(target)
    return link


INSIDE: dict[str, Callable[[Path], Path]] = {
    "a finished release": lambda folder: finished(folder / "elsewhere"),
    "a folder in a finished release": lambda folder: finished(folder / "elsewhere") / "data",
    "deep in a finished release": lambda folder: finished(folder / "elsewhere") / "a" / "b" / "c",
    "release/ beside private/": lambda folder: beside_private(folder) / "out",
    "a half release": lambda folder: folder / ".release-partial-x" / "out",
    "through a link": lambda folder: linked(finished(folder / "elsewhere"), folder / "link") / "out",
}


@pytest.mark.parametrize("case", INSIDE)
def test_nothing_private_is_written_inside_a_release(case: str, tmp_path: Path) -> None:
    root = INSIDE[case](tmp_path)
    with pytest.raises(DiskError, match="lies inside a release"):
        place.prepare(Place(root), replace=True)
    assert not (root / "private").exists()


LEFT: dict[str, Callable[[Path], object]] = {
    "a file": lambda path: path.write_bytes(b"x"),
    "a folder": lambda path: (path / "data").mkdir(parents=True),
    "a link to nowhere": lambda path: path.symlink_to(path.parent / "gone"),
    "a link to a folder": lambda path: path.symlink_to(path.parent / "kept"),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("name", [".release-partial-x", "private/.writing-x"])
@pytest.mark.parametrize("case", LEFT)
def test_what_a_killed_run_left_is_swept_whatever_it_is(case: str, name: str, tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_bytes(BYTES)
    LEFT[case](tmp_path / name)
    with place.only_one_at_a_time(where):
        assert not os.path.lexists(tmp_path / name)
    assert (tmp_path / "kept" / "file").read_bytes() == BYTES


def test_recovery_waits_for_the_run_that_is_at_it(tmp_path: Path) -> None:
    """Between its two renames a release has no name; a second run must not put the old one back meanwhile."""
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    with place.only_one_at_a_time(where):
        where.replaced.mkdir()
        with pytest.raises(DiskError, match="another release"):
            place.prepare(where, replace=True)
        assert where.replaced.exists() and not where.release.exists()
    place.prepare(where, replace=True)
    assert where.release.exists() and not where.replaced.exists()


def test_a_release_that_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    where.release.mkdir()
    with pytest.raises(DiskError, match="--replace"), place.only_one_at_a_time(where, replace=False):
        pytest.fail("went on")


def test_scratch_of_a_run_that_lives_is_left_alone_and_of_a_dead_one_swept(tmp_path: Path) -> None:
    """By the lock, not by a process number: that of another container means nothing here."""
    living, dead, young, foreign = (
        tmp_path / f"{prefix}{name}"
        for prefix, name in (
            (scratch.PREFIX, "living"), (scratch.PREFIX, "dead"), (scratch.YOUNG, "young"), (scratch.PREFIX, "foreign"),
        )
    )  # fmt: skip
    for folder in (living, dead, young, foreign):
        folder.mkdir()
        (folder / "rows.parquet").write_bytes(b"students")
    for folder in (living, dead):
        (folder / scratch.LOCK).touch()
    with (living / scratch.LOCK).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        scratch.sweep(tmp_path)
        assert living.exists() and young.exists() and foreign.exists() and not dead.exists()
    scratch.sweep(tmp_path)
    assert not living.exists()


def test_a_link_that_looks_like_scratch_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / scratch.LOCK).touch()
    (tmp_path / f"{scratch.PREFIX}x").symlink_to(tmp_path / "kept")
    scratch.sweep(tmp_path)
    assert (tmp_path / "kept" / scratch.LOCK).exists()


def test_the_scratch_folder_is_for_its_owner_only() -> None:
    assert stat.S_IMODE(scratch.scratch().stat().st_mode) == 0o700
    assert scratch.scratch().name.startswith(scratch.PREFIX)


BUSY = """
import sys, time
from sharewell.data import engine, scratch
scratch.remove_on_signals()
(scratch.scratch() / "names.csv").write_text("Xanthippe")
print(scratch.scratch(), flush=True)
long = "SELECT sum(sqrt(a.i + b.i + c.i)) FROM range(100000) a(i), range(10000) b(i), range(900) c(i)"
engine.connection().raw_sql(long)
"""


def busy_seconds(process: int) -> float:
    used = psutil.Process(process).cpu_times()
    return float(used.user + used.system)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_removes_the_scratch_folder_also_from_a_busy_run(number: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY], env={**os.environ, "PYTHONPATH": str(SOURCE)}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    assert (folder / "names.csv").exists()
    began = busy_seconds(process.pid)
    while busy_seconds(process.pid) < began + 0.2:  # all it does by now is the query, which takes minutes
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=120) == 128 + number
    assert not folder.exists()
    process.stdout.close()


def test_a_rehearsal_keeps_its_key_in_the_scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = []

    def stop(where: Place, *, replace: bool) -> None:
        roots.append(where.root)
        raise DiskError("stop here")

    monkeypatch.setattr(place, "prepare", stop)
    with pytest.raises(SharewellError, match="stop here"):
        pipeline.rehearse(load(make_folder(tmp_path)))
    assert scratch.scratch() in roots[0].parents


CODE = """
import os, sharewell
from sharewell.data import formats
print(os.environ["SHAREWELL_KERNELS"], formats.read("rows.csv").table.count().execute())
"""


def test_without_a_folder_to_write_to_kernels_are_kept_in_the_scratch_folder(tmp_path: Path) -> None:
    """No home: as in a container that is all read-only."""
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    environment = {"PYTHONPATH": str(SOURCE), "HOME": "/dev/null", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-W", "ignore", "-c", CODE]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    place, rows = run.stdout.split()
    assert Path(place).parent.name.startswith(scratch.PREFIX) and rows == "1"
    assert not Path(place).exists()


def test_kernels_are_kept_where_nobody_else_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for stated, kept in ((None, tmp_path / "caches" / "sharewell" / "kernels"), (tmp_path / "own", tmp_path / "own")):
        monkeypatch.setenv("SHAREWELL_KERNELS", str(stated or ""))
        kernel_cache.settle()
        assert os.environ["SHAREWELL_KERNELS"] == str(kept)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    (tmp_path / "own").chmod(0o770)
    kernel_cache.settle()
    assert Path(os.environ["SHAREWELL_KERNELS"]).parent == scratch.scratch()


def test_only_a_folder_of_ones_own_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "own")
    assert kernel_cache.is_safe(tmp_path / "new")
    assert not any(kernel_cache.is_safe(tmp_path / name) for name in ("file", "file/new", "link"))
    for mode in (0o775, 0o777, 0o1777):
        (tmp_path / "own").chmod(mode)
        assert not kernel_cache.is_safe(tmp_path / "own")
    monkeypatch.setattr(system, "is_own", lambda found: False)
    assert not kernel_cache.is_safe(tmp_path / "new")


ODD_TMPDIRS = ("quoted'", 'double"quoted', "st*r [x] and blanks")


@pytest.mark.parametrize("name", ODD_TMPDIRS)
def test_a_temporary_folder_of_any_name_will_do(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    code = (
        "from sharewell.data import engine; import pyarrow as pa; "
        "print(engine.materialise(engine.table(pa.table({'a': [1]}))).count().execute())"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path / name)}
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "1", run.stderr
    assert not list((tmp_path / name).iterdir())
