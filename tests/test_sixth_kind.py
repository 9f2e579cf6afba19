"""A sixth kind is one folder and one name: it goes from plan to verify, and no other file changes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "sixth_kind"
SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The folder with the metadata that installing it would leave: the one name it is known by."""
    site = tmp_path_factory.mktemp("site")
    (site / "attendance").symlink_to(FOLDER / "attendance", target_is_directory=True)
    about = site / "attendance-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: attendance\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[sharewell.kinds]\nattendance = attendance\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(SOURCE)])}


@pytest.fixture
def lectures(tmp_path: Path) -> Path:
    """Twelve students in three lectures each, and one who came to all four."""
    rows = [f"s{who},{lecture}" for who in range(12) for lecture in "abc"] + [f"s99,{lecture}" for lecture in "abcd"]
    (tmp_path / "visits.csv").write_text("student,lecture\n" + "\n".join(rows) + "\n")
    return tmp_path


def sharewell(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sharewell", *arguments], capture_output=True, text=True, env=env)


def test_a_kind_from_outside_goes_all_the_way(installed: dict[str, str], lectures: Path) -> None:
    assert sharewell("init", str(lectures), env=installed).returncode == 0
    plan = lectures / "plan.toml"
    assert "[attendance.visits]" in plan.read_text()

    done = sharewell("release", str(plan), env=installed)
    assert done.returncode == 0, done.stderr
    released = (lectures / "release" / "data" / "visits.csv").read_text()
    assert released.count("\n") == 1 + 36
    assert "s99" not in released and ",d" not in released

    summary = json.loads((lectures / "release" / "summary.json").read_text())
    assert [risk["name"] for risk in summary["files"][0]["risk_after"]] == ["alone"]
    report = (lectures / "release" / "report.html").read_text()
    assert "Lists of attendance" in report and "Students alone with their number of lectures" in report
    assert "which lecture it was" in (lectures / "release" / "README.md").read_text()
    assert sharewell("verify", str(lectures / "release"), env=installed).returncode == 0


def test_without_the_name_the_kind_is_unknown(lectures: Path) -> None:
    (lectures / "plan.toml").write_text(
        '[release]\nname = "x"\n[attendance.visits]\nfile = "visits.csv"\nstudent = "student"\nlecture = "lecture"\n'
    )
    here = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = sharewell("release", str(lectures / "plan.toml"), env=here)
    assert done.returncode == 2
    assert "[attendance]: unknown kind of data" in done.stderr
