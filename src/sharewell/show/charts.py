"""Charts as SVG inside the page: no script to load, crisp in print, colours from the page's own palette.

Positions across are percentages and sizes are pixels, so that a chart is as wide as its place and its letters
keep their size on a phone. Every chart comes with a text that says the same to someone who cannot see it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from sharewell.contract import Curve, CurvePoint, Measure, Risk
from sharewell.show import words
from sharewell.show.axes import Axis, around, from_zero
from sharewell.show.view import Kept, Pair
from sharewell.show.words import is_known

STRIP, MIDDLE = 36, 18  # height of a row of risks, and where its marks stand
DEPTH = 300  # height of a curve
SHAPES = {
    "chosen": "M-9,0A9,9 0 1 0 9,0A9,9 0 1 0 -9,0Z",
    "meets": "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z",
    "misses": "M-5,-5L5,5M-5,5L5,-5",
}


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
    """A curve with its points in order of strength; `said` is what the page says of each of them.

    `undrawn` are the settings without a number: none was measured, or it is a count too small to publish.
    """

    svg: Markup
    alt: str
    points: tuple[CurvePoint, ...]
    undrawn: tuple[CurvePoint, ...]
    said: tuple[str, ...]
    log: bool
    start: int


def panels(pairs: Sequence[Pair]) -> list[Panel]:
    """Make one panel per measure: a count is never compared with a share."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.title, pair.risk.measure.unit), []).append(pair)
    return [_panel(group) for group in groups.values()]


def _panel(group: Sequence[Pair]) -> Panel:
    axis = scale(group)
    title = group[0].title
    return Panel(
        title=title,
        rows=tuple((pair, strip(pair, axis)) for pair in group),
        axis=_across(axis, group[0].risk.measure),
        alt=f"{title}. " + " ".join(pair_in_words(pair) for pair in group),
        log=axis.log,
    )


def scale(pairs: Sequence[Pair]) -> Axis:
    """One scale that has room for all of them."""
    numbers = (number for pair in pairs for number in _numbers(pair))
    return from_zero(numbers, share=all(pair.risk.measure.unit in ("share", "auc") for pair in pairs))


def _numbers(pair: Pair) -> Iterator[float | None]:
    for risk in (pair.before, pair.after):
        if risk is not None:
            yield from (risk.value, risk.low, risk.high, risk.chance, risk.limit)


def strip(pair: Pair, axis: Axis | None = None) -> Markup:
    """Draw a risk before and after on one line, with its limit and chance level."""
    axis = axis or scale([pair])
    parts = [_line("0%", MIDDLE, "100%", MIDDLE, "track"), *_limit_zone(pair.risk, axis)]
    if pair.before and pair.after and is_known(pair.before.value) and is_known(pair.after.value):
        parts.append(_line(_x(axis, pair.before.value), MIDDLE, _x(axis, pair.after.value), MIDDLE, "way"))
    if is_known(pair.risk.chance):
        parts.append(_mark(_x(axis, pair.risk.chance), MIDDLE, "chance", "M0,-6L5,0L0,6L-5,0Z", "by chance"))
    parts += [*_dot(pair.before, axis, "before"), *_dot(pair.after, axis, "after")]
    return _picture("strip", STRIP, parts)


def _dot(risk: Risk | None, axis: Axis, name: str) -> Iterator[Markup]:
    if risk is None or not is_known(risk.value):
        return
    if is_known(risk.low) and is_known(risk.high):
        yield _line(_x(axis, risk.low), MIDDLE, _x(axis, risk.high), MIDDLE, f"reach {name}")
    yield _mark(_x(axis, risk.value), MIDDLE, name, "M-6,0A6,6 0 1 0 6,0A6,6 0 1 0 -6,0Z", name)


def _limit_zone(risk: Risk, axis: Axis) -> Iterator[Markup]:
    """The side of the scale that the limit forbids, and the limit itself."""
    if risk.limit is None or not is_known(risk.limit):
        return
    position = axis.at(risk.limit)
    left, width = (position, 100 - position) if risk.better == "lower" else (0.0, position)
    zone = Markup('<rect class="over" x="{}%" y="4" width="{}%" height="{}"/>')
    yield zone.format(left, round(width, 2), STRIP - 8)
    yield _line(f"{position}%", 1, f"{position}%", STRIP - 1, "limit")


def _across(axis: Axis, measure: Measure) -> Markup:
    """The numbers along the bottom; the outermost keep inside the chart."""
    parts = []
    for value in axis.ticks():
        position = axis.at(value)
        anchor = "start" if position < 4 else "end" if position > 96 else "middle"
        parts.append(_line(f"{position}%", 0, f"{position}%", 5, "tick"))
        parts.append(_text(f"{position}%", 18, anchor, words.amount(measure, value)))
    return _picture("axis", 22, parts)


def pair_in_words(pair: Pair) -> str:
    """One strip as a sentence."""
    said = [f"{pair.risk.attacker}:"]
    if pair.before is not None:
        said.append(f"{words.said(pair.before)} before{_within(pair.before)},")
    if pair.after is not None:
        said.append(f"{words.said(pair.after)} after{_within(pair.after)},")
    if is_known(pair.risk.chance):
        said.append(f"{words.chance(pair.risk)} by chance,")
    if pair.risk.limit is not None:
        said.append(f"limit {words.limit(pair.risk)}, {pair.status or 'not judged'},")
    return " ".join(said).rstrip(",") + "."


def _within(risk: Risk) -> str:
    ends = words.interval(risk)
    return f" (interval {ends})" if ends else ""


def curve_chart(curve: Curve) -> CurveChart:
    """Risk against usefulness, one mark per setting that was tried."""
    points = tuple(
        sorted((point for point in curve.points if _placed(point)), key=lambda p: (p.strength, -p.utility, p.label))
    )
    heights = [number for point in points for number in (point.risk, point.low, point.high)]
    down = from_zero([*heights, curve.limit], share=curve.risk.unit == "share")
    across = around(point.utility for point in points)
    parts = [*_grid(curve, down, across), *_route(points, down, across, curve)]
    parts += [_point(point, index, down, across) for index, point in enumerate(points)]
    start = next((index for index, point in enumerate(points) if point.chosen), max(len(points) - 1, 0))
    return CurveChart(
        svg=_picture("curve", DEPTH + 26, parts),
        alt=curve_in_words(curve),
        points=points,
        undrawn=tuple(point for point in curve.points if not _placed(point)),
        said=tuple(point_in_words(point, curve) for point in points),
        log=down.log,
        start=start,
    )


def _placed(point: CurvePoint) -> bool:
    return is_known(point.risk) and is_known(point.utility)


def _grid(curve: Curve, down: Axis, across: Axis) -> Iterator[Markup]:
    limit = None if curve.limit is None else _y(down, curve.limit)
    if limit is not None:
        top, deep = (0.0, limit) if curve.better == "lower" else (limit, DEPTH - limit)
        yield Markup('<rect class="over" x="0%" y="{}" width="100%" height="{}"/>').format(top, deep)
    for value in down.ticks():
        height = _y(down, value)
        yield _line("0%", height, "100%", height, "grid")
        yield _text("-8", height + 4, "end", words.amount(curve.risk, value))
    for value in across.ticks():
        position = f"{across.at(value)}%"
        yield _line(position, DEPTH, position, DEPTH + 5, "tick")
        yield _text(position, DEPTH + 20, "middle", words.amount(curve.utility, value))
    if limit is not None:
        yield _line("0%", limit, "100%", limit, "limit")
        label = f"limit {words.amount(curve.risk, curve.limit)}"
        yield _text("1%", limit - 6 if limit > 20 else limit + 16, "start", label, name="limit-name")


def _route(points: Sequence[CurvePoint], down: Axis, across: Axis, curve: Curve) -> Iterator[Markup]:
    """A line where every stronger setting is safer and costs something; settings of different methods stay points."""
    sign = 1 if curve.better == "lower" else -1
    steps = list(pairwise(points))
    if all(
        one.strength < other.strength and one.utility >= other.utility and sign * one.risk >= sign * other.risk
        for one, other in steps
    ):
        for one, other in steps:
            ends = _x(across, one.utility), _y(down, one.risk), _x(across, other.utility), _y(down, other.risk)
            yield _line(*ends, "way")


def _point(point: CurvePoint, index: int, down: Axis, across: Axis) -> Markup:
    x, y = _x(across, point.utility), _y(down, point.risk)
    name = "chosen" if point.chosen else "meets" if point.meets else "misses"
    parts = []
    if point.low is not None and point.high is not None and is_known(point.low) and is_known(point.high):
        parts.append(_line(x, _y(down, point.low), x, _y(down, point.high), "whisker"))
    parts.append(Markup('<circle class="halo" cx="{}" cy="{}" r="14"/>').format(x, y))
    parts.append(_mark(x, y, name, SHAPES[name], point.label))
    if point.chosen:
        anchor, shift = ("end", "-20") if across.at(point.utility) > 50 else ("start", "20")
        label = Markup('<svg class="mark" x="{}" y="{}">{}</svg>')
        parts.append(label.format(x, y, _text(shift, 4, anchor, "chosen")))
    return Markup('<g class="point" data-index="{}">{}</g>').format(index, Markup("").join(parts))


def point_in_words(point: CurvePoint, curve: Curve) -> str:
    inside = words.span(curve.risk, point.low, point.high)
    interval = f" (interval {inside})" if inside else ""
    verdict = "chosen" if point.chosen else "meets the limit" if point.meets else "misses the limit"
    return (
        f"{point.label}: {words.inline(curve.risk.title)} {words.point_risk(curve, point)}{interval}, "
        f"{words.inline(curve.utility.title)} {words.point_utility(curve, point)}; {verdict}"
    )


def curve_in_words(curve: Curve) -> str:
    """Describe the chart to someone who cannot see it."""
    meeting = sum(point.meets for point in curve.points)
    count = words.plural(len(curve.points), "setting")
    said = [
        f"{curve.risk.title} against {words.inline(curve.utility.title)} for {count}; {meeting} of them meet the limit."
    ]
    chosen = curve.chosen
    said.append(f"Chosen is {point_in_words(chosen, curve)}." if chosen else "None was chosen.")
    return " ".join(said)


def bar(kept: Kept) -> Markup:
    """How near a measure comes to the original: a full bar says the same."""
    room = Markup('<rect class="room" width="100%" height="12"/>')
    filled = Markup('<rect class="{}" width="{}%" height="12"/>').format(kept.group, round(100 * (kept.near or 0.0), 1))
    return _picture("bar", 12, [room, filled])


def _picture(name: str, height: int, parts: Sequence[Markup]) -> Markup:
    shell = Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true">{}</svg>')
    return shell.format(name, height, Markup("").join(parts))


def _x(axis: Axis, value: float | None) -> str:
    return f"{axis.at(value or 0.0)}%"


def _y(axis: Axis, value: float) -> float:
    return round(DEPTH * (1 - axis.at(value) / 100), 1)


def _line(x1: str, y1: float, x2: str, y2: float, name: str) -> Markup:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(name, x1, y1, x2, y2)


def _text(x: str, y: float, anchor: str, words: str, *, name: str = "") -> Markup:
    named = Markup(' class="{}"').format(name) if name else ""
    return Markup('<text{} x="{}" y="{}" text-anchor="{}">{}</text>').format(named, x, y, anchor, words)


def _mark(x: str, y: float, name: str, shape: str, title: str) -> Markup:
    """A shape around a place given in per cent: an inner picture with its origin there."""
    mark = Markup('<svg class="mark" x="{}" y="{}"><path class="{}" d="{}"><title>{}</title></path></svg>')
    return mark.format(x, y, name, shape, title)
