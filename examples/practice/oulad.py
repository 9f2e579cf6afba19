"""An analysis of one OULAD presentation, written for the originals: run it on a practice copy first, unchanged.

python oulad.py FOLDER        # with studentInfo.csv, studentRegistration.csv and studentAssessment.csv
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

KEYS = ["code_module", "code_presentation", "id_student"]
BY = ["mean_score", "submitted", "num_of_prev_attempts", "studied_credits", "date_registration"]
EARLY = 60  # days


def joined(folder: Path) -> pd.DataFrame:
    """One row for each student: background, registration and what was submitted."""
    info, registered = pd.read_csv(folder / "studentInfo.csv"), pd.read_csv(folder / "studentRegistration.csv")
    submitted = pd.read_csv(folder / "studentAssessment.csv")
    table = info.merge(registered, on=KEYS, validate="one_to_one").set_index("id_student")
    table["mean_score"] = submitted.groupby("id_student")["score"].mean()
    table["submitted"] = submitted.groupby("id_student").size()
    table["early"] = submitted[submitted["date_submitted"] < EARLY].groupby("id_student").size()
    table["passed"] = table["final_result"].isin(["Pass", "Distinction"]).astype(float)
    return table.fillna(
        {"mean_score": table["mean_score"].median(), "submitted": 0, "early": 0, "date_registration": 0}
    )


def logistic(table: pd.DataFrame, outcome: str, by: list[str]) -> pd.DataFrame:
    """Coefficients per standard deviation and their z, by Newton's method."""
    scaled = (table[by] - table[by].mean()) / table[by].std()
    design, target = np.column_stack([np.ones(len(table)), scaled]), table[outcome].to_numpy()
    found = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ found))
        information = design.T @ (design * (chance * (1 - chance))[:, None]) + 1e-6 * np.eye(found.size)
        found = found + np.linalg.solve(information, design.T @ (target - chance))
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    return pd.DataFrame({"coefficient": found[1:], "z": (found / error)[1:]}, index=by)


def analysis(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The early-warning model, and the share still registered by day."""
    table = joined(folder)
    left = table["date_unregistration"]
    days = range(0, 240, 30)
    return logistic(table, "passed", BY), pd.Series([float((left.isna() | (left > day)).mean()) for day in days], days)


if __name__ == "__main__":
    model, registered = analysis(Path(sys.argv[1]))
    print(model.round(2).to_string())
    print("still registered by day:", " ".join(f"{day}: {share:.2f}" for day, share in registered.items()))
