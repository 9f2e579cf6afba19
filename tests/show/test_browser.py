"""The pages in a real browser, from disk with the network off: nothing asked for, nothing broken, all clickable."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from release_findings import passing, refused
from release_writers import report_html

from sharewell.disclosure import disclose
from sharewell.show import explorer

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
WIDTHS = (390, 1024, 1600)


@dataclass
class Heard:
    """What a page said and asked for."""

    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    texts = {
        "passed": report_html(passing()),
        "refused": report_html(refused()),
        "explore": explorer.render(disclose(passing())),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return {name: folder / f"{name}.html" for name in texts}


def opened(browser: Any, path: Path, width: int = 1024, scheme: str = "light") -> tuple[Any, Heard]:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page, heard = context.new_page(), Heard()
    page.on("console", lambda message: heard.complaints.append(message.text))
    page.on("pageerror", lambda error: heard.complaints.append(str(error)))
    page.on("request", lambda request: heard.requests.append(request.url))
    page.goto(path.as_uri())
    return page, heard


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["passed", "refused", "explore"])
def test_it_fits_every_width_and_asks_for_nothing(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    page, heard = opened(browser, pages[name], scheme=scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for closed in (True, False):
            page.evaluate("open => document.querySelectorAll('details').forEach(d => { d.open = open })", not closed)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert heard.complaints == []
    assert heard.requests == [pages[name].as_uri()]
    page.context.close()


@pytest.mark.parametrize("name", ["passed", "refused", "explore"])
def test_every_chart_has_marks_inside_it_and_a_caption(browser: Any, pages: dict[str, Path], name: str) -> None:
    page, _ = opened(browser, pages[name], width=390)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    figures = page.locator("figure")
    assert figures.count() >= 4
    for index in range(figures.count()):
        figure = figures.nth(index)
        assert "How to read it" in figure.locator("figcaption").inner_text()
        outer = figure.bounding_box()
        marks = figure.locator("svg.strip path, svg.curve .mark path")
        assert marks.count() > 0
        for mark in marks.all():
            inner = mark.bounding_box()
            assert inner["width"] > 0 and inner["height"] > 0
            assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    page.context.close()


def test_a_tile_leads_to_its_part(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["passed"])
    tiles = page.locator("a.tile")
    assert tiles.count() == 6
    for index in range(tiles.count()):
        target = tiles.nth(index).get_attribute("href")
        tiles.nth(index).focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"{target} :is(h2, h3)").first).to_be_in_viewport()
        assert page.url.endswith(target)
    assert page.locator("#linkage").get_attribute("open") is not None  # a fold that is linked to opens
    assert heard.complaints == []
    page.context.close()


def test_tables_sort_by_number_and_by_word_and_can_be_copied(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["passed"])
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#records-students summary").filter(has_text="What was changed").click()
    table = page.locator("#records-students .table").filter(has_text="Every change").first
    cells = table.locator("tbody td:nth-child(3)")
    head = table.locator("thead th").nth(2)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert cells.all_inner_texts() == ["under 5", "298", "298", ""]
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    table.locator("thead th").nth(0).locator("button").click()
    names = table.locator("tbody th").all_inner_texts()
    assert names == sorted(names) and len(names) == 4
    table.locator("button.copy").click()
    expect(page.locator("#say")).to_have_text("Table copied.")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == 5 and lines[1].split("\t")[:2] == ["age", 'in bins of five years <b>&"quoted"</b>']
    assert heard.complaints == []
    page.context.close()


def test_a_curve_is_stepped_through_by_keys_and_by_clicks(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["explore"])
    figure = page.locator("#curve-traces-clicks")
    said, slider = figure.locator("output"), figure.locator("input[type=range]")
    assert "at least 20" in said.inner_text() and "chosen" in said.inner_text()
    slider.focus()
    page.keyboard.press("Home")
    assert said.inner_text().startswith("window 1min, at least 1")
    assert slider.get_attribute("aria-valuetext") == said.inner_text()
    figure.locator(".point").nth(3).locator(".mark path").click()
    assert said.inner_text().startswith("window 1d, at least 1:") and "37\u00a0%" in said.inner_text()
    assert page.locator("tr.picked th").filter(has_text="window 1d, at least 1").count() == 1
    assert figure.locator(".point.current").count() == 1
    assert heard.complaints == []
    page.context.close()


def test_on_paper_the_measurements_are_unfolded(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    page, heard = opened(browser, pages["passed"], scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.print:not([open])").count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 20_000
    assert heard.complaints == []
    page.context.close()


def test_without_scripts_the_page_still_tells_everything(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["refused"].as_uri())
    assert page.locator("h2").first.is_visible()
    assert not page.locator(".stepper").first.is_visible() and not page.locator("button.copy").first.is_visible()
    page.locator("#traces-clicks summary").filter(has_text="What was tried").click()
    assert page.locator("#traces-clicks figure").last.is_visible()
    context.close()


def test_page_one_is_read_in_minutes_and_the_rest_folds(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["passed"], width=1280)
    first, whole = (len(page.locator(part).inner_text().split()) for part in ("#page-one", "main"))
    assert first < 500 and whole < 1_300
    assert page.evaluate("document.documentElement.scrollHeight") < 5 * 900
    page.context.close()
