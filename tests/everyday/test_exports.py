"""Real-looking exports: `init` writes a plan with which `release --dry-run` goes through, or is told what to do next.

What two dozen invented students cannot give is refused whatever the plan says: posts that nobody has labelled, and
members of so small a course hidden among invented ones.
"""

import tomllib
from pathlib import Path

import pytest
from everyday.exports import EXPORTS, Export
from everyday.test_every_format import answers

from sharewell import examine, pipeline
from sharewell.data import sources
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.first_plan.draft import FirstPlan, drafted
from sharewell.plan.document import load
from sharewell.responses.protection import strength_search
from sharewell.traces.protection import search

BY_NAME = {export.system: export for export in EXPORTS}
NAMES = {"first", "last", "full", "listed", "mail"}
NEED_MORE = {"posts", "responses"}
KEY = Keyed(b"k" * 32, "release")


def planned(export: Export, folder: Path) -> FirstPlan:
    export.write(folder)
    plan = drafted(folder)
    (folder / "plan.toml").write_text(answers(plan.text), encoding="utf-8")
    return plan


def people(export: Export) -> set[str]:
    """The columns with names or addresses of people."""
    cells = [pair for _, columns in export.files.values() for pair in columns.items()]
    return {column for column, cell in cells if getattr(cell, "__name__", "") in NAMES}


def test_there_are_sixty_systems_and_more() -> None:
    assert len(BY_NAME) == len(EXPORTS) >= 60


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way with fewer settings, splits and proposals tried; `benchmarks/exports.py` walks it unhurried."""
    monkeypatch.setattr(search, "MOST_TRIALS", 6)
    monkeypatch.setattr(strength_search, "NOISES", strength_search.NOISES[-1:])
    monkeypatch.setattr(strength_search, "splits_for", lambda *given, **more: 2)
    monkeypatch.setattr(strength_search, "ENOUGH_SPLITS", 2)
    monkeypatch.setattr(pipeline, "_tried", lambda *given, **more: ())


@pytest.mark.parametrize("system", BY_NAME)
def test_the_first_plan_reaches_the_gate_as_it_is(system: str, tmp_path: Path, hurried: None) -> None:
    export = BY_NAME[system]
    asked = planned(export, tmp_path)
    plan = load(tmp_path / "plan.toml")
    assert {section.kind for section in plan.sections} == set(export.kinds)
    assert all(f"# decide: {question.split(': ', 1)[1]}" in asked.text for question in asked.decide)
    for section in plan.sections:
        roles = {name: role for role, name in section.roles()}
        told = {roles[name] for name in people(export) & roles.keys()}
        assert told <= {"direct", "drop", "student"}  # as a student's name it becomes a pseudonym
    if "keystrokes" in export.kinds:  # takes most of a minute: the benchmark goes on
        opened = [examine.open_study(section, plan, sources.read(plan), KEY) for section in plan.sections]
        assert [one.failures for one in opened] == [()] * len(opened)
        return
    outcome = pipeline.rehearse(plan)
    assert [failure for file in outcome.findings.files for failure in file.failures] == [], "none may fail"
    if not outcome.verdict.passed:
        assert set(export.kinds) <= NEED_MORE, outcome.verdict.reasons
        assert all("sharewell " in step for step in outcome.verdict.next) and outcome.verdict.next


REAL: dict[str, dict[str, dict[str, object]]] = {
    "moodle_lamethods": {
        "traces.events": {"student": "user", "at": "timecreated"},
        "records.demographics": {"direct": ["Name", "Surname", "Birthdate"]},
    },
    "oulad": {
        "records.student_info": {"student": "id_student", "rows": "several"},
        "traces.student_assessment": {"student": "id_student", "at": "date_submitted"},
    },
    "assistments2009": {
        "responses.assistments_full": {"student": "user_id", "item": "skill_id", "correct": "correct"},
        "responses.privgen_train_data": {"student": "user", "item": "skill"},
    },
    "aalto_keystrokes": {
        "keystrokes.keystrokes_users": {
            "student": "participant",
            "session": "section",
            "press": "press_ms",
            "release": "release_ms",
        }
    },
    "student_performance": {"records.student_mat": {"student": "student", "rows": "numbered"}},
}


def test_every_shared_folder_gives_a_plan_or_a_reason(shared_data: Path, tmp_path: Path) -> None:
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        here = tmp_path / folder.name
        here.mkdir()
        for file in folder.iterdir():
            (here / file.name).symlink_to(file)
        try:
            plan = drafted(here)
        except InputError as error:
            assert "holds no file with students to release" in str(error)
            continue
        (here / "plan.toml").write_text(plan.text, encoding="utf-8")
        assert load(here / "plan.toml").sections
        told = tomllib.loads(plan.text)
        for label, expected in REAL.get(folder.name, {}).items():
            kind, name = label.split(".")
            section = told[kind][name]
            assert {key: section[key] for key in expected} == expected
            assert not set(section.get("keep", [])) & {
                "Name",
                "Surname",
                "Birthdate",
                "user",
                "id_student",
                "id_assessment",
            }
