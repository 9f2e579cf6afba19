"""A release of a class that has grown: under the recoding of the earlier one new rows join groups that are known."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from sharewell import pipeline
from sharewell.errors import InputError
from sharewell.plan.document import load

PLAN = """
[release]
name = "Course"
audience = "enclave"
{header}
[records.students]
file = "students.csv"
student = "id"
quasi = ["age", "town"]
keep = ["passed"]
limit = {{ k = 4 }}
max_suppressed = 0.1
{section}
"""


NAMED = "named by leaving or coming"  # newcomers who look like no other newcomer


def student(number: int) -> dict[str, str]:
    town = ("Ulm", "Bonn", "Trier", "Jena", "Gera")[number * 7 % 5]
    return {"id": f"s{number:03d}", "age": str(18 + number * number % 9), "town": town, "passed": str(number % 2)}


def release(folder: Path, students: list[dict[str, str]], *, header: str = "", section: str = "") -> pipeline.Outcome:
    with (folder / "students.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(students[0]))
        writer.writeheader()
        writer.writerows(students)
    (folder / "plan.toml").write_text(PLAN.format(header=header, section=section), encoding="utf-8")
    return pipeline.release(load(folder / "plan.toml"), over=True)


def cells(folder: Path) -> dict[str, tuple[str, str]]:
    with (folder / "release/data/students.csv").open(newline="", encoding="utf-8") as file:
        return {row["id"]: (row["age"], row["town"]) for row in csv.DictReader(file)}


@pytest.fixture
def grown(tmp_path: Path) -> tuple[Path, dict[str, tuple[str, str]], str]:
    """A release of sixty students, and what names it in the next plan."""
    made = release(tmp_path, [student(number) for number in range(60)])
    assert made.verdict.passed and made.release is not None
    (recoding,) = tmp_path.glob("private/*/records.students/recoding.csv")
    return tmp_path, cells(tmp_path), f'recoding = "{recoding.relative_to(tmp_path)}"'


def test_every_earlier_student_keeps_the_cells_and_new_ones_join_them(
    grown: tuple[Path, dict[str, tuple[str, str]], str],
) -> None:
    folder, before, named = grown
    alone = release(folder, [student(number) for number in range(80)], section=named)
    assert [risk.name for risk in alone.findings.linkage if risk.gate and not risk.holds] == [NAMED]
    newcomers = [{**student(number), "id": f"n{number}{turn}"} for number in range(60, 80) for turn in range(3)]
    again = release(folder, [*(student(number) for number in range(60)), *newcomers], section=named)
    assert again.verdict.passed, again.verdict.reasons
    after = cells(folder)
    assert {who: after[who] for who in before} == before
    known = {*before.values(), ("*", "*")}
    assert set(after.values()) <= known and len(after) == 120
    assert min(count for cell, count in Counter(after.values()).items() if cell != ("*", "*")) >= 4


def test_whoever_looks_like_nobody_before_is_held_back(grown: tuple[Path, dict[str, tuple[str, str]], str]) -> None:
    folder, before, named = grown
    newcomers = [{**student(60 + n), "town": "Speyer"} for n in range(5)]
    release(folder, [*(student(number) for number in range(60)), *newcomers], section=named)
    after = cells(folder)
    assert Counter(cell for who, cell in after.items() if who not in before) == {("*", "*"): 5}


def test_a_recoding_of_other_columns_is_refused(grown: tuple[Path, dict[str, tuple[str, str]], str]) -> None:
    folder, _, named = grown
    path = folder / named.partition('"')[2].rstrip('"')
    path.write_text('from,to\n"[""1""]","[""*""]"\n', encoding="utf-8")
    with pytest.raises(InputError, match="a recoding of other columns"):
        release(folder, [student(number) for number in range(60)], section=named)
    path.write_text("from,to\nx,y\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no recoding of an earlier release"):
        release(folder, [student(number) for number in range(60)], section=named)
