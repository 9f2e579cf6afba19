"""Table 4 of Vie, Rigaux and Minn (2022) on ASSISTments 2009, measured beside published.

Utility: trained on all students of privgen_train_data, difficulties of fake and training rows compared; mean of draws.
Below the table, what sampling alone costs: the real sequences, with outcomes drawn anew from the fitted Rasch model,
row by row independently (as the paper does) and evenly over the rows of an item (as Sharewell does).
Attacks: seeded halves of assistments09_full (skills), the generator trained on one half; mean over the halves.
"""

import argparse
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table

import sharewell as sw
from sharewell.responses.log import Columns, read
from sharewell.responses.protection.abilities import fit_abilities
from sharewell.responses.protection.items_left_out import without_scarce_items
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.utility.item_difficulty import difficulty_error_of

PAPER = "Vie, Rigaux, Minn 2022"
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
        models[name] = sw.responses.fit(log, **names, model=model, m=m, outcomes="rasch", longest=1000, seed=seed)
    students = models[name].students * (5 if "×5" in name else 1)
    return models[name].generate(students, seed=seed)


def utility(log: pa.Table, names: list[str], draws: int, first: int = 0) -> dict[str, tuple[float, float]]:
    found = {}
    for name in names:
        models: dict[str, Any] = {}
        errors = [
            sw.responses.difficulty_error(log, release(name, log, TRAIN, seed, models), **TRAIN)
            for seed in range(first, first + draws)
        ]
        found[name] = (float(np.mean([e.rmse for e in errors])), float(np.mean([e.wrmse for e in errors])))
    return found


def attacks(log: pa.Table, names: list[str], halves: int, first: int = 0) -> dict[str, dict[str, float]]:
    """Mean AUC of the paper's attack over both lengths, as printed, and of the strongest attacker."""
    ids = np.unique(log[FULL["student"]].to_numpy())
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for seed in range(first, first + halves):
        members = np.random.default_rng(seed).permutation(ids)[: ids.size // 2]
        inside = log.filter(pa.compute.is_in(log[FULL["student"]], pa.array(members)))
        for name in names:
            fake = release(name, inside, FULL, seed, {})
            for risk in sw.responses.membership(log, fake, members=members, **FULL, seed=seed):
                if risk.name == "auc":
                    found[name].setdefault(risk.attacker, []).append(risk.value)
    return {name: {who: float(np.mean(v)) for who, v in by.items()} for name, by in found.items()}


def sampling_alone(log: pa.Table, draws: int) -> tuple[float, float]:
    """Weighted RMSE of the real sequences with new outcomes, drawn independently and evenly."""
    real = without_scarce_items(read(log, Columns(**TRAIN)), 1)[0]
    rasch = fit_rasch(real)
    abilities = fit_abilities(rasch.ability, "normal")
    errors = []
    for seed in range(draws):
        generator = np.random.default_rng(seed)
        ability = abilities.draw(real.lengths.size, generator)
        chance = 1 / (1 + np.exp(rasch.difficulty[real.item] - np.repeat(ability, real.lengths)))
        alone = (generator.random(real.rows) < chance).astype(np.int8)
        evenly = rasch.outcomes(real.item, real.lengths, ability, generator)
        errors.append([difficulty_error_of(real, replace(real, correct=c)).wrmse for c in (alone, evenly)])
    return tuple(np.mean(errors, axis=0))  # type: ignore[return-value]


def rows(data: Path, seed: int) -> list[dict[str, str]]:
    """Published beside measured: ten draws of the chain, one half for the attacks; the network where PyTorch is."""
    train, full = tables(data)
    names = ["drop 0.5", "markov", "markov ×5", *(["gru"] if find_spec("torch") else [])]
    errors = utility(train, names, 10, seed)
    caught = attacks(full, ["drop 0", *names[:2], "markov, m = 12", *names[3:]], 1, seed)
    found = []
    for name, (rmse, wrmse) in errors.items():
        printed = PUBLISHED[name]
        published = f"RMSE {shown(printed[0])}, wRMSE {shown(printed[1])}"
        protocol = f"trained on all 2,081 students of privgen_train_data, mean of ten draws from seed {seed}"
        found.append(_row(f"{name}: difficulty", protocol, published, f"RMSE {rmse:.3f}, wRMSE {wrmse:.3f}"))
    for name, by in caught.items():
        protocol = f"half of the 3,114 students of assistments09_full, seed {seed}"
        figures = f"LCS {by['subsequence']:.3f}, strongest attack {by['strongest']:.3f}"
        found.append(_row(f"{name}: re-identification AUC", protocol, f"LCS {shown(PUBLISHED[name][2])}", figures))
    return found


def _row(what: str, protocol: str, published: str, measured: str) -> dict[str, str]:
    return {"paper": PAPER, "what": what, "protocol": protocol, "published": published, "measured": measured}


def tables(data: Path) -> tuple[pa.Table, pa.Table]:
    folder = data / "assistments2009"
    train = csv.read_csv(folder / "privgen_train_data.csv.gz").select(list(TRAIN.values()))
    return train, csv.read_csv(folder / "assistments09_full.csv.gz").select(list(FULL.values()))


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--halves", type=int, default=10)
    parser.add_argument("--gru", action="store_true", help="train the networks as well (minutes)")
    parser.add_argument("--quick", action="store_true", help="three draws and one half")
    parser.add_argument("--only", choices=["utility", "attacks"])
    parser.add_argument("--names", nargs="+", choices=list(PUBLISHED), help="only these rows of the table")
    asked = parser.parse_args()
    train, full = tables(asked.data)
    draws, halves = (3, 1) if asked.quick else (asked.draws, asked.halves)
    names = asked.names or [name for name in PUBLISHED if name != "gru" or asked.gru]
    errors = utility(train, names, draws) if asked.only != "attacks" else {}
    caught = attacks(full, [n for n in names if "×" not in n], asked.halves) if asked.only != "utility" else {}
    table = Table(title=f"Table 4, seeds 0–{draws - 1} (utility), 0–{halves - 1} (halves)")
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
    if errors:
        alone, evenly = sampling_alone(train, draws)
        console.print(f"Real sequences with new outcomes: wRMSE {alone:.3f} independently, {evenly:.3f} evenly.")
    console.print("The printed score divides by the fake's length alone: short fakes reach 1 for everybody.")


if __name__ == "__main__":
    main()
