"""A column that leaves as it is and names people refuses, whatever it is called and whoever the audience is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sharewell import pipeline
from sharewell.errors import InputError
from sharewell.plan.document import load

PLAN = """
[release]
name = "Course"
audience = "{audience}"
[records.students]
file = "students.csv"
student = "id"
direct = ["name"]
quasi = ["age"]
{role} = ["extra"]
limit = {{ k = 2 }}
"""
WORDS = ("Amber", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath", "Islet", "Jetty")


def person(number: int) -> str:
    return f"{WORDS[number % 10]} {WORDS[number // 10]}son"


NAMING: dict[str, tuple[Callable[[int], str], str]] = {
    "addresses": (lambda n: f"u{n}@uni.example", "holds e-mail addresses"),
    "addresses in words": (lambda n: f"write to u{n}@uni.example please", "holds e-mail addresses"),
    "one in eight": (lambda n: f"u{n}@uni.example" if n % 8 == 0 else "none", "holds e-mail addresses"),
    "telephones": (lambda n: f"+49 170 {1000000 + n}", "holds telephone numbers"),
    "other people": (lambda n: person(n)[::-1].title(), "look like names of people"),
    "a copy of the name": (person, "repeats what the column 'name' holds"),
    "a copy in capitals": (lambda n: person(n).upper(), "repeats what the column 'name' holds"),
    "a name in a sentence": (lambda n: f"see {person(n)}, room 2", "repeats what the column 'name' holds"),
    "a copy of the id": (lambda n: f"s{n:03d}", "repeats what the column 'id' holds"),
}
HARMLESS: dict[str, Callable[[int], str]] = {
    "towns": lambda n: ("New York", "Los Angeles", "San Jose")[n % 3],
    "marks": lambda n: str(n % 7),
    "codes with zeros": lambda n: f"00{1000000 + n % 4}",
    "an address now and then": lambda n: f"u{n}@uni.example" if n == 3 else "none",
}


def plan_with(folder: Path, cell: Callable[[int], str], *, role: str = "keep", audience: str = "enclave") -> Path:
    rows = [f's{n:03d},{person(n)},{20 + n % 2},"{cell(n)}"' for n in range(40)]
    (folder / "students.csv").write_text("\n".join(["id,name,age,extra", *rows, ""]), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN.format(role=role, audience=audience), encoding="utf-8")
    return folder / "plan.toml"


@pytest.mark.parametrize("role", ["keep", "sensitive"])
@pytest.mark.parametrize("case", NAMING)
def test_a_column_that_names_people_does_not_leave(case: str, role: str, tmp_path: Path) -> None:
    cell, sentence = NAMING[case]
    with pytest.raises(InputError, match=sentence) as refused:
        pipeline.release(load(plan_with(tmp_path, cell, role=role)))
    assert "column 'extra'" in str(refused.value) and "under direct" in str(refused.value)
    assert not any(word in str(refused.value) for word in (person(7), "u7@", "s007"))
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("case", HARMLESS)
def test_other_columns_do(case: str, tmp_path: Path) -> None:
    assert pipeline.release(load(plan_with(tmp_path, HARMLESS[case]))).verdict.passed
