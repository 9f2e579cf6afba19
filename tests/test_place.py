"""Writing: complete or not at all, private things private, clear sentences from disks."""

import os
import stat
from pathlib import Path

import pytest

from sharewell.errors import DiskError
from sharewell.release import place
from sharewell.release.place import Place


def build(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "data").mkdir()
    (folder / "data" / "a.csv").write_text(text)
    return folder


def content(where: Place) -> str:
    return (where.release / "data" / "a.csv").read_text()


def test_private_is_for_its_owner_only(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    written = place.write_private(where, "abc/forum/review.csv", b"x")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    folders = [where.private, where.private / "abc", where.private / "abc" / "forum"]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


def test_a_release_is_not_written_over_without_being_asked(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.publish(build(tmp_path / "one", "old"), where)
    with pytest.raises(DiskError, match="--replace"):
        place.prepare(where, replace=False)
    place.prepare(where, replace=True)
    place.publish(build(tmp_path / "two", "new"), where)
    assert content(where) == "new"
    assert not where.replaced.exists()


def test_a_kill_between_the_two_renames_is_mended(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.publish(build(tmp_path / "one", "old"), where)
    where.release.rename(where.replaced)
    place.prepare(where, replace=True)
    assert content(where) == "old"


def test_a_failing_rename_leaves_the_old_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = Place(tmp_path)
    place.publish(build(tmp_path / "one", "old"), where)

    def broken(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(DiskError, match="disk is full"), place.clear_sentences(tmp_path):
        place.publish(build(tmp_path / "two", "new"), where)
    assert content(where) == "old"


def test_staging_leaves_nothing_behind(tmp_path: Path) -> None:
    where = Place(tmp_path)
    with pytest.raises(RuntimeError), place.staging(where) as built:
        (built / "half").write_text("x")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_killed_runs_are_swept(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    (tmp_path / ".release-partial-dead").mkdir()
    with place.only_one_at_a_time(where):
        assert not (tmp_path / ".release-partial-dead").exists()


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    where = Place(tmp_path)
    place.prepare(where, replace=False)
    second = place.only_one_at_a_time(where)
    with place.only_one_at_a_time(where), pytest.raises(DiskError, match="another release"), second:
        pytest.fail("the second run got in")


def test_a_file_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("not a folder")
    with pytest.raises(DiskError, match="stands where a folder is needed"):
        place.prepare(Place(tmp_path / "out"), replace=False)
