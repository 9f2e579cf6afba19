"""Results drawn in a notebook: small pictures at once (`_repr_html_`), plotly figures on request (`.plot()`).

What is drawn has passed the disclosure first, as in every other place where people look at results.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from sharewell import disclosure
from sharewell.contract import Curve, CurvePoint, Result, Risk, Utility
from sharewell.errors import MissingExtra
from sharewell.show import charts, environment, words
from sharewell.show.axes import Axis
from sharewell.show.view import Kept, Pair, nearness

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BEFORE, AFTER, GREY, RED = "#b85c00", "#0060a0", "#8b96a3", "#b3361b"  # distinct to colour-blind readers
STYLE = Markup(
    """
.sharewell {{ font: 14px/1.4 system-ui, sans-serif; max-width: 52rem; }}
.sharewell table {{ border-collapse: collapse; width: 100%; }}
.sharewell th, .sharewell td {{ text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid {grey}55; }}
.sharewell td.drawn {{ width: 45%; }} .sharewell svg {{ overflow: visible; display: block; }}
.sharewell text {{ font-size: 12px; fill: {grey}; }} .sharewell .mark text {{ fill: currentColor; font-weight: 600; }}
.sharewell .track, .sharewell .grid, .sharewell .tick {{ stroke: {grey}55; }} .sharewell .over {{ fill: {red}22; }}
.sharewell .way, .sharewell .whisker {{ stroke: {grey}; }}
.sharewell .limit {{ stroke: {grey}; stroke-width: 2; stroke-dasharray: 4 3; }}
.sharewell .reach {{ stroke: {after}; stroke-width: 7; opacity: .4; }} .sharewell .chance {{ fill: {grey}; }}
.sharewell .after, .sharewell .chosen, .sharewell .meets {{ fill: {after}; }}
.sharewell .misses {{ stroke: {before}; stroke-width: 2; fill: none; }} .sharewell .halo {{ fill: none; }}
.sharewell .room {{ fill: {grey}33; }}
.sharewell rect.still, .sharewell rect.care, .sharewell rect.lost {{ fill: {after}; }}
"""
).format(before=BEFORE, after=AFTER, grey=GREY, red=RED)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One result as the table shows it."""

    result: Risk | Utility
    name: str
    beside: str
    drawn: Markup


def results_html(results: Sequence[Result]) -> str:
    """Draw one row per result: value, interval, and what to compare it with."""
    disclosed = disclosure.results(results)
    scales = _scales(disclosed)
    rows = [Row(result=one, name=_row_name(one), beside=_beside(one), drawn=_drawn(one, scales)) for one in disclosed]
    return str(_template().results(rows, STYLE))


def curve_html(curve: Curve) -> str:
    """The curve as a picture, with what it says in words."""
    disclosed = disclosure.curve(curve)
    return str(_template().curve(charts.curve_chart(disclosed), disclosed, STYLE))


def _template() -> Any:
    return environment.html().get_template("notebook.html.j2").module


def _scales(results: Sequence[Risk | Utility]) -> dict[str, Axis]:
    """Risks of one measure are drawn on one scale, so that they can be compared."""
    named: dict[str, list[Pair]] = {}
    for result in results:
        if isinstance(result, Risk):
            named.setdefault(result.measure.id, []).append(Pair(after=result))
    return {name: charts.scale(pairs) for name, pairs in named.items()}


def _beside(result: Risk | Utility) -> str:
    if isinstance(result, Utility):
        return "" if result.baseline is None else f"original {words.original(result)}"
    chance = [] if result.chance is None else [f"chance {words.chance(result)}"]
    limit = [] if result.limit is None else [f"limit {words.limit(result)}"]
    return ", ".join([*chance, *limit])


def _drawn(result: Risk | Utility, scales: Mapping[str, Axis]) -> Markup:
    if isinstance(result, Risk):
        return charts.strip(Pair(after=result), scales[result.measure.id])
    near = nearness(result)
    return Markup("") if near is None else charts.bar(Kept(utility=result, near=near))


def results_figure(results: Sequence[Result]) -> "Figure":
    """Plot values with intervals; chance, limit or original as further marks."""
    go = _plotly()

    disclosed = disclosure.results(results)
    names = [_escaped(_row_name(result)) for result in disclosed]
    figure = go.Figure()
    figure.add_scatter(
        x=[result.value for result in disclosed], y=names, mode="markers", name="measured",
        marker={"size": 11, "color": AFTER}, error_x=_reach(disclosed),
        customdata=[_escaped(result.story) for result in disclosed],
        hovertemplate="%{y}: %{x:.4g}<br>%{customdata}<extra></extra>",
    )  # fmt: skip
    for field, name, symbol, colour in (
        ("chance", "by chance", "diamond", GREY),
        ("baseline", "original", "circle-open", BEFORE),
        ("limit", "limit", "line-ns-open", RED),
    ):
        known = [(getattr(result, field, None), label) for result, label in zip(disclosed, names, strict=True)]
        known = [(value, label) for value, label in known if value is not None]
        if known:
            figure.add_scatter(
                x=[value for value, _ in known], y=[label for _, label in known], mode="markers", name=name,
                marker={"size": 11, "symbol": symbol, "color": colour, "line": {"width": 2}},
            )  # fmt: skip
    figure.update_layout(template="plotly_white", height=140 + 34 * len(disclosed), yaxis={"autorange": "reversed"})
    return figure


def _row_name(result: Risk | Utility) -> str:
    who = f" ({result.attacker})" if isinstance(result, Risk) else ""
    setting = words.setting(result)
    return f"{result.measure.title}{who}" + (f", {setting}" if setting else "")


def _escaped(text: str) -> str:
    """Plotly reads a little HTML in its labels."""
    return str(escape(text))


def _reach(results: Sequence[Risk | Utility]) -> dict[str, Any]:
    """From the value to the ends of its interval; none where none is known."""
    up = [0.0 if result.high is None else result.high - result.value for result in results]
    down = [0.0 if result.low is None else result.value - result.low for result in results]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": AFTER}


def _state(point: CurvePoint) -> str:
    return "chosen" if point.chosen else "meets the limit" if point.meets else "misses the limit"


def curve_figure(curve: Curve) -> "Figure":
    """Risk against usefulness; the setting under each mark, the limit as a line."""
    go = _plotly()

    disclosed = disclosure.curve(curve)
    figure = go.Figure()
    for state, symbol, colour, size in (
        ("misses the limit", "x", BEFORE, 9),
        ("meets the limit", "circle", AFTER, 9),
        ("chosen", "star", AFTER, 16),
    ):
        points = [point for point in disclosed.points if _state(point) == state]
        figure.add_scatter(
            x=[point.utility for point in points], y=[point.risk for point in points], mode="markers", name=state,
            text=[_escaped(point.label) for point in points],
            marker={"symbol": symbol, "color": colour, "size": size},
            hovertemplate="%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
        )  # fmt: skip
    if disclosed.limit is not None:
        limit = words.amount(disclosed.risk, disclosed.limit)
        figure.add_hline(y=disclosed.limit, line_dash="dash", annotation_text=f"limit {limit}")
    titles = (_escaped(disclosed.utility.title), _escaped(disclosed.risk.title))
    figure.update_layout(template="plotly_white", xaxis_title=titles[0], yaxis_title=titles[1])
    return figure


def _plotly() -> Any:
    """plotly's figures, where they are installed."""
    try:
        from plotly import graph_objects
    except ImportError:
        raise MissingExtra("plotly", extra="plots") from None
    return graph_objects
