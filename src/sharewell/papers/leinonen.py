"""Leinonen (2016, thesis), "Keystroke data in programming courses: anonymizing latencies against identification".

Profiles of the mean latencies of the 25 commonest digraphs, identification by the ten nearest profiles, and programming
experience inferred from the same averages, with the averages rounded (Equation 3) or put into buckets (4 and 5).

Coarse profiles tie: the share found is the expected one under random tie-breaking, or it would hang on the order of
rows. Curves are not monotone: look at steps of 10 ms before a strength is trusted. Here features are selected inside
the folds; the thesis selects them on all rows first, which inflates the accuracy. It coarsens *averages*: single events
coarsened the same way let an attacker average the coarseness away, and stronger attacks find more
(`sw.keystrokes.identify` with other attacks).
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sharewell import keystrokes
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import profiles, samples
from sharewell.papers.tables import PaperTable, rows_of
from sharewell.progress import step

Method = Literal["rounding", "bucketing"]
PASTE = "\x00"  # in place of several characters at once
NAMED_KEYS = (  # one keystroke each, although their names have several letters
    "space", "backspace", "enter", "return", "tab", "delete", "shift", "control", "ctrl", "alt", "altgraph", "meta",
    "capslock", "escape", "arrowleft", "arrowright", "arrowup", "arrowdown", "home", "end", "pageup", "pagedown",
    "insert", "left", "right", "up", "down",
)  # fmt: skip
FEWEST_CHARACTERS = 2000  # in the first week (§4.1)
LAST_WEEK = 7  # the test set; the weeks before it are the training set
K = 10  # acceptance threshold
N_DIGRAPHS = 25
STEPS = (0, 100, 200, 300, 400, 500, 600)
CURVE = tuple(range(0, 610, 10))  # Figures 6, 7 and 10
FEATURES = (5, 10, 15, 20, 25, 50, 100, 150, 200)  # Figure 5
THRESHOLDS = (1, 5, 10)
WAYS: dict[Method, Any] = {"rounding": "round", "bucketing": "bucket"}
PUBLISHED_IDENTIFICATION: Mapping[tuple[str, str], Sequence[float]] = {  # Tables 2 and 3, % at the steps
    ("rounding", "2014"): (98.0, 81.7, 6.5, 72.5, 77.1, 6.5, 6.5),
    ("rounding", "2015"): (97.8, 81.3, 56.8, 67.6, 67.6, 7.2, 7.2),
    ("bucketing", "2014"): (98.0, 26.1, 12.4, 6.5, 6.5, 6.5, 6.5),
    ("bucketing", "2015"): (97.8, 31.7, 15.8, 7.2, 7.2, 7.2, 7.2),
}
PUBLISHED_EXPERIENCE: Mapping[tuple[str, str], Sequence[float]] = {  # Table 4, % at the steps
    ("rounding", "bayes net"): (75.4, 73.9, 73.9, 73.9, 68.3, 73.9, 70.4),
    ("rounding", "random forest"): (73.9, 75.4, 72.4, 70.9, 73.4, 73.9, 71.4),
    ("rounding", "majority"): (58.8,) * 7,
    ("bucketing", "bayes net"): (75.4, 73.4, 71.4, 70.4, 61.3, 64.3, 58.8),
    ("bucketing", "random forest"): (73.9, 73.4, 75.4, 71.4, 69.8, 67.3, 60.3),
    ("bucketing", "majority"): (58.8,) * 7,
}
PUBLISHED_DIGRAPHS = (  # Table 1, 2015
    "space→=", "t→u", "n→t", "l→u", "a→r", "a→t", "=→space", "r→i", "j→a", "t→h", "{→}", "l→i", "h→i",
    "i→n", "s→t", "o→u", "backspace→backspace", "k→u", "i→s", "t→a", "v→a", "u→k", "t→space", "e→t", "u→t",
)  # fmt: skip


def preprocess(
    events: Any, *, student: str, session: str, key: str, press: str, week: str, unit: str | None = None,
    fewest: int = FEWEST_CHARACTERS,
) -> pa.Table:  # fmt: skip
    """Latencies of digraphs within 10 to 750 ms, without pastes and without students who typed little (§4.1).

    Args:
        events: One row per key or inserted text.
        student: The column of students.
        session: The column of exercises.
        key: What was typed; several characters at once are a paste, and no digraph leads over one.
        press: The time of it.
        week: The column of weeks, from 1.
        unit: Of the clock: ns, us, ms or s where its size does not show it.
        fewest: Characters in the first week; students with fewer are left out.

    Returns:
        One row per latency, as `sw.keystrokes.timings` gives them.
    """
    table = engine.arrow(engine.table(events))
    table = table.set_column(table.column_names.index(week), week, table[week].cast(pa.int64()))
    keys = table[key].cast(pa.string())
    pasted = pc.and_(pc.greater(pc.utf8_length(keys), 1), pc.invert(_is_named(keys)))
    marked = pc.if_else(pasted, PASTE, keys)
    table = table.set_column(table.column_names.index(key), key, marked)
    first = pc.and_(pc.equal(table[week], pc.min(table[week])), pc.invert(pasted))
    typed = table.filter(first).group_by(student).aggregate([(key, "count")])
    enough = typed.filter(pc.greater_equal(typed[f"{key}_count"], fewest))[student]
    if not len(enough):
        raise InputError(f"no student typed {fewest:,} characters in the first week; see `fewest`", column=student)
    kept = table.filter(pc.is_in(table[student], value_set=enough.combine_chunks()))
    timed = keystrokes.timings(kept, student=student, session=session, key=key, press=press, week=week, unit=unit)
    steps = timed.filter(pc.equal(timed["kind"], "latency"))
    return steps.filter(pc.invert(pc.match_substring(steps["keys"], PASTE)))


def _is_named(keys: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(pc.utf8_lower(keys), value_set=pa.array(NAMED_KEYS))


def split(timings: pa.Table, *, last_week: int = LAST_WEEK) -> tuple[pa.Table, pa.Table]:
    """The training set (weeks before the last) and the test set (the last week)."""
    test = pc.equal(timings["week"], last_week)
    return timings.filter(pc.less(timings["week"], last_week)), timings.filter(test)


def as_single_characters(timings: pa.Table) -> pa.Table:
    """Longi's single character latencies: from any key to a specific one."""
    return _renamed(timings, pc.replace_substring_regex(timings["keys"], "^.*→", "any→"))


def as_typing_speed(timings: pa.Table) -> pa.Table:
    """Longi's third feature: the average latency between any two keys."""
    return _renamed(timings, pc.replace_substring_regex(timings["keys"], "^.*$", "any→any"))


def _renamed(timings: pa.Table, keys: pa.ChunkedArray) -> pa.Table:
    return timings.set_column(timings.column_names.index("keys"), "keys", keys)


def digraphs(train: pa.Table, test: pa.Table, *, n: int = N_DIGRAPHS) -> PaperTable:
    """Table 1: the commonest digraphs, by the median count per student in both sets."""
    both = [samples.reduce(engine.table(part)) for part in (train, test)]
    chosen = [str(name).removeprefix("latency ") for name in profiles.commonest(both, n)]
    rows = [{"measured": one, "among the published": one in PUBLISHED_DIGRAPHS} for one in chosen]
    caption = "By the median count over students in both sets. Published: the 2015 course, Java."
    return PaperTable(name="Table 1", title=f"The {n} most common digraphs", caption=caption, rows=rows_of(rows))


def figure_5(
    train: pa.Table, test: pa.Table, *, features: Sequence[int] = FEATURES, thresholds: Sequence[int] = THRESHOLDS
) -> PaperTable:
    """Figure 5: identification over the number of digraphs in a profile, for lists of 1, 5 and 10, in per cent."""
    rows = []
    with step("Figure 5", total=len(features) * len(thresholds)) as advance:
        for k, n in product(thresholds, features):
            (point,) = keystrokes.sweep(train, test, steps_ms=[0], accept=k, digraphs=n).points
            rows.append({"threshold": k, "digraphs": n, "measured": 100 * point.risk})
            advance(1)
    return PaperTable(
        name="Figure 5",
        title="Identification accuracy over the number of digraphs, %",
        caption=f"{len(pc.unique(train['student']))} students, raw averages. The paper's figure is a picture.",
        rows=rows_of(rows),
        x="digraphs",
        series=("threshold",),
    )


def identification(train: pa.Table, test: pa.Table, *, method: Method = "rounding", x: float = 0, k: int = K) -> float:
    """Return the share of students whose profile is among the k nearest."""
    (point,) = keystrokes.sweep(train, test, method=WAYS[method], steps_ms=[x], accept=k).points
    return float(point.risk)


def identification_table(
    train: pa.Table, test: pa.Table, *, method: Method = "rounding", steps: Sequence[float] = STEPS, k: int = K,
    course: str = "",
) -> PaperTable:  # fmt: skip
    """Tables 2 and 3, and with `steps=CURVE` Figures 6, 7 and 10: identification over strength, in per cent."""
    curve = keystrokes.sweep(train, test, method=WAYS[method], steps_ms=steps, accept=k)
    printed = dict(zip(STEPS, PUBLISHED_IDENTIFICATION.get((method, course), ()), strict=False))
    rows = [
        {
            "method": method,
            "ms": point.strength,
            "measured": 100 * point.risk,
            "published": printed.get(int(point.strength)),
        }
        for point in curve.points
    ]
    students = len(pc.unique(train["student"]))
    return PaperTable(
        name="Table 2" if method == "rounding" else "Table 3",
        title=f"Identification accuracy within {k}, %",
        caption=f"{students} students; by chance {100 * k / students:.1f}. Published: the course of {course or '–'}.",
        rows=rows_of(rows),
        x="ms",
        series=("method",),
    )


def experience_table(
    timings: pa.Table, experienced: Mapping[str, Any], *, method: Method = "rounding",
    steps: Sequence[float] = STEPS, seed: int = 1,
) -> PaperTable:  # fmt: skip
    """Table 4: accuracy of the Bayes net, the random forest and the majority over strength, in per cent."""
    rows = []
    with step("Table 4", total=len(steps)) as advance:
        for x in steps:
            found = keystrokes.infer(timings, experienced, step_ms=x, method=WAYS[method], seed=seed)
            for one in found:
                if one.name.startswith("accuracy"):
                    classifier = str(one.setting["classifier"])
                    printed = dict(zip(STEPS, PUBLISHED_EXPERIENCE[method, classifier], strict=True)).get(int(x))
                    row = {"method": method, "classifier": classifier, "ms": float(x)}
                    rows.append({**row, "measured": 100 * float(one.value or 0), "published": printed})
            advance(1)
    return PaperTable(
        name="Table 4",
        title="Programming experience classification accuracy, %",
        caption=f"{len(experienced)} students, ten folds, features selected inside them, seed {seed}.",
        rows=rows_of(rows),
        x="ms",
        series=("classifier",),
    )


def figure_8(
    train: pa.Table, test: pa.Table, experienced: Mapping[str, Any], *, method: Method = "rounding",
    steps: Sequence[float] = STEPS, course: str = "", seed: int = 1,
) -> PaperTable:  # fmt: skip
    """Figures 8 (rounding) and 9 (bucketing): identification and experience over strength in one chart."""
    found = identification_table(train, test, method=method, steps=steps, course=course)
    inferred = experience_table(pa.concat_tables([train, test]), experienced, method=method, steps=steps, seed=seed)
    rows = [{"what": "identification", **row} for row in found.rows.drop_columns(["method"]).to_pylist()]
    for row in inferred.rows.drop_columns(["method"]).to_pylist():
        rows.append({"what": row.pop("classifier"), **row})
    return PaperTable(
        name="Figure 8" if method == "rounding" else "Figure 9",
        title="Identification and programming experience over strength, %",
        caption=f"{found.caption} {inferred.caption}",
        rows=rows_of(rows),
        x="ms",
        series=("what",),
    )


def figure_2(
    timings: pa.Table, experienced: Mapping[str, Any], *, digraph: str = "i→+", points: int = 50
) -> PaperTable:
    """Figures 2 and 3: smoothed densities of a digraph's mean latency, scaled 0 to 1, of novices and experienced."""
    from scipy.stats import gaussian_kde

    means = timings.filter(pc.equal(timings["keys"], digraph)).group_by("student").aggregate([("ms", "mean")])
    if means.num_rows < 4:
        raise InputError(f"too few students typed {digraph}", column="keys")
    values = means["ms_mean"].to_numpy()
    scaled = (values - values.min()) / max(np.ptp(values), 1e-9)
    has = [experienced.get(str(one)) for one in means["student"].to_pylist()]
    grid, rows = np.linspace(0, 1, points), []
    for kind in sorted({str(one) for one in has if one is not None}):
        of_kind = scaled[np.array([str(one) == kind for one in has])]
        if np.ptp(of_kind) > 0:
            density = gaussian_kde(of_kind)(grid)
            pairs = zip(grid.tolist(), density.tolist(), strict=True)
            rows += [{"experience": kind, "time": x, "measured": y} for x, y in pairs]
    return PaperTable(
        name="Figure 2",
        title=f"Density of the time of {digraph}",
        caption="Gaussian kernels; latencies scaled over all students. The paper's figures are pictures.",
        rows=rows_of(rows),
        x="time",
        series=("experience",),
    )
