"""What `sharewell demo` does: write the fictional course, then release it like any other folder of data."""

import csv
import dataclasses
import hashlib
from itertools import islice
from pathlib import Path

from sharewell import pipeline
from sharewell.fiction.course import Course, make_course
from sharewell.fiction.write import write_course
from sharewell.pipeline import Outcome
from sharewell.plan import document as plan
from sharewell.release import place, write
from sharewell.release.place import Place

MOST_FREQUENT = 10
CHARACTERS = 250  # typed per student and week: enough for every measure, and soon done


def run(folder: Path, *, students: int = 300, seed: int = 7, replace: bool = False) -> Outcome:
    """Write the fictional course and release it into a folder."""
    where = Place(folder)
    place.prepare(where, replace=replace)
    course = make_course(students=students, seed=seed, characters_per_week=CHARACTERS)
    write_course(course, folder)
    write_labels(course, where)
    drafted = plan.load(folder / "plan.toml")
    header = dataclasses.replace(drafted.header, key=str(write_key(where, seed).absolute()))
    return pipeline.release(dataclasses.replace(drafted, header=header), over=replace)


def write_key(where: Place, seed: int) -> Path:
    """Write a key that anybody can work out: these students do not exist."""
    return place.write_private(where, "demo.key", hashlib.sha256(f"demo {seed}".encode()).hexdigest().encode())


def write_labels(course: Course, where: Place) -> None:
    """Write labels of the words, since the fictional course knows its names."""
    from sharewell.posts.fictional_labels import course_labels

    write.review_table(where, "posts.forum", "labels", course_labels(course))


def candidates(folder: Path) -> list[tuple[str, float, int]]:
    """Return the most frequent possible names of the last run."""
    lists = sorted((folder / "private").glob("*/posts.forum/names.csv"), key=lambda path: path.stat().st_mtime)
    if not lists:
        return []
    with lists[-1].open(newline="", encoding="utf-8-sig") as file:
        rows = islice((row for row in csv.DictReader(file) if row["mark"] == "name"), MOST_FREQUENT)
        return [(row["word"], float(row["probability"]), int(row["count"])) for row in rows]
