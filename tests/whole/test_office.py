"""Releases one after the other in one place: replaced, withdrawn from, approved, asked about."""

import csv
import json
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from course_folder import CLICKS, PLAN, ReleaseCourse, make_folder

from sharewell import pipeline
from sharewell.data import optouts, sources
from sharewell.errors import InputError, SharewellError, VerificationFailed
from sharewell.pipeline import Outcome
from sharewell.plan.document import load
from sharewell.release import office, signature, student, withdraw
from sharewell.release.candidate import CandidateStanding
from sharewell.release.composition import past
from sharewell.release.place import Place
from sharewell.release.register import Register
from sharewell.release.student import page
from sharewell.release.verify import verify

BOTH = PLAN + CLICKS


def column(path: Path, name: str = "id") -> list[str]:
    with path.open(newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def register_of(folder: Path) -> Register:
    return Register(folder / "private" / "register")


Released = Callable[..., Outcome]


@pytest.fixture
def released(release_course: ReleaseCourse) -> Released:
    """Release a course that passes."""
    return lambda folder, plan=BOTH: release_course(folder, plan)


def missed(outcome: Outcome) -> set[str]:
    return {risk.name for risk in outcome.findings.linkage if risk.gate and not risk.holds}


def test_a_release_is_written_down_without_any_id(released: Released, tmp_path: Path) -> None:
    outcome = released(tmp_path)
    register = register_of(tmp_path)
    (one,) = register.releases()
    assert one.id == outcome.release and one.published and one.audience == "enclave"
    assert one.body["manifest"] == signature.digest_of(tmp_path / "release")
    assert set(one.body["inputs"]) == {"records.students", "traces.clicks"} and one.body["measured"]
    assert register.problems() == []
    ids = column(tmp_path / "students.csv")
    for path in register.folder.rglob("*"):
        if path.is_file():
            assert not any(who.encode() in path.read_bytes() for who in ids)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_release_that_is_replaced_keeps_its_pseudonyms(released: Released, tmp_path: Path) -> None:
    """With a fresh key the two would be linked; with the same one there is nothing to link."""
    first = released(tmp_path)
    before = column(tmp_path / "release" / "data" / "clicks.csv")
    second = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert second.verdict.passed, second.verdict.reasons
    assert any("key of release" in note for note in second.notes)
    assert column(tmp_path / "release" / "data" / "clicks.csv") == before
    assert second.release == f"{first.release}-2"
    told = {one.id: one for one in register_of(tmp_path).releases()}
    assert told[str(first.release)].superseded_by == second.release


def test_a_second_release_under_a_fresh_key_is_refused_and_says_what_links_it(tmp_path: Path) -> None:
    """The same clicks by day for a second group of researchers, under another key, from the same office."""
    plan = BOTH.replace('name = "Course"', 'name = "Course"\nregister = "../office"')
    assert pipeline.release(load(make_folder(tmp_path / "one", plan=plan))).verdict.passed
    again = pipeline.release(load(make_folder(tmp_path / "two", plan=plan)))
    assert missed(again) == {"linked to an earlier release"}
    assert any("use the key" in risk.story for risk in again.findings.linkage if risk.holds is False)
    key = next((tmp_path / "one" / "private").glob("key-*"))
    same = plan.replace('name = "Course"', f'name = "Course"\nkey = "../one/private/{key.name}"')
    assert pipeline.release(load(make_folder(tmp_path / "three", plan=same))).verdict.passed


def opt_outs(folder: Path, count: int) -> list[str]:
    """Students who are in the release, and say no afterwards."""
    said_no = {name.strip().lower() for name in column(folder / "optouts.csv")}
    return [who for who in column(folder / "students.csv") if who not in said_no][:count]


def test_who_opts_out_alone_is_refused_and_in_company_is_hidden(released: Released, tmp_path: Path) -> None:
    """A steward adds one late opt-out to the list and releases again: the difference would name the pseudonym."""
    released(tmp_path)
    gone = opt_outs(tmp_path, 1)
    with (tmp_path / "optouts.csv").open("a") as file:
        file.write("\n".join(gone) + "\n")
    alone = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert "named by leaving or coming" in missed(alone)
    done = pipeline.withdraw(load(tmp_path / "plan.toml"), gone)
    assert done.outcome is not None and done.outcome.verdict.passed and 2 <= len(done.leaving.decoys) <= 8


def test_opt_outs_who_look_different_are_no_company(released: Released, tmp_path: Path) -> None:
    """Three at once are enough for the enclave, but not where what is known of each tells which of the three it was."""
    released(tmp_path)
    looks = looks_of(tmp_path)
    said_no = {name.strip().lower() for name in column(tmp_path / "optouts.csv")}
    one_of_each = {looks[who]: who for who in column(tmp_path / "students.csv") if who not in said_no and who in looks}
    with (tmp_path / "optouts.csv").open("a") as file:
        file.write("\n".join(list(one_of_each.values())[:3]) + "\n")
    assert "named by leaving or coming" in missed(pipeline.release(load(tmp_path / "plan.toml"), over=True))


def looks_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """By student what may be known of them in the released records, as the register keeps it."""
    (one,) = register_of(folder).releases()
    told = one.body["files"]["records.students"]
    rows = pq.read_table(folder / "private" / "register" / told["copy"]).to_pylist()
    student, known = told["linkable"]["student"], told["linkable"]["known"]
    assert len(known) > 1
    looks = {row[student]: tuple(str(row[name]) for name in known) for row in rows}
    assert len(set(looks.values())) > 2  # students differ in what is known of them
    tokens = register_of(folder).tokens(column(folder / "students.csv"))
    return {who: looks[token] for who, token in tokens.items() if token in looks}


@pytest.mark.parametrize("count", [1, 3])
def test_late_opt_outs_leave_in_company(released: Released, tmp_path: Path, count: int) -> None:
    first = released(tmp_path)
    names = ("students.csv", "clicks.csv")
    before = {name: set(column(tmp_path / "release" / "data" / name)) for name in names}
    gone = opt_outs(tmp_path, count)
    done = pipeline.withdraw(load(tmp_path / "plan.toml"), gone)
    assert done.outcome is not None and done.outcome.verdict.passed, done.outcome and done.outcome.verdict.reasons
    assert [one.id for one in done.leaving.holding] == [first.release] and set(done.leaving.students) == set(gone)
    for name in names:
        after = set(column(tmp_path / "release" / "data" / name))
        assert after < before[name] and len(before[name] - after) >= 3  # k of the enclave
    (notice,) = done.notices
    assert str(first.release) in notice.read_text() and not any(who in notice.read_text() for who in gone)
    told = {one.id: one for one in register_of(tmp_path).releases()}
    assert told[str(first.release)].superseded_by == done.outcome.release
    assert len(told[str(first.release)].withdrawn) == len(done.leaving.everyone)
    later = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert later.verdict.passed and set(column(tmp_path / "release" / "data" / "students.csv")) == after_of(
        before, done
    )


def test_who_stays_when_look_alikes_leave_is_hidden_in_both_versions(tmp_path: Path) -> None:
    """Five leave a group of eight: the other three would be all who look alike in both versions, and leave as well."""
    draw = np.random.default_rng(2)
    ends = ((18, 40), (0, 12), (0, 30))
    rows = [f"s{n:04d}," + ",".join(str(draw.integers(*end)) for end in ends) for n in range(300)]
    (tmp_path / "one.csv").write_text("\n".join(["who,age,town,hours", *rows, ""]))
    (tmp_path / "key").write_text("1f" * 32 + "\n")  # cuts are drawn by the key
    header = '[release]\nname = "x"\naudience = "agreement"\nkey = "key"\n'
    section = '[records.one]\nfile = "one.csv"\nstudent = "who"\nquasi = ["age", "town", "hours"]\nseconds = 0.3\n'
    (tmp_path / "plan.toml").write_text(header + section)
    assert pipeline.release(load(tmp_path / "plan.toml")).verdict.passed
    done = pipeline.withdraw(load(tmp_path / "plan.toml"), ["s0002"])
    assert done.outcome is not None and done.outcome.verdict.passed, done.outcome and done.outcome.verdict.reasons


def test_who_left_is_not_told_by_what_is_known_of_them(released: Released, tmp_path: Path) -> None:
    """Somebody knows that a student opted out, and how old they are: among those who left they fit three or more."""
    released(tmp_path)
    looks = looks_of(tmp_path)
    for who in opt_outs(tmp_path, 4):
        leaving = withdraw.prepared(opened(tmp_path), [who], column(tmp_path / "students.csv"))
        gone = [looks[each] for each in leaving.everyone if each in looks]
        assert gone.count(looks[who]) >= 3  # k of the enclave


def test_who_is_missing_from_two_files_is_right_once_in_k(released: Released, tmp_path: Path) -> None:
    """Somebody with copies of both originals sees who left the records and who left the clicks, by name.

    Further ones leave one file alone: of the pseudonyms that are gone from both not all are those of the same students.
    """
    released(tmp_path)
    everyone = column(tmp_path / "students.csv")
    for asked in (opt_outs(tmp_path, 1), opt_outs(tmp_path, 3)):
        leaving = withdraw.prepared(opened(tmp_path), asked, everyone)
        records, clicks = (set(leaving.company[label]) for label in ("records.students", "traces.clicks"))
        assert not (records | clicks) & set(asked)
        both = set(asked) | (records & clicks)
        assert len(asked) / len(both) <= 1 / 3  # k of the enclave
        assert min(len(records - clicks), len(clicks - records)) >= min(len(asked), 3)
    withdraw.keep_out(Place(tmp_path), leaving)
    listed = office.listed(Place(tmp_path))
    assert {one.student for one in listed if not one.file} == set(asked) == {one.student for one in listed if one.asked}
    data = sources.read(load(tmp_path / "plan.toml"), withdrawn=tmp_path / "private" / "withdrawn.csv")
    for label, stay, go in (
        ("records.students", clicks - records, records),
        ("traces.clicks", records - clicks, clicks),
    ):
        there = set(data.files[label].table.to_pyarrow()["id"].to_pylist())
        assert not there & (go | set(asked)) and len(there & stay) >= len(stay) - 1  # not everybody clicked


def test_a_list_of_before_holds_for_all_files(tmp_path: Path) -> None:
    (tmp_path / "withdrawn.csv").write_text("student,asked\ns1,yes\ns2,no\n")
    assert optouts.later(tmp_path / "withdrawn.csv") == {optouts.ALL_FILES: {"s1", "s2"}}


def test_groups_of_traces_stay_as_they_were_when_somebody_leaves(released: Released, tmp_path: Path) -> None:
    """A group goes whole or stays whole, in this version and in the next: no two means differ by one student."""
    plan = CLICKS.replace('window = "1w"', 'window = "1w"\nmethod = "groups"')
    released(tmp_path, PLAN.partition("[records")[0] + plan)
    before = groups_of(tmp_path)
    for who in opt_outs(tmp_path, 2):
        done = pipeline.withdraw(load(tmp_path / "plan.toml"), [who])
        assert done.outcome is not None and done.outcome.verdict.passed, done.outcome and done.outcome.verdict.reasons
        after = groups_of(tmp_path)
        assert after < before and all(who not in members for members in after)
        before = after


def groups_of(folder: Path) -> set[frozenset[str]]:
    """The groups of the release that is there, as its private table keeps them."""
    release = json.loads((folder / "release" / "manifest.json").read_text())["id"]
    with (folder / "private" / release / "traces.clicks" / "groups.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = [(row["group"], row["student"]) for row in csv.DictReader(file)]
    members = {group: frozenset(who for of, who in rows if of == group) for group, _ in rows if group != "-1"}
    return set(members.values())


def opened(folder: Path) -> office.Office:
    return office.opened(load(folder / "plan.toml"), Place(folder), alone=True)


def after_of(before: dict[str, set[str]], done: pipeline.Withdrawn) -> set[str]:
    """What stays out stays out: the next version holds nobody whom the one before did not."""
    assert done.outcome is not None and done.outcome.report is not None
    return set(column(done.outcome.report.parent / "data" / "students.csv")) & before["students.csv"]


def test_nobody_is_withdrawn_whom_no_release_holds(released: Released, tmp_path: Path) -> None:
    released(tmp_path)
    done = pipeline.withdraw(load(tmp_path / "plan.toml"), ["nobody"])
    assert done.outcome is None and done.leaving.unknown == 1
    assert not (tmp_path / "private" / "withdrawn.csv").exists()


def test_a_changed_register_refuses(released: Released, tmp_path: Path) -> None:
    released(tmp_path)
    copy = next((tmp_path / "private" / "register" / "copies").rglob("*.parquet"))
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    again = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert not again.verdict.passed and any("was changed" in reason for reason in again.verdict.reasons)


def test_a_rehearsal_is_measured_against_earlier_releases_and_writes_nothing_down(
    released: Released, tmp_path: Path
) -> None:
    released(tmp_path)
    before = register_of(tmp_path).entries()
    outcome = pipeline.rehearse(load(tmp_path / "plan.toml"))
    assert any(risk.name == "joined with an earlier release" for risk in outcome.findings.linkage)
    assert register_of(tmp_path).entries() == before


SIGNED = PLAN.replace('name = "Course"', 'name = "Course"\nsign = "office.key"\napprove = 2\napprovers = "people.pub"')


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    """A candidate that waits for two of three people."""
    people = ["Ana", "Ben", "Cai"]
    tmp_path.mkdir(exist_ok=True)
    for name in people:
        signature.new_keys(tmp_path / f"{name}.key", name)
    signature.new_keys(tmp_path / "office.key", "Data office")
    (tmp_path / "people.pub").write_text("".join((tmp_path / f"{name}.key.pub").read_text() for name in people))
    outcome = pipeline.release(load(make_folder(tmp_path, plan=SIGNED)))
    assert outcome.verdict.passed, outcome.verdict.reasons
    assert outcome.report == tmp_path / "candidate" / "report.html" and not (tmp_path / "release").exists()
    return tmp_path / "candidate"


def approved(folder: Path, name: str) -> CandidateStanding:
    return office.approve(folder, name=name, key=folder.parent / f"{name}.key")


def test_two_people_release_a_candidate(candidate: Path) -> None:
    folder = candidate.parent
    one = approved(candidate, "Ana")
    assert one.waiting == 1 and not (folder / "release").exists()
    two = approved(candidate, "Ben")
    assert two.published and not candidate.exists()
    checked = verify(folder / "release", signer=folder / "office.key.pub")
    assert checked.problems == ()
    assert {(made.name, made.purpose) for made in checked.signatures} == {
        ("Data office", "release"), ("Ana", "approval"), ("Ben", "approval"),
    }  # fmt: skip
    (told,) = register_of(folder).releases()
    assert told.published and [made["name"] for made in told.approvals] == ["Ana", "Ben"]


def test_one_person_cannot_approve_twice(candidate: Path) -> None:
    approved(candidate, "Ana")
    with pytest.raises(InputError, match="another person"):
        approved(candidate, "Ana")


def test_who_is_not_asked_cannot_approve(candidate: Path) -> None:
    signature.new_keys(candidate.parent / "Eve.key", "Eve")
    with pytest.raises(InputError, match="not among those"):
        approved(candidate, "Eve")
    with pytest.raises(InputError, match="belongs to Ana"):
        office.approve(candidate, name="Eve", key=candidate.parent / "Ana.key")


@pytest.mark.parametrize("what", ["plan.toml", "students.csv", "candidate/data/students.csv", "findings"])
def test_any_change_voids_the_approval(candidate: Path, what: str) -> None:
    folder = candidate.parent
    approved(candidate, "Ana")
    release = json.loads((candidate / "manifest.json").read_text())["id"]
    path = folder / "private" / release / "findings.json" if what == "findings" else folder / what
    path.write_text(path.read_text() + "\n")
    with pytest.raises(VerificationFailed, match=r"changed|content"):
        approved(candidate, "Ben")
    assert not (folder / "release").exists()


def test_a_changed_manifest_voids_what_was_signed(candidate: Path) -> None:
    approved(candidate, "Ana")
    path = candidate / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "approvals": 1}))
    with pytest.raises(VerificationFailed, match="signed other content"):
        approved(candidate, "Ben")


def test_a_student_can_be_told_what_was_released(released: Released, tmp_path: Path) -> None:
    released(tmp_path)
    home = office.opened(load(tmp_path / "plan.toml"), Place(tmp_path))
    (who,) = opt_outs(tmp_path, 1)
    path = page(home, who)
    assert path is not None and stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert who not in text and "records.students" in text and "is right in" in text
    pseudonyms = set(column(tmp_path / "release" / "data" / "students.csv"))
    assert any(f"`{name}`" in text for name in pseudonyms)
    assert page(home, "nobody") is None


def test_the_page_of_a_student_counts_those_who_look_the_same(released: Released, tmp_path: Path) -> None:
    """Against groups counted row by row: every student of the records, and ten of the log."""
    released(tmp_path)
    home = office.opened(load(tmp_path / "plan.toml"), Place(tmp_path))
    (one,) = home.earlier
    people, clicks = past(one, home.register.folder).files
    for file, known, several in ((people, ["age", "sex"], False), (clicks, ["verb", "time"], True)):
        rows: dict[str, set[tuple[str, ...]]] = {}
        for row in file.table.to_pyarrow().to_pylist():
            rows.setdefault(row[file.student], set()).add(tuple(str(row[name]) for name in known))
        for token in sorted(rows)[: 10 if several else None]:
            together = sum(rows[token] <= others for others in rows.values())
            fewest = min(sum(fact in others for others in rows.values()) for fact in rows[token])
            said = " ".join(student._company(file, token))
            assert f"is left with {together} of the {len(rows)} students" in said
            assert (f"at least {fewest}." in said) is (len(rows[token]) > 1)
            assert together > 1, "as the limits of the release ask for"


def test_errors_name_no_student(released: Released, tmp_path: Path) -> None:
    released(tmp_path)
    with pytest.raises(SharewellError) as told:
        office.approve(tmp_path / "candidate", name="Ana", key=tmp_path / "none")
    assert not any(who in str(told.value) for who in column(tmp_path / "students.csv"))


def test_a_candidate_is_sent_back_with_what_must_change(candidate: Path) -> None:
    root = candidate.parent
    register = register_of(root)
    with pytest.raises(InputError, match="what must change"):
        office.send_back(candidate, name="Ada", comment=" ")
    release = office.send_back(candidate, name="Ada", comment="Drop the postcode.")
    assert not candidate.exists() and not (root / "release").exists()
    last = register.entries()[-1]
    assert (last.kind, last.release) == ("abandoned", release)
    assert last.body == {"sent_back_by": "Ada", "comment": "Drop the postcode."}
    assert register.problems() == [] and register.releases() == []
    with pytest.raises(InputError, match="no candidate"):
        office.send_back(candidate, name="Ada", comment="again")
