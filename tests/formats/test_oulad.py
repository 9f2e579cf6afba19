"""OULAD's clicks: days of a presentation become dates, and days again."""

from pathlib import Path

import pytest

from sharewell.data import engine
from sharewell.data.formats import read, write
from sharewell.errors import InputError

HEADER = "code_module,code_presentation,id_student,id_site,date,sum_click\n"


def test_days_become_dates_and_days_again(tmp_path: Path) -> None:
    path = tmp_path / "studentVle.csv"
    path.write_text(HEADER + "AAA,2013J,28400,546652,-10,4\nBBB,2014B,28401,546652,30,1\n")
    source = read(path, format="oulad")
    assert [str(day) for day in engine.arrow(source.table)["date"].to_pylist()] == [
        "2013-09-21 00:00:00",
        "2014-03-03 00:00:00",
    ]
    write(source.table, tmp_path / "out.csv", source)
    assert (tmp_path / "out.csv").read_text() == path.read_text()


def test_unknown_presentations_are_named(tmp_path: Path) -> None:
    path = tmp_path / "studentVle.csv"
    path.write_text(HEADER + "AAA,2013J,1,1,0,1\nAAA,autumn,1,1,0,1\n")
    with pytest.raises(InputError, match="column 'code_presentation', row 2"):
        read(path, format="oulad")


def test_the_real_file(shared_data: Path) -> None:
    table = read(shared_data / "oulad" / "studentVle_AAA2013J_head.csv", format="oulad").table
    days = engine.arrow(table.aggregate(n=table.count(), first=table.date.min(), last=table.date.max())).to_pylist()[0]
    assert days["n"] == 13_905
    assert (str(days["first"].date()), str(days["last"].date())) == ("2013-09-21", "2013-10-03")
