"""CPU seconds, clock and memory of the whole command: the demo, each of its kinds, and real folders.

    python benchmarks/seconds.py --data DATA --out benchmarks/results/seconds.md
    python benchmarks/seconds.py --jobs demo "demo, no kernels kept" --source OTHER/src

Protocol: each job is one `sharewell` command in a process of its own. CPU is user and system time of its whole tree,
compiling included; MB is the peak of the summed PSS of the tree. Plans of real folders are what `init` writes, with the
first answer to every question. `--source` takes another checkout. `unit` is `for i in range(30_000_000): x += i*i%7` at
that moment, in CPU seconds: divide by it to compare with another machine.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from unittest.mock import patch

from keystrokes_kept import run, unit

import sharewell
from sharewell.desk.plan_text import answered
from sharewell.fiction.course import make_course
from sharewell.fiction.write import write_course
from sharewell.plan.questions import questions

KINDS = ("records", "traces", "responses", "posts", "keystrokes")
COURSE = {"students": 300, "seed": 7, "characters_per_week": 250}  # as the demo's
REAL = {
    "Moodle log of 269 users": ("moodle_edify", "*"),
    "OULAD": ("oulad", "*"),
    "Student Performance": ("student_performance", "student-por.csv"),
    "ASSISTments over skills": ("assistments2009", "*full*"),
}
HEADS = ("job", "ended", "CPU s", "clock s", "MB", "unit, s")
COLD = "demo, no kernels kept"


def jobs(data: Path | None, folder: Path, source: Path) -> Iterator[tuple[str, list[str], bool]]:
    """Name, command and whether compiled kernels are made anew."""
    yield "demo", ["demo", "--folder", "demo"], False
    yield COLD, ["demo", "--folder", "cold"], True
    write_course(make_course(**COURSE), folder / "course")
    whole = (folder / "course" / "plan.toml").read_text(encoding="utf-8")
    header, *sections = whole.split("\n[")
    for kind in KINDS:
        own = [section for section in sections if section.startswith((f"{kind}.", "release]"))]
        (folder / "course" / f"{kind}.toml").write_text("\n[".join([header, *own]), encoding="utf-8")
        yield f"demo, {kind}", ["release", f"course/{kind}.toml", "--out", f"made/{kind}"], False
    for name, (place, files) in REAL.items() if data else ():
        here = folder / place
        here.mkdir()
        for file in (data / place).glob(files):
            shutil.copy(file, here)
        run(source, folder, "init", place)
        text = (here / "plan.toml").read_text(encoding="utf-8")
        while found := next(questions(text), None):
            _, number, question = found
            text = answered(text, number, question.answers[0] if question.answers else "")
        (here / "plan.toml").write_text(text, encoding="utf-8")
        yield name, ["release", f"{place}/plan.toml"], False
        yield f"{name}, again", ["release", f"{place}/plan.toml", "--replace"], False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--jobs", nargs="*", default=[], help="only jobs whose names begin like one of these")
    parser.add_argument("--source", type=Path, default=Path(sharewell.__file__).parents[1])
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = [f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for job, command, cold in jobs(asked.data and asked.data.resolve(), folder, asked.source.resolve()):
            if asked.jobs and not job.startswith(tuple(asked.jobs)):
                continue
            kernels = {"SHAREWELL_KERNELS": str(folder / "kernels")} if cold else {}
            with patch.dict("os.environ", kernels):
                began = time.monotonic()
                code, seconds, peak = run(asked.source.resolve(), folder, *command)
                clock = time.monotonic() - began
            cells = (job, str(code), f"{seconds:.1f}", f"{clock:.1f}", f"{peak:,.0f}", f"{unit():.1f}")
            rows.append(f"| {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    if asked.out:
        words = " ".join(sys.argv[1:])
        head = f"# Seconds and memory\n\n{date.today():%d %B %Y}, Sharewell {sharewell.__version__}"
        text = f"{head}: `python benchmarks/seconds.py {words}`.\n\n{__doc__.partition('Protocol: ')[2]}\n"
        asked.out.write_text(text + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
