"""edX forum (the `contents` collection of a course): one thread or comment per line, as MongoDB exports it.

Ids and dates stand in objects such as {"$oid": …} and {"$date": …}; they become plain columns and go back the same way.
"""

from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions
from sharewell.data.formats.json_lines import style as style
from sharewell.data.formats.nested import Record, nested, picked, records, write_records
from sharewell.errors import InputError

# column → where it is read; the first place is also where it is written
COLUMNS = {
    "id": ("$._id.$oid", "$._id"),
    "type": ("$._type",),
    "author_id": ("$.author_id",),
    "author_username": ("$.author_username",),
    "title": ("$.title",),
    "body": ("$.body",),
    "thread": ("$.comment_thread_id.$oid", "$.comment_thread_id"),
    "parent": ("$.parent_id.$oid", "$.parent_id"),
    "course_id": ("$.course_id",),
    "thread_type": ("$.thread_type",),
    "endorsed": ("$.endorsed",),
    "votes_up": ("$.votes.up_count",),
    "created_at": ("$.created_at.$date", "$.created_at"),
    "updated_at": ("$.updated_at.$date", "$.updated_at"),
}


def read(path: Path, options: ReadOptions) -> Table:
    flat = picked(records(path, options), COLUMNS)
    for name in ("author_id", "body"):
        if name not in flat.columns and not options.released:
            raise InputError(f"no post has the field '{name}': is this an edX forum?", file=path)
    return flat


def write(table: Table, path: Path, compression: str | None = None, array: bool = False) -> None:
    write_records(table, path, post, compression=compression, array=array)


def post(row: Record) -> dict[str, Any]:
    """A row as the forum keeps it."""
    return nested({COLUMNS[name][0].removeprefix("$."): value for name, value in row.items() if name in COLUMNS})
