"""The bar: figures of the papers stay in their committed ranges, and README quotes what was measured."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sharewell.records.protection import stinar

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import paper_figures as bar  # noqa: E402


def test_the_fast_part_stays_in_its_ranges(shared_data: Path) -> None:
    assert bar.outside(bar.measure(shared_data, fast=True)) == []


def test_a_last_step_that_gives_the_outcome_up_is_seen(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step of Stinar's method, broken on purpose: it forgets which columns were chosen."""

    def forgetful(request: Any, scale: Any) -> Any:
        return request.hierarchies

    monkeypatch.setattr(stinar, "_prepared", forgetful)
    assert bar.outside(list(bar.stinar(shared_data, fast=True)))


def test_a_figure_without_a_range_is_seen() -> None:
    rows, _ = bar.load()
    assert bar.outside([replace(rows[0], what="something new")]) != []


def test_the_last_full_run_is_in_its_ranges_and_leaves_no_range_over() -> None:
    rows, _ = bar.load()
    assert bar.outside(rows) == []
    known = json.loads(bar.RANGES.read_text(encoding="utf-8"))
    assert {name for name in known if not name.endswith("(fast)")} == {row.what for row in rows}


def test_the_readme_quotes_the_generated_rows() -> None:
    assert bar.quoted(*bar.load()) in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_paper_has_a_shown_row_and_a_fast_one() -> None:
    rows, _ = bar.load()
    assert {row.kind for row in rows if row.shown} == {"records", "traces", "responses", "posts", "keystrokes"}


def test_the_page_says_what_could_not_be_measured() -> None:
    page = (ROOT / "benchmarks" / "results" / "papers.md").read_text(encoding="utf-8")
    assert all(f"{data} ({reader}): not measured" in page for _, data, reader in bar.not_measured())
