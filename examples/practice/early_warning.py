"""An analysis of a whole course, written for the originals: run it on a practice copy first, unchanged.

    python early_warning.py FOLDER        # sharewell-demo, and then sharewell-demo/practice

Joins records, clicks, answers and posts; prints an early-warning model of passing and the drop-out curve.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

WEEK = pd.Timedelta(weeks=1)


def joined(folder: Path) -> pd.DataFrame:
    """One row for each student: the outcome, and what the student did in every file."""
    students = pd.read_csv(folder / "students.csv").set_index("student_id")
    clicks = pd.read_parquet(folder / "clicks.parquet")
    attempts = pd.read_csv(folder / "attempts.csv", parse_dates=["time"])
    posts = pd.read_csv(folder / "forum.csv", parse_dates=["time"])
    table = pd.DataFrame({"passed": (students["passed"] == "yes").astype(float), "grade": students["grade"]})
    table["clicks"] = np.log1p(clicks.groupby("student_id").size())
    table["right"] = attempts.groupby("student_id")["correct"].mean()
    table["posts"] = posts.groupby("author").size()
    seen = pd.concat([clicks[["student_id", "time"]], attempts[["student_id", "time"]]])
    table["last"] = (seen.groupby("student_id")["time"].max() - clicks["time"].min()) // WEEK
    return table.fillna({"clicks": 0, "posts": 0, "right": table["right"].mean(), "last": 0})


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


def analysis(folder: Path) -> tuple[pd.DataFrame, pd.Series, float]:
    """The early-warning model, the share still active by week, and how grades go with clicks."""
    table = joined(folder)
    model = logistic(table, "passed", ["clicks", "right", "posts"])
    weeks = range(int(table["last"].max()) + 1)
    active = pd.Series([float((table["last"] >= week).mean()) for week in weeks], index=weeks)
    return model, active, float(np.corrcoef(table["grade"], table["clicks"])[0, 1])


if __name__ == "__main__":
    model, active, together = analysis(Path(sys.argv[1]))
    print(model.round(2).to_string())
    print("still active by week:", " ".join(f"{share:.2f}" for share in active))
    print(f"grade × clicks: r = {together:.2f}")
