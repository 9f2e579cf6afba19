"""The published safety does not hold, and ours must: every attack on plain and protected chains, over skills and items.

ASSISTments 2009 (assistments09_full), half of the students in, means over seeded halves; the strongest attacker is
the one with the highest mean. Steps off by: total variation of step frequencies to the training half. The last row
says how far two halves of real students lie apart.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table

from sharewell.responses.log import Columns, Log, read
from sharewell.responses.model import fit_log
from sharewell.responses.protect import members
from sharewell.responses.risk import membership_of
from sharewell.responses.settings import Settings
from sharewell.responses.utility import step_error

COLUMNS = {"student": "user_id", "correct": "correct", "skill": "skill_id"}


def measured(
    log: Log, columns: Columns, m: int, halves: int
) -> tuple[dict[str, float], dict[str, float], float, float]:
    """Mean AUC and TPR at 1 % FPR by attacker, mean step error, and rows relative to training."""
    aucs: dict[str, list[float]] = {}
    hits: dict[str, list[float]] = {}
    errors, rows = [], []
    for seed in range(halves):
        generator = np.random.default_rng(seed)
        member = members(log, 0.5, generator)
        train = log.only(member)
        made = fit_log(train, columns, Settings(m=m)).table(train.lengths.size, generator)
        fake = read(made, Columns(student=columns.student, item=columns.item, correct=columns.correct), items=log.items)
        for risk in membership_of(log, fake, member, seed=seed):
            if risk.attacker != "strongest" and risk.name in ("auc", "tpr_at_1pct_fpr"):
                (aucs if risk.name == "auc" else hits).setdefault(risk.attacker, []).append(risk.value)
        errors.append(step_error(train, fake))
        rows.append(fake.rows / train.rows)
    means = [{who: float(np.mean(values)) for who, values in by.items()} for by in (aucs, hits)]
    return means[0], means[1], float(np.mean(errors)), float(np.mean(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--halves", type=int, default=3)
    parser.add_argument("--m", type=int, nargs="+", default=[1, 5, 12])
    parser.add_argument("--over", choices=["skill_id", "item_id"], nargs="+", default=["skill_id", "item_id"])
    asked = parser.parse_args()
    rows = csv.read_csv(asked.data / "assistments2009" / "assistments09_full.csv.gz")
    console = Console(width=150)
    for over in asked.over:
        skill = "skill_id" if over == "item_id" else None
        columns = Columns(student="user_id", item=over, correct="correct", skill=skill)
        log = read(rows, columns)
        table = Table(title=f"over {over}, {asked.halves} halves, seeds from 0: AUC by attacker")
        results = {m: measured(log, columns, m, asked.halves) for m in asked.m}
        names = list(next(iter(results.values()))[0])
        for head in ("m", *names, "strongest", "TPR 1 %", "steps off by", "rows"):
            table.add_column(head)
        for m, (aucs, hits, error, size) in results.items():
            cells = [*(f"{aucs[name]:.3f}" for name in names), f"{max(aucs.values()):.3f}"]
            table.add_row(str(m), *cells, f"{max(hits.values()):.3f}", f"{error:.3f}", f"{size:.2f}")
        member = members(log, 0.5, np.random.default_rng(0))
        table.add_row(
            "real halves", *[""] * (len(names) + 2), f"{step_error(log.only(member), log.only(~member)):.3f}", ""
        )
        console.print(table)


if __name__ == "__main__":
    main()
