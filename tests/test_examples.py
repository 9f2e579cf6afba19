"""Every script in examples/ runs, and shows what it says it shows."""

import runpy
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(kind: str, **options: int) -> Any:
    return runpy.run_path(str(EXAMPLES / f"{kind}_example.py"))["main"](**options)


def test_every_kind_has_an_example() -> None:
    kinds = {path.name.removesuffix("_example.py") for path in EXAMPLES.glob("*.py")}
    assert kinds == {"records", "traces", "responses", "posts", "keystrokes"}


def test_records() -> None:
    before, after = run("records", students=80)
    k = [{risk.name: risk.value for risk in risks}["k"] for risks in (before, after)]
    assert k[0] == 1 and k[1] >= 5


def test_traces() -> None:
    exact, coarse = run("traces", students=50)
    assert exact[2].value > 0.9 and coarse[2].value < exact[2].value


def test_responses() -> None:
    copied, learned = run("responses", students=100)
    assert copied[0].name == learned[0].name == "auc"
    assert copied[0].value > 0.95 and learned[0].value < 0.75


def test_posts() -> None:
    original, clean = run("posts", students=30)
    assert clean.num_rows == original.num_rows
    assert any("[NAME]" in text for text in clean["message"].to_pylist())


def test_keystrokes() -> None:
    typed, coarse = run("keystrokes", students=30, characters_per_week=400)
    assert typed[0].value > 0.8 and coarse[0].value < 0.4
    assert "<table" in typed._repr_html_() and typed.plot().data
