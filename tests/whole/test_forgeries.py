"""Forgeries against `verify`: each is caught from the files alone, or is one that only the signature catches.

Every forger here recomputes the hashes; the last ones have the software too and write all papers anew.
"""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.data.files import file_digest, to_json
from sharewell.plan.document import load
from sharewell.records.recheck import company
from sharewell.release import signature, write
from sharewell.release.verify import verify

Forgery = Callable[[Path], None]
SIGNED = (PLAN + CLICKS).replace('name = "Course"', 'name = "Course"\nsign = "office.key"')


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    signature.new_keys(folder / "office.key", "Data office")
    outcome = pipeline.release(load(make_folder(folder, plan=SIGNED)))
    assert outcome.verdict.passed
    return folder


@pytest.fixture
def release(course: Path, tmp_path: Path) -> Path:
    shutil.copytree(course / "release", tmp_path / "release")
    return tmp_path / "release"


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    content = json.loads(path.read_text())
    path.write_bytes(to_json(change(content) or content))


def summary(folder: Path, change: Callable[[Any], Any]) -> None:
    edit(folder / "summary.json", change)


def rehashed(folder: Path) -> None:
    """The manifest made to fit: what anybody can do."""

    def fit(manifest: Any) -> None:
        files = [path for path in folder.rglob("*") if path.is_file()]
        names = {path.relative_to(folder).as_posix(): path for path in files}
        manifest["files"] = {
            name: file_digest(path)
            for name, path in names.items()
            if name not in ("manifest.json", "signature.json", "signoff.html")
        }

    edit(folder / "manifest.json", fit)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def save(path: Path, table: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def students(folder: Path, change: Callable[[int, dict[str, str]], None]) -> None:
    path = folder / "data" / "students.csv"
    table = rows(path)
    for place, row in enumerate(table):
        change(place, row)
    save(path, table)


def original_ages(folder: Path) -> None:
    students(folder, lambda place, row: row.update(age=str(18 + place % 7)))


def k_of(content: Any) -> Any:
    return next(risk for risk in content["files"][0]["risk_after"] if risk["name"] == "k" and risk["gate"])


def lower_facts(folder: Path) -> None:
    summary(folder, lambda content: content["files"][0]["facts"]["limits"].update(k=1))


def lower_everything(content: Any) -> None:
    content["files"][0]["facts"]["limits"]["k"] = 1
    content["files"][0]["limits"]["k"] = 1
    k_of(content).update(limit=1, value=1.0)


def replaced(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# --- what a forger does; the hashes are made to fit afterwards -----------------------------------------------------


def back_in(folder: Path) -> None:
    original_ages(folder)


def back_in_and_facts_lowered(folder: Path) -> None:
    original_ages(folder)
    lower_facts(folder)


def back_in_and_all_limits_lowered(folder: Path) -> None:
    original_ages(folder)
    summary(folder, lower_everything)


def facts_lowered(folder: Path) -> None:
    lower_facts(folder)


def fewer_quasi_in_facts(folder: Path) -> None:
    original_ages(folder)
    summary(folder, lambda content: content["files"][0]["facts"].update(quasi=["sex"]))


def report_claims(folder: Path) -> None:
    k = json.loads((folder / "summary.json").read_text())
    replaced(folder, "report.html", f"→ {k_of(k)['value']:.0f}<", "→ 999<")


def report_without_a_caveat(folder: Path) -> None:
    path = folder / "report.html"
    path.write_text(path.read_text().replace("</body>", "<p>Nobody can be found.</p></body>"))


def readme_claims(folder: Path) -> None:
    replaced(folder, "README.md", "No student can be distinguished", "Nobody at all can be distinguished")


def other_purpose(folder: Path) -> None:
    path = folder / "AGREEMENT.md"
    path.write_text(path.read_text() + "\nLinking is allowed.\n")


def no_agreement(folder: Path) -> None:
    (folder / "AGREEMENT.md").unlink()


def croissant_claims(folder: Path) -> None:
    edit(folder / "croissant.json", lambda content: {**content, "description": "Anonymous data."})


def summary_claims(folder: Path) -> None:
    summary(folder, lambda content: k_of(content).update(value=999.0))


def summary_misses_and_says_holds(folder: Path) -> None:
    summary(folder, lambda content: k_of(content).update(value=2.0))


def fewer_rows_stated(folder: Path) -> None:
    summary(folder, lambda content: content["files"][0].update(rows=10))


def rows_added(folder: Path) -> None:
    path = folder / "data" / "students.csv"
    table = rows(path)
    save(path, [*table, *({**table[0], "id": f"{place:016x}"} for place in range(20))])


def rows_removed(folder: Path) -> None:
    path = folder / "data" / "students.csv"
    save(path, rows(path)[:-5])


def ids_back_in(folder: Path) -> None:
    students(folder, lambda place, row: row.update(id=f"s{place:04d}"))


def names_back_in(folder: Path) -> None:
    students(folder, lambda place, row: row.update(name=f"Person {place}"))


def clicks_exact(folder: Path) -> None:
    path = folder / "data" / "clicks.csv"
    table = rows(path)
    for place, row in enumerate(table):
        row["time"] = f"2025-03-{1 + place % 28:02d} {place % 24:02d}:{place % 60:02d}:00"
    save(path, table)


def clicks_limit_raised(folder: Path) -> None:
    clicks_exact(folder)
    summary(folder, lambda content: content["files"][1]["facts"].update(k=1))


def clicks_k_lowered(folder: Path) -> None:
    summary(folder, lambda content: content["files"][1]["facts"].update(k=2))


def clicks_promise_less(folder: Path) -> None:
    """Exact times, and facts that promise nothing but a limit on points which everything meets."""
    clicks_exact(folder)
    summary(folder, lambda content: content["files"][1]["facts"].update(promise="points", known=1, unicity=1.0))


def clicks_stand_outside(folder: Path) -> None:
    """Exact times, and facts by which every column stands outside the promise."""
    clicks_exact(folder)
    summary(folder, lambda content: content["files"][1]["facts"].update(private=["time", "verb", "passed"]))


def files_share_pseudonyms(folder: Path) -> None:
    known = sorted({row["id"] for row in rows(folder / "data" / "clicks.csv")})
    students(folder, lambda place, row: row.update(id=known[place % len(known)]))


def linkage_gone(folder: Path) -> None:
    summary(folder, lambda content: content.update(linkage=[]))


def linkage_limit_raised(folder: Path) -> None:
    summary(folder, lambda content: content["linkage"][0].update(limit=0.9, value=0.8, high=0.85))


def other_audience(folder: Path) -> None:
    summary(folder, lambda content: content.update(audience="public"))


def no_such_audience(folder: Path) -> None:
    summary(folder, lambda content: content.update(audience="everyone"))


def refused_after_all(folder: Path) -> None:
    summary(folder, lambda content: content.update(reasons=["k is 1"]))


def failure_hidden(folder: Path) -> None:
    summary(folder, lambda content: content["files"][0].update(risk_after=[]))


def said_to_be_invented(folder: Path) -> None:
    ids_back_in(folder)
    summary(folder, lambda content: content["files"][0].update(synthetic=True))


def another_id(folder: Path) -> None:
    edit(folder / "manifest.json", lambda content: {**content, "id": "0123456789ab"})


def data_elsewhere(folder: Path) -> None:
    (folder.parent / "good.csv").write_bytes((folder / "data" / "students.csv").read_bytes())
    original_ages(folder)
    summary(folder, lambda content: content["files"][0].update(data="../good.csv"))


def no_summary(folder: Path) -> None:
    (folder / "summary.json").write_text("{")


def facts_of_another_kind(folder: Path) -> None:
    summary(folder, lambda content: content["files"][0].update(facts={}))


CAUGHT = [
    back_in, back_in_and_facts_lowered, back_in_and_all_limits_lowered, facts_lowered, fewer_quasi_in_facts,
    report_claims, report_without_a_caveat, readme_claims, other_purpose, no_agreement, croissant_claims,
    summary_claims, summary_misses_and_says_holds, fewer_rows_stated, rows_added, rows_removed, ids_back_in,
    names_back_in, clicks_exact, clicks_limit_raised, clicks_k_lowered, clicks_promise_less, clicks_stand_outside,
    files_share_pseudonyms, linkage_gone, linkage_limit_raised, other_audience, no_such_audience, refused_after_all,
    failure_hidden, said_to_be_invented, another_id, data_elsewhere, no_summary, facts_of_another_kind,
]  # fmt: skip


@pytest.mark.parametrize("forgery", CAUGHT, ids=lambda forgery: forgery.__name__)
def test_a_forgery_is_caught_from_the_files_alone(release: Path, forgery: Forgery) -> None:
    for signed in ("signature.json", "signoff.html"):
        (release / signed).unlink()
    forgery(release)
    rehashed(release)
    assert verify(release).problems


@pytest.mark.parametrize("name", ["data/students.csv", "report.html", "summary.json", "croissant.json"])
def test_a_change_without_new_hashes_is_caught(release: Path, name: str) -> None:
    path = release / name
    path.write_bytes(path.read_bytes() + b" ")
    assert any(name in problem for problem in verify(release).problems)


def test_a_link_in_place_of_a_file_is_caught(release: Path, tmp_path: Path) -> None:
    shutil.move(release / "data" / "students.csv", tmp_path / "elsewhere.csv")
    (release / "extra").symlink_to(tmp_path / "elsewhere.csv")
    assert verify(release).problems


# --- what only the signature catches: everything is written anew with the software itself --------------------------


def written_anew(folder: Path) -> None:
    content = json.loads((folder / "summary.json").read_text())
    stated = json.loads((folder / "manifest.json").read_text())
    write.write_papers(folder, content, identifier=stated["id"], seed=stated["measurement_seed"])
    rehashed(folder)


def weaker_and_consistent(folder: Path) -> None:
    """Original ages, one quasi column less, the number that this gives, and every paper to match."""
    original_ages(folder)

    def weaken(content: Any) -> None:
        file = content["files"][0]
        file["facts"]["quasi"] = ["sex"]
        sexes = [row["sex"] for row in rows(folder / "data" / "students.csv")]
        k = float(min(sexes.count(sex) for sex in set(sexes)))
        k_of(content).update(value=k, story=company(k, "sex"))  # the promise that this bears out

    summary(folder, weaken)
    written_anew(folder)


def another_author(folder: Path) -> None:
    summary(folder, lambda content: content["plan"]["heading"].update(contact="somebody@else.example"))
    written_anew(folder)


def said_to_be_of_another_version(folder: Path) -> None:
    report_claims(folder)
    edit(folder / "manifest.json", lambda content: content["versions"].update(sharewell="0.0.0"))
    rehashed(folder)


@pytest.mark.parametrize(
    "forgery",
    [weaker_and_consistent, another_author, said_to_be_of_another_version],
    ids=lambda one: one.__name__,
)
def test_a_consistent_forgery_is_caught_by_the_signature_alone(course: Path, release: Path, forgery: Forgery) -> None:
    forgery(release)
    assert any("signed other content" in problem for problem in verify(release).problems)
    for signed in ("signature.json", "signoff.html"):
        (release / signed).unlink()
    unsigned = verify(release)
    assert unsigned.problems == () and any("Hashes alone prove no author" in note for note in unsigned.notes)
    assert any("not signed by Data office" in one for one in verify(release, signer=course / "office.key.pub").problems)


def test_a_key_of_the_same_name_is_not_the_signer(course: Path, release: Path, tmp_path: Path) -> None:
    signature.new_keys(tmp_path / "eve.key", "Data office")
    another_author(release)
    signature.write(release, [signature.sign(tmp_path / "eve.key", signature.digest_of(release), purpose="release")])
    assert verify(release).problems == ()
    assert any("not signed by" in one for one in verify(release, signer=course / "office.key.pub").problems)
    assert any("fingerprint" in note for note in verify(release).notes)


def test_an_approval_is_no_signature_of_the_office(course: Path, release: Path) -> None:
    made = signature.sign(course / "office.key", signature.digest_of(release), purpose="approval")
    signature.write(release, [made])
    assert any("not signed by" in one for one in verify(release, signer=course / "office.key.pub").problems)


def test_the_real_one_is_told_with_name_and_date(course: Path, release: Path) -> None:
    checked = verify(release, signer=course / "office.key.pub")
    assert checked.problems == ()
    assert any(note.startswith("Signed by Data office on 20") for note in checked.notes)
