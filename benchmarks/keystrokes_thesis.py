"""The thesis's experiment (Leinonen 2016) on the fictional course, beside the published figures.

Protocol: two cohorts of 153 and 139 typists, weeks 1–6 against week 7, 25 commonest digraphs, ten nearest; experience
of 199 students from all seven weeks, ten folds, features selected inside the folds. Seeds 2014, 2015 and 199.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table as Printed

from sharewell import keystrokes
from sharewell.contract import Utility
from sharewell.fiction import make_course
from sharewell.keystrokes.measure.strength_sweep import dips

COLUMNS = {"student": "student_id", "session": "exercise", "key": "key", "press": "press_ms", "week": "week"}
PUBLISHED = {
    ("round", 153): [98.0, 81.7, 6.5, 72.5, 77.1, 6.5, 6.5],
    ("round", 139): [97.8, 81.3, 56.8, 67.6, 67.6, 7.2, 7.2],
    ("bucket", 153): [98.0, 26.1, 12.4, 6.5, 6.5, 6.5, 6.5],
    ("bucket", 139): [97.8, 31.7, 15.8, 7.2, 7.2, 7.2, 7.2],
}
EXPERIENCE = {("round", 0): (75.4, 73.9), ("round", 500): (73.9, 73.9), ("bucket", 300): (70.4, 71.4)}
CHARACTERS = 2_500  # per student and week
STEPS = (0, 100, 200, 300, 400, 500, 600)


def cohort(students: int, seed: int, characters: int):  # type: ignore[no-untyped-def]
    course = make_course(students=students, seed=seed, parts=("keys",), characters_per_week=characters)
    return course, keystrokes.timings(course.keys, **COLUMNS)


def weeks(students: int, seed: int, characters: int):  # type: ignore[no-untyped-def]
    """Weeks 1–6, known to the attacker, and week 7."""
    _, timed = cohort(students, seed, characters)
    return timed.filter(pc.less_equal(timed["week"], 6)), timed.filter(pc.greater(timed["week"], 6))


def identification(students: int, seed: int, characters: int, console: Console) -> None:
    train, test = weeks(students, seed, characters)
    printed = Printed("method", *(f"{step} ms" for step in STEPS), title=f"{students} typists, found within ten (%)")
    for method in ("round", "bucket"):
        start = time.perf_counter()
        curve = keystrokes.sweep(train, test, method=method)
        taken = time.perf_counter() - start
        found = {point.strength: 100 * point.risk for point in curve.points}
        printed.add_row(f"{method}, ours", *(f"{found[step]:.1f}" for step in STEPS))
        printed.add_row(f"{method}, published", *(f"{value:.1f}" for value in PUBLISHED[method, students]))
        chosen = f"{curve.chosen.label}" if curve.chosen else "none"
        console.print(f"{method}: 61 strengths in {taken:.2f} s; least steady strength {chosen}")
        for dip in dips(curve, curve.limit or 0.0):
            console.print(f"  dip: {dip}")
    console.print(printed, f"chance {1000 / students:.1f} %")


def experienced(students: int, seed: int, characters: int):  # type: ignore[no-untyped-def]
    """Timings of all weeks, and who has programmed before."""
    course, timed = cohort(students, seed, characters)
    return timed, dict(zip(course.truth.student_ids, course.truth.experience.astype(int), strict=True))


def accuracies(timed, classes, method: str, step: int) -> list[Utility]:  # type: ignore[no-untyped-def]
    found = {one.name: one for one in keystrokes.infer(timed, classes, step_ms=step, method=method, seed=1)}
    return [found[f"accuracy ({name})"] for name in ("bayes net", "random forest", "majority")]


def experience(students: int, seed: int, characters: int, console: Console) -> None:
    timed, classes = experienced(students, seed, characters)
    share = np.mean(list(classes.values()))
    title = f"Experience of {students} students ({100 * share:.1f} % have some), accuracy (%)"
    printed = Printed("averages", "Bayes net", "forest", "majority", "published", title=title)
    for method, step in (
        ("round", 0),
        ("round", 100),
        ("round", 300),
        ("round", 500),
        ("bucket", 100),
        ("bucket", 300),
    ):
        ours = accuracies(timed, classes, method, step)
        cells = [f"{100 * one.value:.1f} [{100 * one.low:.0f}, {100 * one.high:.0f}]" for one in ours]
        published = EXPERIENCE.get((method, step))
        printed.add_row(f"{method} {step} ms", *cells, "{:.1f}, {:.1f}".format(*published) if published else "")
    console.print(printed)


def rows(data: Path, seed: int) -> list[dict[str, str]]:
    """The thesis's main figures beside ours; `data` is not needed, the course is fictional."""
    protocol = "fictional course, weeks 1–6 against 7, 25 digraphs, ten nearest, % found"
    told = []
    for students, year in ((153, 2014), (139, 2015)):
        train, test = weeks(students, year + seed, CHARACTERS)
        for method, step in (("round", 0), ("round", 100), ("bucket", 100), ("bucket", 300)):
            (point,) = keystrokes.sweep(train, test, method=method, steps_ms=[step]).points
            published = PUBLISHED[method, students][STEPS.index(step)]
            what = f"identification, {students} typists, averages {method} {step} ms"
            told.append(_row(what, protocol, f"{published:.1f}", f"{100 * point.risk:.1f}"))
    timed, classes = experienced(199, 199 + seed, CHARACTERS)
    for (method, step), published in EXPERIENCE.items():
        ours = "{:.1f}, {:.1f}; {:.1f}".format(*(100 * one.value for one in accuracies(timed, classes, method, step)))
        what = f"experience of 199 students, averages {method} {step} ms: Bayes net, forest; majority"
        told.append(_row(what, "fictional course, ten folds, %", "{:.1f}, {:.1f}; 58.8".format(*published), ours))
    return told


def _row(what: str, protocol: str, published: str, measured: str) -> dict[str, str]:
    paper = "Leinonen 2016 (thesis)"
    return {"paper": paper, "what": what, "protocol": protocol, "published": published, "measured": measured}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="typed per student and week")
    options = parser.parse_args()
    console = Console(width=110)
    for students, seed in ((153, 2014), (139, 2015)):
        identification(students, seed, options.characters, console)
    experience(199, 199, options.characters, console)


if __name__ == "__main__":
    main()
