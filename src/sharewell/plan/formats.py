"""The formats that a plan may name, and the columns that some of them make."""

from collections.abc import Mapping

FORMATS: Mapping[str, str] = {
    "csv": "sharewell.data.formats.delimited",
    "datashop": "sharewell.data.formats.datashop",
    "essays": "sharewell.data.formats.essays",
    "ednet": "sharewell.data.formats.ednet",
    "edx": "sharewell.data.formats.edx",
    "moodle": "sharewell.data.formats.moodle",
    "oulad": "sharewell.data.formats.oulad",
    "xapi": "sharewell.data.formats.xapi",
    "tsv": "sharewell.data.formats.delimited",
    "blackboard": "sharewell.data.formats.delimited",
    "caliper": "sharewell.data.formats.caliper",
    "canvas": "sharewell.data.formats.canvas",
    "canvas_gradebook": "sharewell.data.formats.canvas_gradebook",
    "duckdb": "sharewell.data.formats.database",
    "edx_forum": "sharewell.data.formats.edx_forum",
    "moodle_quiz": "sharewell.data.formats.moodle_quiz",
    "sqlite": "sharewell.data.formats.database",
    "xlsx": "sharewell.data.formats.workbook",
    "json": "sharewell.data.formats.json_lines",
    "jsonl": "sharewell.data.formats.json_lines",
    "moodle_forum": "sharewell.data.formats.moodle_forum",
    "parquet": "sharewell.data.formats.parquet",
    "progsnap2": "sharewell.data.formats.progsnap2",
    "snapshots": "sharewell.data.formats.snapshots",
}
OF_SNAPSHOTS = {
    "key": "the difference of two snapshots",
    "press_ms": "the time of the later of two snapshots",
    "edit": "how two snapshots differ",
}
DERIVED: Mapping[str, Mapping[str, str]] = {  # format → column that the file itself does not have → where it comes from
    "ednet": {"user": "the name of a file, one for each user"},
    "essays": {"file": "the name of a file, one for each essay", "text": "what the file holds"},
    "moodle": {"user_id": "the number of the user in the Description of an event"},
    "moodle_quiz": {
        "question": "the number of the question, one row for each answer",
        "response": "the columns of responses",
        "right_answer": "the columns of right answers",
        "correct": "whether the response is the right answer",
    },
    "progsnap2": OF_SNAPSHOTS,
    "snapshots": OF_SNAPSHOTS,
}


def derived(format: str | None) -> Mapping[str, str]:
    """Name the columns that a format makes, each with where it comes from."""
    return DERIVED.get((format or "").partition(".")[0], {})
