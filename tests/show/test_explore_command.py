"""`sharewell explore` writes its page where only the steward can read it, and says where."""

import json
import stat
from pathlib import Path

import pytest
from release_findings import passing

from sharewell import cli


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan whose curves are measured already."""
    (tmp_path / "students.csv").write_text("id,age,passed\na,20,1\n")
    section = '[records.students]\nfile = "students.csv"\nstudent = "id"\nquasi = ["age"]\nkeep = ["passed"]\n'
    (tmp_path / "plan.toml").write_text(f'[release]\nname = "Course"\n\n{section}')
    monkeypatch.setattr("sharewell.pipeline.explore", lambda plan, root: passing())
    return tmp_path / "plan.toml"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["sharewell", "explore", *arguments])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert not stopped.value.code


def test_the_page_is_private_and_named(
    plan: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, str(plan))
    page = plan.parent / "private" / "explore.html"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    said = capsys.readouterr().out
    assert str(page) in said and "Choose “window 1d, at least 20”" in said
    assert "Trade-off explorer" in page.read_text()
    assert not (plan.parent / "release").exists()


def test_machines_are_told_as_well(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, str(plan), "--json", "--out", str(tmp_path / "elsewhere"))
    told = json.loads(capsys.readouterr().out)
    assert Path(told["page"]) == tmp_path / "elsewhere" / "private" / "explore.html"
    assert Path(told["page"]).is_file() and set(told["curves"]) == {
        "records.students", "traces.clicks", "keystrokes.typing"
    }  # fmt: skip
