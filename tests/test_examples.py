"""The examples run as they stand and say something."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_every_kind_has_an_example() -> None:
    kinds = {"records", "traces", "responses", "posts", "keystrokes"}
    assert {path.stem.removesuffix("_example") for path in EXAMPLES} == kinds


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 2
