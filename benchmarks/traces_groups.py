"""Attacks on logs in groups, and what analysts find in them, by code that shares nothing with the package.

Three logs with marks: the fictional course (113 students: clicks, and attempts whose score is kept), EPM (sessions with
exam marks), and the assessments of one OULAD module (score per assessment, final result). Each is released in groups
for agreement and for the public. An attacker holds a copy of the log without marks, and finds groups in the release.

- *windows*: least squares over the windows of a group, weights the members' numbers of events in each;
- *known others*: everybody's mark but the target's, and the size of the group;
- *differencing*: least squares over the keys of a score (who answered which question), one unknown per student;
- *outcome*: read off the own group, or off the groups that come nearest, by a logistic regression as well.

    python benchmarks/traces_groups.py --data /path/to/data [--logs course epm oulad] [--analyses]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.fiction.course import make_course
from sharewell.traces import study
from sharewell.traces.section import Section

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Log:
    """Events with who, at, verb, item, score; and one row per student with mark and passed."""

    events: pd.DataFrame
    students: pd.DataFrame

    @property
    def table(self) -> pd.DataFrame:
        return self.events.merge(self.students, on="who")


def course(data: Path) -> Log:
    made = make_course(students=113, seed=5, parts=("students", "clicks", "attempts"))
    clicks = made.clicks.to_pandas().rename(columns={"student_id": "who", "time": "at", "resource": "item"})
    attempts = made.attempts.to_pandas().rename(columns={"student_id": "who", "time": "at", "exercise": "item"})
    attempts["verb"], attempts["score"] = "answered", attempts["correct"] * 100.0
    noise = np.random.default_rng(1).integers(-30, 31, len(attempts))  # a score with many values
    attempts["score"] = np.clip(attempts["score"] * 0.6 + 20 + noise * 0.5, 0, 100).round(1)
    clicks["item"] = "none"
    columns = ["who", "at", "verb", "item", "score"]
    people = made.students.to_pandas().rename(columns={"student_id": "who", "grade": "mark"})
    return Log(
        events=pd.concat([clicks.assign(score=np.nan)[columns], attempts[columns]]),
        students=people[["who", "mark", "passed"]],
    )


def epm(data: Path) -> Log:
    events = pd.read_csv(data / "epm" / "epm_all_sessions.csv.gz")
    events = events.rename(columns={"student_id": "who", "activity": "verb"})
    events["verb"] = events.verb.str.split("_").str[0].str.strip()
    at = pd.to_datetime(events.start_time, dayfirst=True)
    sheets = pd.read_excel(data / "epm" / "final_grades.xlsx", sheet_name=None).values()
    marks = pd.concat([sheet.iloc[:, [0, -1]].set_axis(["who", "mark"], axis=1) for sheet in sheets])
    best = marks.groupby("who", as_index=False)["mark"].max()
    best["passed"] = np.where(best["mark"] >= 60, "yes", "no")
    grades = pd.read_excel(data / "epm" / "intermediate_grades.xlsx").rename(columns={"Student Id": "who"})
    long = grades.melt("who", var_name="item", value_name="score")
    events["item"] = "Session " + events["session"].astype(str)
    events = events.assign(at=at)[["who", "at", "verb", "item"]].merge(long, on=["who", "item"], how="left")
    events["score"] += np.random.default_rng(2).integers(0, 10, len(events)) / 100  # so that it has many values
    events = events[events.who.isin(best.who)]
    events["who"], best["who"] = "e" + events.who.astype(str), "e" + best.who.astype(str)
    return Log(events=events, students=best)


def oulad(data: Path) -> Log:
    given = pd.read_csv(data / "oulad" / "assessments.csv").query("code_module == 'BBB' & code_presentation == '2013J'")
    rows = pd.read_csv(data / "oulad" / "studentAssessment.csv.gz").merge(given, on="id_assessment")
    rows["score"] = pd.to_numeric(rows.score, errors="coerce")
    rows["at"] = pd.Timestamp("2013-10-01") + pd.to_timedelta(rows.date_submitted, unit="D")
    rows = rows.rename(columns={"id_student": "who", "assessment_type": "verb"})
    rows["item"], rows["who"] = "a" + rows.id_assessment.astype(str), "o" + rows.who.astype(str)
    info = pd.read_csv(data / "oulad" / "studentInfo.csv").query("code_module == 'BBB' & code_presentation == '2013J'")
    info = info.assign(who="o" + info.id_student.astype(str), passed=info.final_result)
    mark = rows.groupby("who")["score"].mean().round(1).rename("mark")
    return Log(
        events=rows[["who", "at", "verb", "item", "score"]],
        students=info.merge(mark, on="who")[["who", "mark", "passed"]],
    )


LOGS: dict[str, Callable[[Path], Log]] = {"course": course, "epm": epm, "oulad": oulad}


def released(
    log: Log,
    audience: str,
    *,
    key: str = "k",
    keep: tuple[str, ...] = ("score", "mark", "passed"),
    method: str | None = "groups",
) -> tuple[Protected, pd.DataFrame, list, list]:
    section = Section(
        name="log", folder=Path(), file="log.parquet", student="who", at="at", quasi=("verb", "item"), keep=keep,
        method=method, target="passed" if "passed" in keep else None,
        drop=tuple(name for name in ("score", "mark", "passed") if name not in keep),
    ).for_audience(audience)  # fmt: skip
    source = engine.table(pa.Table.from_pandas(log.table, preserve_index=False))
    opened = study.open(Job(section=section, source=source, seed=0, keyed=Keyed((key * 32).encode(), "log")))
    made = opened.protect()
    made = replace(made, table=engine.materialise(made.table))
    return made, engine.arrow(made.table).to_pandas(), opened.attack(made), opened.utility(made)


def analyses(log: Log, audience: str, method: str | None) -> None:
    """Print the six analyses of a release beside those of the original, and what the chosen way keeps."""
    began = time.process_time()
    made, _, risks, uses = released(log, audience, method=method)
    held = all(risk.holds for risk in risks if risk.gate)
    print(
        f"   {method or 'chosen'}: {made.facts['setting']}; limits met: {held}; {time.process_time() - began:.1f} CPU s"
    )
    for point in made.curve.points if made.curve is not None else ():
        print(f"      way {point.label}: {point.utility:.3f}{', chosen' if point.chosen else ''}")
    for use in uses:
        print(
            f"      {use.name}: {use.baseline if use.baseline is None else round(use.baseline, 3)} -> {use.value:.3f}"
        )
        if use.name == "uses kept":
            print(f"      {use.setting['analyses']}")


def groups_of(table: pd.DataFrame) -> pd.Series:
    """The number of the group of every student: those whose rows read alike."""
    texts = table.drop(columns="who").astype(str).agg("|".join, axis=1)
    return pd.Series(pd.factorize(texts.groupby(table.who).agg("\n".join))[0], index=np.unique(table.who))


def marks_back(log: Log, table: pd.DataFrame) -> dict[str, float]:
    """The share of marks that each attack gives within one point; `group mean` is what the group's true mean gives."""
    truth = log.students.set_index("who")["mark"].dropna()
    group = groups_of(table)
    told, windows = table.groupby("who")["mark"].first(), table["at"].drop_duplicates().sort_values()
    counts = log.events.assign(window=windows.searchsorted(log.events["at"], side="right"))
    counts = counts.groupby(["who", "window"]).size()
    right: dict[str, list[bool]] = {name: [] for name in ("group mean", "released", "windows", "known others")}
    for _, members in group.groupby(group):
        who = [one for one in members.index if one in truth.index]
        own, shown = truth[who].to_numpy(float), float(told[who[0]]) if who else np.nan
        if not np.isfinite(shown):
            continue
        weights = counts[counts.index.isin(who, level=0)].unstack(fill_value=0).reindex(who, fill_value=0).to_numpy().T
        solved = np.linalg.lstsq(
            weights / weights.sum(axis=1, keepdims=True), np.full(len(weights), shown), rcond=None
        )[0]
        others = len(who) * shown - (own.sum() - own)
        guesses = {"group mean": own.mean(), "released": shown, "windows": solved, "known others": others}
        for name, guess in guesses.items():
            right[name] += (np.abs(own - guess) <= 1).tolist()
    return {name: float(np.mean(found)) for name, found in right.items()}


def scores_back(log: Log, table: pd.DataFrame) -> dict[str, float]:
    """Students' mean scores within one point, by least squares over keys: who answered what is known."""
    if "score" not in table:
        return {}
    scored = log.events.dropna(subset=["score"])
    cells = scored.groupby(["verb", "item", "who"])["score"].mean()
    own = cells.groupby("who").mean()
    told = table.dropna(subset=["score"]).groupby(["verb", "item"])["score"].first()
    there = cells[cells.index.get_level_values("who").isin(table.who.unique())].unstack("who")
    there = there.loc[there.index.intersection(told.index)]
    weights = there.notna().div(there.notna().sum(axis=1), axis=0).to_numpy(float)
    solved = np.linalg.lstsq(weights, told[there.index].to_numpy() - own.mean(), rcond=None)[0] + own.mean()
    truth = own[there.columns].to_numpy()
    return {
        "score, usual": float(np.mean(np.abs(truth - own.mean()) <= 1)),
        "score, differencing": float(np.mean(np.abs(truth - solved) <= 1)),
        "scores known to one": float((there.notna().sum(axis=1) < 2).mean()),
    }


def outcome_read(log: Log, table: pd.DataFrame) -> dict[str, float]:
    """The outcome read with the own group in and out: its most frequent value, and by a regression on counts."""
    if "passed" not in table:
        return {}
    group = groups_of(table)
    truth = log.students.set_index("who")["passed"].astype(str).reindex(group.index)
    lists = (
        table.groupby("who")["passed"]
        .first()
        .map(lambda cell: {part.rpartition(" ")[0]: float(part.rpartition(" ")[2]) for part in cell.split("; ")})
    )
    shares = pd.DataFrame(lists.tolist(), index=lists.index).fillna(0.0)
    known = log.events[log.events.who.isin(group.index)]
    verbs = known.groupby(["who", "verb"]).size().unstack(fill_value=0)
    weeks = known.groupby(["who", known["at"].dt.to_period("W")]).size().unstack(fill_value=0)
    features = np.sqrt(np.column_stack([verbs, weeks]))
    features = (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-9)
    inside = shares.idxmax(axis=1).reindex(group.index) == truth
    numbers = group.to_numpy()
    some = np.random.default_rng(0).permutation(np.unique(numbers))[:25]
    guesses, usual = pd.Series(index=group.index, dtype=object), pd.Series(index=group.index, dtype=object)
    labels = shares.columns.to_numpy()
    for one in some:  # every group left out in turn: a regression with the shares of the others as weights
        out = numbers != one
        rows = np.repeat(np.arange(len(numbers))[out], len(labels))
        weights = shares.to_numpy()[out].ravel()
        model = LogisticRegression(C=0.1, max_iter=500)
        model.fit(features[rows], np.tile(labels, out.sum()), sample_weight=weights)
        guesses[~out] = model.predict(features[~out])
        usual[~out] = labels[shares.to_numpy()[out].sum(axis=0).argmax()]
    seen = guesses.notna()
    outside = max(float((each[seen] == truth[seen]).mean()) for each in (guesses, usual))
    return {"outcome, group in": float(inside[seen].mean()), "outcome, group out": outside}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--logs", nargs="+", choices=LOGS, default=list(LOGS))
    parser.add_argument("--analyses", action="store_true", help="the six analyses instead of attacks")
    given = parser.parse_args()
    for name in given.logs:
        log = LOGS[name](given.data)
        if given.analyses:
            for audience in ("agreement", "public"):
                print(f"{name}, {audience}")
                for method in (None, "features"):
                    analyses(log, audience, method)
            continue
        for audience in ("agreement", "public"):
            began = time.process_time()
            made, table, risks, _ = released(log, audience)
            print(f"{name}, {audience}: {made.facts['setting']}; {time.process_time() - began:.1f} CPU s")
            found = marks_back(log, table) | scores_back(log, table) | outcome_read(log, table)
            print("  ", ", ".join(f"{key} {value:.3f}" for key, value in found.items()))
            for risk in risks:
                if risk.gate:
                    print("  ", risk, risk.holds)


if __name__ == "__main__":
    main()
