"""Charts as SVG inside the page: no script to load, crisp in print, colours from the page's own palette.

Positions across are percentages and sizes are pixels, so that a chart is as wide as its place and its letters
keep their size on a phone. Every chart comes with a text that says the same to someone who cannot see it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from markupsafe import Markup

from sharewell.contract import Curve, CurvePoint, Risk
from sharewell.show import words
from sharewell.show.axes import Axis, around, from_zero
from sharewell.show.view import Kept, Pair

STRIP, MIDDLE = 36, 18  # height of a row of risks, and where its marks stand
DEPTH = 300  # height of a curve


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Risks that share a scale: one strip each, the numbers along the bottom, and the whole in words."""

    title: str
    rows: tuple[tuple[Pair, Markup], ...]
    axis: Markup
    alt: str
    log: bool


@dataclass(frozen=True, kw_only=True)
class CurveChart:
    """A curve with its points in order of strength; `said` is what the page tells of each of them."""

    svg: Markup
    alt: str
    points: tuple[CurvePoint, ...]
    said: tuple[str, ...]
    log: bool
    start: int


def panels(pairs: Sequence[Pair]) -> list[Panel]:
    """One panel per name of a risk: attackers are compared with each other, a count never with a share."""
    groups: dict[tuple[str, bool], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.name, pair.share), []).append(pair)
    return [_panel(name, group, share) for (name, share), group in groups.items()]


def _panel(name: str, group: Sequence[Pair], share: bool) -> Panel:
    axis = scale(group)
    return Panel(
        title=name,
        rows=tuple((pair, strip(pair, axis)) for pair in group),
        axis=_across(axis, share),
        alt=f"{name}. " + " ".join(pair_in_words(pair) for pair in group),
        log=axis.log,
    )


def scale(pairs: Sequence[Pair]) -> Axis:
    """One scale that has room for all of them."""
    numbers = (number for pair in pairs for number in _numbers(pair))
    return from_zero(numbers, share=all(pair.share or words.is_auc(pair.risk.name) for pair in pairs))


def _numbers(pair: Pair) -> Iterator[float | None]:
    for risk in (pair.before, pair.after):
        if risk is not None:
            yield from (risk.value, risk.low, risk.high, risk.chance, risk.limit)


def strip(pair: Pair, axis: Axis | None = None) -> Markup:
    """Before and after on one line, with the limit, and chance where it is known."""
    axis = axis or scale([pair])
    parts = [_line("0%", MIDDLE, "100%", MIDDLE, "track")]
    parts += _limit_zone(pair.risk, axis)
    if pair.before and pair.after and _known(pair.before.value) and _known(pair.after.value):
        parts.append(_line(_x(axis, pair.before.value), MIDDLE, _x(axis, pair.after.value), MIDDLE, "way"))
    if _known(pair.risk.chance):
        parts.append(_mark(_x(axis, pair.risk.chance), MIDDLE, "chance", "M0,-6L5,0L0,6L-5,0Z", "by chance"))
    parts += [
        part for risk, name in ((pair.before, "before"), (pair.after, "after")) for part in _dot(risk, axis, name)
    ]
    return Markup(f'<svg class="strip" width="100%" height="{STRIP}" aria-hidden="true">{"".join(parts)}</svg>')


def _dot(risk: Risk | None, axis: Axis, name: str) -> list[str]:
    if risk is None or not _known(risk.value):
        return []
    parts = []
    if _known(risk.low) and _known(risk.high):
        parts.append(_line(_x(axis, risk.low), MIDDLE, _x(axis, risk.high), MIDDLE, f"reach {name}"))
    return [*parts, _mark(_x(axis, risk.value), MIDDLE, name, "M-6,0A6,6 0 1 0 6,0A6,6 0 1 0 -6,0Z", name)]


def _limit_zone(risk: Risk, axis: Axis) -> list[str]:
    """The side of the scale that the limit forbids, and the limit itself."""
    if not _known(risk.limit):
        return []
    position = axis.at(risk.limit or 0.0)
    left, width = (position, 100 - position) if risk.better == "lower" else (0.0, position)
    zone = f'<rect class="over" x="{left}%" y="4" width="{round(width, 2)}%" height="{STRIP - 8}"/>'
    return [zone, _line(f"{position}%", 1, f"{position}%", STRIP - 1, "limit")]


def _across(axis: Axis, share: bool) -> Markup:
    """The numbers along the bottom; the outermost keep inside the chart."""
    parts = []
    for value in axis.ticks():
        position = axis.at(value)
        anchor = "start" if position < 4 else "end" if position > 96 else "middle"
        parts.append(_line(f"{position}%", 0, f"{position}%", 5, "tick"))
        parts.append(f'<text x="{position}%" y="18" text-anchor="{anchor}">{escape(words.amount(value, share))}</text>')
    return Markup(f'<svg class="axis" width="100%" height="22" aria-hidden="true">{"".join(parts)}</svg>')


def pair_in_words(pair: Pair) -> str:
    """One strip as a sentence."""
    told = [f"{pair.risk.attacker}:"]
    if pair.before is not None:
        told.append(f"{pair.say(pair.before.value)} before{_within(pair.before, pair)},")
    if pair.after is not None:
        told.append(f"{pair.say(pair.after.value)} after{_within(pair.after, pair)},")
    if _known(pair.risk.chance):
        told.append(f"{pair.say(pair.risk.chance)} by chance,")
    if pair.risk.limit is not None:
        told.append(f"limit {words.held(pair.risk, pair.share)}, {pair.status or 'not judged'},")
    return " ".join(told).rstrip(",") + "."


def _within(risk: Risk, pair: Pair) -> str:
    told = words.interval(risk, pair.share)
    return f" (interval {told})" if told else ""


def curve_chart(curve: Curve) -> CurveChart:
    """Risk against usefulness, one mark per setting that was tried."""
    points = tuple(
        sorted((point for point in curve.points if _placed(point)), key=lambda p: (p.strength, -p.utility, p.label))
    )
    share = words.curve_risk_is_share(curve)
    heights = [number for point in points for number in (point.risk, point.low, point.high)]
    down, across = from_zero([*heights, curve.limit], share=share), around(point.utility for point in points)
    parts = [*_grid(curve, down, across, share), *_route(points, down, across, curve)]
    parts += [_point(point, index, down, across) for index, point in enumerate(points)]
    start = next((index for index, point in enumerate(points) if point.chosen), max(len(points) - 1, 0))
    return CurveChart(
        svg=Markup(f'<svg class="curve" width="100%" height="{DEPTH + 26}" aria-hidden="true">{"".join(parts)}</svg>'),
        alt=curve_in_words(curve),
        points=points,
        said=tuple(point_in_words(point, curve) for point in points),
        log=down.log,
        start=start,
    )


def _placed(point: CurvePoint) -> bool:
    return _known(point.risk) and _known(point.utility)


def _grid(curve: Curve, down: Axis, across: Axis, share: bool) -> Iterator[str]:
    if curve.limit is not None:
        height = _y(down, curve.limit)
        top, deep = (0, height) if curve.better == "lower" else (height, DEPTH - height)
        yield f'<rect class="over" x="0%" y="{top}" width="100%" height="{deep}"/>'
    for value in down.ticks():
        height = _y(down, value)
        yield _line("0%", height, "100%", height, "grid")
        yield f'<text x="-8" y="{height + 4}" text-anchor="end">{escape(words.amount(value, share))}</text>'
    useful = words.curve_utility_is_share(curve)
    for value in across.ticks():
        position = across.at(value)
        yield _line(f"{position}%", DEPTH, f"{position}%", DEPTH + 5, "tick")
        name = escape(words.amount(value, useful))
        yield f'<text x="{position}%" y="{DEPTH + 20}" text-anchor="middle">{name}</text>'
    if curve.limit is not None:
        yield _line("0%", height := _y(down, curve.limit), "100%", height, "limit")
        label = f"limit {words.amount(curve.limit, share)}"
        yield f'<text class="limit-name" x="100%" y="{height - 6 if height > 20 else height + 16}" text-anchor="end">'
        yield f"{escape(label)}</text>"


def _route(points: Sequence[CurvePoint], down: Axis, across: Axis, curve: Curve) -> Iterator[str]:
    """From strength to strength where each has one setting; else along the best risk that each usefulness allows."""
    route = list(points) if len({point.strength for point in points}) == len(points) else _front(points, curve)
    for one, other in pairwise(route):
        yield _line(_x(across, one.utility), _y(down, one.risk), _x(across, other.utility), _y(down, other.risk), "way")


def _front(points: Sequence[CurvePoint], curve: Curve) -> list[CurvePoint]:
    """The settings that no other beats in both risk and usefulness."""
    sign = 1 if curve.better == "lower" else -1
    front: list[CurvePoint] = []
    for point in sorted(points, key=lambda p: (-p.utility, sign * p.risk)):
        if not front or sign * point.risk < sign * front[-1].risk:
            front.append(point)
    return front


def _point(point: CurvePoint, index: int, down: Axis, across: Axis) -> str:
    x, y = _x(across, point.utility), _y(down, point.risk)
    name = "chosen" if point.chosen else "meets" if point.meets else "misses"
    shapes = {
        "chosen": "M-9,0A9,9 0 1 0 9,0A9,9 0 1 0 -9,0Z",
        "meets": "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z",
        "misses": "M-5,-5L5,5M-5,5L5,-5",
    }
    parts = [f'<g class="point" data-index="{index}">']
    if _known(point.low) and _known(point.high):
        parts.append(_line(x, _y(down, point.low or 0.0), x, _y(down, point.high or 0.0), "whisker"))
    parts.append(f'<circle class="halo" cx="{x}" cy="{y}" r="14"/>')
    parts.append(_mark(x, y, name, shapes[name], point.label))
    if point.chosen:
        anchor, shift = ("end", -15) if across.at(point.utility) > 50 else ("start", 15)
        parts.append(
            f'<svg class="mark" x="{x}" y="{y}"><text x="{shift}" y="4" text-anchor="{anchor}">chosen</text></svg>'
        )
    return "".join([*parts, "</g>"])


def point_in_words(point: CurvePoint, curve: Curve) -> str:
    share = words.curve_risk_is_share(curve)
    inside = words.interval(point, share)
    interval = f" (interval {inside})" if inside else ""
    verdict = "chosen" if point.chosen else "meets the limit" if point.meets else "misses the limit"
    return (
        f"{point.label}: {curve.risk} {words.amount(point.risk, share)}{interval}, "
        f"{curve.utility} {words.amount(point.utility, words.curve_utility_is_share(curve))}; {verdict}"
    )


def curve_in_words(curve: Curve) -> str:
    """The chart for someone who cannot see it: how many settings, how they did, which one was taken."""
    meeting = sum(point.meets for point in curve.points)
    count = words.plural(len(curve.points), "setting")
    told = [f"{curve.risk} against {curve.utility} for {count}; {meeting} of them meet the limit."]
    chosen = curve.chosen
    told.append(f"Chosen is {point_in_words(chosen, curve)}." if chosen else "None was chosen.")
    return " ".join(told)


def bar(kept: Kept) -> Markup:
    """How near a measure comes to the original: a full bar says the same."""
    width = round(100 * (kept.near or 0.0), 1)
    shape = f'<rect class="room" width="100%" height="12"/><rect class="{kept.group}" width="{width}%" height="12"/>'
    return Markup(f'<svg class="bar" width="100%" height="12" aria-hidden="true">{shape}</svg>')


def _x(axis: Axis, value: float | None) -> str:
    return f"{axis.at(value or 0.0)}%"


def _y(axis: Axis, value: float) -> float:
    return round(DEPTH * (1 - axis.at(value) / 100), 1)


def _line(x1: str, y1: float, x2: str, y2: float, name: str) -> str:
    return f'<line class="{name}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _mark(x: str, y: float, name: str, shape: str, title: str) -> str:
    """A shape around a place given in per cent: an inner picture with its origin there."""
    path = f'<path class="{name}" d="{shape}"><title>{escape(title)}</title></path>'
    return f'<svg class="mark" x="{x}" y="{y}">{path}</svg>'


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
