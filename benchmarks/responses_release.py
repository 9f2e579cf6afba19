"""What a default release of responses costs, and what it keeps: CPU seconds beside noise, splits, intervals and uses.

fiction    the attempts of the fictional course that `sharewell demo` releases, 300 students
exam       1,575 students, one form of 30 questions in one order, with response times
skills     ASSISTments 2009 over its skills, 3,114 students (needs --data)
samples    three samples of 300 of its students, each with 20 % more who train nothing: knowledge tracing and ranks of
           difficulty of items with ten of these students or more are measured on them

One section as a plan would have it, audience "agreement", nothing fixed; seconds are of this process, user and system.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from sharewell.contract import Job, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.fiction import make_course
from sharewell.lab.membership import STRONGEST
from sharewell.responses import study
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.section import Limit, Section
from sharewell.responses.utility.knowledge_tracing import _auc, _fit

STUDENTS, SAMPLES, UNSEEN, FEWEST = 300, 3, 60, 10


def section(audience: str, **named: Any) -> Section:
    limit = Limit(**Section.audience_limits[audience])  # type: ignore[index]
    return Section(name="attempts", folder=Path(), file="attempts.csv", correct="correct", limit=limit, **named)


def assistments(data: Path) -> pa.Table:
    rows = csv.read_csv(data / "assistments2009" / "assistments09_full.csv.gz")
    return rows.select(["user_id", "skill_id", "correct"])


def exam(students: int = 1_575, questions: int = 30) -> pa.Table:
    """Everybody answers all questions of one form in its order, in a time that goes with the question."""
    generator = np.random.default_rng(3)
    item, student = np.tile(np.arange(questions), students), np.repeat(np.arange(students), questions)
    ability, difficulty = generator.normal(0, 1, students), generator.normal(0, 1, questions)
    right = generator.random(item.size) < 1 / (1 + np.exp(difficulty[item] - ability[student]))
    seconds = np.exp(generator.normal(3.5 + 0.3 * difficulty[item], 0.6)).round(1)
    return pa.table({"user_id": student, "question": item, "correct": right.astype(int), "seconds": seconds})


def samples(data: Path, first: int) -> Iterator[tuple[str, pa.Table, pa.Table]]:
    """Students to be released, and others who train nothing."""
    rows = assistments(data)
    everybody = np.unique(np.asarray(rows["user_id"]))
    for seed in range(first, first + SAMPLES):
        drawn = np.random.default_rng(seed).permutation(everybody)
        parts = (drawn[:STUDENTS], drawn[STUDENTS : STUDENTS + UNSEEN])
        inside, unseen = (rows.filter(pa.compute.is_in(rows["user_id"], value_set=pa.array(part))) for part in parts)
        yield f"sample {seed}", inside, unseen


def uses_on(unseen: Log, real: Log, fake: Log) -> str:
    """Knowledge tracing on unseen students, and ranks of difficulties among items that ten of them did."""
    traced = [_auc(_fit(log), unseen) for log in (fake, real)]
    pairs = np.unique(unseen.item.astype(np.int64) * unseen.lengths.size + unseen.student) // unseen.lengths.size
    asked = np.bincount(pairs, minlength=len(unseen.items)) >= FEWEST
    there = np.bincount(fake.item, minlength=len(unseen.items)) > 0
    hard = np.where(there, fit_rasch(fake).difficulty, np.inf)[asked]  # absent ones are ranked last
    ranks = spearmanr(hard, fit_rasch(unseen).difficulty[asked]).statistic
    best = spearmanr(fit_rasch(real).difficulty[asked], fit_rasch(unseen).difficulty[asked]).statistic
    own = spearmanr(hard, fit_rasch(real).difficulty[asked]).statistic
    return (
        f"on unseen students: KT {traced[0]:.3f} (real {traced[1]:.3f}), rank r {ranks:.2f} (real {best:.2f}), "
        f"with the real ones' {own:.2f}"
    )


def released(name: str, table: pa.Table, asked: Section, unseen: pa.Table | None) -> None:
    job = Job(section=asked, source=ibis.memtable(table), seed=0, keyed=Keyed(b"k" * 32, "benchmark"))
    seconds = {}

    def timed(what: str, work: Any) -> Any:
        begun = time.process_time()
        found = work()
        seconds[what] = time.process_time() - begun
        return found

    opened = timed("open", lambda: study.open(job))
    timed("before", opened.before)
    protected = timed("protect", opened.protect)
    protected = replace(protected, table=engine.materialise(protected.table))
    risks: list[Risk] = timed("attack", lambda: opened.attack(protected))
    uses = timed("utility", lambda: opened.utility(protected))
    shown = Table(title=f"{name}: {', '.join(f'{what} {spent:.1f}' for what, spent in seconds.items())}; "
                  f"{sum(seconds.values()):.1f} CPU s")  # fmt: skip
    for head in ("attack", "measure", "value", "low", "high", "splits", "limit"):
        shown.add_column(head)
    for risk in risks:
        if risk.name in ("auc", "tpr_at_1pct_fpr") and (risk.attacker == STRONGEST or risk.name == "auc"):
            ends = [f"{end:.4f}" if end is not None else "–" for end in (risk.value, risk.low, risk.high)]
            limit = "" if risk.limit is None else f"{risk.limit:g} {'met' if risk.holds else 'MISSED'}"
            splits = str(risk.setting.get("splits", ""))
            shown.add_row(f"{risk.attacker} {risk.setting.get('attack', '')}", risk.name, *ends, splits, limit)
    console = Console(width=130)
    console.print(shown)
    for point in () if protected.curve is None else protected.curve.points:
        ends = "" if point.high is None else f" (up to {point.high:.4f})"
        console.print(f"  {point.label}: {point.risk:.4f}{ends} meets={point.meets}{' ← chosen' * point.chosen}")
    met = all(risk.holds is not False for risk in risks if risk.gate)
    level = f"noise {protected.facts['noise']:.4g}, m {protected.facts['students_per_step']}"
    console.print(f"  {level}, gate {'met' if met else 'MISSED'}")
    console.print("  " + "; ".join(f"{use.name} {use.value:.3f}" for use in uses))
    if unseen is not None:
        columns = Columns(student="user_id", item="skill_id", correct="correct")
        real = read(table, columns)
        made = read(engine.arrow(protected.table).select(["user_id", "skill_id", "correct"]), columns, items=real.items)
        others = read(unseen, columns, items=made.items)
        console.print("  " + uses_on(others, replace(real, items=others.items), replace(made, items=others.items)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["fiction", "exam", "skills", "samples"])
    parser.add_argument("--data", type=Path, help="the folder that holds assistments2009/")
    parser.add_argument("--audience", choices=["public", "agreement", "enclave"], default="agreement")
    parser.add_argument("--noise", type=float, help="fixed, as a plan may; by default the least that passes")
    parser.add_argument("--first", type=int, default=0, help="seed of the first sample")
    given = parser.parse_args()
    over = section(given.audience, student="user_id", item="skill_id", noise=given.noise)
    if "fiction" in given.what:
        attempts = make_course(students=STUDENTS, seed=7, parts=("students", "attempts")).attempts
        named = {"student": "student_id", "item": "exercise", "skill": "skill", "time": "time"}
        released("fiction", attempts, section(given.audience, **named, noise=given.noise), None)
    if "exam" in given.what:
        named = {"student": "user_id", "item": "question", "duration": "seconds"}
        released("exam", exam(), section(given.audience, **named, noise=given.noise), None)
    if "skills" in given.what:
        released("skills", assistments(given.data), over, None)
    for name, table, unseen in samples(given.data, given.first) if "samples" in given.what else ():
        released(name, table, over, unseen)


if __name__ == "__main__":
    main()
