"""What each release of typing keeps, what it costs, and what attacks find: events, profiles and the means of a course.

    python benchmarks/keystrokes_kept.py --data DATA --skip 0 400 --out benchmarks/results/keystrokes_kept.md
    python benchmarks/keystrokes_kept.py --data DATA --source OTHER/src --label before --kinds events

Protocol: Aalto typists in groups of 200 by id. `init` writes the plan (agreement: .10 within ten, AUC .55); each
release is the command in a process of its own, CPU of its tree and the peak of its summed PSS; `--source` takes
another checkout. `found` is the number that the gate holds (events: the strongest attack, mean over fresh draws;
profiles: what nobody exceeds). `kept` are correlations over students (lengths: over sessions; course means: over pairs
and keys), as the release itself measures them; `unit` is `for i in range(30_000_000): x += i*i%7` at that moment, in
CPU seconds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow.csv as csv
from keystrokes_typists import typists

import sharewell

KINDS = {
    "events": "",
    "profiles, latencies": 'publish = "profiles"\nabout = "latencies"',
    "profiles, holds": 'publish = "profiles"\nabout = "holds"',
    "profiles, corrections": 'publish = "profiles"\nabout = "corrections"',
    "course, all": 'publish = "course"\nabout = ["latencies", "holds", "corrections"]',
}
HEADS = ("release", "typists", "verdict", "found", "AUC, upper end", "kept", "CPU s", "MB", "unit, s")
FOUND = ("strongest identification", "found in shared profiles")
SHORT = {
    "mean speed kept": "speed",
    "differences in alphabetic digraphs kept": "letter pairs",
    "differences in corrections kept": "corrections",
    "session lengths kept": "lengths",
    "texts kept": "texts",
    "differences in averages kept": "differences",
    "averages of the course kept": "course means",
}


def unit() -> float:
    """CPU seconds of a plain loop, as the issues count them."""
    loop = "x = 0\nfor i in range(30_000_000): x += i*i%7"
    start = time.process_time()
    exec(compile(loop, "unit", "exec"), {})
    return time.process_time() - start


def run(source: Path, folder: Path, *arguments: str) -> tuple[int, float, float]:
    """Exit code, CPU seconds of the tree and peak of its summed PSS in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "sharewell", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    code = process.wait()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak[0]


def _watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    while process.poll() is None:
        total = 0.0
        try:
            for one in (psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)):
                lines = Path(f"/proc/{one.pid}/smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
        except (OSError, psutil.Error, StopIteration):
            continue
        peak[0] = max(peak[0], total)
        time.sleep(0.1)


def released(source: Path, data: Path, skip: int, people: int, extra: str) -> list[str]:
    """One release of a group by the command: its verdict, the numbers of its limits, what it kept, what it cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        csv.write_csv(typists(data, people, skip).drop_columns(["sentence"]), folder / "keys.csv")
        run(source, folder, "init", ".")
        plan = folder / "plan.toml"
        plan.write_text(plan.read_text("utf-8").replace("[keystrokes.keys]", f"[keystrokes.keys]\n{extra}"), "utf-8")
        code, seconds, peak = run(source, folder, "release", "plan.toml")
        papers = [*folder.glob("release/summary.json"), *folder.glob("private/*/findings.json")]
        (file,) = json.loads(papers[0].read_text("utf-8"))["files"]
        held = {risk["name"]: risk for risk in file["risk_after" if "risk_after" in file else "after"] if risk["gate"]}
        found = [risk["value"] for name, risk in held.items() if name in FOUND]
        area = held.get("auc", {}).get("high")
        kept = [f"{short} {use['value']:.2f}" for use in file["utility"] if (short := _short(use)) is not None]
        cells = [f"{max(found):.3f}" if found else "–", "–" if area is None else f"{area:.3f}", ", ".join(kept)]
        return ["met" if code == 0 else "refused", *cells, f"{seconds:.0f}", f"{peak:.0f}"]


def _short(use: dict[str, Any]) -> str | None:
    about = (use.get("setting") or {}).get("about")
    name = SHORT.get(use["name"])
    return f"{name} of {about}" if name and about else name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aalto_keystrokes")
    parser.add_argument("--skip", type=int, nargs="*", default=[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--source", type=Path, default=Path(sharewell.__file__).parents[1], help="src of a checkout")
    parser.add_argument("--label", default="", help="said beside the release")
    parser.add_argument("--out", type=Path, help="the page to which rows are added")
    options = parser.parse_args()
    for skip in options.skip:
        for kind in options.kinds:
            group = f"{skip + 1} to {skip + options.people}"
            cells = released(options.source, options.data, skip, options.people, KINDS[kind])
            row = f"| {' | '.join([f'{kind} {options.label}'.strip(), group, *cells, f'{unit():.1f}'])} |"
            print(row, flush=True)
            if options.out is not None:
                _add(options.out, row)


def _add(page: Path, row: str) -> None:
    assert __doc__ is not None
    head = f"# Typing: what each release keeps\n\n{__doc__.strip()}\n\n"
    table = f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}\n"
    text = page.read_text("utf-8") if page.exists() else head + table
    page.write_text(f"{text}{row}\n", "utf-8")


if __name__ == "__main__":
    main()
