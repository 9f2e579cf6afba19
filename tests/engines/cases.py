"""What is computed on one engine, to be compared with others: `python cases.py ENGINE FOLDER CASE …` prints it as JSON.

A process of its own for each engine, since Spark and Sail do not share one. The data holds what engines differ in:
missing cells, times below a second and before 1970, numbers that are none, and ids beyond ASCII.
"""

import errno
import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEY = "5eed" * 16
COHORTS, TYPING, ANSWERS = "in cohorts", "typing", "answers"
PLANTED = "Zephyrine Öztürk-Quagliarella"
MENTIONED = ("Marisol Etxeberria", "Tomasz Nowak")  # in posts, and on no list
QUOTED = "Cassandra Nemo"  # in the errors that are staged; Spark's event log repeats what a failed task said
PLAN = """
[release]
name = "the same on every engine"
audience = "agreement"
exclude = "optouts.csv"
key = "key"

[records.students]
file = "FILE"
student = "student"
direct = ["name"]
quasi = ["age", "size", "town"]
sensitive = ["ill"]
keep = ["passed"]
target = "passed"
seconds = 0.5
limit = { k = 2, l = 1, predicate = 1.0 }

[traces.clicks]
file = "clicks"
student = "student"
at = "time"
quasi = ["verb"]
direct = ["name"]
method = "groups"
limit = { unicity = 0.3, known = 2 }
"""

MIXED = """
[release]
name = "each file where it can be computed"

[records.students]
file = "students.parquet"
student = "student"
direct = ["name"]
quasi = ["age", "size", "town"]
sensitive = ["ill"]
keep = ["passed"]

[responses.answers]
file = "answers.parquet"
student = "student"
item = "item"
correct = "correct"
"""

FORUM = """
[release]
name = "posts on every engine"
audience = "agreement"
key = "key"

[posts.forum]
file = "forum"
student = "student"
text = ["subject", "message"]
keep = ["votes"]
roster = { file = "roster.csv", columns = ["name"] }
replace_by = "surrogate"
indirect = ["age"]
style = "plain"
limit = { residual = 1.0 }
"""
WRITTEN = (
    "Hi all, {name} here. I am 19 years old and lost: does anyone see why ItemÜber gives 0? Rose knows.",
    "@{first} write to q{number}@uni.example or call 0171 555 01{number:02d}.\n\nGrace and a rose is red,\n{first}",
    "thanks {first}! we all rose early, grace helped. See https://forum.example/{number} for more",
    "谢谢欧阳娜的回答，很有帮助",
    "Saya tidak tahu apakah ini sudah benar atau belum, kata Budi Santoso",
    "", None,
)  # fmt: skip


def student(number: int) -> str:
    return f"zoë{number:03d}" if number % 3 else f"ñandú {number}"


def clicks(students: int = 40, events: int = 1500) -> pa.Table:
    draw = np.random.default_rng(5)
    who = draw.integers(0, students, events)
    moments = draw.integers(0, 30 * 86_400 * 4, events) / 4
    base = datetime(2024, 3, 4)
    times = [base + timedelta(seconds=float(second)) for second in moments]
    times[7], times[9] = datetime(1969, 12, 31, 23, 59, 59, 500_000), datetime(1969, 12, 31)
    verbs = ["read", "prüfen", "post", None]
    return pa.table(
        {
            "student": [student(int(one)) for one in who],
            "time": pa.array(times, pa.timestamp("us")),
            "verb": [verbs[place] for place in draw.integers(0, len(verbs), events)],
            "name": [PLANTED] * events,
        }
    )


def students(count: int = 80) -> pa.Table:
    draw = np.random.default_rng(6)
    sizes = [None if one == 0 else float("nan") if one == 1 else 1e10 if one == 2 else one / 4 for one in range(7)]
    return pa.table(
        {
            "student": [student(number) for number in range(count)],
            "name": [PLANTED] * count,
            "age": pa.array([None if one == 18 else int(one) for one in draw.integers(18, 24, count)], pa.int32()),
            "size": pa.array([sizes[one] for one in draw.integers(0, 7, count)], pa.float64()),
            "town": [["Åbo", "Turku", None][one] for one in draw.integers(0, 3, count)],
            "ill": [["yes", "no"][one] for one in draw.integers(0, 2, count)],
            "passed": [bool(one) for one in draw.integers(0, 2, count)],
        }
    )


def digest(table: pa.Table) -> str:
    """Of the rows in any order, types included."""
    rows = sorted(map(repr, zip(*(column.to_pylist() for column in table.columns), strict=True)))
    kinds = [f"{field.name}: {field.type}" for field in table.schema]
    return hashlib.sha256("\n".join([*kinds, *rows]).encode()).hexdigest()


def figures(risks: Sequence[Any]) -> list[str]:
    return [f"{risk.name} {risk.attacker} {risk.value!r} {risk.low!r} {risk.high!r} {risk.n}" for risk in risks]


def unicity(folder: Path) -> Any:
    import sharewell as sw

    also: dict[str, Any] = {"student": "student", "at": "time", "also": ["verb"]}
    found = [
        risk
        for attacker in ("random", "rare", "consecutive")
        for risk in sw.traces.unicity(clicks(), window="1d", attacker=attacker, known=[1, 2, 4], repeats=2, **also)
    ]
    local = sw.traces.unicity(clicks(), window="15min", timezone="Asia/Kathmandu", known=[2], repeats=2, **also)
    return figures([*found, *local])


def coarsened(folder: Path) -> Any:
    import sharewell as sw

    return [digest(sw.traces.coarsen(clicks(), at="time", window=window)) for window in ("15min", "1w", "1mo", "3mo")]


def searched(folder: Path) -> Any:
    import sharewell as sw

    found = sw.traces.protect(clicks(), student="student", at="time", also=["verb"], k=3, key=bytes.fromhex(KEY))
    assert found.curve is not None
    return [digest(found.table), repr([point.risk for point in found.curve.points])]


def records(folder: Path) -> Any:
    import sharewell as sw

    table, quasi = students().drop_columns(["name", "student"]), ["age", "size", "town"]
    done = sw.records.anonymize(table, quasi=quasi, k=3, l=2, sensitive=["ill"], target="passed", seconds=0.5)
    recounted = sw.records.recount(done.table, quasi=quasi, sensitive=["ill"])
    return [*figures(sw.records.assess(table, quasi=quasi, sensitive=["ill"])), digest(done.table), *figures(recounted)]


def ids_of_rows(folder: Path) -> Any:
    """Pseudonyms for ids that stand in rows: texts, numbers, cells that repeat and cells that are missing."""
    from sharewell.data import engine
    from sharewell.data.keyed import Keyed
    from sharewell.data.pseudonyms import of_rows

    table = students().select(["student", "town", "age", "size"])
    made = of_rows(engine.table(table), ["student", "town", "age"], Keyed(bytes.fromhex(KEY), "release"))
    return digest(engine.arrow(made))


def in_parts(table: pa.Table, folder: Path) -> None:
    folder.mkdir()
    half = table.num_rows // 2
    pq.write_table(table.slice(0, half), folder / "part-0.parquet")
    pq.write_table(table.slice(half), folder / "part-1.parquet")


def of_a_catalog(folder: Path) -> str:
    """As a plan names a table of a folder, once the catalog of the engine knows it."""
    if os.environ["SHAREWELL_ENGINE"] == "duckdb":
        return folder.name
    from sharewell.data.backends.spark import spark

    session = spark(os.environ["SHAREWELL_ENGINE"]).session
    session.sql("CREATE DATABASE IF NOT EXISTS course")
    session.sql(f"DROP TABLE IF EXISTS course.{folder.name}")
    session.sql(f"CREATE TABLE course.{folder.name} USING parquet LOCATION '{folder}'")
    return f"catalog:course.{folder.name}"


def release(folder: Path) -> Any:
    """A whole release of students and their log."""
    return released(folder / "whole", PLAN)


def registered(folder: Path) -> Any:
    """A release of the students alone."""
    return released(folder / "registered", PLAN.partition("[traces.")[0])


def released(folder: Path, plan: str) -> Any:
    """What was written, byte by byte, and what was measured.

    A log in parts, and students whom Spark's catalog knows; DuckDB, which has none, reads a folder. All leave in parts.
    """
    folder.mkdir()
    in_parts(students().sort_by("student"), folder / "students")  # a table of a catalog comes in an order of its own
    in_parts(clicks(), folder / "clicks")
    (folder / "optouts.csv").write_text(f"student\n{student(1).upper()}\n", encoding="utf-8")
    return written_of(folder, plan.replace("FILE", of_a_catalog(folder / "students")))


def written_of(folder: Path, plan: str) -> Any:
    """A release of this plan: digests of its files, and what was told of them."""
    from sharewell import pipeline
    from sharewell.data.files import file_digest
    from sharewell.plan.document import load

    (folder / "key").write_text(KEY)
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    outcome = pipeline.release(load(folder / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    made = folder / "release"
    assert json.loads((made / "manifest.json").read_text())["engine"] == os.environ["SHAREWELL_ENGINE"]
    written = {path.name: file_digest(path) for path in sorted((made / "data").iterdir())}
    return {**written, "summary": json.loads((made / "summary.json").read_text())}


def forum(posts: int = 180) -> pa.Table:
    """Posts that name people, some of them in other scripts, some empty, some missing."""
    draw = np.random.default_rng(8)
    places = range(posts)
    names = [PLANTED, *MENTIONED, "Will Grace"]
    said = []
    for number, which in enumerate(draw.integers(0, len(WRITTEN), posts)):
        name = names[number % len(names)]
        text = WRITTEN[which]
        said.append(text and text.format(name=name, first=name.split()[0], number=number % 90))
    return pa.table({
        "student": [student(int(one)) for one in draw.integers(0, 20, posts)],
        "subject": [None if number % 7 == 0 else f"Question of {names[number % 3].split()[0]}" for number in places],
        "message": said,
        "votes": draw.integers(0, 5, posts),
    })  # fmt: skip


def posts(folder: Path) -> Any:
    """A release of posts: masked, counted, judged and redacted in parts by workers, after people marked some words."""
    from sharewell.posts import cells

    folder = folder / "posts"
    review = folder / "private" / "review" / "posts.forum"
    review.mkdir(parents=True, mode=0o700)
    (folder / "private").chmod(0o700)
    (review / "names.csv").write_text("word,mark\nrose,both\ngrace,both\nnowak,name\n", encoding="utf-8")
    in_parts(forum(), folder / "forum")
    (folder / "roster.csv").write_text(f"name\n{PLANTED}\n欧阳娜\n", encoding="utf-8")
    with patch.object(cells, "BATCH", 40):
        return written_of(folder, FORUM)


def mixed(folder: Path) -> Any:
    """A plan with a kind that is computed on DuckDB, whatever the engine: each file where it can be."""
    from sharewell import pipeline
    from sharewell.plan.document import load

    draw = np.random.default_rng(7)
    users, items = [student(number % 20) for number in range(200)], [f"i{one}" for one in draw.integers(0, 5, 200)]
    answers = pa.table({"student": users, "item": items, "correct": draw.integers(0, 2, 200)})
    pq.write_table(answers, folder / "answers.parquet")
    pq.write_table(students(), folder / "students.parquet")
    (folder / "mixed.toml").write_text(MIXED, encoding="utf-8")
    found = pipeline.assess(load(folder / "mixed.toml"))
    chosen = os.environ["SHAREWELL_ENGINE"]
    assert {file.label: file.engine for file in found.files} == {
        "records.students": chosen,
        "responses.answers": "duckdb",
    }
    return [figures(file.before) for file in found.files]


def company(folder: Path) -> Any:
    """Students with identical rows, of a log in which some are alike."""
    from sharewell.data import engine
    from sharewell.traces.row_classes import class_sizes

    rows = clicks().select(["student", "verb"])
    doubles = [rows.set_column(0, "student", pc.binary_join_element_wise(rows["student"], str(n), "-")) for n in (1, 2)]
    return [repr(class_sizes(engine.table(pa.concat_tables([*doubles, rows.slice(5)])), "student"))]


def in_cohorts(folder: Path) -> Any:
    """A log of several cohorts: each protected by whoever has room, all attacked together."""
    from sharewell.contract import Job
    from sharewell.data import engine
    from sharewell.data.keyed import Keyed
    from sharewell.traces import study
    from sharewell.traces.protection import cohorts
    from sharewell.traces.section import Limit, Section
    from sharewell.traces.utility import sample

    section = Section(
        name="clicks", folder=folder, file="clicks.parquet", student="student", at="time", quasi=("verb",),
        direct=("name",), limit=Limit(k=2),
    )  # fmt: skip
    with (
        patch.multiple(cohorts, IN_A_COHORT=500),
        patch.multiple(sample, ENOUGH=500),
    ):
        source, keyed = engine.table(clicks()), Keyed(bytes.fromhex(KEY), COHORTS)
        opened = study.open(Job(section=section, source=source, seed=0, keyed=keyed))
        found = opened.protect()
        rows, uses = engine.arrow(found.table), opened.utility(found)
        told = [f"{use.name} {use.value:.9g} {use.setting}" for use in uses]
        before = figures(opened.before())
        later = next_version(section, folder, keyed)
        return [digest(rows), repr(found.changes), *before, *figures(opened.attack(found)), *told, later]


def next_version(section: Any, folder: Path, keyed: Any) -> str:
    """A log in cohorts with the groups of an earlier release, which one student has left and another has joined."""
    from pyarrow import csv

    from sharewell.contract import Job
    from sharewell.data import engine
    from sharewell.traces import study

    def protected(left_out: int, **more: Any) -> Any:
        table = clicks()
        rows = engine.table(table.filter(pc.not_equal(table["student"], student(left_out))))
        asked = replace(section, method="groups", **more)
        return study.open(Job(section=asked, source=rows, seed=0, keyed=keyed)).protect()

    csv.write_csv(engine.arrow(protected(4).private["groups"]), folder / "groups.csv")
    found = protected(7, recoding=str(folder / "groups.csv"))
    return digest(engine.arrow(found.table)) + digest(engine.arrow(found.private["groups"]))


def typed(students: int = 24, sessions: int = 4, keys: int = 24) -> pa.Table:
    """Typists of different paces, with a column that goes with the keys."""
    draw = np.random.default_rng(9)
    each = sessions * keys
    press = np.cumsum(draw.exponential(np.repeat(draw.uniform(80, 300, students), each))).round().astype(int)
    return pa.table({
        "student": np.repeat([student(number) for number in range(students)], each),
        "task": np.tile(np.repeat([f"Übung {one}" for one in range(sessions)], keys), students),
        "key": np.array(list("abcde f7ü"))[draw.integers(0, 9, students * each)],
        "press": press, "release": press + draw.integers(40, 120, len(press)),
        "note": [None if place % 11 == 0 else f"{place}" for place in range(len(press))],
    })  # fmt: skip


def typing(folder: Path) -> Any:
    """A file of key events in partitions: its tables on DuckDB, its partitions with whoever has room."""
    from sharewell.contract import Job
    from sharewell.data import engine
    from sharewell.data.keyed import Keyed
    from sharewell.keystrokes import partitions, study
    from sharewell.keystrokes.protection import release
    from sharewell.keystrokes.protection.draft import KeySetting, Setting
    from sharewell.keystrokes.protection.search import Choice
    from sharewell.keystrokes.section import Limit, Section

    section = Section(
        name="typing", folder=folder, file="keys.parquet", student="student", session="task", key="key",
        press="press", release="release", keep=("note",), limit=Limit(found=0.5, within=2), redact_text=False,
    )  # fmt: skip
    size, setting = typed().num_rows, Setting(keys=KeySetting(exchanged=0.8), classes=2, stray=0.3)
    with (
        patch.multiple(partitions, LEAST_STUDENTS=5, MOST_EVENTS=size // 4),
        patch.object(release, "chosen", lambda search: Choice(setting=setting)),
        engine.one_of(["duckdb"]),
    ):
        keyed = Keyed(bytes.fromhex(KEY), TYPING)
        opened = study.open(Job(section=section, source=engine.table(typed()), seed=0, keyed=keyed))
        assert opened.roster.partitions > 1
        done = opened.protect()
        attacked = figures(opened.attack(done))
        told = [f"{use.name} {use.value:.9g}" for use in opened.utility(done)]
        return [digest(engine.arrow(done.table)), digest(done.private["sessions"]), repr(done.changes), attacked, told]


def answers(folder: Path) -> Any:
    """A log of responses of which some students are learnt from: read on DuckDB, splits with whoever has room."""
    from sharewell.contract import Job
    from sharewell.data import engine
    from sharewell.data.keyed import Keyed
    from sharewell.responses import drawn_students, study
    from sharewell.responses.protection import strength_search
    from sharewell.responses.section import Limit, Section

    draw = np.random.default_rng(9)
    rows, people = 4_000, 120
    log = pa.table(
        {
            "student": [student(int(one)) for one in draw.integers(0, people, rows)],
            "item": [f"übung {one}" for one in draw.integers(0, 12, rows)],
            "correct": draw.integers(0, 2, rows),
        }
    )
    section = Section(
        name="answers", folder=folder, file="answers.parquet", student="student", item="item", correct="correct", m=5,
        noise=1.0, repeats=3, limit=Limit(membership=0.7, tpr=0.5),
    )  # fmt: skip
    with (
        patch.multiple(drawn_students, LARGE=100, LEARNT_FROM=rows // 2, LEAST_STUDENTS=20),
        patch.object(strength_search, "MANY_ROWS", 1),
        engine.one_of(["duckdb"]),
    ):
        keyed = Keyed(bytes.fromhex(KEY), ANSWERS)
        opened = study.open(Job(section=section, source=engine.table(log), seed=0, keyed=keyed))
        done = opened.protect()
        return [digest(engine.arrow(done.table)), repr(done.changes), figures(opened.attack(done))]


CASES: dict[str, Callable[[Path], Any]] = {
    "unicity": unicity,
    "company": company,
    "coarsened": coarsened,
    "searched": searched,
    "records": records,
    "ids of rows": ids_of_rows,
    "registered": registered,
    "release": release,
    "in cohorts": in_cohorts,
    "posts": posts,
    "mixed": mixed,
    "typing": typing,
    "answers": answers,
}


def full_disk(task: int) -> pa.Table:
    raise OSError(errno.ENOSPC, "No space left on device", QUOTED)


def lost(task: int) -> pa.Table:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a process that is killed says nothing")


def unreadable_cell(folder: Path) -> None:
    from sharewell.data import engine

    names = engine.table(pa.table({"name": [QUOTED]}))
    engine.arrow(names.select(number=names["name"].cast("int64")))


def missing_part(folder: Path) -> None:
    from sharewell.data import engine

    in_parts(students(), folder / "gone")
    table = engine.table(folder / "gone")
    (folder / "gone" / "part-1.parquet").unlink()
    engine.arrow(table)


def other_columns(folder: Path) -> None:
    from sharewell.data import engine

    in_parts(students(), folder / "unlike")
    pq.write_table(students(3).drop_columns(["age"]), folder / "unlike" / "part-2.parquet")
    engine.table(folder / "unlike")


def other_types(folder: Path) -> None:
    from sharewell.data import engine

    in_parts(students().select(["age", "name"]), folder / "mixed")
    pq.write_table(pa.table({"age": [QUOTED], "name": [QUOTED]}), folder / "mixed" / "part-2.parquet")
    engine.table(folder / "mixed")


def by_a_worker(work: Callable[[int], pa.Table]) -> Callable[[Path], None]:
    def run(folder: Path) -> None:
        from sharewell.data import engine

        table = engine.table(students(3))
        list(engine.of(table).each(work, [1, 2], pa.schema([("n", pa.int64())])))

    return run


FAILURES: dict[str, Callable[[Path], None]] = {
    "full disk": by_a_worker(full_disk),
    "lost worker": by_a_worker(lost),
    "missing part": missing_part,
    "other columns": other_columns,
    "other types": other_types,
    "unreadable cell": unreadable_cell,
}


def failures(folder: Path) -> dict[str, str]:
    """What is said of each thing that can go wrong."""
    from sharewell.data import engine

    said = {}
    for name, run in FAILURES.items():
        try:
            with engine.clear_sentences():
                run(folder)
        except Exception as error:
            said[name] = f"{type(error).__name__}: {error}"
    return said


ONLY_ON_SPARK: dict[str, Callable[[Path], Any]] = {"failures": failures}


def main(engine: str, folder: Path, *names: str) -> None:
    os.environ["SHAREWELL_ENGINE"] = engine
    os.environ.setdefault("SHAREWELL_SPARK", "local[2]")
    known = {**CASES, **ONLY_ON_SPARK}
    if engine == "spark":
        from sharewell.data.backends import spark

        spark.LOCAL["spark.sql.shuffle.partitions"] = "2"  # of so little data: eight are eight tasks in every step
    print(json.dumps({name: known[name](folder) for name in names}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
