"""The report: what must stand on the page, what must not, and that it is one file that asks for nothing."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from release_findings import (
    ALONE,
    EVENTS_KEPT,
    FOUND,
    MARK,
    PROMISED,
    STRONGEST,
    passing,
    records,
    refused,
    traces,
)  # fmt: skip
from release_writers import readme, report_html, summary_json, terminal_text

from sharewell.contract import Better, Change, Count, Measure, Risk, Utility
from sharewell.disclosure import disclose
from sharewell.findings import Findings
from sharewell.release.gate import judge
from sharewell.show import explorer, view
from sharewell.show import words as words_of
from sharewell.show.view import FileView, Kept, Pair, nearness, pairs

VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """Headings, ids, links and pictures of a page, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = []
        self.pictures: list[str | None] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "data", "action")]
        if given.get("role") == "img":
            self.pictures.append(given.get("aria-label"))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass  # shapes of SVG

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}>"
        self.open.pop()

    def handle_data(self, text: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words += text


def page(findings: Findings) -> str:
    return report_html(findings)


def explored(findings: Findings) -> str:
    return explorer.render(disclose(findings))


def words(findings: Findings) -> str:
    return re.sub(r"\s+", " ", Page(page(findings)).words)


@pytest.mark.parametrize("made", [passing, refused])
@pytest.mark.parametrize("render", [page, explored])
def test_the_page_is_sound_and_stands_alone(made: Callable[[], Findings], render: Callable[[Findings], str]) -> None:
    text = render(made())
    seen = Page(text)
    assert seen.open == []
    assert len(text.encode()) < 8_000_000
    assert [address for address in seen.addresses if not address.startswith(("#", "data:,"))] == []
    assert not re.search(r"https?://|@import|url\(", text)
    assert [name for name, count in Counter(seen.ids).items() if count > 1] == []
    assert {link[1:] for link in seen.links} <= set(seen.ids)
    assert seen.headings[0] == 1 and seen.headings.count(1) == 1
    steps = zip(seen.headings, seen.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    assert seen.pictures and all(seen.pictures)


@pytest.mark.parametrize("made", [passing, refused])
def test_the_same_findings_give_the_same_bytes(made: Callable[[], Findings]) -> None:
    assert page(made()) == page(made())
    assert explored(made()) == explored(made())


def test_the_verdict_comes_first_and_every_kind_has_a_tile() -> None:
    text = words(passing())
    assert "Every limit is met: 2 promises and 7 measured limits over 5 files" in text
    first = [text.index(title) for title in ("Every limit", "Student records", "Activity traces", "Typing rhythms")]
    assert first == sorted(first)
    links = Page(page(passing())).links
    for file in passing().files:
        assert f"#{FileView(file).anchor}" in links


def test_a_tile_shows_the_attacker_who_gets_furthest_and_the_verdict_who_stays_most_exposed() -> None:
    text = words(passing())
    tiles = text[text.index("The files at a glance") :]
    clicks = tiles[tiles.index("clicks.parquet") : tiles.index("clicks.parquet") + 400]
    assert "(rare points)" in clicks and "(random points)" not in clicks and "4.4 %" in clicks
    exposed = text[text.index("Most exposed") : text.index("The files at a glance")]
    assert "9 % of 298" in exposed and "random points), for which the plan has no limit" in exposed


def test_a_promise_is_a_sentence_on_page_one_and_covers_what_it_bounds() -> None:
    text = words(passing())
    tile = text[text.index("students.csv") : text.index("clicks.parquet")]
    assert PROMISED in tile and "(prosecutor)" not in tile and "Students who look alike differ" in tile
    (file, *_) = disclose(passing()).files
    assert [pair.risk.name for pair in FileView(file).promises] == ["k", "l"]
    assert FileView(file).audits == [] and FileView(file).headline is None and FileView(file).exposed is None
    broken = replace(records(), after=tuple(replace(risk, value=1) for risk in records().after if risk.gate))
    assert FileView(broken).promises == [] and FileView(broken).headline is not None


def test_what_no_limit_covers_is_named_under_the_verdict() -> None:
    assert "In 1 file an attack that has no limit gets further than guessing" in words(passing())
    gated = replace(traces(), after=tuple(risk for risk in traces().after if risk.gate))
    assert "an attack that has no limit" not in words(replace(passing(), files=(records(), gated)))


def test_a_kind_of_student_who_is_most_exposed_is_named() -> None:
    older = replace(records().after[2], value=0.2, setting={"who": "Students with age 30 to 40", "everyone": 0.1})
    text = words(replace(passing(), files=(replace(records(), after=(*records().after, older)),)))
    exposed = text[text.index("Most exposed") : text.index("The files at a glance")]
    assert "Students with age 30 to 40: 20 %, everyone 10 %" in exposed


def test_every_figure_on_page_one_is_of_the_released_table() -> None:
    """A curve is of the search: what it says of the chosen setting may differ from the table that leaves."""
    curve = records().curve
    assert curve is not None
    points = tuple(replace(point, utility=0.953) for point in curve.points)
    findings = replace(passing(), files=(replace(records(), curve=replace(curve, points=points)), *passing().files[1:]))
    text, sheet, summary = words(findings), readme(findings), json.loads(summary_json(findings))
    first, sections = text.split(" before and ", 1)
    assert "95.3" not in first and "95.3" in sections
    for file, stated in zip(disclose(findings).files, summary["files"], strict=True):
        view = FileView(file)
        pairs = [*view.promises, *([view.headline] if view.headline else [])]
        figures: list[tuple[Risk | Utility, Any]] = [(pair.risk, stated["risk_after"]) for pair in pairs]
        figures += [(kept.utility, stated["utility"]) for _, kept in view.best_and_worst]
        assert len(figures) >= 2
        for result, results in figures:
            said, title = words_of.said(result).replace("\u00a0", " "), result.measure.title
            same = [one for one in results if one["measure"]["title"] == title]
            assert result.value in [one["value"] for one in same], title
            if not result.measure.promise:  # that is a sentence
                assert title in first and said in first
            assert said in sections, title
            assert any(title in line and said in line for line in sheet.splitlines()), title


def test_the_most_exposed_and_the_files_together_are_figures_of_the_summary() -> None:
    """And files are called by what they are, not by sections of the plan."""
    first, summary = words(passing()).split(" before and ", 1)[0], json.loads(summary_json(passing()))
    disclosed = disclose(passing())
    exposed = view.most_exposed([FileView(file) for file in disclosed.files])
    assert exposed is not None
    assert exposed[1].risk.value in [risk["value"] for file in summary["files"] for risk in file["risk_after"]]
    assert f"{exposed[1].title}: {exposed[2]}".replace("\u00a0", " ") in first
    joined = max((Pair(after=risk) for risk in disclosed.linkage if risk.gate), key=lambda pair: pair.strain)
    assert joined.risk.value in [risk["value"] for risk in summary["linkage"]]
    assert words_of.said(joined.risk).replace("\u00a0", " ") in first[first.index("The files together") :]
    assert not any(file.label in first for file in disclosed.files)


def test_no_chart_stands_twice_and_no_row_speaks_of_an_attack_that_was_not_made() -> None:
    text = page(passing())
    drawn = sum(len(FileView(file).charted) + bool(FileView(file).headline) for file in disclose(passing()).files)
    assert text.count('<svg class="strip"') == drawn + 1  # the files together
    board = text[text.index('id="board"') :]
    rows = board[: board.index("Where the items")]
    assert "no attack was made" not in rows and "No attack asked: " in rows


def test_pages_speak_plainly() -> None:
    private = re.compile(r"\b(told|held|whoever)\b", re.IGNORECASE)
    for findings in (passing(), refused()):
        said = words(findings)
        assert private.findall(said[: said.index("How to read it")]) == []
    templates = Path(view.__file__).parent / "templates"
    for template in templates.glob("*.j2"):
        written = re.sub(r"\{[{%].*?[%}]\}", " ", template.read_text(encoding="utf-8"))
        assert private.findall(written) == [], template.name


def test_each_part_of_a_kind_is_told() -> None:
    text = words(passing())
    wanted = (
        "Someone who knows a few ordinary facts", "at least 5", "age by 5, postcode away",
        "it identifies a person by itself",
        "AUC of passing", "0.71", "original 0.78", "What this does not cover", "Who stays most exposed",
        "holds two files", "Seed of the measurements",
    )  # fmt: skip
    assert [part for part in wanted if part not in text] == []


def test_what_comes_from_the_data_is_text_and_never_markup() -> None:
    assert MARK not in page(passing())
    assert MARK in Page(page(passing())).words


def test_small_counts_are_never_shown() -> None:
    def left_out(cells: int) -> Change:
        return Change(columns=("c",), action="suppressed", reason="r", cells=Count(cells))

    few = replace(records(), rows_before=99_000, rows_after=99_000, changes=tuple(map(left_out, (1, 4, 5, 98_765))))
    text = page(replace(passing(), files=(few,)))
    cells = re.findall(r'data-name="cells" data-sort="([^"]*)">([^<]*)<', text)
    assert cells == [("0.5", "under 5"), ("0.5", "under 5"), ("5", "5"), ("98765", "98,765")]
    scarce = Risk(measure=ALONE, attacker="random", value=3 / 298, n=298)
    (file,) = disclose(replace(passing(), files=(replace(traces(), before=(), after=(scarce,)),))).files
    exposed = FileView(file).exposed
    assert exposed is not None and exposed[1] == "under 5 of 298"


def test_a_refusal_says_what_failed_by_how_much_and_what_would_pass() -> None:
    text = words(refused())
    assert "Refused, with 3 of 8 limits missed and 1 measure without a number. Nothing was released." in text
    assert "limit: at least 5; 20% under it" in text
    assert "2.4 times the limit" in text
    assert "Nearest setting that met its limit when tried: window 1d, at least 20" in text
    assert "Of 2 settings tried none met every limit; age by 2 came nearest" in text
    assert "it would pass only under a limit of 12 %" in text
    assert "ValueError at risk.py:61" in text
    assert all(re.sub(r"\s+", " ", reason) in text for reason in judge(refused()).reasons)


def test_each_risk_after_stands_beside_the_same_risk_before() -> None:
    found = {(pair.risk.name, pair.risk.attacker, pair.risk.setting.get("known")): pair for pair in pairs(traces())}
    for (_, attacker, known), pair in found.items():
        assert pair.before is not None and pair.after is not None
        assert (pair.before.attacker, pair.before.setting["known"]) == (attacker, known)


def test_a_gate_on_the_strongest_attacker_stands_beside_the_strongest_before() -> None:
    weak, strong = (Risk(measure=FOUND, attacker="any", value=value, n=9, setting={"w": value}) for value in (0.2, 0.9))
    held = Risk(measure=STRONGEST, attacker="any", value=0.1, n=9, gate="found", limit=0.2)
    (pair, *rest) = pairs(replace(traces(), before=(weak, strong), after=(held,)))
    assert pair.before is strong and pair.strongest
    assert [other.before for other in rest] == [weak]


def test_the_strongest_before_need_not_be_the_strongest_after() -> None:
    """Whoever gets furthest with the release may have been weak before: that is not what the release is set against."""
    weak = Risk(measure=FOUND, attacker="one", value=0.3, n=9)
    strong = Risk(measure=STRONGEST, attacker="other", value=0.9, n=9)
    held = Risk(measure=STRONGEST, attacker="one", value=0.1, n=9, gate="found", limit=0.2)
    (pair, *_) = pairs(replace(traces(), before=(weak, strong), after=(held,)))
    assert pair.before is strong


def test_an_attack_whose_number_is_not_told_can_be_the_strongest_before() -> None:
    weak, strong = (Risk(measure=FOUND, attacker="any", value=found / 100, n=100) for found in (90, 99))
    held = Risk(measure=STRONGEST, attacker="any", value=0.1, n=100, gate="found", limit=0.2)
    (file,) = disclose(replace(passing(), files=(replace(traces(), before=(weak, strong), after=(held,)),))).files
    (pair, *_) = pairs(file)
    assert pair.before is not None and pair.before.withheld == "all but under 5 of 100"


@pytest.mark.parametrize(
    ("value", "original", "better", "near"),
    [
        (0.9, 1.0, "higher", 0.9), (1.1, 1.0, "higher", 0.9), (-0.2, 1.0, "higher", 0.0), (0.1, 0.0, "lower", 0.9),
        (0.3, 0.2, "lower", 0.5), (0.1, 0.2, "lower", 1.0), (17.0, 0.0, "lower", None), (0.5, None, "higher", None),
        (float("nan"), 1.0, "higher", None),
    ],
)  # fmt: skip
def test_nearness_to_the_original(value: float, original: float | None, better: Better, near: float | None) -> None:
    measure = Measure(id="m", title="M", unit="number", better=better)
    measured = nearness(Utility(measure=measure, value=value, baseline=original, n=1))
    assert measured == (None if near is None else pytest.approx(near))


@pytest.mark.parametrize(
    ("value", "original", "near"), [(0.8, 0.8, 1.0), (0.65, 0.8, 0.5), (0.5, 0.8, 0.0), (0.5, 0.505, None)]
)
def test_an_area_under_the_curve_is_worth_what_it_adds_to_guessing(value: float, original: float, near: float) -> None:
    measure = Measure(id="m", title="M", unit="auc", better="higher")
    measured = nearness(Utility(measure=measure, value=value, baseline=original, n=1))
    assert measured == (None if near is None else pytest.approx(near))


def test_what_is_gone_is_gone_even_where_shares_of_the_original_say_little() -> None:
    minutes = Measure(id="m", title="Minutes per session", unit="number", better="higher", unbounded=True)
    assert nearness(Utility(measure=minutes, value=0.0, baseline=7.4, n=9)) == 0
    assert nearness(Utility(measure=minutes, value=6.0, baseline=7.4, n=9)) is None


def test_a_promise_is_a_line_in_the_terminal() -> None:
    assert f"promise: records.students: {PROMISED}" in re.sub(r"\s+", " ", terminal_text(passing()))


def test_a_measure_without_a_number_is_not_called_kept() -> None:
    assert Kept(utility=Utility(measure=EVENTS_KEPT, value=float("nan"), n=0), near=None).group == "alone"


def test_a_release_without_anything_measured_still_has_a_page() -> None:
    bare = replace(records(), before=(), after=(), utility=(), changes=(), curve=None, rows_after=None)
    text = words(replace(passing(), files=(bare,), linkage=()))
    assert "No risk could be measured." in text and "nothing measured the limit “k”" in text


def test_the_explorer_recommends_one_setting_per_curve_in_a_sentence() -> None:
    text = re.sub(r"\s+", " ", Page(explored(passing())).words)
    assert "Choose “window 1d, at least 20”" in text and "misses the limit (11 %)" in text
    assert "keep it with the people who may see" in text
    assert "None of the 2 settings tried meets every limit" in Page(explored(refused())).words


def test_a_few_things_left_are_not_counted_out() -> None:
    addresses = Measure(id="web addresses left", title="Web addresses left", unit="count", counts=True)
    few = Risk(measure=addresses, attacker="reader", value=3, n=544)
    text = page(replace(passing(), files=(replace(traces(), before=(few,), after=(replace(few, value=0.0),)),)))
    row = text[text.index('<th scope="row">Web addresses left') :].split("</tr>")[0]
    assert "under 5" in row and ">3<" not in row and '"3"' not in row


def test_many_measures_are_folded_after_the_first_six() -> None:
    many = tuple(
        Utility(measure=EVENTS_KEPT, value=0.95, baseline=1.0, n=9, setting={"column": f"c{i}"}) for i in range(9)
    )
    text = page(replace(passing(), files=(replace(traces(), utility=many),)))
    assert "<summary>3 more</summary>" in text and text.count("column c") == 9


def test_a_curve_without_a_single_number_is_told_in_words() -> None:
    curve = traces().curve
    assert curve is not None
    blank = tuple(replace(point, risk=float("nan"), meets=False, chosen=False) for point in curve.points)
    text = page(replace(passing(), files=(replace(traces(), curve=replace(curve, points=blank)),)))
    assert "No setting gave numbers that could be drawn." in text and 'class="explore"' not in text
