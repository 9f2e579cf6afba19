"""The table of published and measured figures: how it is written, and that what the README shows stands in it."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
sys.path.insert(0, str(ROOT / "benchmarks"))

import reproduce  # noqa: E402

ROW = {"paper": "A, B", "what": "x | y", "protocol": "halves, seed 0", "published": ".5", "measured": ".6"}


@pytest.mark.parametrize("script", [name for names in reproduce.SCRIPTS.values() for name in names])
def test_every_script_gives_rows_for_a_folder_and_a_seed(script: str) -> None:
    tree = ast.parse((ROOT / "benchmarks" / f"{script}.py").read_text())
    (rows,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "rows"]
    assert len(rows.args.args) == 2


def test_a_bar_in_a_cell_does_not_break_the_table() -> None:
    *_, last = reproduce.as_markdown([ROW]).splitlines()
    assert len(re.split(r"(?<!\\)\|", last)) == len(reproduce.COLUMNS) + 2


def test_the_summary_gathers_every_kind_that_was_measured(tmp_path: Path) -> None:
    reproduce.write_kind("traces", [ROW], tmp_path, seed=0)
    reproduce.write_kind("posts", [ROW, ROW], tmp_path, seed=0)
    text = reproduce.write_summary(tmp_path).read_text()
    assert text.count("| traces |") == 1 and text.count("| posts |") == 2
    assert json.loads((tmp_path / "posts.json").read_text()) == [ROW, ROW]


def test_pages_of_results_say_what_was_measured(tmp_path: Path) -> None:
    """Each page and the summary follow from the numbers beside them: nobody wrote a figure in by hand."""
    for kind in reproduce.SCRIPTS:
        reproduce.write_kind(kind, json.loads((RESULTS / f"{kind}.json").read_text()), tmp_path, seed=0)
        assert (tmp_path / f"{kind}.md").read_text() == (RESULTS / f"{kind}.md").read_text(), kind
    assert reproduce.write_summary(tmp_path).read_text() == (RESULTS / "summary.md").read_text()


def test_the_readme_shows_measured_figures_only() -> None:
    """Each line of the README's table is a line of the summary."""
    section = (ROOT / "README.md").read_text().split("## Published and measured")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ") and "---" not in line][1:]
    rows = [
        (kind, row["what"], row["published"], row["measured"])
        for kind in reproduce.SCRIPTS
        for row in json.loads((RESULTS / f"{kind}.json").read_text())
    ]
    shown = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]
    assert len(shown) >= len(reproduce.SCRIPTS) and set(shown) <= set(rows)
