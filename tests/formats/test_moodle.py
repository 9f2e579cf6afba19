"""Moodle's log report: its users, and the dates of several sites."""

from pathlib import Path

import pytest

from sharewell.data import engine
from sharewell.data.formats import read, write
from sharewell.data.formats.columns import moment
from sharewell.errors import InputError

HEADER = "Time,User full name,Affected user,Event context,Component,Event name,Description,Origin,IP address\n"


def export(folder: Path, *times: str) -> Path:
    users = ("The user with id '17' viewed the course with id '3'.", "Cron ran for the user with id '-1'.")
    rows = [
        f'"{time}",A B,-,Course: X,System,Course viewed,"{users[i % 2]}",web,1.2.3.4' for i, time in enumerate(times)
    ]
    path = folder / "logs.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("times", "first"),
    [
        (("17/10/21, 12:39", "1/02/21, 08:00"), "2021-10-17 12:39:00"),
        (("3 March 2024, 2:15 PM", "13 March 2024, 11:15 AM"), "2024-03-03 14:15:00"),
        (("Sunday, 3 March 2024, 2:15 PM", "Wednesday, 13 March 2024, 11:15 AM"), "2024-03-03 14:15:00"),
        (("10/17/21, 12:39:05", "2/01/21, 08:00:00"), "2021-10-17 12:39:05"),
        (("2024-03-03 14:15:02", "2024-03-04 00:00:00"), "2024-03-03 14:15:02"),
        (("1709475302", "1709475303"), "2024-03-03 14:15:02"),
    ],
)
def test_times_of_several_sites(tmp_path: Path, times: tuple[str, ...], first: str) -> None:
    table = read(export(tmp_path, *times), format="moodle").table
    moments = engine.arrow(table.select(at=moment(table, "Time")))["at"].to_pylist()
    assert str(moments[0]) == first


def test_the_user_is_found_in_the_description(tmp_path: Path) -> None:
    table = read(export(tmp_path, "17/10/21, 12:39", "17/10/21, 12:40"), format="moodle").table
    assert engine.arrow(table)["user_id"].to_pylist() == ["17", None]


def test_a_log_whose_descriptions_number_nobody_gets_no_column(tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text(HEADER + "17/10/21,A B,-,Course: X,System,Course viewed,Somebody viewed it,web,1.2.3.4\n")
    assert "user_id" not in read(path, format="moodle").table.columns


def test_a_column_of_users_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text("Time,Description,user_id\n17/10/21,The user with id '4' …,9\n")
    assert engine.arrow(read(path, format="moodle").table)["user_id"].to_pylist() == ["9"]


def test_without_users_it_is_no_moodle_log(tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text("Time,What\n17/10/21,x\n")
    with pytest.raises(InputError, match="neither a column 'user_id' nor"):
        read(path, format="moodle")


def test_round_trip(tmp_path: Path) -> None:
    source = read(export(tmp_path, "17/10/21, 12:39"), format="moodle")
    table = source.table.drop("Affected user")  # a lone dash is written so that no spreadsheet runs it
    write(table, tmp_path / "out.csv", source)
    again = read(tmp_path / "out.csv", format="moodle").table
    assert engine.arrow(again).to_pylist() == engine.arrow(table).to_pylist()


def test_edify_users_equal_those_in_its_descriptions(shared_data: Path) -> None:
    path = shared_data / "moodle_edify" / "moodle_events.csv.gz"
    told = engine.arrow(read(path, format="moodle").table.select("user_id", "Description").order_by("Description"))
    plain = read(path).table.drop("user_id")
    found = plain["Description"].re_extract(r"[Uu]ser with (?:the )?id '(-?[0-9]+)'", 1).nullif("")
    again = engine.arrow(plain.select(user_id=found, Description=plain["Description"]).order_by("Description"))
    both = [pair for pair in zip(told["user_id"].to_pylist(), again["user_id"].to_pylist(), strict=True) if all(pair)]
    assert len(both) > 50_000
    assert sum(one == other for one, other in both) / len(both) > 0.999
