"""Bad input: every case exits 2 (plan) or 5 (data) with one sentence, tells where, shows no value, leaves nothing."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from course_folder import CLICKS as CLICKS_PLAN
from course_folder import PLAN as RECORDS

from sharewell import cli

PLAN = RECORDS + CLICKS_PLAN
SECRET = "Xanthippe"  # stands in every file as a student's value and must never be printed
STUDENTS = "id,name,age,sex,passed\n" + "".join(
    f"{n},{SECRET} {n},{20 + n % 3},{'fm'[n % 2]},{n % 2}\n" for n in range(40)
)
CLICKS = "id,time,verb\n" + "".join(f"{n % 40},2025-03-{1 + n % 28:02d} 10:{n % 60:02d}:00,read\n" for n in range(400))


@dataclass(frozen=True)
class Case:
    """What is changed about a good folder, and what the sentence must say."""

    change: Callable[[Path], object]
    says: tuple[str, ...]
    problems: int = 1  # a plan tells all of its problems at once, one sentence each


def put(name: str, text: str | bytes) -> Callable[[Path], object]:
    content = text.encode() if isinstance(text, str) else text
    return lambda folder: (folder / name).write_bytes(content)


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return change


def students(old: str, new: str, *says: str) -> Case:
    return Case(edit("students.csv", old, new), ("students.csv", *says))


def clicks(old: str, new: str, *says: str) -> Case:
    return Case(edit("clicks.csv", old, new), ("clicks.csv", *says))


def plan(old: str, new: str, *says: str) -> Case:
    return Case(edit("plan.toml", old, new), ("plan.toml", *says))


def renamed(name: str, content: bytes, *says: str) -> Case:
    """The students come in a file of another name."""

    def change(folder: Path) -> None:
        (folder / name).write_bytes(content)
        edit("plan.toml", "students.csv", name)(folder)

    return Case(change, (name, *says))


def both(*changes: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: [change(folder) for change in changes]


ROW_5 = f"4,{SECRET} 4,21,f,0\n"
CASES = {
    "empty file": Case(put("students.csv", ""), ("students.csv", "empty")),
    "header only": Case(put("students.csv", "id,name,age,sex,passed\n"), ("students.csv", "header")),
    "blank lines only": Case(put("students.csv", "\n\n\n"), ("students.csv",)),
    "too few cells": students(ROW_5, "4,x,21\n", "5"),
    "too many cells": students(ROW_5, f"4,{SECRET},21,f,0,extra\n", "5"),
    "duplicate columns": students("id,name,age,sex,passed", "id,name,age,age,passed", "'age'"),
    "columns that differ by case": students("id,name,age,sex,passed", "id,name,age,Age,passed", "'Age'"),
    "a column without a name": students("id,name,age,sex,passed", "id,name,age,,passed", "4"),
    "NUL bytes": Case(put("students.csv", STUDENTS.encode().replace(b"21,f", b"2\x00,f", 1)), ("students.csv", "NUL")),
    "unclosed quote": students(ROW_5, f'4,"{SECRET},21,f,0\n', "quote"),
    "a field of 11 MB": students(ROW_5, f"4,{'y' * 11_000_000},21,f,0\n", "10 MB"),
    "a picture named .csv": Case(put("students.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 50), ("students.csv",)),
    "wrong encoding named": Case(
        both(
            put("students.csv", STUDENTS.encode("latin-1") + b"99,\xe9\xff,20,f,1\n"),
            edit("plan.toml", 'file = "students.csv"', 'file = "students.csv"\nencoding = "utf-8"'),
        ),
        ("students.csv", "utf-8"),
    ),
    "unknown encoding": Case(
        edit("plan.toml", 'file = "students.csv"', 'file = "students.csv"\nencoding = "klingon"'),
        ("students.csv", "klingon"),
    ),
    "unknown format": Case(
        edit("plan.toml", 'file = "students.csv"', 'file = "students.csv"\nformat = "docx"'), ("students.csv", "docx")
    ),
    "unknown ending": renamed("students.xyz", STUDENTS.encode(), "format"),
    "corrupt gzip": renamed("students.csv.gz", gzip.compress(STUDENTS.encode())[:-20] + b"broken", "gz"),
    "not gzip at all": renamed("students.csv.gz", STUDENTS.encode(), "gz"),
    "not zstd at all": renamed("students.csv.zst", STUDENTS.encode(), "zst"),
    "corrupt parquet": renamed("students.parquet", b"PAR1" + b"\x01" * 400 + b"PAR1", "arquet"),
    "text named .parquet": renamed("students.parquet", STUDENTS.encode(), "arquet"),
    "broken JSON line": renamed("students.jsonl", b'{"id": 1, "age": 20}\n{"id": 2, "age"\n', "2"),
    "nested JSON": renamed("students.jsonl", b'{"id": 1, "age": {"years": 20}}\n', "age"),
    "a folder instead of a file": Case(
        both(lambda folder: (folder / "sub").mkdir(), edit("plan.toml", "students.csv", "sub")), ("sub",)
    ),
    "missing student id": students(ROW_5, f",{SECRET},21,f,0\n", "column 'id'", "row 5"),
    "ids that differ by case": Case(
        put("clicks.csv", CLICKS + "a7,2025-03-01 10:00:00,read\nA7,2025-03-01 10:00:00,read\n"),
        ("clicks.csv", "column 'id'", "differ only by case, blanks"),
    ),
    "ids that differ by blanks": Case(
        put("clicks.csv", CLICKS + "7 ,2025-03-01 10:00:00,read\n"),
        ("clicks.csv", "column 'id'", "differ only by case, blanks"),
    ),
    "a student twice in records": students(ROW_5, ROW_5 + ROW_5, "column 'id'"),
    "an impossible date": clicks("2025-03-05 10:04:00", "2025-02-30 10:04:00", "column 'time'", "row 5"),
    "a word for a date": clicks("2025-03-05 10:04:00", SECRET, "column 'time'", "row 5"),
    "dates in two layouts": Case(
        put("clicks.csv", "id,time,verb\n1,03/04/2025,read\n2,2025-04-05,read\n"), ("clicks.csv", "column 'time'")
    ),
    "day or month first": Case(
        put("clicks.csv", "id,time,verb\n1,03/04/2025 10:00,read\n2,05/06/2025 11:00,read\n"),
        ("clicks.csv", "column 'time'", "day-first"),
    ),
    "no time": clicks("2025-03-05 10:04:00", "", "column 'time'", "row 5"),
    "a plan that names an absent column": plan('"age", "sex"', '"age", "sex", "origin"', "'origin'", "students.csv"),
    "a column without a role": plan('quasi = ["verb"]', "", "'verb'", "clicks.csv"),
    "contradictory roles": plan('keep = ["passed"]', 'keep = ["passed", "sex"]', "'sex'"),
    "unknown key": plan("quasi =", "quazi =", "'quazi'"),
    "missing file": plan("clicks.csv", "nothing.csv", "nothing.csv"),
    "senseless limit": plan('quasi = ["verb"]', 'quasi = ["verb"]\nlimit = { unicity = 7 }', "'unicity'"),
    "unknown kind": plan("[traces.clicks]", "[clicks.clicks]", "clicks"),
    "broken TOML": plan("[release]", "[release", "TOML"),
    "everyone said no": Case(put("optouts.csv", "id\n" + "".join(f"{n}\n" for n in range(40))), ("students.csv",)),
    "opt-outs without a known column": Case(put("optouts.csv", "who,why\n1,x\n"), ("optouts.csv", "column")),
    "empty opt-outs": Case(put("optouts.csv", ""), ("optouts.csv", "empty")),
    "an unreadable key": Case(
        both(
            put("old-key", "not hexadecimal"), edit("plan.toml", 'name = "Course"', 'name = "Course"\nkey = "old-key"')
        ),
        ("old-key",),
    ),
}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["sharewell", *arguments])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return int(stopped.value.code or 0)


def good_folder(folder: Path) -> None:
    for name, text in {
        "plan.toml": PLAN,
        "students.csv": STUDENTS,
        "clicks.csv": CLICKS,
        "optouts.csv": "id\n3\n",
    }.items():
        (folder / name).write_text(text)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_clear_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    good_folder(tmp_path)
    case.change(tmp_path)
    code = run(monkeypatch, "release", str(tmp_path / "plan.toml"))
    said = capsys.readouterr()
    assert code == (2 if said.err.startswith(f"{tmp_path / 'plan.toml'}:") else 5), said.err
    lines = said.err.strip().splitlines()
    assert len(lines) == case.problems, said.err
    assert all(part in said.err for part in case.says), said.err
    assert SECRET not in said.err + said.out and "Traceback" not in said.err
    assert not (tmp_path / "release").exists()


def test_the_folder_is_good_before_it_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good_folder(tmp_path)
    code = run(monkeypatch, "assess", str(tmp_path / "plan.toml"))
    assert code == 0, capsys.readouterr().err
