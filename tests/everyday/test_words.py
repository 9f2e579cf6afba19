"""Words that help: a screen is enough, results print in three lines, a refusal says what to do next."""

import contextlib
import io
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell import cli, disclosure, pipeline, progress
from sharewell.contract import Change, Curve, CurvePoint, Measure, Risk
from sharewell.data import memory
from sharewell.errors import InputError, Problems
from sharewell.findings import Failure, FileFindings, Findings
from sharewell.plan.document import load
from sharewell.release.gate import judge
from sharewell.show import terminal

SHARE = Measure(id="unicity", title="Students whom a few known points single out")
KEPT = Measure(id="detail kept", title="Detail kept", better="higher")


def file(number: int) -> FileFindings:
    risks = tuple(
        Risk(
            measure=SHARE,
            attacker=f"somebody who knows {n} points of the log",
            value=0.5,
            n=900,
            low=0.4,
            high=0.6,
            limit=0.05 if n % 3 else None,
            setting={"known": 4, "window": "15min", "also": "Component, Event name"},
        )
        for n in range(40)
    )
    label = "groups of 5, windows of 1d, without Component, Event name, Origin, rare values merged"
    points = tuple(
        CurvePoint(label=f"{n} {label}", strength=n, risk=0.1, utility=0.5, meets=True, chosen=n == 70)
        for n in range(150)
    )
    curve = Curve(strength="what is left out", risk=SHARE, utility=KEPT, limit=0.05, points=points, n=900)
    return FileFindings(
        kind="traces",
        name=f"log{number}",
        file="log.csv",
        format="csv",
        limits={},
        rows_before=9000,
        before=risks,
        curve=curve,
    )


@pytest.mark.parametrize("files", [1, 2, 3, 4, 7, 13, 16, 30, 33, 200])
@pytest.mark.parametrize("width", ["80", "100"])
def test_assessments_and_curves_fit_a_screen(files: int, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    all_files = [*map(file, range(files - 1)), replace(file(files), failures=(Failure(stage="reading", reason="no"),))]
    linked = tuple(replace(risk, gate="linkage") for risk in all_files[0].before[:3])
    disclosed = disclosure.disclose(
        Findings(release="r", audience="agreement", join=False, seed=0, files=tuple(all_files), linkage=linked)
    )
    for show in (
        terminal.show_assessment,
        lambda disclosed: terminal.show_curves(disclosed, page=Path("explore.html")),
    ):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            show(disclosed)
        lines = out.getvalue().splitlines()
        assert len(lines) <= 40, len(lines)
        assert f"traces.log{files}" in out.getvalue()  # what failed is never left out
        assert files > 3 or "← chosen" in out.getvalue() or "as it stands" in out.getvalue()


@pytest.mark.parametrize("width", ["80", "100"])
def test_a_table_of_settings_takes_twelve_lines(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    disclosed = disclosure.disclose(Findings(release="r", audience="agreement", join=False, seed=0, files=(file(0),)))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        terminal.show_curves(disclosed, page=Path("explore.html"))
    table = out.getvalue()[: out.getvalue().rindex("┘") + 1].splitlines()
    assert 6 <= len(table) <= 12 and "← chosen" in out.getvalue()


@pytest.mark.parametrize("width", ["80", "100"])
def test_an_outcome_names_what_it_measured_beside_the_end_that_was_judged(
    width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    risk = replace(file(0).before[1], value=0.02, low=0.01, high=0.04, bound="high", gate="unicity", setting={})
    findings = Findings(
        release="r", audience="agreement", join=False, seed=0, files=(replace(file(0), before=(), after=(risk,)),)
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        terminal.show_outcome(disclosure.disclose(findings), judge(findings), report=None, notes=())
    rows = [[cell.strip() for cell in line.split("│")] for line in out.getvalue().splitlines() if line.startswith("│")]
    titles, limits = (" ".join(row[place] for row in rows).split() for place in (1, 4))
    assert " ".join(titles).startswith("traces.log0 Students whom a few known points single out")
    assert " ".join(limits) == "at most 5 % upper end 4 %"
    assert all(row[2] in ("–", "") and row[3] in ("2 %", "") and row[5] in ("met", "") for row in rows)


def test_the_terminal_names_columns_that_a_release_drops() -> None:
    dropped = Change(columns=("mark", "item"), action="dropped", reason="they single out")
    kept = Change(columns=("verb",), action="coarsened", reason="rare values single out")
    findings = Findings(
        release="r", audience="agreement", join=False, seed=0, files=(replace(file(0), changes=(dropped, kept)),)
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        terminal.show_outcome(disclosure.disclose(findings), judge(findings), report=None, notes=())
    said = next(line for line in out.getvalue().splitlines() if line.startswith("not in the release: "))
    assert said.endswith("traces.log0: mark, item")


def test_python_results_print_in_three_lines() -> None:
    table = pa.table({"age": ["19", "20"] * 20, "sex": ["F", "M"] * 20, "town": [str(n) for n in range(40)]})
    results = sw.records.assess(table, quasi=["age", "sex"], sensitive=[])
    assert len(repr(results).splitlines()) <= 3
    assert len(repr(sw.records.anonymize(table, quasi=["age", "sex", "town"], k=5)).splitlines()) <= 3
    events = pa.table(
        {"who": [f"s{n % 9}" for n in range(90)], "at": [f"2024-01-{1 + n % 9:02d} 10:00" for n in range(90)]}
    )
    protected = sw.traces.protect(events, student="who", at="at", known=2, limit=0.5)
    assert len(repr(protected).splitlines()) <= 3


def test_a_list_of_results_prints_twenty_rows_and_becomes_a_frame() -> None:
    table = pa.table({"age": ["19", "20"] * 20, "sex": ["F", "M"] * 20, "town": [str(n) for n in range(40)]})
    results = sw.records.assess(table, quasi=["age", "sex"], sensitive=[])
    assert len(results) > 3 and len(str(results).splitlines()) == min(len(results), 20)
    for package in ("pandas", "polars"):
        frame = results.to_frame(package)
        assert list(frame["value"]) == [risk.value for risk in results]
        assert list(frame["name"]) == [risk.name for risk in results] and "attacker" in frame.columns
    with pytest.raises(InputError, match="use pandas or polars"):
        results.to_frame("arrow")


def test_a_module_lists_what_there_is() -> None:
    assert dir(sw.posts) == ["find_names", "learn", "redact"]
    for kind in (sw.records, sw.traces, sw.responses, sw.keystrokes):
        assert dir(kind) == sorted(kind.__all__)


@pytest.mark.parametrize("frame", ["pyarrow", "pandas", "polars"])
def test_a_fitted_model_holds_no_row(frame: str) -> None:
    draw = np.random.default_rng(1)
    students = [f"student-{n:05d}" for n in range(60) for _ in range(20)]
    log = pa.table(
        {
            "user": students,
            "skill": [f"skill{n}" for n in draw.integers(0, 5, 1200)],
            "correct": draw.integers(0, 2, 1200),
        }
    )
    given = {"pyarrow": lambda: log, "pandas": log.to_pandas, "polars": lambda: __import__("polars").from_arrow(log)}[
        frame
    ]()
    held = pickle.dumps(sw.responses.fit(given, student="user", item="skill", correct="correct"))
    assert b"student-0" not in held
    whole = np.asarray(log["correct"]).astype(np.int64).tobytes()
    assert whole[:400] not in held
    assert len(held) < len(pickle.dumps(log)) / 2


def test_the_command_line_tells_its_version_and_no_warning_of_others(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "sharewell", "--version"], capture_output=True, text=True)
    assert done.stdout.strip() == f"sharewell {sw.__version__}" and not done.stderr


def test_what_memory_covers_is_said_where_it_is_looked_for() -> None:
    said = " ".join((Path(__file__).parents[2] / "docs" / "plan.md").read_text(encoding="utf-8").split())
    assert f"default `{memory.DEFAULT}`, at least `{memory.LEAST // 10**6}MB`" in said
    assert f"(default {memory.DEFAULT})" in str(cli.app.info.epilog)


PLAN = """
[release]
name = "Two logs"
[traces.one]
file = "one.csv"
student = "who"
at = "when"
dates = { when = "%d %b, %H:%M" }
year = 2018
[responses.two]
file = "two.csv"
student = "who"
item = "what"
correct = "right"
"""


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text('who,when\na,11 May\nb,"12 May, 10:00"\n')
    (tmp_path / "two.csv").write_text("who,what,right\na,q1,0.5\nb,q1,1\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    with pytest.raises(Exception) as told:
        pipeline.assess(load(tmp_path / "plan.toml"))
    assert "one.csv, column 'when', row 1: the plan says" in str(told.value) and "form dd Mon" in str(told.value)
    (tmp_path / "one.csv").write_text(
        "who,when\n" + "".join(f'{who},"1{n} May, 10:00"\n' for who in "ab" for n in range(3))
    )
    (tmp_path / "three.csv").write_text("who,when\na,soon\n")
    three = PLAN + '[traces.three]\nfile = "three.csv"\nstudent = "who"\nat = "when"\n'
    (tmp_path / "plan.toml").write_text(three)
    with pytest.raises(Problems) as several:
        pipeline.assess(load(tmp_path / "plan.toml"))
    assert "partial credit" in str(several.value) and "form word" in str(several.value)


def test_a_refusal_says_the_next_command(tmp_path: Path) -> None:
    rows = "".join(f"s{n},{n}\n" for n in range(40))
    (tmp_path / "marks.csv").write_text("student_id,age\n" + rows)
    section = '[records.marks]\nfile = "marks.csv"\nstudent = "student_id"\nquasi = ["age"]\nlimit = { k = 41 }\n'
    plan = f'[release]\nname = "x"\n{section}'
    (tmp_path / "plan.toml").write_text(plan)
    done = subprocess.run(
        [sys.executable, "-m", "sharewell", "release", "--dry-run", str(tmp_path / "plan.toml")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert f"sharewell explore {tmp_path / 'plan.toml'}" in done.stdout


@pytest.mark.parametrize(
    ("seconds", "told"), [(None, ""), (2, ", about 5 s left"), (200, ", about 3 min left"), (9000, ", about 2 h left")]
)
def test_time_that_is_left(seconds: float | None, told: str) -> None:
    assert progress.said(seconds) == told
