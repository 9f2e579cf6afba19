"""Results drawn in a notebook: small pictures at once (`_repr_html_`), plotly figures on request (`.plot()`)."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sharewell.contract import Curve, Risk, Utility
from sharewell.show import charts, words
from sharewell.show.axes import Axis
from sharewell.show.view import Kept, Pair, nearness

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BEFORE, AFTER, GREY = "#b85c00", "#0060a0", "#8b96a3"  # told apart by colour-blind readers, on white and on black
STYLE = f"""<style>
.sharewell {{ font: 14px/1.4 system-ui, sans-serif; max-width: 52rem; }}
.sharewell table {{ border-collapse: collapse; width: 100%; }}
.sharewell th, .sharewell td {{ text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid {GREY}55; }}
.sharewell td.drawn {{ width: 45%; }} .sharewell svg {{ overflow: visible; display: block; }}
.sharewell text {{ font-size: 12px; fill: {GREY}; }} .sharewell .mark text {{ fill: currentColor; font-weight: 600; }}
.sharewell .track, .sharewell .grid, .sharewell .tick {{ stroke: {GREY}55; }} .sharewell .over {{ fill: #b3361b22; }}
.sharewell .way, .sharewell .whisker {{ stroke: {GREY}; }}
.sharewell .limit {{ stroke: {GREY}; stroke-width: 2; stroke-dasharray: 4 3; }}
.sharewell .reach {{ stroke: {AFTER}; stroke-width: 7; opacity: .4; }} .sharewell .chance {{ fill: {GREY}; }}
.sharewell .after, .sharewell .chosen, .sharewell .meets {{ fill: {AFTER}; }}
.sharewell .misses {{ stroke: {BEFORE}; stroke-width: 2; fill: none; }} .sharewell .halo {{ fill: none; }}
.sharewell .room {{ fill: {GREY}33; }}
.sharewell rect.still, .sharewell rect.care, .sharewell rect.lost {{ fill: {AFTER}; }}
</style>"""


def results_html(results: Sequence[Risk | Utility]) -> str:
    """One row per result: its value and interval, what to compare it with, and both drawn."""
    scales = _scales(results)
    rows = "".join(_row(result, scales) for result in results)
    head = "".join(f"<th>{name}</th>" for name in ("measure", "value", "95 % interval", "compare with", "", "n"))
    return f'<div class="sharewell">{STYLE}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _scales(results: Sequence[Risk | Utility]) -> dict[str, Axis]:
    """Risks of one name are drawn on one scale, so that they can be compared."""
    named: dict[str, list[Pair]] = {}
    for result in results:
        if isinstance(result, Risk):
            named.setdefault(result.name, []).append(Pair(after=result))
    return {name: charts.scale(pairs) for name, pairs in named.items()}


def _row(result: Risk | Utility, scales: Mapping[str, Axis]) -> str:
    share = isinstance(result, Risk) and words.is_share(result)
    cells = [
        _row_name(result),
        words.amount(result.value, share),
        words.interval(result, share),
        _beside(result, share),
    ]
    told = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    drawn = f'<td class="drawn">{_drawn(result, scales)}</td>'
    return f'<tr title="{escape(result.story)}">{told}{drawn}<td>{result.n:,}</td></tr>'


def _beside(result: Risk | Utility, share: bool) -> str:
    if isinstance(result, Utility):
        return "" if result.baseline is None else f"original {words.number(result.baseline)}"
    chance = [] if result.chance is None else [f"chance {words.amount(result.chance, share)}"]
    limit = [] if result.limit is None else [f"limit {words.held(result, share)}"]
    return ", ".join([*chance, *limit])


def _drawn(result: Risk | Utility, scales: Mapping[str, Axis]) -> str:
    if isinstance(result, Risk):
        return str(charts.strip(Pair(after=result), scales[result.name]))
    return "" if (near := nearness(result)) is None else str(charts.bar(Kept(utility=result, near=near)))


def curve_html(curve: Curve) -> str:
    """The curve as a picture, with what it says in words."""
    drawn = charts.curve_chart(curve)
    place = f'<div role="img" aria-label="{escape(drawn.alt)}" style="padding: 1rem 1rem 0 4.5rem">{drawn.svg}</div>'
    axes = f"up: {escape(curve.risk)}; across: {escape(curve.utility)}"
    return f'<div class="sharewell">{STYLE}{place}<p>{escape(drawn.alt)} ({axes})</p></div>'


def results_figure(results: Sequence[Risk | Utility]) -> "Figure":
    """Values with their intervals; chance, the limit or the original as further marks."""
    from plotly import graph_objects as go

    names = [_row_name(result) for result in results]
    figure = go.Figure()
    figure.add_scatter(
        x=[result.value for result in results], y=names, mode="markers", name="measured",
        marker={"size": 11, "color": AFTER}, error_x=_reach(results),
        customdata=[result.story for result in results], hovertemplate="%{y}: %{x:.4g}<br>%{customdata}<extra></extra>",
    )  # fmt: skip
    for field, name, symbol, colour in (
        ("chance", "by chance", "diamond", GREY),
        ("baseline", "original", "circle-open", BEFORE),
        ("limit", "limit", "line-ns-open", "#b3361b"),
    ):
        known = [(getattr(result, field, None), label) for result, label in zip(results, names, strict=True)]
        known = [(value, label) for value, label in known if value is not None]
        if known:
            figure.add_scatter(
                x=[value for value, _ in known], y=[label for _, label in known], mode="markers", name=name,
                marker={"size": 11, "symbol": symbol, "color": colour, "line": {"width": 2}},
            )  # fmt: skip
    figure.update_layout(template="plotly_white", height=140 + 34 * len(results), yaxis={"autorange": "reversed"})
    return figure


def _row_name(result: Risk | Utility) -> str:
    who = f" ({result.attacker})" if isinstance(result, Risk) else ""
    setting = words.setting(result)
    return f"{result.name}{who}" + (f", {setting}" if setting else "")


def _reach(results: Sequence[Risk | Utility]) -> dict[str, Any]:
    """From the value to the ends of its interval; none where none is known."""
    up = [0.0 if result.high is None else result.high - result.value for result in results]
    down = [0.0 if result.low is None else result.value - result.low for result in results]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": AFTER}


def curve_figure(curve: Curve) -> "Figure":
    """Risk against usefulness; the setting under each mark, the limit as a line."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for name, symbol, colour, size, fits in (
        ("misses the limit", "x", BEFORE, 9, lambda point: not point.meets and not point.chosen),
        ("meets the limit", "circle", AFTER, 9, lambda point: point.meets and not point.chosen),
        ("chosen", "star", AFTER, 16, lambda point: point.chosen),
    ):
        points = [point for point in curve.points if fits(point)]
        figure.add_scatter(
            x=[point.utility for point in points], y=[point.risk for point in points], mode="markers", name=name,
            text=[point.label for point in points], marker={"symbol": symbol, "color": colour, "size": size},
            hovertemplate="%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
        )  # fmt: skip
    if curve.limit is not None:
        figure.add_hline(y=curve.limit, line_dash="dash", annotation_text=f"limit {words.number(curve.limit)}")
    figure.update_layout(template="plotly_white", xaxis_title=curve.utility, yaxis_title=curve.risk)
    return figure
