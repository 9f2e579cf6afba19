"""Exports of learning systems, made here as each system writes them: read flat, written back in their own form."""

import json
from pathlib import Path

import pytest

from sharewell.data import engine, formats
from sharewell.errors import InputError


def rows_of(path: Path, format: str) -> list[dict[str, object]]:
    return list(engine.arrow(formats.read(path, format=format).table).to_pylist())


def written_back(path: Path, format: str) -> list[dict[str, object]]:
    source = formats.read(path, format=format)
    out = path.with_name(f"out-{path.name}")
    formats.write(source.table, out, source)
    return rows_of(out, format)


def caliper_event(number: int) -> dict[str, object]:
    return {
        "@context": "http://purl.imsglobal.org/ctx/caliper/v1p2",
        "id": f"urn:uuid:{number:032d}",
        "type": "GradeEvent",
        "actor": {"id": f"https://school.example/users/{number}", "type": "Person", "name": "Ada"},
        "action": "Graded",
        "object": {"id": "https://school.example/quiz/1", "type": "Assessment", "name": "Quiz one"},
        "generated": {"id": "https://school.example/score/1", "type": "Score", "scoreGiven": 3.5, "maxScore": 5},
        "eventTime": "2024-11-15T10:15:00.000Z",
    }


@pytest.mark.parametrize("shape", ["lines", "envelope"])
def test_caliper_events(shape: str, tmp_path: Path) -> None:
    events = [caliper_event(number) for number in (1, 2)]
    path = tmp_path / ("log.jsonl" if shape == "lines" else "log.json")
    text = "\n".join(map(json.dumps, events)) if shape == "lines" else json.dumps({"sensor": "x", "data": events})
    path.write_text(text)
    rows = rows_of(path, "caliper")
    assert rows[0]["actor"] == "https://school.example/users/1"
    assert (rows[0]["action"], rows[0]["object_name"], rows[0]["score"]) == ("Graded", "Quiz one", "3.5")
    again = written_back(path, "caliper")
    assert {key: again[0][key] for key in ("action", "object", "time")} == {
        key: rows[0][key] for key in ("action", "object", "time")
    }
    assert again[0]["actor"] == "https://school.example/users/1"
    assert "urn:sharewell:https://school.example/users/1" in (tmp_path / f"out-{path.name}").read_text()


def test_edx_forum_contents(tmp_path: Path) -> None:
    thread = {
        "_id": {"$oid": "51"},
        "_type": "CommentThread",
        "author_id": "9",
        "author_username": "ada",
        "title": "Hi",
    }
    thread |= {"body": "Hello", "created_at": {"$date": "2013-01-15T10:00:00Z"}, "votes": {"up_count": 2}}
    comment = {"_id": {"$oid": "52"}, "_type": "Comment", "author_id": "8", "body": "Hey Ada"}
    comment |= {"comment_thread_id": {"$oid": "51"}, "created_at": {"$date": "2013-01-15T11:00:00Z"}}
    path = tmp_path / "contents.jsonl"
    path.write_text("\n".join(map(json.dumps, [thread, comment])))
    rows = rows_of(path, "edx_forum")
    assert [row["id"] for row in rows] == ["51", "52"]
    assert rows[1]["thread"] == "51" and rows[0]["votes_up"] == "2"
    assert written_back(path, "edx_forum") == rows


def test_canvas_data_tables(tmp_path: Path) -> None:
    row = {"key": {"id": 1}, "value": {"user_id": 7, "workflow_state": "graded", "score": 8.5}, "meta": {"ts": "2024"}}
    path = tmp_path / "submissions.jsonl"
    path.write_text(json.dumps(row) + "\n")
    rows = rows_of(path, "canvas")
    assert rows == [{"id": "1", "score": "8.5", "user_id": "7", "workflow_state": "graded"}]
    assert written_back(path, "canvas") == rows


def test_a_canvas_grade_book_holds_students_only(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text(
        "Student,ID,SIS Login ID,Section,Essay (12)\n"
        "    Points Possible,,,,10\n"
        '"Lovelace, Ada",11,ada,S1,9\n'
        '"Student, Test",12,x,S1,\n'
    )
    assert [row["ID"] for row in rows_of(path, "canvas_gradebook")] == ["11"]
    assert [row["ID"] for row in written_back(path, "canvas_gradebook")] == ["11"]


def test_a_blackboard_grade_book_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "gc_course.xls"
    text = '"Last Name"\t"First Name"\t"Username"\t"Essay [Total Pts: 10 Score] |7"\r\n"Curie"\t"Marie"\t"mc"\t"9"\r\n'
    path.write_bytes(text.encode("utf-16"))
    rows = rows_of(path, "blackboard")
    assert rows == [
        {"Last Name": "Curie", "First Name": "Marie", "Username": "mc", "Essay [Total Pts: 10 Score] |7": "9"}
    ]
    assert written_back(path, "blackboard") == rows


def test_moodle_quiz_responses_become_answers(tmp_path: Path) -> None:
    path = tmp_path / "quiz.csv"
    path.write_text(
        "Surname,Email address,State,Grade/2.00,Response 1,Right answer 1,Response 2,Right answer 2\n"
        "Curie,mc@x.example,Finished,1.00,Paris,paris,-,4\n"
        "Noether,en@x.example,Finished,2.00,Paris,paris,4,4\n"
        "Overall average,,,1.50,,,,\n"
    )
    rows = rows_of(path, "moodle_quiz")
    assert [(row["Email address"], row["question"], row["correct"]) for row in rows] == [
        ("mc@x.example", "Q1", "1"),
        ("mc@x.example", "Q2", "0"),
        ("en@x.example", "Q1", "1"),
        ("en@x.example", "Q2", "1"),
    ]


@pytest.mark.parametrize(
    ("format", "sentence"),
    [
        ("caliper", "is this a Caliper log"),
        ("edx_forum", "is this an edX forum"),
        ("canvas", "is this a table of Canvas Data 2"),
    ],
)
def test_another_log_is_not_taken_for_it(format: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"x": 1}\n')
    with pytest.raises(InputError, match=sentence):
        rows_of(tmp_path / "log.jsonl", format)
