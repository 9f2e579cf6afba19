"""The fictional course: same seed, same bytes; every file as the plan says; the truth is the truth."""

import hashlib
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from sharewell.fiction import PARTS, Course, make_course, write_course

COLUMNS = {
    "students": [
        "student_id", "name", "email", "birth_date", "age", "sex", "postcode", "origin", "disability",
        "grade", "passed",
    ],
    "clicks": ["student_id", "time", "verb", "device", "resource"],
    "attempts": ["student_id", "exercise", "skill", "correct", "time"],
    "posts": ["post_id", "reply_to", "author", "time", "subject", "message"],
    "keys": ["student_id", "exercise", "week", "key", "press_ms", "release_ms"],
    "optouts": ["student_id"],
}  # fmt: skip
FILES = (
    "students.csv",
    "clicks.parquet",
    "attempts.csv",
    "forum.csv",
    "keys.parquet",
    "optouts.csv",
    "plan.toml",
)


@pytest.fixture(scope="module")
def course() -> Course:
    return make_course(students=120, seed=11, characters_per_week=300)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_same_seed_gives_the_same_bytes_and_another_seed_others(course: Course, tmp_path: Path) -> None:
    write_course(course, tmp_path / "one")
    write_course(make_course(students=120, seed=11, characters_per_week=300), tmp_path / "two")
    write_course(make_course(students=120, seed=12, characters_per_week=300), tmp_path / "three")
    one, two, three = (digests(tmp_path / name) for name in ("one", "two", "three"))
    assert set(one) == set(FILES)
    assert one == two
    assert {name for name in one if one[name] == three[name]} == {"plan.toml"}


def test_parts_do_not_depend_on_each_other(course: Course) -> None:
    alone = make_course(students=120, seed=11, parts=("attempts",))
    assert alone.attempts.equals(course.attempts)
    assert alone.students.equals(course.students)
    assert alone.optouts.equals(course.optouts)
    assert alone.clicks is None and alone.posts is None and alone.keys is None


@pytest.mark.parametrize("part", COLUMNS)
def test_columns(course: Course, part: str) -> None:
    assert getattr(course, part).column_names == COLUMNS[part]


@pytest.mark.parametrize("students", [30, 5_000])
def test_small_and_large_courses(students: int) -> None:
    made = make_course(students=students, seed=3, parts=("students", "clicks", "attempts", "posts"))
    assert made.students.num_rows == students
    known = set(made.truth.student_ids)
    assert len(known) == students
    for table, column in (
        (made.clicks, "student_id"),
        (made.attempts, "student_id"),
        (made.optouts, "student_id"),
    ):
        assert set(table[column].to_pylist()) <= known
    assert set(made.posts["author"].to_pylist()) <= known | set(made.truth.instructors)
    per_student = made.clicks.num_rows / students
    assert 100 <= per_student <= 250


@pytest.mark.parametrize("students", [0, 29, 100_001])
def test_sizes_out_of_range_are_refused(students: int) -> None:
    with pytest.raises(ValueError, match="30 to 100000"):
        make_course(students=students)


def test_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown parts"):
        make_course(students=30, parts=("grades",))


def test_written_files_hold_the_tables(course: Course, tmp_path: Path) -> None:
    write_course(course, tmp_path)
    assert pq.read_table(tmp_path / "keys.parquet").equals(course.keys)
    assert pq.read_table(tmp_path / "clicks.parquet").cast(course.clicks.schema).equals(course.clicks)
    as_text = pyarrow.csv.ConvertOptions(column_types={name: pa.string() for name in COLUMNS["posts"]})
    layout = pyarrow.csv.ParseOptions(newlines_in_values=True)
    posts = pyarrow.csv.read_csv(tmp_path / "forum.csv", parse_options=layout, convert_options=as_text)
    assert posts["message"].to_pylist() == course.posts["message"].to_pylist()
    assert posts["subject"].to_pylist() == course.posts["subject"].to_pylist()


def test_plan_gives_every_column_exactly_one_role(course: Course, tmp_path: Path) -> None:
    write_course(course, tmp_path)
    plan = tomllib.loads((tmp_path / "plan.toml").read_text(encoding="utf-8"))
    assert (tmp_path / plan["release"]["exclude"]).is_file()
    roles = ("student", "direct", "drop", "keep", "ids", "peers", "quasi", "sensitive", "at", "item", "skill",
             "time", "week", "correct", "text", "session", "key", "press", "release")  # fmt: skip
    sections = {"students": "records.students", "clicks": "traces.clicks", "attempts": "responses.attempts",
                "posts": "posts.forum", "keys": "keystrokes.typing"}  # fmt: skip
    for part, section in sections.items():
        kind, name = section.split(".")
        given = plan[kind][name]
        named = [
            c
            for role in roles
            if role in given
            for c in ([given[role]] if isinstance(given[role], str) else given[role])
        ]
        assert sorted(named) == sorted(COLUMNS[part])
        assert (tmp_path / given["file"]).is_file()


def test_ids_addresses_and_canaries_are_unique(course: Course) -> None:
    for column in ("student_id", "email"):
        values = course.students[column].to_pylist()
        assert len(set(values)) == len(values)
    assert all(len(number) == 8 and number[0] == "s" for number in course.truth.student_ids)
    assert course.truth.student_ids != tuple(sorted(course.truth.student_ids))
    posts = course.posts["post_id"].to_pylist()
    assert len(set(posts)) == len(posts)
    everything = "\n".join([*course.students["email"].to_pylist(), *course.posts["message"].to_pylist()])
    assert len(course.truth.canaries) == 6
    assert all(canary in everything for canary in course.truth.canaries)


def test_every_origin_is_present_at_500_students() -> None:
    from sharewell.fiction.names import ORIGINS

    made = make_course(students=500, seed=5, parts=("students",))
    assert len(ORIGINS) >= 12
    assert set(made.truth.name_origins) == set(ORIGINS)


def test_grades_follow_ability_and_ages_birth_dates() -> None:
    made = make_course(students=2_000, seed=5, parts=("students",))
    grade = made.students["grade"].to_numpy()
    assert np.corrcoef(grade, made.truth.ability)[0, 1] > 0.7
    assert np.corrcoef(grade, made.truth.activity)[0, 1] > 0.3
    born = np.array(made.students["birth_date"].to_pylist(), dtype="datetime64[D]")
    exact = (np.datetime64("2025-09-01") - born).astype(int) / 365.25
    assert np.all(np.abs(exact - 0.5 - made.students["age"].to_numpy()) <= 0.51)
    passed = np.array(made.students["passed"].to_pylist())
    assert np.array_equal(passed == "yes", grade >= 50)
    assert 0.6 < np.mean(passed == "yes") < 0.95


def test_name_lists_are_wide() -> None:
    from sharewell.fiction.name_lists import NAMES

    for names in NAMES.values():
        assert len(set(names.girls + names.boys)) >= 40
        assert len(set(names.families)) >= 40


def test_owls_click_at_night_and_deadlines_draw_crowds() -> None:
    made = make_course(students=600, seed=2, parts=("clicks",))
    hour = pc.hour(made.clicks["time"]).to_numpy()
    night = (hour < 5).astype(float)
    row = {number: place for place, number in enumerate(made.truth.student_ids)}
    owner = np.array([row[number] for number in made.clicks["student_id"].to_pylist()])
    owl = made.truth.night_owl[owner]
    assert night[owl].mean() > 4 * night[~owl].mean()
    time = made.clicks["time"].to_numpy().astype("datetime64[s]")
    before = sum(int(((time > end - np.timedelta64(6, "h")) & (time <= end)).sum()) for end in made.truth.deadlines)
    assert before / len(time) > 2 * 6 / (7 * 24)
    assert PARTS == ("students", "clicks", "attempts", "posts", "keys")
