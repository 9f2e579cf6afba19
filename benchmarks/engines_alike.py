"""Real files of every kind, released on DuckDB and on another engine: the same figures, the same rows?

    python benchmarks/engines_alike.py --data FOLDER [--engines duckdb spark] [--kinds records traces …]

OULAD's students (of several rows the first), a Moodle course, ASSISTments, tweets and comments of WNUT, Aalto typists.
The limits from which on a file counts as large are lowered, so that these files go the way of large ones: a log in
cohorts and buckets, responses learnt from some, posts and typing in parts. What would be chosen in minutes is fixed
(noise of responses, the setting of typing). Each engine runs in a process of its own, under one key; what is printed is
a digest of all figures, before and after, and one of the bytes of what was written. A release that is refused has
figures all the same.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

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
    from sharewell.keystrokes import parts
    from sharewell.keystrokes.protection import in_parts
    from sharewell.keystrokes.protection.draft import KeySetting, Setting
    from sharewell.keystrokes.protection.search import Choice
    from sharewell.posts import cells
    from sharewell.responses import drawn_students
    from sharewell.responses.protection import strength_search
    from sharewell.traces import bucketed_log
    from sharewell.traces.measure import worst_points
    from sharewell.traces.protection import cohorts
    from sharewell.traces.utility import sample

    lowered = ExitStack()
    setting = Setting(keys=KeySetting(exchanged=1.0, any_size=True), classes=2, stray=0.6)
    for module, constants in (
        (bucketed_log, {"LARGE": 10_000, "LARGE_ELSEWHERE": 10_000, "IN_A_BUCKET": 40_000}),
        (worst_points, {"MOST_STUDENTS": 50}),
        (cohorts, {"IN_A_COHORT": 40_000}),
        (sample, {"ENOUGH": 40_000}),
        (drawn_students, {"LARGE": 100_000, "LEARNT_FROM": 70_000, "LEAST_STUDENTS": 100}),
        (strength_search, {"MANY_ROWS": 1}),
        (cells, {"BATCH": 1_000}),
        (parts, {"LARGE": 50_000, "STAND_FOR_ALL": 50_000, "IN_A_PART": 40_000, "LEAST_STUDENTS": 20}),
        (in_parts, {"chosen": lambda search: Choice(setting=setting)}),
    ):
        lowered.enter_context(patch.multiple(module, **constants))
    return lowered


def released(folder: Path) -> dict[str, str]:
    """All figures of a release, and all bytes of its data, as digests."""
    from sharewell import pipeline
    from sharewell.data.files import file_digest
    from sharewell.plan.document import load

    with small_is_large():
        outcome = pipeline.release(load(folder / "plan.toml"), over=True)
    (file,) = outcome.findings.files
    told = [repr(one) for one in (*file.before, *file.after, *file.utility, *file.changes, *file.failures)]
    written = [file_digest(one) for one in sorted((folder / "release" / "data").rglob("*")) if one.is_file()]
    return {
        "figures": hashlib.sha256("\n".join(told).encode()).hexdigest()[:12],
        "bytes": hashlib.sha256("".join(written).encode()).hexdigest()[:12] if written else "–",
        "numbers": str(len(told)),
        "verdict": "released" if outcome.verdict.passed else "refused",
    }


def run(kind: str, engine: str, data: Path) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(kind, data, folder)
        (folder / "key").write_text("5a" * 32)
        (folder / "plan.toml").write_text(HEAD + PLANS[kind])
        environment = {**os.environ, "SHAREWELL_ENGINE": engine, "SHAREWELL_SPARK": "local[2]"}
        command = [sys.executable, "-W", "ignore", __file__, "--run", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--engines", nargs="+", default=["duckdb", "sail"])
    parser.add_argument("--kinds", nargs="+", choices=list(PLANS), default=list(PLANS))
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        return print(json.dumps(released(given.run)))
    if given.data is None:
        return print("give --data, a folder of the public files")
    table = Table("kind", "engine", "seconds", "verdict", "numbers", "figures", "bytes", title="released alike?")
    for kind in given.kinds:
        for engine in given.engines:
            start = time.perf_counter()
            found = run(kind, engine, given.data)
            seconds = f"{time.perf_counter() - start:.0f}"
            table.add_row(kind, engine, seconds, *(found[name] for name in ("verdict", "numbers", "figures", "bytes")))
            print(kind, engine, found, file=sys.stderr, flush=True)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
