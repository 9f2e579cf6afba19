"""Real-looking exports: `init` writes a plan that passes the check of plans and whose files can be read and opened.

Every export goes as far as the four questions; one of each kind goes on to the gate, as `release --dry-run` does.
"""

import re
from pathlib import Path

import pytest

from sharewell import pipeline
from sharewell.data import sources
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.plan.document import load
from sharewell.plan.guess import FirstPlan, drafted

from exports import EXPORTS, Export  # isort: skip

BY_NAME = {export.system: export for export in EXPORTS}
KEY = Keyed(b"k" * 32, "release")
FURTHER = ("Moodle 3.9 grade book", "Canvas Data 2 enrollments", "Survey without ids", "edX forum contents")


def planned(export: Export, folder: Path) -> FirstPlan:
    export.write(folder)
    plan = drafted(folder)
    (folder / "plan.toml").write_text(plan.text, encoding="utf-8")
    return plan


def test_there_are_sixty_systems_and_more() -> None:
    assert len(BY_NAME) == len(EXPORTS) >= 60


@pytest.mark.parametrize("system", BY_NAME)
def test_the_first_plan_runs_as_it_is(system: str, tmp_path: Path) -> None:
    export = BY_NAME[system]
    asked = planned(export, tmp_path)
    plan = load(tmp_path / "plan.toml")
    assert {section.kind for section in plan.sections} == set(export.kinds)
    data = sources.read(plan)
    opened = [pipeline.open_study(section, plan, data, KEY) for section in plan.sections]
    assert [one.failures for one in opened] == [()] * len(opened)
    assert all(f"# decide: {question.split(': ', 1)[1]}" in asked.text for question in asked.decide)


@pytest.mark.parametrize("system", FURTHER)
def test_a_rehearsal_reaches_the_gate(system: str, tmp_path: Path) -> None:
    planned(BY_NAME[system], tmp_path)
    outcome = pipeline.rehearse(load(tmp_path / "plan.toml"))
    failed = [failure for file in outcome.findings.files for failure in file.failures]
    assert outcome.verdict.passed or outcome.verdict.reasons
    assert not [failure for failure in failed if re.search(r"Error at \w+\.py", failure.reason)]


NAMES = {"first", "last", "full", "listed", "mail"}


@pytest.mark.parametrize("system", BY_NAME)
def test_no_name_of_a_person_is_kept(system: str, tmp_path: Path) -> None:
    """Columns with names or addresses are dropped, or replaced by pseudonyms where they are all that tells students."""
    export = BY_NAME[system]
    planned(export, tmp_path)
    named = {
        column
        for _, columns in export.files.values()
        for column, cell in columns.items()
        if getattr(cell, "__name__", "") in NAMES
    }
    for section in load(tmp_path / "plan.toml").sections:
        roles = {name: role for role, name in section.roles()}
        assert {roles[name] for name in named & roles.keys()} <= {"direct", "drop", "student"}


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
