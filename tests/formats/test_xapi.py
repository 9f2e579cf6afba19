"""xAPI statements in and out: nothing personal comes out that was not asked for, and what comes out is valid."""

import gzip
import json
import re
import uuid
from pathlib import Path
from typing import Any

import ibis
import pytest

from sharewell.data import engine
from sharewell.data.formats import read, write
from sharewell.data.formats.columns import moment
from sharewell.errors import InputError

PERSONAL = ("alice", "mailto:", "school.example", "Alice Ångström")


def statement(number: int, **more: object) -> dict[str, object]:
    return {
        "id": str(uuid.UUID(int=number + 1)),
        "actor": {"name": "Alice Ångström", "mbox": f"mailto:alice{number}@school.example"},
        "verb": {"id": "http://adlnet.gov/expapi/verbs/read", "display": {"en": "read"}},
        "object": {
            "id": "https://school.example/book/7",
            "definition": {"name": {"en": "Book seven"}, "type": "http://activitystrea.ms/schema/1.0/page"},
        },
        "context": {"platform": "BookRoll", "contextActivities": {"grouping": [{"id": "https://c.example/9"}]}},
        "result": {"score": {"scaled": 0.5}, "success": True},
        "timestamp": f"2024-03-0{number + 1}T23:30:00+09:00",
        **more,
    }


@pytest.fixture(params=["lines", "array", "store", "gzip"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    statements = [statement(number) for number in range(3)]
    lines = "\n".join(map(json.dumps, statements))
    if request.param == "gzip":
        path = tmp_path / "log.jsonl.gz"
        path.write_bytes(gzip.compress(lines.encode()))
        return path
    path = tmp_path / ("log.jsonl" if request.param == "lines" else "log.json")
    whole = {"array": json.dumps(statements), "store": json.dumps({"statements": statements, "more": ""})}
    path.write_text(whole.get(request.param, lines))
    return path


def written(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


def test_fields_become_columns_and_offsets_become_utc(log: Path) -> None:
    table = read(log, format="xapi").table
    rows = engine.arrow(table.mutate(timestamp=moment(table, "timestamp"))).to_pylist()
    assert rows[0]["actor"] == "mailto:alice0@school.example"
    assert rows[0]["verb"] == "http://adlnet.gov/expapi/verbs/read"
    assert (rows[0]["object_name"], rows[0]["context_course"]) == ("Book seven", "https://c.example/9")
    assert str(rows[0]["timestamp"]) == "2024-03-01 14:30:00"
    assert "context_instructor" not in table.columns


def test_written_statements_are_valid_and_pseudonymous(log: Path, tmp_path: Path) -> None:
    source = read(log, format="xapi")
    table = source.table.mutate(timestamp=moment(source.table, "timestamp"), actor=ibis.literal("f00d"))
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / log.name
    write(table.drop("actor_name", "object"), out, source)
    statements = written(out)
    assert len(statements) == 3
    for one in statements:
        assert one["actor"] == {
            "objectType": "Agent",
            "account": {"homePage": "https://pseudonym.invalid", "name": "f00d"},
        }
        assert re.match(r"^[a-z]+:", one["verb"]["id"]) and re.match(r"^[a-z]+:", one["object"]["id"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["timestamp"])
        assert uuid.UUID(one["id"])
        assert one["result"] == {"score": {"scaled": 0.5}, "success": True}
        assert not any(word in json.dumps(one, ensure_ascii=False) for word in PERSONAL)


def test_merged_and_missing_values_are_still_iris(tmp_path: Path) -> None:
    from sharewell.data.formats.xapi import statement as nest

    one = nest({"actor": "p1", "verb": "(other)", "id": "not-a-uuid", "result_score": "7.5"})
    assert one["verb"]["id"] == "urn:sharewell:other"
    assert one["object"]["id"] == "urn:sharewell:withheld"
    assert uuid.UUID(one["id"]) and one["result"]["score"] == {"raw": 7.5}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{broken", "not valid JSON"),
        ("[1, 2]", "not valid JSON"),
        ('{"a": 1}', "no statement has the field 'actor'"),
        (json.dumps({**statement(1), "verb": None}) + "\n" + json.dumps(statement(2)), "no verb"),
    ],
)
def test_bad_statements_are_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read(path, format="xapi")
    assert not any(word in str(caught.value) for word in PERSONAL)
