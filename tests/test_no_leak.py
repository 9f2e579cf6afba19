"""No identifier that was planted in the fictional course comes out: not in the release, the terminal or a traceback."""

from pathlib import Path

import pytest
from leaks import bytes_of, leaked, texts_of

from sharewell import cli
from sharewell.data import engine, formats
from sharewell.demo.run import write_labels
from sharewell.fiction import Course, make_course, write_course
from sharewell.keystrokes.protection import search
from sharewell.plan.document import load
from sharewell.release import place
from sharewell.release.place import Place

SEEDS = range(100, 105)
PLANNED = {
    "student_id", "age", "sex", "postcode", "origin", "disability", "passed", "time", "verb", "device", "exercise",
    "correct", "skill", "author", "post_id", "reply_to", "subject", "message", "week", "key", "press_ms", "release_ms",
}  # fmt: skip
ANY_RISK = {  # leaks are looked for whatever the risk: limits that always hold let every seed through the gate
    "limit = { k = 5, l = 2 }": "limit = { k = 2, l = 1, predicate = 1.0 }",
    "limit = { k = 5 }": 'limit = { k = 2 }\nwindow = "1w"',
    "limit = { membership = 0.55 }": "limit = { membership = 1.0, tpr = 1.0, ranks = -1, jump = 1 }\n"
    "m = 3\nnoise = 1.0\nrepeats = 1",
    "limit = { residual = 0.0005 }": "limit = { residual = 1.0 }",
    "limit = { found = 0.10, within = 10 }": "limit = { found = 1.0, within = 10 }",
}


def write_folder(folder: Path, seed: int) -> Course:
    course = make_course(students=30, seed=seed, characters_per_week=120)
    write_course(course, folder)
    place.prepare(Place(folder), replace=False)
    write_labels(course, Place(folder))
    plan = (folder / "plan.toml").read_text()
    for old, new in ANY_RISK.items():
        assert old in plan
        plan = plan.replace(old, new)
    (folder / "plan.toml").write_text(plan)
    return course


def columns_of(folder: Path) -> set[str]:
    """Every column of every released file."""
    return {name for path in folder.iterdir() for name in formats.read(path).table.columns}


def ids_of(folder: Path, data: Path) -> dict[tuple[str, str], set[str]]:
    """The values of every column of students, sessions, rows and peers that the plan names, file by file, as text."""
    found = {}
    for section in load(folder / "plan.toml").sections:
        table = formats.read(data / section.path.name).table
        for role, name in section.roles():
            if role in {"student", "session", "ids", "peers"} and name in table.columns:
                cells = engine.arrow(table.select(value=table[name].cast("string")))["value"].unique().to_pylist()
                found[section.label, name] = {cell for cell in cells if cell is not None}
    return found


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["sharewell", *arguments])
    try:
        cli.main()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_planted_comes_out(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(search, "LOOKED_FOR", 0)  # what typing is changed by: any setting will do here
    course = write_folder(tmp_path, seed)
    code = run(monkeypatch, "release", str(tmp_path / "plan.toml"))
    said = capsys.readouterr()
    assert code == 0, said.out + said.err
    released = tmp_path / "release"
    assert len(list((released / "data").iterdir())) == 5
    assert columns_of(released / "data") <= PLANNED
    before, after = ids_of(tmp_path, tmp_path), ids_of(tmp_path, released / "data")
    assert after.keys() == before.keys() and len(after) >= 8 and all(before.values()) and all(after.values())
    assert set().union(*before.values()) & set().union(*after.values()) == set()
    texts = [*texts_of(released), said.out, said.err]
    assert leaked(texts, course.truth.identifiers) == set()
    everything = bytes_of(released) + (said.out + said.err).encode()
    assert [canary for canary in course.truth.canaries if canary.encode() in everything] == []


def test_the_search_finds_what_is_planted(tmp_path: Path) -> None:
    course = make_course(students=30, seed=100, parts=("students", "posts"))
    write_course(course, tmp_path)
    columns = (course.students[name].to_pylist() for name in ("student_id", "name", "email", "birth_date"))
    planted = {str(value).lower() for column in columns for value in column} & course.truth.identifiers
    assert len(planted) > 80 and leaked(texts_of(tmp_path), planted) == planted
    assert all(canary.encode() in bytes_of(tmp_path) for canary in course.truth.canaries)


def test_one_name_in_one_cell_is_seen(tmp_path: Path) -> None:
    course = make_course(students=30, seed=100, parts=("students",))
    name = sorted(course.truth.identifiers)[0]
    (tmp_path / "a.csv").write_text(f"x,y\n1,see you then {name.upper()}!\n")
    assert name in leaked(texts_of(tmp_path), course.truth.identifiers)


@pytest.mark.parametrize("broken", ["sharewell.records.study.open", "sharewell.data.pseudonyms.pseudonymise"])
def test_a_traceback_shows_no_value(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = make_course(students=30, seed=100, parts=("students",))
    write_course(course, tmp_path)
    names = sorted(course.truth.identifiers)

    def fail(*arguments: object, **options: object) -> None:
        raise ValueError(f"cannot handle {names}")

    monkeypatch.setattr(broken, fail)
    assert run(monkeypatch, "release", str(tmp_path / "plan.toml")) in (1, 3)
    said = capsys.readouterr()
    assert "ValueError" in said.out + said.err
    assert leaked([said.out, said.err], course.truth.identifiers) == set()
    assert not (tmp_path / "release").exists()
