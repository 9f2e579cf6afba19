"""Times that were counted from a start leave as such counts, never as dates of 1970."""

import csv
import random
from pathlib import Path

from sharewell import pipeline
from sharewell.plan.document import load

HOUR = 3_600_000
PLAN = """
[release]
name = "Lab"
audience = "enclave"

[traces.clicks]
file = "clicks.csv"
student = "id"
at = "ms"
quasi = ["verb"]
method = "groups"
dates = { ms = "elapsed-ms" }
"""


def test_elapsed_milliseconds_come_out_as_milliseconds(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [(f"s{n % 30}", draw.randrange(40) * HOUR // 4, draw.choice(["read", "quiz"])) for n in range(900)]
    lines = ["id,ms,verb", *(f"{who},{ms},{verb}" for who, ms, verb in rows), ""]
    (tmp_path / "clicks.csv").write_text("\n".join(lines))
    (tmp_path / "plan.toml").write_text(PLAN)
    outcome = pipeline.release(load(tmp_path / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    with (tmp_path / "release" / "data" / "clicks.csv").open(newline="") as file:
        released = [int(row["ms"]) for row in csv.DictReader(file)]  # a date would be no number
    assert released and set(released) <= {ms for _, ms, _ in rows} | set(range(0, 10 * HOUR, HOUR))
    assert max(released) > 5 * HOUR  # and they keep their distances
