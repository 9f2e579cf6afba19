"""How long the fictional course takes from 1,000 to 100,000 students, and how much memory.

Protocol: one process, each size once, parts as asked for; peak memory is the process's so far. The time per
student beside the smallest size shows whether the work grows linearly.

    python benchmarks/demo_size.py --sizes 1000 10000 100000 --parts students attempts
"""

import argparse
import resource
import time

from rich.console import Console
from rich.table import Table

from sharewell.fiction import PARTS, make_course


def measure(students: int, seed: int, parts: tuple[str, ...]) -> tuple[float, int]:
    """Seconds, and rows over all parts."""
    start = time.perf_counter()
    course = make_course(students=students, seed=seed, parts=parts)
    seconds = time.perf_counter() - start
    tables = (getattr(course, part) for part in PARTS)
    return seconds, sum(table.num_rows for table in tables if table is not None)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--parts", nargs="+", choices=PARTS, default=["students", "attempts"])
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    table = Table(title=f"the fictional course: {', '.join(chosen.parts)}, seed {chosen.seed}")
    for heading in (
        "students",
        "rows",
        "seconds",
        "rows per second",
        "time per student ÷ smallest",
        "peak MB",
    ):
        table.add_column(heading, justify="right")
    first = None
    for students in sorted(chosen.sizes):
        seconds, rows = measure(students, chosen.seed, tuple(chosen.parts))
        first = first or seconds / students
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add_row(
            f"{students:,}",
            f"{rows:,}",
            f"{seconds:.2f}",
            f"{rows / seconds:,.0f}",
            f"{seconds / students / first:.2f}",
            f"{peak:,.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
