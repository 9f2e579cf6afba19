"""The figures of the paper as data: unicity against known points, quasi-identifiers and the number of students."""

from collections.abc import Iterable, Sequence
from typing import Any

from sharewell.contract import Results, Risk
from sharewell.plan.windows import parse
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.coarser_log import view
from sharewell.traces.events import Times, ready
from sharewell.traces.log import reduce
from sharewell.traces.measure.known_points import as_risks, singled_out
from sharewell.traces.protection.recoding import Recoding


def against_known(
    events: Any,
    *,
    student: str,
    at: str,
    windows: Sequence[str] = ("1min", "15min", "1d"),
    also: Sequence[str] = (),
    known: Sequence[int] = tuple(range(1, 9)),
    sample: int | None = None,
    repeats: int = 10,
    seed: int = 0,
    dates: str | None = None,
) -> Results[Risk]:
    """Draw unicity against known points, one line per window.

    Figures 3 and 6 of Ito, Hsu and Ogata.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        windows: How exactly a time is known, one line each.
        also: What else is known of an event.
        known: How many points are known.
        sample: How many students are attacked in each repeat; every student if not given.
        repeats: How often points are drawn for each student.
        seed: Seeds the draws.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        One risk per window and number of known points.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> [r.value for r in sw.traces.against_known(log, student="user", at="time", windows=["1d"], known=[2])]
        [0.5]
    """
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates), only_these=True)
    base = reduce(table, student=student, at=at, window=parse("1s"), also=also)
    risks: Results[Risk] = Results()
    for window in windows:
        log = view(base, Recoding(window=parse(window)))
        alone = singled_out(log, attacker("random"), known=known, sample=sample, repeats=repeats, seed=seed)
        risks += as_risks(log, alone, attacker("random"), seed=seed)
    return risks


def against_quasi(
    events: Any,
    *,
    student: str,
    at: str,
    sets: Iterable[Sequence[str]],
    window: str = "1min",
    known: int = 4,
    sample: int | None = None,
    repeats: int = 10,
    seed: int = 0,
    dates: str | None = None,
) -> Results[Risk]:
    """Draw unicity by what else is known, one bar per set of columns.

    Figure 7 of Ito, Hsu and Ogata.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        sets: The sets of columns, one bar each.
        window: How exactly a time is known.
        known: How many points are known.
        sample: How many students are attacked in each repeat; every student if not given.
        repeats: How often points are drawn for each student.
        seed: Seeds the draws.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        One risk per set.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> [r.value for r in sw.traces.against_quasi(log, student="user", at="time", sets=[[]], window="1d", known=2)]
        [0.5]
    """
    risks: Results[Risk] = Results()
    for also in sets:
        risks += against_known(
            events, student=student, at=at, windows=[window], also=also, known=[known], sample=sample,
            repeats=repeats, seed=seed, dates=dates,
        )  # fmt: skip
    return risks


def rows(risks: Iterable[Risk], *, x: str, series: str | None = None) -> list[dict[str, Any]]:
    """Points to draw: x from the setting, y with its interval, and the line that each belongs to."""
    return [
        {
            "x": risk.setting.get(x),
            "y": risk.value,
            "low": risk.low,
            "high": risk.high,
            "series": risk.setting.get(series, risk.attacker) if series else risk.attacker,
        }
        for risk in risks
    ]
