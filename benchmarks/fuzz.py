"""Feeds broken plans, papers, lists and files to everything that reads them: no crash, no hang, no value in a message.

    python benchmarks/fuzz.py --minutes 60 --seed 1

Each round draws fresh examples with Hypothesis for every family. An example passes if it is read, or refused with an
error that is meant for users; whatever else is raised is a crash, over `SLOW` seconds of work a hang, and a canary in a
message a leak. Failures are printed in their shortest form; the last line counts them. Exit 1 if there were any.
"""

import argparse
import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from sharewell import pipeline
from sharewell.data import engine, formats, optouts, sources
from sharewell.errors import SharewellError
from sharewell.plan.document import Exclude, load
from sharewell.release import papers, verify

CANARY = "Xanthippe"
SLOW = 60
EXAMPLES = 25  # of a family in a round

CSV = f'id,name,age,at\ns1,{CANARY},20,2025-03-01 10:00:00\ns2,"{CANARY} B",21,2025-03-02 11:00:00\n'.encode()
ROWS = [{"id": f"s{n}", "name": CANARY, "age": 20 + n, "at": "2025-03-01 10:00:00"} for n in range(4)]
JSONL = "\n".join(json.dumps(row) for row in ROWS).encode()
STATEMENT = {
    "id": "x", "actor": {"account": {"name": CANARY}}, "verb": {"id": "http://v"}, "object": {"id": "http://o"},
    "timestamp": "2025-03-01T10:00:00Z",
}  # fmt: skip
EVENT = {"username": CANARY, "time": "2025-03-01T10:00:00Z", "event_type": "play", "context": {"user_id": 7}}
MAIN = (
    "EventID,SubjectID,EventType,Order,ClientTimestamp,InsertText,DeleteText,AssignmentID\n"
    f"1,{CANARY},File.Edit,1,2025-03-01T10:00:00,a,,x\n2,{CANARY},File.Edit,2,2025-03-01T10:00:01,b,,x\n"
).encode()


def parquet() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(ROWS), sink)
    return bytes(sink.getvalue().to_pybytes())


def zipped() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.csv", CSV)
    return sink.getvalue()


def workbook() -> bytes:
    book, sink = Workbook(), io.BytesIO()
    for row in (list(ROWS[0]), *(list(row.values()) for row in ROWS)):
        book.active.append(row)
    book.save(sink)
    return sink.getvalue()


def sqlite() -> bytes:
    with sqlite3.connect(":memory:") as base:
        base.execute("create table a (id text, name text, age integer, at text)")
        base.executemany("insert into a values (?, ?, ?, ?)", [tuple(row.values()) for row in ROWS])
        base.commit()
        return base.serialize()


def database() -> bytes:
    with tempfile.TemporaryDirectory() as made:
        with duckdb.connect(f"{made}/a.duckdb") as base:
            base.execute(f"create table a as select 's1' as id, '{CANARY}' as name, 20 as age")
        return Path(made, "a.duckdb").read_bytes()


CALIPER = {
    "id": "urn:uuid:1", "type": "GradeEvent", "actor": {"id": CANARY, "type": "Person"}, "action": "Graded",
    "object": {"id": "q", "name": "Quiz"}, "generated": {"scoreGiven": 3.5}, "eventTime": "2024-11-15T10:15:00.000Z",
}  # fmt: skip
THREAD = {"_id": {"$oid": "51"}, "_type": "CommentThread", "author_id": "9", "body": CANARY, "title": "Hi"}
CANVAS = {"key": {"id": 1}, "value": {"user_id": CANARY, "score": 8.5}, "meta": {"ts": "2024"}}
GRADES = f"Student,ID,SIS Login ID,Section,Quiz (1)\n    Points Possible,,,,10\n{CANARY},1,a,S1,9\n"

# format → the name of a file and a sound example of it
SOUND: dict[str, tuple[str, bytes]] = {
    "csv": ("a.csv", CSV),
    "csv.gz": ("a.csv.gz", gzip.compress(CSV)),
    "csv.zst": ("a.csv.zst", pa.compress(CSV, codec="zstd", asbytes=True)),
    "csv in UTF-16": ("b.csv", CSV.decode().encode("utf-16")),
    "tsv": ("a.tsv", CSV.replace(b",", b"\t")),
    "jsonl": ("a.jsonl", JSONL),
    "json": ("a.json", json.dumps(ROWS).encode()),
    "parquet": ("a.parquet", parquet()),
    "xapi": ("x.json", json.dumps([STATEMENT] * 3).encode()),
    "edx": ("e.jsonl", "\n".join([json.dumps(EVENT)] * 3).encode()),
    "datashop": ("d.tsv", f"Anon Student Id\tOutcome\tTime\n{CANARY}\tCORRECT\t1\n".encode()),
    "moodle": ("m.csv", f"Time,Description\n1,The user with id '7' saw {CANARY}\n".encode()),
    "moodle_forum": ("f.json", json.dumps([[{"userid": 1, "subject": CANARY, "message": "x"}]]).encode()),
    "oulad": ("o.csv", b"code_presentation,id_student,date,sum_click\n2013J,7,-10,3\n2014B,8,5,1\n"),
    "csv.bz2": ("a.csv.bz2", bz2.compress(CSV)),
    "csv.xz": ("a.csv.xz", lzma.compress(CSV)),
    "csv.zip": ("a.csv.zip", zipped()),
    "xlsx": ("a.xlsx", workbook()),
    "sqlite": ("a.sqlite", sqlite()),
    "duckdb": ("a.duckdb", database()),
    "caliper": ("c.jsonl", json.dumps(CALIPER).encode()),
    "canvas": ("submissions.jsonl", json.dumps(CANVAS).encode()),
    "canvas_gradebook": ("g.csv", GRADES.encode()),
    "blackboard": ("bb.tsv", f"Last Name\tFirst Name\tUsername\tQuiz\n{CANARY}\tA\tab\t7\n".encode("utf-16")),
    "edx_forum": ("t.jsonl", json.dumps(THREAD).encode()),
    "moodle_quiz": ("q.csv", f"Surname,First name,Email address,Response 1\n{CANARY},A,a@b.example,true\n".encode()),
    "progsnap2": ("MainTable.csv", MAIN),
    "snapshots": ("s.csv", f"student,session,time,code\n{CANARY},1,1000,a\n{CANARY},1,1100,ab\n".encode()),
}
NAMED = (
    "xapi", "edx", "datashop", "moodle", "moodle_forum", "oulad", "progsnap2", "snapshots", "caliper", "canvas",
    "canvas_gradebook", "blackboard", "edx_forum", "moodle_quiz",
)  # fmt: skip
PLAN = """
[release]
name = "Course"
audience = "enclave"
exclude = { file = "optouts.csv", unknown = "accept", similar = "accept" }
[records.students]
file = "a.csv"
student = "id"
direct = ["name"]
quasi = ["age"]
keep = ["at"]
limit = { k = 2 }
[traces.clicks]
file = "a.jsonl"
student = "id"
at = "at"
quasi = ["age"]
drop = ["name"]
"""
SMALL = """
[release]
name = "Course"
audience = "enclave"
[records.students]
file = "a.csv"
student = "id"
direct = ["name"]
quasi = ["age", "sex"]
keep = ["mark"]
limit = { k = 2 }
"""
TOKENS = (
    b'"', b"'", b",", b";", b"\n", b"\r", b"\r\n", b"\0", b"\t", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"{", b"}",
    b"[", b"]", b"[" * 300, b'{"a":' * 300, b"NaN", b"-Infinity", b"1e999", b"9" * 40, b"0.1234567890123456789", b"=",
    b'"""', b"\\", b"\\u0000", b"\\ud800", b"\xed\xa0\x80", "\u200b".encode(), "\u202e".encode(), b"*", b"../", b"=1+1",
    b"id", b"__row", b"true", b"[[x]]", b"[release]", b"#", b"'''", b"9999-99-99", b" " * 50,
)  # fmt: skip


@st.composite
def broken(draw: st.DrawFn, sound: bytes) -> bytes:
    """Sound bytes after a few cuts, doublings, flips and foreign bytes."""
    raw = bytearray(sound)
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(raw)))
        end = min(len(raw), place + draw(st.integers(0, 30)))
        what = draw(st.sampled_from(["cut", "double", "flip", "put", "random", "end", "swap"]))
        if what == "cut":
            del raw[place:end]
        elif what == "double":
            raw[place:place] = raw[place:end] * draw(st.integers(1, 20))
        elif what == "flip" and place < len(raw):
            raw[place] ^= 1 << draw(st.integers(0, 7))
        elif what == "put":
            raw[place:place] = draw(st.sampled_from(TOKENS))
        elif what == "random":
            raw[place:end] = draw(st.binary(max_size=20))
        elif what == "end":
            del raw[place:]
        elif what == "swap":
            raw[place:end] = draw(st.sampled_from(TOKENS))
    return bytes(raw)


@dataclass
class Tally:
    """What the examples came to."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def attempt(action: Callable[[], object], tally: Tally) -> None:
    """One example: read, refused, or a failure of ours."""
    try:
        action()
    except (SharewellError, papers.Malformed) as error:
        assert CANARY not in str(error), f"leak: {error}"
        assert len(str(error)) < 20_000, "a message without end"
        tally.outcomes["refused"] += 1
    else:
        tally.outcomes["read"] += 1


def reader(name: str, folder: Path, tally: Tally) -> Callable[[], None]:
    file, sound = SOUND[name]

    def run(raw: bytes) -> None:
        (folder / file).write_bytes(raw)
        format = name if name in NAMED else None
        path = folder / file
        attempt(lambda: sources.on_disk(formats.read(path, format=format, texts=("id",)).table, path), tally)

    return run_with(broken(sound), run)


def plans(folder: Path, tally: Tally) -> Callable[[], None]:
    def run(raw: bytes) -> None:
        (folder / "plan.toml").write_bytes(raw)
        attempt(lambda: sources.read(load(folder / "plan.toml")), tally)

    return run_with(broken(PLAN.encode()), run)


def lists(folder: Path, tally: Tally) -> Callable[[], None]:
    def run(raw: bytes) -> None:
        (folder / "list.csv").write_bytes(raw)
        exclude = Exclude(file="list.csv", unknown="accept", similar="accept")
        attempt(lambda: optouts.read(exclude, folder, []), tally)

    return run_with(broken(b"id,why\ns1,x\ns2,y\n") | st.binary(max_size=80), run)


def sound_release(folder: Path) -> Path:
    """A small release as the flow writes it: only what is broken afterwards is wrong with it."""
    folder.mkdir()
    rows = [f"s{n},{CANARY},{20 + n % 2},{'fm'[n // 2 % 2]},{n % 3}" for n in range(40)]
    (folder / "a.csv").write_text("\n".join(["id,name,age,sex,mark", *rows, ""]), encoding="utf-8")
    (folder / "plan.toml").write_text(SMALL, encoding="utf-8")
    outcome = pipeline.release(load(folder / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    return folder / "release"


def releases(folder: Path, tally: Tally) -> Callable[[], None]:
    """A release with broken papers: as they are, and with hashes that fit what was broken."""
    sound = sound_release(folder / "made")
    texts = {name: (sound / name).read_bytes() for name in ("manifest.json", "summary.json")}
    broken_papers = st.sampled_from(sorted(texts)).flatmap(lambda name: st.tuples(st.just(name), broken(texts[name])))

    def run(drawn: tuple[tuple[str, bytes], bool]) -> None:
        (name, raw), fitting = drawn
        release = folder / "release"
        shutil.rmtree(release, ignore_errors=True)
        shutil.copytree(sound, release)
        (release / name).write_bytes(raw)
        if fitting and name == "summary.json":
            manifest = json.loads(texts["manifest.json"])
            manifest["files"][name] = hashlib.sha256(raw).hexdigest()
            (release / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        attempt(lambda: no_canary(verify.verify(release)), tally)

    return run_with(st.tuples(broken_papers, st.booleans()), run)


def no_canary(said: object) -> None:
    assert CANARY not in repr(said), "leak: verify names a student"


def run_with(strategy: st.SearchStrategy, run: Callable) -> Callable[[], None]:
    quiet = settings(
        max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink], print_blob=False,
    )  # fmt: skip
    return quiet(given(strategy)(run))


def too_slow(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"a family of examples took more than {SLOW} seconds of work")


def round_of(families: dict[str, Callable[[], None]], number: int, tally: Tally) -> None:
    for name, family in families.items():
        signal.setitimer(signal.ITIMER_PROF, SLOW)  # of work, however busy the machine is
        try:
            seed(number)(family)()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error)[:300]}"
            if told not in tally.failures:
                tally.failures.append(told)
                print(told, *(note[:2_000] for note in getattr(error, "__notes__", ())), sep="\n   ", flush=True)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    signal.signal(signal.SIGPROF, too_slow)
    until, number, tally = time.monotonic() + 60 * asked.minutes, asked.seed * 1_000_000, Tally()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, content in (*SOUND.values(), ("optouts.csv", b"id\ns1\n")):
            (folder / name).write_bytes(content)
        families = {name: reader(name, _own(folder, name), tally) for name in SOUND}
        families |= {"plan": plans(folder, tally), "list": lists(folder, tally), "release": releases(folder, tally)}
        while time.monotonic() < until:
            number += 1
            round_of(families, number, tally)
            for spilled in engine.scratch().glob("*.parquet"):
                os.unlink(spilled)  # noqa: PTH108 — a round leaves thousands
    examples = sum(tally.outcomes.values())
    counts = f"{tally.outcomes['read']:,} read, {tally.outcomes['refused']:,} refused"
    print(f"{examples:,} examples in {asked.minutes:g} minutes: {counts}, {len(tally.failures)} failures")
    return 1 if tally.failures else 0


def _own(folder: Path, name: str) -> Path:
    own = folder / name.replace(" ", "-")
    own.mkdir(exist_ok=True)
    return own


if __name__ == "__main__":
    sys.exit(main())
