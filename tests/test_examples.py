"""The examples run as they stand and say something."""

import runpy
import time
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_every_kind_has_an_example() -> None:
    kinds = {"records", "traces", "responses", "posts", "keystrokes"}
    assert {path.stem.removesuffix("_example") for path in EXAMPLES} == kinds


DATA = {
    "bosch": (),
    "ito": ("epm/epm_all_sessions.csv.gz",),
    "leinonen": (),
    "stinar": ("student_performance/student-mat.csv",),
    "vie": ("assistments2009/assistments09_full.csv.gz",),
}


@pytest.mark.parametrize("name", DATA)
def test_the_script_of_a_paper_runs(
    name: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = EXAMPLES[0].parent / "papers" / f"{name}.py"
    code = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith('"""')]
    assert len(code) <= 15
    monkeypatch.setattr("sys.argv", [str(path), *(str(shared_data / file) for file in DATA[name])])
    began = time.process_time()
    runpy.run_path(str(path), run_name="__main__")
    assert time.process_time() - began < 60
    told = capsys.readouterr().out
    assert "measured" in told and "published" in told


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 2
