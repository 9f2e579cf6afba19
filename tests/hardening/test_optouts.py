"""Nobody who said no is released: lists with and without a header, ids in every spelling, over all files."""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine, ids, sources
from sharewell.errors import SharewellError
from sharewell.plan.document import load

SECRET = "Xanthippe"
PLAN = """
[release]
name = "Course"
audience = "enclave"
exclude = {exclude}
join = {join}

[records.students]
file = "{students}"
student = "id"
direct = ["name"]
quasi = ["age"]

[traces.clicks]
file = "{clicks}"
student = "{column}"
at = "time"
quasi = ["verb"]
"""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A folder of two files and a list; ids as each of them spells them."""

    students: tuple[object, ...] = ("7", "8", "9", "10")
    clicks: tuple[object, ...] = ("7", "8", "9", "10")
    optouts: str = "id\n7\n"
    list_name: str = "optouts.csv"
    more: str = ""  # of the exclude table
    clicks_format: str = "csv"
    column: str = "id"
    join: bool = False


def write(folder: Path, made: Folder) -> Path:
    names = {"csv": "clicks.csv", "parquet": "clicks.parquet", "jsonl": "clicks.jsonl"}
    lines = [f"{who},{SECRET} {n},2{n}" for n, who in enumerate(made.students)]
    (folder / "students.csv").write_text("\n".join(["id,name,age", *lines, ""]), encoding="utf-8")
    _clicks(folder / names[made.clicks_format], made)
    (folder / made.list_name).write_bytes(made.optouts.encode())
    exclude = f'{{ file = "{made.list_name}"{made.more} }}'
    text = PLAN.format(
        exclude=exclude,
        join=str(made.join).lower(),
        students="students.csv",
        clicks=names[made.clicks_format],
        column=made.column,
    )
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return folder / "plan.toml"


def _clicks(path: Path, made: Folder) -> None:
    times = [f"2025-03-0{1 + n % 9} 10:00:00" for n in range(len(made.clicks))]
    if path.suffix == ".parquet":
        columns = {made.column: list(made.clicks), "time": times, "verb": ["read"] * len(times)}
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".jsonl":
        rows = [{made.column: who, "time": at, "verb": "read"} for who, at in zip(made.clicks, times, strict=True)]
        path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    else:
        lines = [f"{who},{at},read" for who, at in zip(made.clicks, times, strict=True)]
        path.write_text("\n".join([f"{made.column},time,verb", *lines, ""]), encoding="utf-8")


def students_of(found: sources.Sources, label: str, column: str = "id") -> set[str]:
    return set(engine.arrow(found.files[label].table)[column].to_pylist())


REST = {"8", "9", "10"}
GONE: dict[str, Folder] = {
    "with a header": Folder(),
    "without a header": Folder(optouts="7\n"),
    "without a header, no line feed": Folder(optouts="7"),
    "a header that the plan knows": Folder(optouts="user\n7\n", column="user"),
    "a header in capitals": Folder(optouts="ID\n7\n"),
    "a header of two words": Folder(optouts="Student ID\n7\n"),
    "a byte order mark": Folder(optouts="\ufeffid\n7\n"),
    "a byte order mark, no header": Folder(optouts="\ufeff7\n"),
    "blank lines": Folder(optouts="\n\nid\n\n7\n\n"),
    "Windows lines": Folder(optouts="id\r\n7\r\n"),
    "old Mac lines": Folder(optouts="id\r7\r"),
    "quoted": Folder(optouts='"id"\n"7"\n'),
    "several columns": Folder(optouts="why,id\nmoved,7\n"),
    "semicolons": Folder(optouts="why;id\nmoved;7\n"),
    "a column that the plan names": Folder(optouts="a,b\nx,7\n", more=', column = "b"'),
    "the same student twice": Folder(optouts="id\n7\n007\n"),
    "tab-separated": Folder(optouts="why\tid\nx\t7\n", list_name="optouts.tsv"),
    "JSON lines, a number": Folder(optouts='{"id": 7}\n', list_name="optouts.jsonl"),
    "JSON lines, a decimal": Folder(optouts='{"id": 7.0}\n', list_name="optouts.jsonl"),
    "JSON array": Folder(optouts='[{"id": "7"}]', list_name="optouts.json"),
    "leading zeros on the list": Folder(optouts="id\n007\n"),
    "leading zeros in one file": Folder(students=("007", "008", "009", "010")),
    "leading zeros in the other": Folder(clicks=("007", "008", "009", "010")),
    "a decimal on the list": Folder(optouts="id\n7.0\n"),
    "two empty decimals": Folder(optouts="id\n7.00\n"),
    "a plus sign": Folder(optouts="id\n+7\n"),
    "blanks around": Folder(optouts="id\n  7  \n"),
    "a no-break blank": Folder(optouts="id\n7\u00a0\n"),
    "a zero-width blank": Folder(optouts="id\n\u200b7\n"),
    "a zero-width joiner inside": Folder(
        students=("a7", "8", "9", "10"), clicks=("a\u200d7", "8", "9", "10"), optouts="a7\n",
    ),
    "a soft hyphen": Folder(students=("a7", "8", "9", "10"), clicks=("a\u00ad7", "8", "9", "10"), optouts="a7\n"),
    "a thin blank": Folder(optouts="id\n\u20097\n"),
    "full-width digits": Folder(optouts="id\n７\n"),
    "case": Folder(students=("anna", "8", "9", "10"), clicks=("Anna", "8", "9", "10"), optouts="id\nANNA\n"),
    "one and two characters": Folder(
        students=("ren\u00e9", "8", "9", "10"), clicks=("rene\u0301", "8", "9", "10"), optouts="id\nRENÉ\n"
    ),
    "sharp s": Folder(students=("groß", "8", "9", "10"), clicks=("GROSS", "8", "9", "10"), optouts="id\ngross\n"),
    "integers in Parquet": Folder(clicks=(7, 8, 9, 10), clicks_format="parquet", students=("007", "8", "9", "10")),
    "decimals in Parquet": Folder(clicks=(7.0, 8.0, 9.0, 10.0), clicks_format="parquet"),
    "texts in Parquet": Folder(clicks=("07", "8", "9", "10"), clicks_format="parquet"),
    "integers in JSON lines": Folder(clicks=(7, 8, 9, 10), clicks_format="jsonl"),
    "integers and texts in JSON lines": Folder(clicks=(7, "8", 9, "10"), clicks_format="jsonl"),
    "only in one file": Folder(clicks=("8", "9", "10", "8")),
    "unknown, accepted": Folder(optouts="id\n7\nnobody\n", more=', unknown = "accept"'),
}  # fmt: skip


@pytest.mark.parametrize("case", GONE)
def test_a_student_who_said_no_is_in_no_file(case: str, tmp_path: Path) -> None:
    made = GONE[case]
    found = sources.read(load(write(tmp_path, made)))
    assert students_of(found, "records.students") == REST
    assert students_of(found, "traces.clicks", made.column) == REST
    assert found.left["records.students"] == 1


REFUSED: dict[str, tuple[Folder, tuple[str, ...]]] = {
    "an id that no file has": (Folder(optouts="id\n7\n77\n"), ("optouts.csv", "entry 2", "unknown =")),
    "many unknown ids": (Folder(optouts="id\n7\na\nb\nc\nd\n"), ("entries 2, 3, 4 and others",)),
    "a header that nobody knows": (Folder(optouts="Wer\n7\n"), ("entry 1", "header")),
    "no id at all": (Folder(optouts="id\n"), ("optouts.csv",)),
    "zeros inside an id": (
        Folder(students=("s7", "s8", "s9"), clicks=("s07", "s8", "s9"), optouts="s7\n"),
        ("clicks.csv", "column 'id'", "row 1", "similar to entry 1", "similar ="),
    ),
    "a hyphen": (
        Folder(students=("s-7", "s8", "s9"), clicks=("s7", "s8", "s9"), optouts="s-7\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "a letter in front": (
        Folder(students=("4711", "8", "9"), clicks=("u4711", "8", "9"), optouts="4711\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "an address behind": (
        Folder(students=("anna", "8", "9"), clicks=("anna@example.org", "8", "9"), optouts="anna\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "an accent": (
        Folder(students=("rené", "8", "9"), clicks=("rene", "8", "9"), optouts="rené\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "a blank inside": (
        Folder(students=("12 34", "8", "9"), clicks=("1234", "8", "9"), optouts="12 34\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "thousands": (
        Folder(students=("1000", "8", "9"), clicks=("1.000", "8", "9"), optouts="1000\n"),
        ("clicks.csv", "row 1", "similar"),
    ),
    "a similar student in the same file": (
        Folder(students=("s7", "s07", "s9"), clicks=("s9", "s9"), optouts="s7\n"),
        ("students.csv", "row 2", "similar"),
    ),
    "two columns and no header": (Folder(optouts="7,x\n8,y\n"), ("optouts.csv", "which column")),
    "a column that is not there": (Folder(optouts="id\n7\n", more=', column = "who"'), ("optouts.csv", "which column")),
    "ragged": (Folder(optouts="id,why\n7\n"), ("optouts.csv", "line 2 has 1 cells")),
    "an open quote": (Folder(optouts='id\n"7\n'), ("optouts.csv", "quote")),
    "blank": (Folder(optouts=" \n \n"), ("optouts.csv", "is empty")),
    "spelled in two ways in a file, zeros": (Folder(students=("7", "007", "9")), ("students.csv", "rows 1 and 2")),
    "spelled in two ways, unseen": (Folder(students=("7", "7\u200b", "9")), ("students.csv", "rows 1 and 2")),
    "spelled in two ways, no-break": (Folder(students=("7\u00a0", "7", "9")), ("students.csv", "rows 1 and 2")),
    "an id that nobody sees": (Folder(students=("\u200b", "7", "9")), ("students.csv", "row 1", "no student id")),
    "decimals as ids": (
        Folder(clicks=(7.5, 8.0), clicks_format="parquet"), ("clicks.parquet", "column 'id'", "row 1", "decimal"),
    ),
    "ids beyond what a decimal holds": (
        Folder(clicks=(2.0**53, 8.0), clicks_format="parquet"), ("clicks.parquet", "row 1", "digits are lost"),
    ),
    "join without a student in common": (
        Folder(clicks=("a7", "a8", "a9"), optouts="7\n", join=True),
        ("join = true", "records.students", "traces.clicks"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_may_hide_a_student_who_said_no_refuses(case: str, tmp_path: Path) -> None:
    made, says = REFUSED[case]
    with pytest.raises(SharewellError) as error:
        sources.read(load(write(tmp_path, made)))
    message = str(error.value)
    assert all(part in message for part in says), message
    assert SECRET not in message and "\n" not in message
    assert not any(str(who) in message for who in made.students + made.clicks if len(str(who)) > 2)


def test_what_is_similar_can_be_accepted(tmp_path: Path) -> None:
    made = Folder(students=("s7", "s07", "s9"), clicks=("s9", "s9"), optouts="s7\n", more=', similar = "accept"')
    found = sources.read(load(write(tmp_path, made)))
    assert students_of(found, "records.students") == {"s07", "s9"}
    assert any("similar" in note for note in found.notes)


def test_ids_that_are_spelled_in_two_ways_join(tmp_path: Path) -> None:
    made = Folder(students=("S001", "S002"), clicks=("s001", "s002"), optouts="S001\n", join=True)
    found = sources.read(load(write(tmp_path, made)))
    assert students_of(found, "records.students") == students_of(found, "traces.clicks") == {"s002"}


@given(st.lists(st.sampled_from(["ann", "Ann", "7", "007", "zoë", "a b", "a  b", "", None]), min_size=1))
def test_ids_that_are_in_their_normal_form_need_no_looking_up(cells: list[str | None]) -> None:
    table = engine.table(pa.table({"id": pa.array(cells, pa.string())}))
    known = ids.spellings(table, "id")
    made = engine.arrow(ids.in_normal_form(table, "id", known))["id"].to_pylist()
    stands = all(cell is None or ids.normal(cell) == cell != "" for cell in cells)
    assert ids.are_normal(table, "id", known) == stands
    assert not stands or Counter(made) == Counter(cells)


def test_large_ids_stay_apart(tmp_path: Path) -> None:
    """Beyond 2^53 doubles merge neighbours; one decimal among the ids made a reader take them all for doubles."""
    many = tuple(2**53 + n for n in range(60))
    made = Folder(students=(*map(str, many), "1"), clicks=(*many, 1.0), clicks_format="jsonl", optouts=f"{many[0]}\n")
    found = sources.read(load(write(tmp_path, made)))
    assert len(students_of(found, "traces.clicks")) == 60
    assert students_of(found, "traces.clicks") == students_of(found, "records.students")


UNSEEN = st.sampled_from(["", "\u200b", "\u00ad", "\ufeff", "\u2060", "\u200e", "\x00"])
BLANKS = st.sampled_from(["", " ", "\u00a0", "\t", "\u2003", "\u3000"])
NAMES = st.text(st.sampled_from("abcdefgxyzäéßñ0123456789"), min_size=1, max_size=8)


@st.composite
def spelled(draw: st.DrawFn, form: str) -> str:
    """A spelling of the same id that a person or a program may have written."""
    if form.isdigit() and form.isascii():
        number = str(int(form))
        form = draw(
            st.sampled_from([number, f"000{number}", f"+{number}", f"{number}.0", f"{number}.00", f" {number}"])
        )
    changes: list[Callable[[str], str]] = [str.upper, str.lower, str.title, str]
    change = draw(st.sampled_from(changes))
    form = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), change(form))
    cut = draw(st.integers(0, len(form)))
    return draw(BLANKS) + form[:cut] + draw(UNSEEN) + form[cut:] + draw(BLANKS)


@given(data=st.data(), form=NAMES)
def test_every_spelling_of_an_id_has_one_normal_form(data: st.DataObject, form: str) -> None:
    one, other = data.draw(spelled(form)), data.draw(spelled(form))
    assert ids.normal(one) == ids.normal(other)
    assert ids.normal(ids.normal(one)) == ids.normal(one)


@given(one=st.integers(0, 10**20), other=st.integers(0, 10**20))
def test_different_numbers_are_different_students(one: int, other: int) -> None:
    assert (ids.normal(str(one)) == ids.normal(f"{other:030d}")) == (one == other)


@given(st.text(max_size=12))
def test_the_normal_form_of_any_text_is_stable(text: str) -> None:
    form = ids.normal(text)
    assert ids.normal(form) == form and form == form.strip()


@given(cells=st.lists(st.text(st.characters(codec="utf-8"), max_size=6), min_size=1, max_size=12))
def test_the_engine_finds_the_normal_form_that_python_does(cells: list[str]) -> None:
    table = engine.table(pa.table({"id": cells}))
    found = engine.arrow(ids.spellings(table, "id")).to_pylist()
    assert {row["spelling"]: row["student"] for row in found} == {cell: ids.normal(cell) or None for cell in cells}
