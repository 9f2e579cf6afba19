"""Ito, Hsu and Ogata (2025), "Too Detailed to Share?": the unicity of learning logs.

Algorithm 1 as printed: draw ε of a student's events, and count the students whose events include all of them. Students
with fewer than ε events give away all they have. A uniform draw of events favours busy minutes and understates the
risk, and being alone is not yet being found: `points="distinct"` draws different points, and the attackers "rare" and
"worst" of `sw.traces.unicity` know what gives most away.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.papers.tables import PaperTable, rows_of
from sharewell.progress import step
from sharewell.traces import unicity as measured

EPSILON = (1, 2, 4, 8)
WINDOWS = ("1min", "15min", "1d")  # Figures 5 and 6
SEEDS = 10
SAMPLE = 2500  # m for Duolingo and EdNet; BookRoll is taken whole
POINTS: Literal["events", "distinct"] = "events"
PUBLISHED = {  # what the text says of Figures 3, 6 and 7; the curves themselves are pictures
    ("BookRoll Secondary", "1min", 4): 0.913,
    ("BookRoll University with operations", "1min", 4): 0.982,
}
TABLE_1 = {  # records, students, period
    "BookRoll University": (66_259, 51, "4 m"),
    "BookRoll Secondary": (6_486_986, 752, "4 m"),
    "Duolingo": (12_854_226, 115_222, "2 w"),
    "EdNet-KT4": (131_441_538, 297_915, "1y 3m"),
}


def unicity(
    D: Any, Q: Sequence[str] = (), *, epsilon: int, student: str, at: str, window: str = "1min", m: int | None = None,
    seeds: int = SEEDS, points: Literal["events", "distinct"] = POINTS, dates: str | None = None, seed: int = 0,
) -> Risk:  # fmt: skip
    """Algorithm 1: the share of students whom ε events single out, as the mean over ten draws.

    Args:
        D: The events, as a frame or a path.
        Q: Quasi-identifiers beside the timestamp.
        epsilon: How many events are available to the attacker.
        student: The column of students.
        at: The column of timestamps.
        window: What the timestamps are generalised to.
        m: The sample size; every student if not given.
        seeds: How often the events are drawn.
        points: "events" as printed, or "distinct" points.
        dates: The layout of text dates.
        seed: Of the first draw.

    Returns:
        The unicity with its interval.
    """
    return figure_points(
        D, Q, epsilon=[epsilon], student=student, at=at, window=window, m=m, seeds=seeds, points=points, dates=dates,
        seed=seed,
    )[0]  # fmt: skip


def figure_points(
    D: Any, Q: Sequence[str] = (), *, epsilon: Sequence[int], student: str, at: str, window: str = "1min",
    m: int | None = None, seeds: int = SEEDS, points: Literal["events", "distinct"] = POINTS, dates: str | None = None,
    seed: int = 0,
) -> list[Risk]:  # fmt: skip
    """Algorithm 1 for several ε at once."""
    return list(
        measured(
            D, student=student, at=at, window=window, also=Q, known=epsilon, sample=m, repeats=seeds, points=points,
            dates=dates, seed=seed,
        )
    )  # fmt: skip


def table_1(D: Any, *, student: str, data: str = "yours") -> PaperTable:
    """Table 1: records and students of a log, beside the paper's four."""
    events = engine.table(D)
    students = int(events[student].nunique().execute())
    rows = [{"dataset": name, "records": r, "students": s, "period": p} for name, (r, s, p) in TABLE_1.items()]
    rows.append({"dataset": data, "records": int(events.count().execute()), "students": students, "period": None})
    return PaperTable(
        name="Table 1", title="Description of the datasets", caption="The last row is measured.", rows=rows_of(rows)
    )


def figure_3(
    D: Any, *, student: str, at: str, epsilon: Sequence[int] = EPSILON, data: str = "yours", **how: Any
) -> PaperTable:
    """Figure 3: unicity over ε with one-minute timestamps."""
    return figure_6(D, student=student, at=at, epsilon=epsilon, windows=["1min"], data=data, name="Figure 3", **how)


def figure_4(
    D: Any, *, student: str, at: str, group: str, epsilon: int = 4, data: str = "yours", **how: Any
) -> PaperTable:
    """Figure 4: unicity against the number of students, separately for each value of `group` (a language, a class)."""
    cells = engine.arrow(engine.table(D))
    rows = []
    names = [name for name in cells[group].unique().to_pylist() if name is not None]
    with step("Figure 4", total=len(names)) as advance:
        for name in names:
            part = cells.filter(pa.compute.equal(cells[group], pa.scalar(name, cells[group].type)))
            (risk,) = figure_points(part, epsilon=[epsilon], student=student, at=at, **how)
            rows.append({"dataset": data, "group": str(name), "students": risk.n, **_figure(risk), "published": None})
            advance(1)
    rows.sort(key=lambda row: int(row["students"] or 0))
    return PaperTable(
        name="Figure 4",
        title=f"Unicity by size of {group}, ε = {epsilon}",
        caption=_caption(how),
        rows=rows_of(rows),
        x="students",
        series=("dataset",),
    )


def figure_6(
    D: Any, *, student: str, at: str, epsilon: Sequence[int] = EPSILON, windows: Sequence[str] = WINDOWS,
    data: str = "yours", name: str = "Figure 6", **how: Any,
) -> PaperTable:  # fmt: skip
    """Figure 6: unicity over ε with timestamps generalised to minutes, quarters of an hour and days."""
    rows = []
    with step(name, total=len(windows)) as advance:
        for window in windows:
            for risk in figure_points(D, epsilon=epsilon, student=student, at=at, window=window, **how):
                known = int(risk.setting["known"])
                published = PUBLISHED.get((data, window, known))
                rows.append({"window": window, "epsilon": known, **_figure(risk), "published": published})
            advance(1)
    title = f"Unicity of {data} over ε"
    return PaperTable(
        name=name, title=title, caption=_caption(how), rows=rows_of(rows), x="epsilon", series=("window",)
    )


def figure_7(
    D: Any, *, student: str, at: str, sets: Mapping[str, Sequence[str]], epsilon: int = 4, window: str = "1min",
    data: str = "yours", **how: Any,
) -> PaperTable:  # fmt: skip
    """Figure 7: unicity at ε = 4 with different sets of quasi-identifiers, each named in `sets`."""
    rows = []
    with step("Figure 7", total=len(sets)) as advance:
        for name, also in sets.items():
            (risk,) = figure_points(D, also, epsilon=[epsilon], student=student, at=at, window=window, **how)
            published = PUBLISHED.get((f"{data} with {name}", window, epsilon))
            rows.append({"quasi-identifiers": name, **_figure(risk), "published": published})
            advance(1)
    title = f"Unicity of {data} with further quasi-identifiers, ε = {epsilon}"
    return PaperTable(name="Figure 7", title=title, caption=_caption(how), rows=rows_of(rows))


def _figure(risk: Risk) -> dict[str, float]:
    low, high = (np.nan if end is None else float(end) for end in (risk.low, risk.high))
    return {"measured": float(risk.value or 0.0), "low": low, "high": high}


def _caption(how: Mapping[str, Any]) -> str:
    drawn = "events, as printed" if how.get("points", POINTS) == "events" else "distinct points"
    sample = how.get("m")
    who = "every student" if sample is None else f"{sample:,} students"
    seeds, first = how.get("seeds", SEEDS), how.get("seed", 0)
    return f"Algorithm 1 on {drawn}; {who}, {seeds} draws from seed {first}, 95 % intervals by bootstrap."
