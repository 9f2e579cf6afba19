"""Tables in parts: folders of Parquet files and Delta tables, and one sentence for what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.cases import students

from sharewell import pipeline
from sharewell.data import engine
from sharewell.data.files import file_digest
from sharewell.data.formats import parquet, read
from sharewell.errors import InputError
from sharewell.plan.document import load
from sharewell.release.verify import verify

Action = dict[str, Any]
PLAN = """
[release]
name = "in parts"
[records.students]
file = "students"
student = "student"
direct = ["name"]
quasi = ["age", "town"]
drop = ["size", "ill"]
keep = ["passed"]
seconds = 0.2
limit = { k = 2, predicate = 1.0 }
"""
ROWS = pa.table({"student": [f"s{n}" for n in range(9)], "grade": list(range(9))})
PROTOCOL: Action = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
ABOUT: Action = {"metaData": {"id": "x", "partitionColumns": [], "configuration": {}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three parts as Spark writes them, with what it leaves beside them."""
    made = tmp_path / "grades"
    made.mkdir()
    for place in range(3):
        pq.write_table(ROWS.slice(3 * place, 3), made / f"part-0000{place}-x.snappy.parquet")
    (made / "_SUCCESS").touch()
    return made


def rows(path: Path) -> list[Action]:
    found: list[Action] = engine.arrow(read(path).table).to_pylist()
    return found


def delta(folder: Path, *versions: list[Action]) -> None:
    (folder / "_delta_log").mkdir()
    for number, actions in enumerate(versions):
        lines = "\n".join(json.dumps(action) for action in actions)
        (folder / "_delta_log" / f"{number:020d}.json").write_text(lines)


def added(place: int, **more: object) -> Action:
    return {"add": {"path": f"part-0000{place}-x.snappy.parquet", "dataChange": True, **more}}


def test_a_folder_is_one_table_in_the_order_of_its_parts(folder: Path) -> None:
    assert rows(folder) == ROWS.to_pylist()


def test_the_columns_of_a_part_may_stand_in_another_order(folder: Path) -> None:
    part = folder / "part-00001-x.snappy.parquet"
    pq.write_table(pq.read_table(part).select(["grade", "student"]), part)
    assert rows(folder) == ROWS.to_pylist()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (ROWS.rename_columns(["student", "mark"]), r"grade.*part 3 of 3 has no such column"),
        (ROWS.append_column("more", ROWS["grade"]), r"more.*the first part has no such column"),
        (ROWS.set_column(1, "grade", ROWS["grade"].cast(pa.string())), r"grade.*is string in part 3 of 3 and int64"),
    ],
)
def test_a_part_with_other_columns_is_refused(wrong: pa.Table, said: str, folder: Path) -> None:
    pq.write_table(wrong, folder / "part-00002-x.snappy.parquet")
    with pytest.raises(InputError, match=said):
        read(folder)


def test_a_cut_off_part_is_told_by_its_number(folder: Path) -> None:
    part = folder / "part-00001-x.snappy.parquet"
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(InputError, match="part 2 of 3 is not a complete Parquet file"):
        read(folder)


def test_a_table_that_is_still_written_is_not_read(folder: Path) -> None:
    (folder / "_temporary").mkdir()
    with pytest.raises(InputError, match="still being written"):
        read(folder)


def test_partitions_are_refused_in_a_sentence(folder: Path) -> None:
    (folder / "year=2024").mkdir()
    with pytest.raises(InputError, match="partitioned by columns"):
        read(folder)


def test_an_empty_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found a folder"):
        read(tmp_path)


def test_the_log_of_a_delta_table_says_which_files_count(folder: Path) -> None:
    gone = {"remove": {"path": "part-00000-x.snappy.parquet"}}
    delta(folder, [PROTOCOL, ABOUT, added(0), added(1)], [gone, added(2)])
    assert rows(folder) == ROWS.slice(3).to_pylist()


def test_a_checkpoint_stands_for_what_was_before_it(folder: Path) -> None:
    delta(folder, [], [], [added(2), {"remove": {"path": "part-00000-x.snappy.parquet"}}])
    log = folder / "_delta_log"
    for number in range(2):
        (log / f"{number:020d}.json").unlink()
    kept = [PROTOCOL, ABOUT, added(0), added(1)]
    about = pa.struct(
        [("partitionColumns", pa.list_(pa.string())), ("configuration", pa.map_(pa.string(), pa.string()))]
    )
    kinds = {"add": None, "protocol": None, "metaData": about}
    columns = {name: pa.array([action.get(name) for action in kept], kind) for name, kind in kinds.items()}
    pq.write_table(pa.table(columns), log / f"{1:020d}.checkpoint.parquet")
    assert rows(folder) == ROWS.slice(3).to_pylist()


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([added(0, deletionVector={"storageType": "u"})], "deletion vectors"),
        ([{"add": {"path": "s3://elsewhere/part.parquet"}}], "files of another place"),
        ([{"add": {"path": "..%2Fgrades.parquet"}}], "files of another place"),
        ([{"add": {"path": "part-gone.parquet"}}], "part 2 of 2 is missing"),
        ([{"protocol": {"minReaderVersion": 3, "readerFeatures": ["typeWidening"]}}], "features of a later version"),
        ([{"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}}], "renamed columns"),
        ([{"metaData": {"partitionColumns": ["year"], "configuration": {}}}], "partitioned by columns"),
        ([{"add": "nothing"}], "log that cannot be read"),
    ],
)
def test_what_a_delta_table_needs_beyond_its_files_is_refused(actions: list[Action], said: str, folder: Path) -> None:
    delta(folder, [PROTOCOL, ABOUT, added(0)], actions)
    with pytest.raises(InputError, match=said):
        read(folder)


def test_a_version_that_is_missing_is_told(folder: Path) -> None:
    delta(folder, [PROTOCOL, ABOUT, added(0)], [added(1)], [added(2)])
    (folder / "_delta_log" / f"{1:020d}.json").unlink()
    with pytest.raises(InputError, match="a version is missing"):
        read(folder)


def test_a_table_in_parts_is_released_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_PER_GROUP", 16)
    monkeypatch.setattr(parquet, "GROUPS_PER_PART", 2)
    (tmp_path / "students").mkdir()
    table = students()
    for place in range(4):
        pq.write_table(table.slice(20 * place, 20), tmp_path / "students" / f"part-{place}.parquet")
    (tmp_path / "plan.toml").write_text(PLAN)
    assert pipeline.release(load(tmp_path / "plan.toml")).verdict.passed
    made = tmp_path / "release" / "data" / "students"
    parts = sorted(made.iterdir())
    assert [pq.read_metadata(part).num_rows for part in parts] == [32, 32, 16]
    assert [part.name for part in parts] == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    assert pq.read_table(made)["student"].to_pylist() == sorted(pq.read_table(made)["student"].to_pylist())
    assert verify(tmp_path / "release").problems == ()
    parts[1].unlink()
    (told,) = verify(tmp_path / "release").problems
    assert told == "data/students/part-00001.parquet: listed in the manifest but missing"
    with pytest.raises(InputError, match="part 2 of 3 has no such column"):
        pq.write_table(table.drop_columns(["age"]), tmp_path / "students" / "part-1.parquet")
        (tmp_path / "students" / "part-3.parquet").unlink()
        pipeline.assess(load(tmp_path / "plan.toml"))


def test_the_same_rows_are_the_same_bytes_however_they_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_PER_GROUP", 4)
    for name, batch in (("one", 9), ("other", 2)):
        pq.write_table(ROWS, tmp_path / f"{name}.parquet", row_group_size=batch)
        parquet.write(engine.read(tmp_path / f"{name}.parquet").order_by("grade"), tmp_path / name, parts=True)
    assert file_digest(tmp_path / "one") == file_digest(tmp_path / "other")
    assert rows(tmp_path / "one") == ROWS.to_pylist()
    parquet.write(engine.table(ROWS.slice(0, 0)), tmp_path / "none", parts=True)
    with pytest.raises(InputError, match="has columns and no rows"):
        read(tmp_path / "none")


def test_a_table_of_the_catalog_needs_spark(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace('"students"\nstudent', '"catalog:lms.students"\nstudent'))
    with pytest.raises(InputError, match=r"catalog:lms\.students: is a table of Spark's catalog; choose Spark"):
        pipeline.assess(load(tmp_path / "plan.toml"))
