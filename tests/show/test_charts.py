"""Scales and marks: every number has its place, and nothing falls off the chart."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st
from release_findings import DETAIL, UNICITY, keystrokes, passing, traces

from sharewell.contract import Curve, CurvePoint, Results
from sharewell.show import charts, words
from sharewell.show.axes import around, from_zero
from sharewell.show.view import FileView

numbers = st.lists(st.floats(min_value=0, max_value=1e6, allow_nan=False), min_size=1, max_size=12)


@given(numbers)
def test_every_number_lies_on_its_scale_and_order_is_kept(values: list[float]) -> None:
    for axis in (from_zero(values, share=max(values) <= 1), around(values)):
        places = [axis.at(value) for value in sorted(values)]
        assert places == sorted(places)
        assert all(0 <= place <= 100 for place in places)
        assert axis.low < axis.high
        ticks = axis.ticks()
        assert 2 <= len(ticks) <= 9 or not axis.log
        assert all(axis.low <= tick * (1 + 1e-9) and tick <= axis.high * (1 + 1e-9) for tick in ticks if tick > 0)


@given(numbers)
def test_numbers_far_apart_stay_apart(values: list[float]) -> None:
    positive = [value for value in values if value > 1e-9]
    axis = from_zero(positive, share=False)
    if positive and max(positive) > 2 * min(positive):
        assert axis.at(max(positive)) - axis.at(min(positive)) > 1


def test_every_tried_setting_has_a_mark_and_the_chosen_one_is_told_apart() -> None:
    for file in (traces(), keystrokes()):
        assert file.curve is not None
        chart = charts.curve_chart(file.curve)
        assert chart.svg.count('class="point"') == len(file.curve.points) == len(chart.said)
        assert chart.svg.count('class="chosen"') == 1
        assert chart.points[chart.start].chosen
        assert "Chosen is" in chart.alt


def test_a_setting_without_a_number_is_left_off_the_chart() -> None:
    points = (
        CurvePoint(label="a", strength=0, risk=math.nan, utility=1, meets=False),
        CurvePoint(label="b", strength=1, risk=0.1, utility=0.5, meets=True, chosen=True),
    )
    chart = charts.curve_chart(Curve(strength="s", risk=UNICITY, utility=DETAIL, limit=0.2, points=points))
    assert [point.label for point in chart.points] == ["b"] and chart.start == 0
    assert [point.label for point in chart.undrawn] == ["a"]


def test_a_line_joins_settings_of_one_dial_only() -> None:
    straight, several = keystrokes().curve, traces().curve
    assert straight is not None and several is not None
    assert charts.curve_chart(straight).svg.count('class="way"') == len(straight.points) - 1
    assert 'class="way"' not in charts.curve_chart(several).svg


def test_counts_and_shares_never_share_a_scale() -> None:
    panels = charts.panels(FileView(passing().files[0]).pairs)
    assert [panel.title for panel in panels if "(k)" in panel.title] and len(panels) == 3
    for panel in panels:
        assert len({pair.risk.measure.unit for pair, _ in panel.rows}) == 1
        assert all("<path" in strip for _, strip in panel.rows)


@given(st.floats(min_value=0, max_value=1))
def test_a_share_that_is_something_never_reads_as_nothing(value: float) -> None:
    said = words.percent(value)
    assert (said == "0\u00a0%") == (value == 0)
    assert (said == "100\u00a0%") == (value == 1)


def test_results_draw_themselves() -> None:
    file = traces()
    risks = Results(file.after)
    html = risks._repr_html_()
    assert html.count("<tr title=") == 4 and html.count('class="after"') == 4
    figure = risks.plot()
    assert {trace.name for trace in figure.data} == {"measured", "by chance", "limit"}
    assert list(figure.data[0].x) == [risk.value for risk in file.after]
    assert Results(file.utility).plot().data[1].name == "original"
    assert file.after[0].plot().data and file.utility[0]._repr_html_()


def test_a_curve_draws_itself() -> None:
    curve = traces().curve
    assert curve is not None
    figure = curve.plot()
    assert sum(len(trace.x) for trace in figure.data) == len(curve.points)
    assert [trace.text for trace in figure.data if trace.name == "chosen"] == [("window 1d, at least 20",)]
    assert len(re.findall('class="point"', curve._repr_html_())) == len(curve.points)
