"""Invented records beside their originals, k-anonymous releases and other generators, by yardsticks others publish.

`python benchmarks/records_invented.py --data FOLDER` with the folders of nist_crc, student_performance,
student_academics and oulad in FOLDER. `--other NAME=FILE` adds a CSV with the ten columns of NIST's benchmark that
another program invented from ma2019 (AIM and MST of opendp[mbi], say, in an environment of its own).
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import sharewell as sw
from sharewell.records.outcomes import outcome_of
from sharewell.records.utility import models
from sharewell.records.utility.yardsticks import comparison

TEN = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"]
NUMBERS = {"AGEP", "PINCP", "POVPIP", "DENSITY", "PWGTP", "WGTP", "NOC", "NPF"}
SIX = ["SEX", "MSP", "EDU", "PINCP_DECILE", "OWN_RENT", "NPF"]
NAMES = (*models.MODELS, "boosted trees")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--other", action="append", default=[])
    parser.add_argument("--only", choices=["census", "students"])
    options = parser.parse_args()
    if options.only != "students":
        for row in census(options.data, options.seeds, options.other):
            print(json.dumps(row), flush=True)
    if options.only != "census":
        for row in students(options.data, options.seeds):
            print(json.dumps(row), flush=True)
    return 0


def census(folder: Path, seeds: int, others: list[str]) -> Iterator[dict[str, object]]:
    """k-marginal and unique matches on ma2019: invented rows, groups of look-alikes, other programs."""
    table = pd.read_csv(folder / "nist_crc" / "ma2019.csv", dtype=str, keep_default_na=False)
    for name, columns, epsilon in (
        ("ten", TEN, 0.3), ("ten", TEN, 1.0), ("ten", TEN, 3.0), ("six", SIX, 1.0), ("all", list(table.columns), 1.0),
    ):  # fmt: skip
        codes = [column for column in columns if column not in NUMBERS]
        for seed in range(seeds):
            began = time.process_time()
            made = sw.records.fit(table[columns], epsilon=epsilon, categories=codes, seed=seed).generate(seed=seed)
            took = time.process_time() - began
            yield {
                "columns": name,
                "method": f"invented, ε = {epsilon:g}",
                **scores(table, made, columns),
                "CPU s": took,
            }
    codes = [column for column in TEN if column not in NUMBERS]
    for k in (3, 6, 10):
        began = time.process_time()
        done = sw.records.anonymize(
            table[TEN], quasi=TEN, k=k, method="local", seconds=1, categories=codes, values="drawn"
        )
        took = time.process_time() - began
        yield {"columns": "ten", "method": f"k = {k}, local, drawn", **scores(table, done.table, TEN), "CPU s": took}
    for name, file in (other.split("=", 1) for other in others):
        made = pd.read_csv(file, dtype=str, keep_default_na=False)
        yield {"columns": "ten", "method": name, **scores(table, made, TEN)}


def scores(table: pd.DataFrame, made: pd.DataFrame, columns: list[str]) -> dict[str, float]:
    codes = [column for column in columns if column not in NUMBERS]
    found = sw.records.yardsticks(table[columns], made[columns], categories=codes)
    return {one.name: round(one.value, 4) for one in found}


def students(folder: Path, seeds: int) -> Iterator[dict[str, object]]:
    """AUC on students nobody learnt from: models that learnt from invented rows, ε = 3, and from real ones."""
    for name, table, target in real_tables(folder):
        found: dict[str, list[tuple[float, float]]] = {model: [] for model in NAMES}
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(table))
            test, train = order[: len(table) * 3 // 10], order[len(table) * 3 // 10 :]
            made = sw.records.fit(table.iloc[train], epsilon=3, target=target, seed=seed).generate(seed=seed)
            real, fake = (
                pa.Table.from_pandas(table, preserve_index=False),
                pa.Table.from_pandas(made, preserve_index=False),
            )
            before, after = comparison(real, fake, table.columns, (), seed).features(but=target)
            truth, labels = outcome_of(real, target)[0], (made[target] == table[target].mode()[0]).to_numpy(float)
            for model, scored in found.items():
                values = [
                    auc(model, features, outcome, before[test], truth[test], seed)
                    for features, outcome in ((after, labels), (before[train], truth[train]))
                ]
                scored.append((values[0], values[1]))
        for model, scored in found.items():
            invented, own = np.mean(scored, axis=0).round(4).tolist()
            yield {"data": name, "model": model, "learnt from invented": invented, "from real": own, "runs": seeds}


def auc(model: str, seen: np.ndarray, outcome: np.ndarray, unseen: np.ndarray, truth: np.ndarray, seed: int) -> float:
    if np.unique(outcome).size < 2:
        return 0.5
    fitted = models.make_model(model, classes=True, seed=seed).fit(seen, outcome)
    return models.auc(truth, fitted.predict_proba(unseen)[:, 1])


def real_tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, str]]:
    for course in ("mat", "por"):
        table = pd.read_csv(folder / "student_performance" / f"student-{course}.csv", sep=";")
        table["passed"] = np.where(table.pop("G3") >= 11, "yes", "no")
        yield f"Student Performance, {course}", table, "passed"
    table = pd.read_csv(next((folder / "student_academics").glob("*.csv")))
    table["esp"] = np.where(table["esp"].isin(["Best", "Vg"]), "y", "n")
    yield "Student Academics", table, "esp"
    table = pd.read_csv(folder / "oulad" / "studentInfo.csv").drop_duplicates("id_student").drop(columns="id_student")
    table["final_result"] = np.where(table["final_result"].isin(["Pass", "Distinction"]), "p", "f")
    yield "OULAD, studentInfo", table, "final_result"


if __name__ == "__main__":
    sys.exit(main())
