"""Which learning system a file comes from, by the names in its first line or its first record; for `sharewell init`."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharewell.data.formats import COMPRESSIONS, SUFFIXES, ReadOptions, check_readable, moodle, moodle_quiz, snapshots
from sharewell.data.formats.text import decoded_head

TABLES = ("csv", "tsv")
RECORDS = ("json", "jsonl")
PLAIN_TEXT = (".txt", ".xls", ".dat", ".log")  # names under which tables of text travel
LEAST_FILES = 3  # of a folder with one file for each student
HEAD = 4_000
# fields of a record → the format that has them
BY_FIELDS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"actor", "verb", "object"}), "xapi"),
    (frozenset({"statements"}), "xapi"),
    (frozenset({"actor", "action", "eventTime"}), "caliper"),
    (frozenset({"sensor", "data"}), "caliper"),
    (frozenset({"key", "value"}), "canvas"),
    (frozenset({"author_id", "body"}), "edx_forum"),
    (frozenset({"event_type", "event_source"}), "edx"),
)
BY_COLUMNS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"Anon Student Id", "Outcome"}), "datashop"),
    (frozenset({"Student", "ID", "Section"}), "canvas_gradebook"),
    (frozenset({"Last Name", "First Name", "Username", "Last Access"}), "blackboard"),
    (frozenset({"id_student", "id_site", "date", "code_presentation"}), "oulad"),
    (frozenset({"userid", "subject", "message", "discussion"}), "moodle_forum"),
    (frozenset({"SubjectID", "EventType", "InsertText", "DeleteText"}), "progsnap2"),
)


def recognised(path: Path) -> str | None:
    """The name of the format where the contents tell more than the name of the file does."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    ending = (suffixes[-2:-1] if compression else suffixes[-1:]) or [""]
    plain, dated_log = SUFFIXES.get(ending[0]), ending[0].startswith(".log-")
    if plain not in (*TABLES, *RECORDS) and ending[0] not in PLAIN_TEXT and not dated_log:
        return None
    check_readable(path)
    head = decoded_head(path, ReadOptions(format=plain or "tsv", compression=compression))
    is_json = plain in RECORDS or (plain is None and head.lstrip().startswith(("{", "[")))
    return _of_records(head) if is_json else _of_columns(head, plain)


def recognised_folder(path: Path) -> str | None:
    """The name of the format of a folder with one file for each student."""
    files = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    endings = {file.suffix.lower() for file in files}
    if len(files) >= LEAST_FILES and endings == {".txt"}:
        return "essays"
    if len(files) < LEAST_FILES or endings != {".csv"}:
        return None
    heads = {file.read_bytes()[:HEAD].partition(b"\n")[0].strip() for file in sorted(files)[:LEAST_FILES]}
    names = heads.pop().decode("utf-8", errors="replace").split(",")
    return "ednet" if not heads and "timestamp" in names and "user" not in names else None


def _of_columns(head: str, plain: str | None) -> str | None:
    lines = head.splitlines()[:5]
    delimiter = max(("\t", ";", ","), key=lines[0].count) if lines else ","
    names = {name.strip().strip('"') for name in lines[0].split(delimiter)} if lines else set()
    for columns, format in BY_COLUMNS:
        if columns <= names and (format != "datashop" or delimiter == "\t"):
            return format
    if any(map(moodle_quiz.RESPONSE.match, names)) and any(map(moodle_quiz.RIGHT.match, names)):
        return "moodle_quiz"
    if moodle.is_log(names, head):
        return "moodle"
    if snapshots.is_log(names):
        return "snapshots"
    if plain is None and len(lines) > 1 and len({line.count("\t") for line in lines[:-1]}) == 1 and "\t" in lines[0]:
        return "tsv"
    return None


def _of_records(head: str) -> str | None:
    text = head.lstrip()
    nested = re.match(r"\[\s*\[", text) is not None
    fields = _first_object(text)
    if nested and {"userid", "message"} <= fields.keys():
        return "moodle_forum"
    return next((format for needed, format in BY_FIELDS if needed <= fields.keys()), None)


def _first_object(text: str) -> Mapping[str, Any]:
    """The first record; of a long one cut off by the end of the sample, the names that stand at its first level."""
    begin = text.find("{")
    if begin < 0:
        return {}
    try:
        found, _ = json.JSONDecoder().raw_decode(text[begin:])
    except json.JSONDecodeError:
        return dict.fromkeys(re.findall(r'"(\w+)"\s*:', text[begin : begin + 2_000]))
    return found if isinstance(found, Mapping) else {}
