"""Table 4 of Vie, Rigaux and Minn (2022) on ASSISTments 2009, measured beside published.

Utility: trained on all students of privgen_train_data, difficulties of fake and training rows compared; mean of draws.
Attacks: seeded halves of assistments09_full (skills), the generator trained on one half; mean over the halves.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table

import sharewell as sw

TRAIN = {"student": "user", "item": "skill", "correct": "correct"}
FULL = {"student": "user_id", "item": "skill_id", "correct": "correct"}
PUBLISHED = {
    "drop 0": (0.000, 0.000, 0.913),
    "drop 0.25": (0.093, 0.035, 0.776),
    "drop 0.5": (0.147, 0.064, 0.680),
    "drop 0.75": (0.283, 0.105, 0.588),
    "drop 0.99": (0.719, 0.481, 0.497),
    "drop 0.999": (0.833, 0.692, 0.497),
    "markov": (0.245, 0.065, 0.495),
    "markov ×5": (None, None, None),
    "markov, m = 5": (None, None, None),
    "markov, m = 12": (None, None, None),
    "gru": (0.213, 0.061, 0.508),
}


def release(name: str, log: pa.Table, names: dict[str, str], seed: int, models: dict[str, Any]) -> pa.Table:
    """One draw of one row of the table; models are fitted once per training log."""
    if name.startswith("drop"):
        return sw.responses.drop_rows(log, student=names["student"], share=float(name.split()[1]), seed=seed)
    if name not in models:
        m = int(name.split("=")[1]) if "=" in name else 1
        model = "gru" if name == "gru" else "markov"
        models[name] = sw.responses.fit(log, **names, model=model, m=m, longest=1000, seed=seed)
    students = models[name].students * (5 if "×5" in name else 1)
    return models[name].generate(students, seed=seed)


def utility(log: pa.Table, names: list[str], draws: int) -> dict[str, tuple[float, float]]:
    found = {}
    for name in names:
        models: dict[str, Any] = {}
        errors = [
            sw.responses.difficulty_error(log, release(name, log, TRAIN, seed, models), **TRAIN)
            for seed in range(draws)
        ]
        found[name] = (float(np.mean([e.rmse for e in errors])), float(np.mean([e.wrmse for e in errors])))
    return found


def attacks(log: pa.Table, names: list[str], halves: int) -> dict[str, dict[str, float]]:
    """Mean AUC of the paper's attack over both lengths, as printed, and of the strongest attacker."""
    columns = {"student": FULL["student"], "item": FULL["item"], "correct": FULL["correct"]}
    ids = np.unique(log[FULL["student"]].to_numpy())
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for seed in range(halves):
        members = np.random.default_rng(seed).permutation(ids)[: ids.size // 2]
        inside = log.filter(pa.compute.is_in(log[FULL["student"]], pa.array(members)))
        for name in names:
            fake = release(name, inside, FULL, seed, {})
            for risk in sw.responses.membership(log, fake, members=members, **columns, seed=seed):
                if risk.name == "auc":
                    found[name].setdefault(risk.attacker, []).append(risk.value)
    return {name: {who: float(np.mean(v)) for who, v in by.items()} for name, by in found.items()}


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--halves", type=int, default=10)
    parser.add_argument("--gru", action="store_true", help="train the networks as well (minutes)")
    parser.add_argument("--only", choices=["utility", "attacks"])
    parser.add_argument("--names", nargs="+", choices=list(PUBLISHED), help="only these rows of the table")
    asked = parser.parse_args()
    folder = asked.data / "assistments2009"
    train = csv.read_csv(folder / "privgen_train_data.csv.gz").select(list(TRAIN.values()))
    full = csv.read_csv(folder / "assistments09_full.csv.gz").select(list(FULL.values()))
    names = asked.names or [name for name in PUBLISHED if name != "gru" or asked.gru]
    errors = utility(train, names, asked.draws) if asked.only != "attacks" else {}
    caught = attacks(full, [n for n in names if "×" not in n], asked.halves) if asked.only != "utility" else {}
    table = Table(title=f"Table 4, seeds 0–{asked.draws - 1} (utility), 0–{asked.halves - 1} (halves)")
    heads = ("", "RMSE", "paper", "wRMSE", "paper", "LCS both", "paper", "LCS printed", "rare steps", "strongest")
    for head in heads:
        table.add_column(head)
    for name in names:
        rmse, wrmse, auc = PUBLISHED[name]
        measured = errors.get(name, (None, None))
        by = caught.get(name, {})
        row = (measured[0], rmse, measured[1], wrmse, by.get("subsequence"), auc, by.get("subsequence-printed"))
        table.add_row(name, *map(shown, (*row, by.get("transitions"), by.get("strongest"))))
    console = Console(width=120)
    console.print(table)
    console.print("The printed score divides by the fake's length alone: short fakes reach 1 for everybody.")


if __name__ == "__main__":
    main()
