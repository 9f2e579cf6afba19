"""edX tracking logs in and out."""

import json
from pathlib import Path

import pytest

from sharewell.data import engine
from sharewell.data.formats import read, write
from sharewell.data.formats.columns import moment
from sharewell.errors import InputError

EVENT = {
    "username": "alice",
    "event_type": "problem_check",
    "event_source": "server",
    "ip": "1.2.3.4",
    "time": "2024-03-01T10:00:00.123456+00:00",
    "context": {"user_id": 7, "course_id": "course-v1:X+Y+Z", "module": {"usage_key": "block-v1:problem"}},
    "event": {"grade": 1, "attempts": 2},
}
PLAY = {
    "username": "",
    "event_type": "play_video",
    "time": "2024-03-01T11:00:00+01:00",
    "context": {"user_id": None, "course_id": "course-v1:X+Y+Z"},
    "event": '{"id": "i4x-video", "currentTime": 3.2}',
}


def test_in_and_out(tmp_path: Path) -> None:
    path = tmp_path / "tracking.log"
    path.write_text("\n".join(map(json.dumps, [EVENT, PLAY])) + "\n")
    source = read(path, format="edx")
    rows = engine.arrow(source.table.mutate(time=moment(source.table, "time"))).to_pylist()
    assert [row["user_id"] for row in rows] == ["7", None]
    assert [row["username"] for row in rows] == ["alice", None]
    assert str(rows[1]["time"]) == "2024-03-01 10:00:00"
    assert rows[0]["module"] == "block-v1:problem" and "host" not in rows[0]
    write(source.table.drop("username", "ip", "event"), tmp_path / "out.log", source)
    first = json.loads((tmp_path / "out.log").read_text().splitlines()[0])
    assert first == {
        "context": {"user_id": "7", "course_id": "course-v1:X+Y+Z", "module": {"usage_key": "block-v1:problem"}},
        "time": "2024-03-01T10:00:00.123456+00:00",
        "event_type": "problem_check",
        "event_source": "server",
    }


def test_other_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tracking.log"
    path.write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="is this an edX tracking log"):
        read(path, format="edx")
