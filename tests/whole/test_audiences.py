"""One plan for several audiences, each release measured together with those for wider ones."""

import csv
import random
from pathlib import Path

import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.errors import PlanError
from sharewell.plan.document import load, load_each
from sharewell.release import office, recorded, signature
from sharewell.release.linkage import joint
from sharewell.release.look_alikes import company
from sharewell.release.register import Register
from sharewell.release.verify import verify

TWO = """
[audience.agreement]
files = ["records.students"]
purpose = "Teaching"

[audience.agreement.records.students]
keep = []
drop = ["passed"]

[audience.enclave]
purpose = "Research"
"""


def ids(path: Path) -> set[str]:
    with path.open(newline="") as file:
        return {row["id"] for row in csv.DictReader(file)}


def test_each_audience_gets_its_own_plan(tmp_path: Path) -> None:
    wide, narrow = load_each(make_folder(tmp_path, plan=PLAN + CLICKS + TWO))
    assert (wide.header.audience, narrow.header.audience) == ("agreement", "enclave")
    assert [section.label for section in wide.sections] == ["records.students"] and wide.header.purpose == "Teaching"
    assert wide.sections[0].drop == ("passed",) and narrow.sections[0].keep == ("passed",)
    assert wide.sections[0].limits()["k"] == 5 and narrow.sections[0].limits()["k"] == 3
    assert len(narrow.sections) == 2


def test_releases_for_two_audiences_are_measured_together(tmp_path: Path) -> None:
    made = pipeline.release_each(load_each(make_folder(tmp_path, plan=PLAN + CLICKS + TWO)))
    assert {name: outcome.verdict.passed for name, outcome in made.items()} == {"agreement": True, "enclave": True}
    together = {risk.name for risk in made["enclave"].findings.linkage}
    assert "joined with an earlier release" in together
    wide, narrow = (ids(tmp_path / name / "release" / "data" / "students.csv") for name in ("agreement", "enclave"))
    assert wide == narrow  # one key for all: nothing has to be linked
    assert len(Register(tmp_path / "private" / "register").releases()) == 2
    assert all(verify(tmp_path / name / "release").problems == () for name in made)


def test_records_of_a_narrower_audience_leave_nobody_fewer_than_k_beside_those_of_a_wider(tmp_path: Path) -> None:
    """Groups of five that a search finds anew cut across those of ten: the narrower release gets those of the wider."""
    draw = random.Random(1)
    rows = [f"s{n:04d},{draw.randint(18, 40)},t{draw.randint(0, 11)},{draw.randint(0, 29)}" for n in range(400)]
    (tmp_path / "key").write_text("1f" * 32 + "\n")  # cuts are drawn by the key
    (tmp_path / "one.csv").write_text("\n".join(["who,age,town,hours", *rows, ""]))
    section = '[records.one]\nfile = "one.csv"\nstudent = "who"\nquasi = ["age", "town", "hours"]\nseconds = 0.3\n'
    audiences = '[audience.public]\npurpose = "a"\n[audience.agreement]\npurpose = "b"\n'
    (tmp_path / "plan.toml").write_text(f'[release]\nname = "Course"\nkey = "key"\n{section}{audiences}')
    made = pipeline.release_each(load_each(tmp_path / "plan.toml"))
    assert all(outcome.verdict.passed for outcome in made.values())
    assert "what a wider one was made with" in made["agreement"].notes[-1]
    earlier = recorded.earlier_releases(Register(tmp_path / "private" / "register"))
    wide, narrow = (joint.facts_of(one.files[0]) for one in earlier)
    assert company(narrow, wide).min() >= 5


def test_each_audience_is_approved_by_itself(tmp_path: Path) -> None:
    keys = [signature.new_keys(tmp_path / name, name.title()) for name in ("ada", "bob")]
    (tmp_path / "board.pub").write_text("".join(f"{signature.PUBLIC} {one.public} {one.name}\n" for one in keys))
    asked = PLAN.replace("[release]", '[release]\napprove = 2\napprovers = "board.pub"') + TWO
    made = pipeline.release_each(load_each(make_folder(tmp_path, plan=asked)))
    assert all("sharewell approve" in outcome.notes[-1] for outcome in made.values())
    for name in made:
        office.approve(tmp_path / name / "candidate", name="Ada", key=tmp_path / "ada")
    assert not list(tmp_path.glob("*/release"))
    office.approve(tmp_path / "enclave" / "candidate", name="Bob", key=tmp_path / "bob")
    assert [path.parent.name for path in tmp_path.glob("*/release")] == ["enclave"]
    page = tmp_path / "enclave/release/signoff.html"
    told = page.read_text(encoding="utf-8")
    assert "Ada" in told and "Bob" in told and "approved the release" in told
    assert verify(tmp_path / "enclave" / "release").problems == ()
    page.write_text(told.replace("Bob", "Eve"), encoding="utf-8")
    assert verify(page.parent).problems == ("signoff.html: says something else than the signatures",)


@pytest.mark.parametrize(
    "text", ["[audience.everyone]\n", '[audience.public]\nfiles = ["records.nobody"]\n', "audience = 3\n"]
)
def test_what_is_no_audience_is_told(tmp_path: Path, text: str) -> None:
    plan = text + PLAN if text.startswith("audience") else PLAN + text
    with pytest.raises(PlanError, match="audience"):
        load_each(make_folder(tmp_path, plan=plan))


def test_descriptions_of_files_that_an_audience_does_not_get_are_left_out(tmp_path: Path) -> None:
    described = '\n[describe]\nverb = "what was done"\nage = "in years"\n[describe.clicks]\ntime = "when"\n'
    wide, narrow = load_each(make_folder(tmp_path, plan=PLAN + CLICKS + TWO + described))
    assert wide.describe["records.students"] == {"age": "in years"}
    assert narrow.describe["traces.clicks"] == {"verb": "what was done", "time": "when"}


def test_a_plan_without_audiences_is_one_plan(tmp_path: Path) -> None:
    path = make_folder(tmp_path)
    assert load_each(path) == [load(path)]
