"""Files of every kind, released on DuckDB and on another engine: the same figures, the same rows?

    python benchmarks/engines_alike.py --data FOLDER [--engines duckdb spark] [--kinds records traces …]
    python benchmarks/engines_alike.py --events 1000000 13000000 [--engines duckdb spark cluster]
    python benchmarks/engines_alike.py --demo [--engines duckdb spark]

Real files: OULAD's students (of several rows the first), a Moodle course, ASSISTments, tweets and comments of WNUT,
Aalto typists. The limits from which on a file counts as large are lowered, so that these files go the way of large
ones: a log in cohorts and buckets, responses learnt from some, posts and typing in parts. What would be chosen in
minutes is fixed (noise of responses, the setting of typing).

Generated ones (`--events`): a log of so many events, of students a hundredth as many, and their table, with what
engines differ in: missing cells, quarters of a second, times before 1970, numbers that are none, ids beyond ASCII.

The demo (`--demo`): the fictional course of 300 students, all five kinds in one release, as it is.

Each engine runs in a process of its own, under one key; what is printed is a digest of all figures, before and after,
and one of what was written: every cell of every row, at its place. Figures that differ are listed. A release that is
refused has figures all the same; limits of responses and posts let theirs pass, so that rows are compared. Spark runs
on this machine, unless SHAREWELL_SPARK says where; `cluster` is a master and two workers of Spark, each a process on
the loopback address, which are started for a run and end with it.
"""

import argparse
import difflib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from sharewell.pipeline import Outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
HEAD = '[release]\nname = "the same on every engine"\nkey = "key"\n\n'
PLANS = {
    "records": """[records.students]
file = "students.parquet"
student = "id_student"
drop = ["code_module", "code_presentation", "num_of_prev_attempts", "studied_credits"]
quasi = ["gender", "region", "highest_education", "imd_band", "age_band"]
sensitive = ["disability"]
keep = ["final_result"]
""",
    "traces": """[traces.events]
file = "events.parquet"
student = "user"
at = "timecreated"
quasi = ["Action"]
drop = ["Event.context", "Component", "Event.name", "Log"]
""",
    "responses": """[responses.answers]
file = "answers.parquet"
student = "user"
item = "skill"
correct = "correct"
drop = ["item", "wins", "fails"]
noise = 1.5
repeats = 4
limit = { membership = 1.0, tpr = 1.0 }
""",
    "posts": """[posts.comments]
file = "comments.parquet"
student = "author"
text = ["text"]
limit = { residual = 1.0 }
""",
    "keystrokes": """[keystrokes.typing]
file = "typing.parquet"
student = "participant"
session = "section"
key = "keycode"
press = "press_ms"
release = "release_ms"
unit = "ms"
""",
}

GENERATED = """[records.students]
file = "students.parquet"
student = "student"
quasi = ["age", "size", "town"]
sensitive = ["ill"]
keep = ["passed"]
seconds = 5

[traces.clicks]
file = "clicks.parquet"
student = "student"
at = "time"
quasi = ["verb"]
limit = { unicity = 0.3, known = 2 }
"""
STUDENT = "CASE WHEN n % 3 = 0 THEN 'ñandú ' || n ELSE 'zoë' || n END"
STUDENTS = f"""SELECT {STUDENT} AS student, nullif(18 + (hash(n, 1) % 6)::INT, 18) AS age,
    CASE hash(n, 2) % 7 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE ELSE (hash(n, 2) % 7) / 4 END AS size,
    ['Åbo', 'Turku', NULL][1 + (hash(n, 3) % 3)::INT] AS town, ['yes', 'no'][1 + (hash(n, 4) % 2)::INT] AS ill,
    hash(n, 5) % 2 = 0 AS passed FROM range({{students}}) AS r(n)"""
CLICKS = f"""SELECT {STUDENT} AS student, verb, CASE WHEN place % 1000003 = 7 THEN TIMESTAMP '1969-12-31 23:59:59.5'
        ELSE TIMESTAMP '2024-03-04' + to_microseconds(quarter * 250000) END AS time
    FROM (SELECT place, (pow((hash(place // 10, 1) % 1000003) / 1000003, 1.6) * {{students}})::BIGINT AS n,
        (hash(place // 10, 2) % 60)::BIGINT * 345600 + (hash(place, 3) % 40000)::BIGINT AS quarter,
        ['read', 'prüfen', 'post', NULL][1 + (hash(place, 4) % 4)::INT] AS verb FROM range({{events}}) AS r(place))"""


def generate(events: int, folder: Path) -> None:
    """A log and a table of its students, the same in every run."""
    for name, query in {"students": STUDENTS, "clicks": CLICKS}.items():
        rows = query.format(events=events, students=events // 100)
        duckdb.execute(f"COPY ({rows}) TO '{folder / name}.parquet' (FORMAT parquet)")


def prepared(kind: str, data: Path, folder: Path) -> None:
    """The file that the plan of a kind names."""
    if kind == "records":
        first = "SELECT DISTINCT ON (id_student) * FROM read_csv(?) ORDER BY id_student, code_module, code_presentation"
        found = duckdb.execute(first, [str(data / "oulad" / "studentInfo.csv")]).to_arrow_table()
        pq.write_table(found, folder / "students.parquet")
    elif kind == "traces":
        pq.write_table(csv.read_csv(data / "moodle_lamethods" / "Events.csv.gz"), folder / "events.parquet")
    elif kind == "responses":
        log = csv.read_csv(data / "assistments2009" / "privgen_train_data.csv.gz")
        pq.write_table(log, folder / "answers.parquet")
    elif kind == "posts":
        from posts_quality import conll

        sentences = [" ".join(token for token, _ in one) for one in conll(data / "wnut17" / "wnut17train.conll")]
        authors = [f"author{place % 200}" for place in range(len(sentences))]
        pq.write_table(pa.table({"author": authors, "text": sentences}), folder / "comments.parquet")
    else:
        from keystrokes_typists import typists

        pq.write_table(typists(data, 200).drop_columns(["sentence"]), folder / "typing.parquet")


def small_is_large() -> ExitStack:
    """The limits of large files, lowered on every engine alike."""
    from sharewell.keystrokes import partitions
    from sharewell.keystrokes.protection import release
    from sharewell.keystrokes.protection.draft import KeySetting, Setting
    from sharewell.keystrokes.protection.search import Choice
    from sharewell.posts import cells
    from sharewell.responses import drawn_students
    from sharewell.responses.protection import strength_search
    from sharewell.traces.protection import cohorts
    from sharewell.traces.utility import sample

    lowered = ExitStack()
    setting = Setting(keys=KeySetting(exchanged=1.0, any_size=True), classes=2, stray=0.6)
    for module, constants in (
        (cohorts, {"IN_A_COHORT": 40_000}),
        (sample, {"ENOUGH": 40_000}),
        (drawn_students, {"LARGE": 100_000, "LEARNT_FROM": 70_000, "LEAST_STUDENTS": 100}),
        (strength_search, {"MANY_ROWS": 1}),
        (cells, {"BATCH": 1_000}),
        (partitions, {"MOST_EVENTS": 40_000, "LEAST_STUDENTS": 20}),
        (release, {"chosen": lambda search: Choice(setting=setting)}),
    ):
        lowered.enter_context(patch.multiple(module, **constants))
    return lowered


def released(folder: Path) -> dict[str, str]:
    """All figures of a release, and all rows of its data, as digests."""
    from sharewell import pipeline
    from sharewell.demo import run as demo
    from sharewell.plan.document import load

    if not (folder / "plan.toml").exists():
        return digests(demo.run(folder), folder)
    real = len(list(folder.glob("*.parquet"))) == 1
    with small_is_large() if real else ExitStack():
        return digests(pipeline.release(load(folder / "plan.toml"), over=True), folder)


def digests(outcome: "Outcome", folder: Path) -> dict[str, str]:
    """With all figures in full, to say which differ."""
    told = [
        repr(one)
        for file in outcome.findings.files
        for one in (*file.before, *file.after, *file.utility, *file.changes, *file.failures)
    ]
    told += [repr(one) for one in outcome.findings.linkage]
    written = [rows_of(one) for one in sorted((folder / "release" / "data").rglob("*.*"))]
    return {
        "figures": hashlib.sha256("\n".join(told).encode()).hexdigest()[:12],
        "rows": hashlib.sha256("".join(written).encode()).hexdigest()[:12] if written else "–",
        "numbers": str(len(told)),
        "verdict": "released" if outcome.verdict.passed else "refused",
        "told": "\n".join(one.replace("\n", " ") for one in told),
    }


def rows_of(file: Path) -> str:
    """A number that any other cell, or a row at another place, would change; types count, marks of columns do not."""
    if file.suffix != ".parquet":
        return hashlib.sha256(file.read_bytes()).hexdigest()
    names = [column[0] for column in duckdb.sql(f"DESCRIBE FROM read_parquet('{file}')").fetchall()]
    cells = ", ".join(f'"{name}"' for name in names)
    asked = f"bit_xor(hash(file_row_number, {cells})), count(*), any_value(typeof(({cells})))"
    found = duckdb.sql(f"SELECT {asked} FROM read_parquet('{file}', file_row_number=true)").fetchall()
    return f"{names} {found}"


def run(plan: str, folder: Path, engine: str) -> dict[str, str]:
    if plan:
        (folder / "key").write_text("5a" * 32)
        (folder / "plan.toml").write_text(HEAD + plan)
    command = [sys.executable, "-W", "ignore", __file__, "--run", str(folder)]
    with started(engine) as environment:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@contextmanager
def started(engine: str) -> Iterator[dict[str, str]]:
    """The environment in which an engine is chosen."""
    if engine != "cluster":
        yield {"SHAREWELL_SPARK": "local[2]", **os.environ, "SHAREWELL_ENGINE": engine}
        return
    from engines.cluster import SETTINGS, cluster

    with tempfile.TemporaryDirectory() as settings:
        (Path(settings) / "spark-defaults.conf").write_text(SETTINGS)
        here = {**os.environ, "SPARK_CONF_DIR": settings, "PYSPARK_PYTHON": sys.executable, "SHAREWELL_ENGINE": "spark"}
        with cluster(Path(settings), here) as found:
            yield {**here, "SHAREWELL_SPARK": found.address}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--engines", nargs="+", default=["duckdb", "sail"])
    parser.add_argument("--events", nargs="+", type=int, default=[])
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--kinds", nargs="+", choices=list(PLANS), default=list(PLANS))
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        return print(json.dumps(released(given.run)))
    if given.data is None and not given.events and not given.demo:
        return print("give --data, a folder of the public files, --events, or --demo")
    named: list[tuple[str, str, Callable[[Path], None]]] = [
        *([("demo", "", lambda _: None)] if given.demo else []),
        *((f"{events:,} events", GENERATED, partial(generate, events)) for events in given.events),
        *((kind, PLANS[kind], partial(prepared, kind, given.data)) for kind in given.kinds if given.data is not None),
    ]
    first: dict[str, str] = {}
    table = Table("file", "engine", "seconds", "verdict", "numbers", "figures", "rows", title="released alike?")
    for name, plan, prepare in named:
        for engine in given.engines:
            start = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                prepare(Path(folder))
                found = run(plan, Path(folder), engine)
            seconds = f"{time.perf_counter() - start:.0f}"
            table.add_row(name, engine, seconds, *(found[part] for part in ("verdict", "numbers", "figures", "rows")))
            told = found.pop("told")
            print(name, engine, found, file=sys.stderr, flush=True)
            for line in difflib.unified_diff(first.setdefault(name, told).split("\n"), told.split("\n"), n=0):
                print(line, file=sys.stderr)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
