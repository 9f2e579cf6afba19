"""The figures of the paper as data: unicity against known points, quasi-identifiers and the number of students."""

from collections.abc import Iterable, Sequence
from typing import Any

from sharewell.contract import Results, Risk
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.events import ready
from sharewell.traces.log import reduce
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.measure.known_points import as_risks, measure
from sharewell.traces.coarser_log import view
from sharewell.traces.windows import parse


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
    """Figures 3 and 6: one line per window."""
    table = ready(events, student=student, at=at, also=also, layout=dates, only_these=True)
    base = reduce(table, student=student, at=at, window=parse("1s"), also=also)
    risks: Results[Risk] = Results()
    for window in windows:
        log = view(base, Recoding(window=parse(window)))
        alone = measure(log, attacker("random"), known=known, sample=sample, repeats=repeats, seed=seed)
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
    """Figure 7: one bar per set of quasi-identifiers beside the time."""
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
