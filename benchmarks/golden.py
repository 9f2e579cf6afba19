"""Releases of four real logs under a fixed key: digests of the data files, verdicts, gated numbers, CPU seconds.

Protocol: each log as Parquet with the columns of its plan, each way to protect for each audience, one release after the
other in this process; CPU seconds are user and system of this process, a first release of each log apart since it reads
and compiles. With --save the result becomes benchmarks/results/golden.json; without, it is compared with what stands
there, and a file whose bytes differ ends with exit code 1 (on another kind of machine eigenvectors may differ).

    python benchmarks/golden.py --data /path/to/data [--logs edify lamethods epm forum] [--save]
"""

import argparse
import hashlib
import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibis.expr.types import Table as Events

from sharewell import pipeline
from sharewell.data import engine
from sharewell.data.files import file_digest
from sharewell.data.formats import read
from sharewell.plan import document

RESULTS = Path(__file__).parent / "results" / "golden.json"
AUDIENCES, METHODS = ("public", "agreement", "enclave"), ("search", "groups")
PLAN = """
[release]
name = "golden"
audience = "{audience}"
key = "golden.key"
[traces.log]
file = "log.parquet"
student = "who"
at = "at"
quasi = ["verb"]
keep = {keep}
method = "{method}"
rows_without_time = "drop"
rows_without_student = "drop"
dates = {{ at = "{dates}" }}
"""


def edify(data: Path) -> tuple[Events, str, list[str]]:
    table = read(data / "moodle_edify" / "moodle_events.csv.gz").table
    table = table.filter(table.user_id.notnull() & ~table.Time.startswith("29/02/18"))
    return table.select(who=table.user_id, at=table.Time, verb=table["Event name"]), "day-first", []


def lamethods(data: Path) -> tuple[Events, str, list[str]]:
    table = read(data / "moodle_lamethods" / "Events.csv.gz").table
    marks = read(data / "moodle_lamethods" / "AllCombined.csv").table
    table = table.join(marks.select(name=marks.User, achieved=marks.AchievingGroup), table.user == marks.User)
    return table.select(who="user", at="timecreated", verb="Action", achieved="achieved"), "iso", ["achieved"]


def epm(data: Path) -> tuple[Events, str, list[str]]:
    table = read(data / "epm" / "epm_all_sessions.csv.gz").table
    idle = table.idle_time.cast("float64")
    return table.select(who="student_id", at="start_time", verb="activity", idle=idle), "day-first", ["idle"]


def forum(data: Path) -> tuple[Events, str, list[str]]:
    table = read(data / "mooc_forum_sna" / "DLT1_Edgelist.csv").table
    return table.select(who="Sender", at="Timestamp", verb="Discussion Category"), "month-first", []


LOGS: dict[str, Callable[[Path], tuple[Events, str, list[str]]]] = {
    "edify": edify, "lamethods": lamethods, "epm": epm, "forum": forum,
}  # fmt: skip


def released(folder: Path, *, audience: str, method: str, dates: str, keep: list[str]) -> dict[str, Any]:
    text = PLAN.format(audience=audience, method=method, dates=dates, keep=json.dumps(keep))
    (folder / "plan.toml").write_text(text)
    before = _cpu()
    outcome = pipeline.release(document.load(folder / "plan.toml"), root=folder / "out" / f"{method} {audience}")
    seconds = _cpu() - before
    data = folder / "out" / f"{method} {audience}" / "release" / "data"
    gated = [risk for file in outcome.findings.files for risk in file.after if risk.gate]
    return {
        "passed": outcome.verdict.passed,
        "files": {path.name: file_digest(path) for path in sorted(data.iterdir())} if outcome.verdict.passed else {},
        "gated": sorted({f"{risk.name}: {risk.seen:.6g}, limit {risk.limit:.6g}" for risk in gated if risk.limit}),
        "seconds": round(seconds, 1),
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--logs", nargs="+", choices=LOGS, default=list(LOGS))
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    changed = []
    for name in given.logs:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            table, dates, keep = LOGS[name](given.data)
            engine.copy(table, folder / "log.parquet", format="parquet")
            (folder / "golden.key").write_text(hashlib.sha256(b"golden").hexdigest())
            for method in METHODS:
                for audience in AUDIENCES:
                    case = f"{name}, {method}, {audience}"
                    found = released(folder, audience=audience, method=method, dates=dates, keep=keep)
                    same = known.get(case, {}).get("files") == found["files"]
                    changed += [] if same else [case]
                    print(case, "same bytes" if same else "OTHER BYTES", found["passed"], found["seconds"], flush=True)
                    known[case] = found
    if given.save:
        RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return 0 if given.save or not changed else 1


if __name__ == "__main__":
    sys.exit(main())
