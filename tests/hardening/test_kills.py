"""Killed while it publishes, several runs at once, a disk full at any write: never half a release, never half a key."""

import hashlib
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sharewell.errors import DiskError
from sharewell.release import place
from sharewell.release.place import Place

FILES = {"data/a.csv": 40_000, "data/b.csv": 200_000, "report.html": 100_000, "summary.json": 3_000}
KEY = "ab" * 32 + "\n"


def publish_one(where: Place, number: int) -> None:
    """What the flow does at its end, without the long work before: a key, a built folder, a replacement."""
    with place.clear_sentences(where.root), place.only_one_at_a_time(where):
        place.write_private(where, f"key-{number}", KEY.encode())
        with place.staging(where) as built:
            (built / "data").mkdir()
            digests = {}
            for name, size in FILES.items():
                content = (f"{number} {name}\n" * size)[:size].encode()
                (built / name).write_bytes(content)
                digests[name] = hashlib.sha256(content).hexdigest()
            (built / "manifest.json").write_text(json.dumps({"number": number, "files": digests}))
            place.publish(built, where)


def complete(release: Path) -> int:
    """The number of a release, once everything in it is seen to be there."""
    manifest = json.loads((release / "manifest.json").read_text())
    found = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    assert found == {*FILES, "manifest.json"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == digest
    return int(manifest["number"])


def keys_are_whole(where: Place) -> None:
    for path in where.private.glob("key-*"):
        assert path.read_text() == KEY


def child(work: Callable[[], None]) -> int:
    """The work in a process of its own, started by a fork: an interpreter's start would take longer than the work."""
    sys.stdout.flush()
    started = os.fork()
    if started:
        return started
    try:
        work()
    except DiskError as error:
        os._exit(2 if "another release" not in str(error) else 5)
    except BaseException:
        os._exit(1)
    os._exit(0)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def put_right(where: Place) -> None:
    """What the next run finds, and makes of it."""
    place.prepare(where, replace=True)
    complete(where.release)
    keys_are_whole(where)
    assert {path.name for path in where.root.iterdir()} == {"release", "private"}


def test_killed_before_every_single_step_of_a_replacement(tmp_path: Path) -> None:
    """Python tells of each file that is opened, made, renamed or removed before it happens: killed there, each time."""
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    publish_one(where, 0)
    left_behind = 0

    def killed_at(step: int) -> Callable[[], None]:
        def work() -> None:
            left = iter(range(step, -1, -1))
            sys.addaudithook(lambda event, _: os.kill(os.getpid(), signal.SIGKILL) if next(left, 1) == 0 else None)
            publish_one(where, 1)

        return work

    for step in range(1, 2_000):
        code = ended(child(killed_at(step)))
        left_behind += where.replaced.exists() or any(tmp_path.glob(".release-partial-*"))
        put_right(where)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert code == 0 and complete(where.release) == 1
    assert step > 50 and left_behind > 25


@pytest.mark.parametrize("times", [10, pytest.param(60, marks=pytest.mark.deep)])
def test_killed_at_random_moments_of_a_replacement(times: int, tmp_path: Path) -> None:
    where, draw = Place(tmp_path), random.Random(4)
    place.prepare(where, replace=False)
    publish_one(where, 0)
    for _ in range(times):
        ready, begun = os.pipe()

        def work(begun: int = begun) -> None:
            for number in range(1, 1_000):
                publish_one(where, number)
                os.write(begun, b".")

        process = child(work)
        os.read(ready, 1)
        time.sleep(draw.uniform(0.0, 0.02))
        os.kill(process, signal.SIGKILL)
        assert ended(process) == -signal.SIGKILL
        os.close(ready)
        os.close(begun)
        put_right(where)


def test_several_runs_at_once_take_turns(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    publish_one(where, 0)
    for count in (2, 3):
        for turn in range(8):
            number = 100 * count + 10 * turn
            codes = [ended(one) for one in [child(lambda n=number + k: publish_one(where, n)) for k in range(count)]]  # type: ignore[misc]
            assert set(codes) <= {0, 5} and 0 in codes
            assert complete(where.release) // 10 == number // 10
            keys_are_whole(where)


@pytest.mark.parametrize("limit", [0, 1, 30, 64, 65, 100, 2_999, 3_000, 39_999, 60_000, 100_001, 150_000, 199_999])
def test_a_disk_that_is_full_at_any_write_keeps_the_old_release(limit: int, tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    publish_one(where, 7)

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        publish_one(where, 8)

    assert ended(child(work)) == 2
    assert complete(where.release) == 7
    keys_are_whole(where)
    assert not list(tmp_path.glob(".release-*")) and not list(where.private.glob(".writing-*"))
