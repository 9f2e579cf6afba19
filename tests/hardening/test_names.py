"""Names of files by the letter, names of columns that may be values by position, names of helpers like no other."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine, formats, sources
from sharewell.data.formats.names import looks_like_value
from sharewell.errors import InputError, SharewellError
from sharewell.plan.document import load

SECRET = "Xanthippe"
ODD = (
    "a*.csv", "a?.csv", "a[b].csv", "a[a-z].csv", "**.csv", "*.csv", "?.csv", "[!x].csv", "a{b,c}.csv", "a\\*.csv",
    "a'b.csv", 'a"b.csv', "a b.csv", "a;b.csv", "a$b.csv", "a%b.csv", "-a.csv", "~a.csv", "ä*ö.csv", "a\nb.csv",
    "[].csv", "[[].csv", "]*[.csv", "{}.csv", "{a}.csv", "\\.csv", "\\?.csv", "s3:*.csv", "#*.csv", "a*.csv?x.csv",
)  # fmt: skip


def content(name: str, ending: str) -> bytes:
    rows = [{"id": f"{name}-{n}", "x": "1"} for n in range(3)]
    if ending == ".parquet":
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows), sink)
        return bytes(sink.getvalue().to_pybytes())
    if ending == ".jsonl":
        return "\n".join(json.dumps(row) for row in rows).encode()
    return ("id,x\n" + "".join('"{}",1\n'.format(row["id"].replace('"', '""')) for row in rows)).encode()


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("name", ODD)
def test_a_name_is_one_file_and_its_neighbours_are_left_alone(name: str, ending: str, tmp_path: Path) -> None:
    name = name.removesuffix(".csv") + ending
    for neighbour in ("ab", "abc", "b", "a", "xy", "ac", "a-b"):
        (tmp_path / f"{neighbour}{ending}").write_bytes(content("neighbour", ending))
    (tmp_path / name).write_bytes(content("own", ending))
    rows = engine.arrow(formats.read(tmp_path / name).table)["id"].to_pylist()
    assert sorted(rows) == ["own-0", "own-1", "own-2"]


@pytest.mark.parametrize("folder", ["c*", "c?", "c[1]", "**", "{c}"])
def test_a_folder_with_the_signs_of_a_pattern_is_one_folder(folder: str, tmp_path: Path) -> None:
    for name in (folder, "c1", "cc"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "u1.csv").write_text(f"timestamp,item\n1,{'own' if name == folder else 'other'}\n")
    table = engine.arrow(formats.read(tmp_path / folder, format="ednet").table)
    assert table.to_pylist() == [{"user": "u1", "timestamp": "1", "item": "own"}]


@given(
    columns=st.lists(st.sampled_from(["__row", "__ROW", "__row_", "__Row__", "row", "__n", "__id"]), unique=True),
    stem=st.sampled_from(["row", "n", "id", "place"]),
)
def test_a_helper_column_has_a_name_of_its_own(columns: list[str], stem: str) -> None:
    name = engine.fresh(columns, stem)
    assert name.lower() not in {column.lower() for column in columns}
    assert name.startswith(f"__{stem}") and set(name.removeprefix(f"__{stem}")) <= {"_"}


HELPERS = (
    "__id", "__row", "__n", "__class", "__place", "__student", "__spelling", "__gone",
    "__value", "__pseudonym", "__PLACE", "row", "spelling", "student", "value", "n",
)  # fmt: skip


@pytest.mark.parametrize("name", HELPERS)
def test_a_column_of_any_name_stays(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"who,age,{name},other\n" + "".join(f"s{n},2{n % 3},v{n},Q{n}\n" for n in range(9)))
    (tmp_path / "out.csv").write_text("who\ns3\n")
    (tmp_path / "plan.toml").write_text(
        '[release]\nname = "x"\nexclude = "out.csv"\n[traces.a]\nfile = "a.csv"\nstudent = "who"\nat = "age"\n'
        f'keep = ["{name}"]\npeers = ["other"]\n'
    )
    found = engine.arrow(sources.read(load(tmp_path / "plan.toml")).files["traces.a"].table)
    assert found.column_names == ["who", "age", name, "other"]
    assert found[name].to_pylist() == [f"v{n}" for n in range(9) if n != 3]
    assert found["other"].to_pylist() == [f"q{n}" for n in range(9) if n != 3]


PLAN = """
[release]
name = "x"
[records.a]
file = "{file}"
student = "id"
quasi = ["age"]
"""
# what the file holds, and values in it that no message may show
SPOKEN: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "no header": ("a.csv", b"s1,Xanthippe,21\ns2,Bob,22\n", (SECRET, "Bob", "s1")),
    "no header, a cell that comes again": ("a.csv", b"Xanthippe,f\nBob,f\nAda,m\n", (SECRET, "Bob")),
    "no header, cells alike": ("a.csv", b"7,Xanthippe,7\n8,Bob,9\n", (SECRET, "Bob")),
    "no header, an address": ("a.csv", b"xanthippe@example.org,Agora\nbob@example.org,x\n", ("xanthippe", "Agora")),
    "a number as a name": ("a.csv", b"id,age,4711223\n1,2,3\n2,3,4\n", ("4711223",)),
    "an address as a name": ("a.csv", b"id,age,xanthippe@example.org\n1,2,3\n2,3,4\n", ("xanthippe",)),
    "a date as a name": ("a.csv", b"id,age,1999-04-01\n1,2,3\n2,3,4\n", ("1999-04-01",)),
    "a long text as a name": ("a.csv", b"id,age," + b"Xanthippe went home " * 9 + b"\n1,2,3\n", (SECRET,)),
    "JSON with an address for a key": ("a.jsonl", b'{"id": 1, "age": 2, "xanthippe@example.org": 3}\n', ("xanthippe",)),
    "JSON with a number for a key": ("a.jsonl", b'{"id": 1, "age": 2, "4711223": 3}\n', ("4711223",)),
    "JSON with students for keys": (
        "a.jsonl",
        b"".join(b'{"id": %d, "age": 2, "%s": 3}\n' % (n, w) for n, w in enumerate((b"Xanthippe", b"Bob", b"Ada"))),
        (SECRET, "Bob", "Ada"),
    ),
    "JSON, nested under such a key": ("a.jsonl", b'{"id": 1, "4711223": [3]}\n', ("4711223",)),
    "Parquet with such a name": ("a.parquet", content("x", ".parquet").replace(b"id", b"7@"), ("7@",)),
}


@pytest.mark.parametrize("case", SPOKEN)
def test_a_name_that_may_be_a_value_is_told_by_its_position(case: str, tmp_path: Path) -> None:
    name, written, hidden = SPOKEN[case]
    (tmp_path / name).write_bytes(written)
    (tmp_path / "plan.toml").write_text(PLAN.format(file=name))
    with pytest.raises(SharewellError) as error:
        sources.read(load(tmp_path / "plan.toml"))
    message = str(error.value)
    assert not any(value in message for value in hidden), message
    assert "column" in message and name in message


ORDINARY = ("age", "Anon Student Id", "KC (Default)", "q12", "first.name", "Größe", "time_ms", "Note (%)", "studentVle")


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_are_told(name: str) -> None:
    assert not looks_like_value(name)


def test_an_ordinary_column_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,age,shoe size\n1,2,3\n2,3,4\n")
    (tmp_path / "plan.toml").write_text(PLAN.format(file="a.csv"))
    with pytest.raises(SharewellError, match="no role for 'shoe size'"):
        sources.read(load(tmp_path / "plan.toml"))


@pytest.mark.parametrize("name", ["=1+1", " =x", "+x", "-x", "＝x", "\u200b=x", "@SUM(A1)", "\u00a0+1"])
def test_a_header_that_is_a_formula_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'id,"{name}"\n1,2\n', encoding="utf-8")
    with pytest.raises(InputError, match="the name of column 2 would run as a formula"):
        formats.read(tmp_path / "a.csv")
