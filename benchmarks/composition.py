"""Twenty earlier releases of a course: does measuring against all of them take less time than the release itself?

    python benchmarks/composition.py [--students 1000] [--earlier 20]

A fictional course (students, clicks, answers) is released once; what the register holds of it then stands for each of
the earlier releases, half of them under the same key and half under a key of their own.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sharewell import pipeline
from sharewell.fiction.course import make_course
from sharewell.fiction.write import write_course
from sharewell.plan.document import load
from sharewell.release import composition, recorded
from sharewell.release.composition import Now
from sharewell.release.register import Register


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=1_000)
    parser.add_argument("--earlier", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_course(make_course(students=asked.students, seed=1, characters_per_week=0), folder)
        plan = load(folder / "plan.toml")
        kept = tuple(one for one in plan.sections if one.kind in ("records", "traces", "responses"))
        header = replace(plan.header, audience="enclave")
        began = time.perf_counter()
        outcome = pipeline.release(replace(plan, sections=kept, header=header))
        released = time.perf_counter() - began
        (one,) = recorded.earlier_releases(Register(folder / "private/register"))
        now = Now(audience=one.audience, key=one.key, join=one.join, files=one.files, seed=0)
        earlier = [replace(one, id=f"r{n}", key=one.key if n % 2 else f"key {n}") for n in range(asked.earlier)]
        began = time.perf_counter()
        found = composition.risks(now, earlier)
        composed = time.perf_counter() - began
    files = ", ".join(file.label for file in now.files)
    shown = Table("what", "seconds", title=f"{asked.students:,} students, {files}")
    shown.add_row(f"the release ({'passed' if outcome.verdict.passed else 'refused'})", f"{released:.1f}")
    shown.add_row(f"against {asked.earlier} earlier ones ({len(found)} risks)", f"{composed:.1f}")
    shown.add_row("ratio", f"{composed / released:.2f}")
    Console().print(shown)


if __name__ == "__main__":
    main()
