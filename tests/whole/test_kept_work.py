"""A second try: what did not change is not asked again, and nothing stale, foreign or damaged is ever taken for it."""

import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sharewell import examine, pipeline
from sharewell.contract import Count, Measure, Risk
from sharewell.data import engine
from sharewell.plan.document import load
from sharewell.release import kept_answers, kept_work, office
from sharewell.release.place import Place
from sharewell.release.verify import verify
from sharewell.traces.protection import search

PLAN = """
[release]
name = "Two files"
[records.one]
file = "one.csv"
student = "who"
quasi = ["age", "sex"]
limit = {{ k = {k} }}
[records.two]
file = "two.csv"
student = "who"
quasi = ["town"]
{more}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draw = np.random.default_rng(3)
    for name, columns in {"one": {"age": (19, 23), "sex": (0, 2)}, "two": {"town": (0, 4)}}.items():
        cells = {column: draw.integers(*ends, 120) for column, ends in columns.items()}
        rows = zip(*cells.values(), strict=True)
        lines = [",".join(["who", *cells]), *(f"{name}{n}," + ",".join(map(str, row)) for n, row in enumerate(rows))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sections whose kinds were asked."""
    found: list[str] = []
    real = examine.four_questions

    def spy(section: Any, *rest: Any) -> Any:
        found.append(section.name)
        return real(section, *rest)

    monkeypatch.setattr(examine, "four_questions", spy)
    return found


def run(folder: Path, k: int = 5, more: str = "", *, over: bool = True) -> pipeline.Outcome:
    (folder / "plan.toml").write_text(PLAN.format(k=k, more=more))
    (folder / "private" / "made-from").unlink(missing_ok=True)  # a release of the very same would stand as it is
    return pipeline.release(load(folder / "plan.toml"), over=over)


def entries(folder: Path) -> Iterator[Path]:
    return (folder / "private" / "work").iterdir()


def test_only_what_changed_is_asked_again(folder: Path, asked: list[str]) -> None:
    first = run(folder)
    assert first.verdict.passed and asked == ["one", "two"]
    kept = (folder / "release" / "data" / "two.csv").read_bytes()
    asked.clear()
    assert run(folder, k=6).verdict.passed
    assert asked == ["one"]
    assert (folder / "release" / "data" / "two.csv").read_bytes() == kept
    assert not verify(folder / "release").problems
    asked.clear()
    again = run(folder, k=6)
    assert asked == [] and again.disclosed.files == pipeline.rehearse(load(folder / "plan.toml")).disclosed.files
    assert len(list(entries(folder))) == 4  # an entry and its rows per file: what is of no use is gone


def test_a_refused_try_is_gone_on_with(folder: Path, asked: list[str]) -> None:
    assert not run(folder, k=121, over=False).verdict.passed
    asked.clear()
    assert run(folder, over=False).verdict.passed
    assert "two" not in asked
    assert len(list((folder / "private").glob("key-*"))) == 1


def test_a_released_key_is_not_taken_up_by_another_release(folder: Path, asked: list[str]) -> None:
    assert run(folder, over=False).verdict.passed
    (folder / "release").rename(folder / "published")
    asked.clear()
    run(folder, over=False)
    assert asked[:2] == ["one", "two"]
    assert len(list((folder / "private").glob("key-*"))) == 2


@pytest.mark.parametrize("change", ["data", "other data", "setting", "review", "seal", "rows", "cut off", "foreign"])
def test_whatever_changed_is_asked_again(folder: Path, asked: list[str], change: str, tmp_path: Path) -> None:
    run(folder)
    asked.clear()
    more = ""
    work = folder / "private" / "work"
    if change in ("data", "other data"):
        with (folder / ("two.csv" if change == "data" else "one.csv")).open("a") as file:
            file.write("new,1\n" if change == "data" else "new,19,1\n")
    elif change == "setting":
        more = "max_suppressed = 0.1"
    elif change == "review":
        (folder / "private" / "review" / "records.two").mkdir(parents=True)
        (folder / "private" / "review" / "records.two" / "x.csv").write_text("a,b\n1,2\n")
    else:
        for path in work.iterdir():
            content = path.read_bytes()
            rows = path.suffix == ".parquet"
            if change == "seal" and not rows:
                path.write_bytes(content.replace(b'"value": ', b'"value":  ', 1))
            elif change == "rows" and rows:
                path.write_bytes(content + b"x")
            elif change == "cut off":
                path.write_bytes(content[: len(content) // 2])
            elif change == "foreign" and not rows:
                path.write_bytes(b"0" * 64 + b"\n" + content.partition(b"\n")[2])
    run(folder, more=more)  # refused where it tells too much beside the first release; what counts is who was asked
    assert "two" in asked


def test_a_table_that_is_used_again_counts_for_the_file_that_names_it(folder: Path, asked: list[str]) -> None:
    first = run(folder)
    table = folder / "earlier.csv"
    shutil.copy(folder / "private" / str(first.release) / "records.two" / "recoding.csv", table)
    run(folder, more='recoding = "earlier.csv"')
    asked.clear()
    table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")
    run(folder, more='recoding = "earlier.csv"')
    assert asked == ["two"]


def test_hierarchies_count_and_a_signature_binds_them(folder: Path, asked: list[str]) -> None:
    """What was made with other hierarchies is not what the next try would make."""
    (folder / "levels").mkdir()
    more = 'method = "full-domain"\nhierarchies = "levels"'
    made = []
    for word in ("old", "new"):
        (folder / "levels" / "town.csv").write_text("".join(f"{town},{word} {town // 2},*\n" for town in range(4)))
        asked.clear()
        run(folder, more=more)
        made.append(office.opened(load(folder / "plan.toml"), Place(folder)).binds(b"key", b"")["inputs"])
        assert "two" in asked
    assert made[0]["records.two"] == made[1]["records.two"]
    assert made[0]["records.two, hierarchies"] != made[1]["records.two, hierarchies"]


def test_what_is_kept_is_for_its_owner_alone(folder: Path) -> None:
    run(folder)
    work = folder / "private" / "work"
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in work.iterdir()} == {0o600}


def lists(folder: Path, made: pipeline.Outcome) -> dict[str, bytes]:
    """What stays private of a release, by the name of the file."""
    own = folder / "private" / str(made.release)
    return {str(path.relative_to(own)): path.read_bytes() for path in own.glob("*/*.csv")}


def test_a_private_list_of_many_students_stays_on_disk_and_comes_back(
    folder: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = lists(folder, run(folder))
    assert len(held) >= 2
    shutil.rmtree(folder / "private")
    shutil.rmtree(folder / "release")
    protected = examine._protected

    def on_disk(*asked_for: Any) -> Any:
        found = protected(*asked_for)
        assert found is not None
        private = {stem: engine.materialise(engine.table(table)) for stem, table in found.private.items()}
        return replace(found, private=private)

    monkeypatch.setattr(examine, "_protected", on_disk)
    first = run(folder)
    asked.clear()
    again = run(folder)
    assert asked == [] and lists(folder, first) == lists(folder, again) == held
    for path in entries(folder):
        if path.name.count(".") == 2:
            path.write_bytes(path.read_bytes() + b"x")
    run(folder)
    assert asked == ["one", "two"]


def test_a_rehearsal_keeps_nothing(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN.format(k=5, more=""))
    pipeline.rehearse(load(folder / "plan.toml"))
    assert not (folder / "private").exists()


def test_answers_come_back_as_they_were() -> None:
    risk = Risk(
        measure=Measure(id="k", title="K", unit="count"), attacker="x", value=float("inf"), n=5,
        setting={"rows": Count(3), "pair": (1, "a"), "share": np.float64(0.1)},
    )  # fmt: skip
    (again,) = kept_answers.from_bytes(kept_answers.to_bytes({"risks": [risk]}))["risks"]
    assert again == risk and type(again.setting["rows"]) is Count
    with pytest.raises(kept_answers.Unwritable):
        kept_answers.to_bytes({"odd": object()})


LOG = """
[release]
name = "A log"
[traces.log]
file = "log.csv"
student = "who"
at = "when"
quasi = ["verb"]
limit = {{ k = {k}, known = {known} }}
"""


@pytest.fixture
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    draw = np.random.default_rng(5)
    rows = [
        f"s{who},2024-03-{4 + day:02d} {10 + draw.integers(2)}:{draw.integers(10, 60)},{'ab'[draw.integers(2)]}\n"
        for who in range(60)
        for day in draw.integers(0, 5, 12)
    ]
    (tmp_path / "log.csv").write_text("who,when,verb\n" + "".join(rows))
    monkeypatch.setattr(search, "MOST_TRIALS", 8)
    return tmp_path


def released(folder: Path, k: int, known: int = 4) -> tuple[bytes, Any]:
    (folder / "plan.toml").write_text(LOG.format(k=k, known=known))
    (folder / "private" / "made-from").unlink(missing_ok=True)
    outcome = pipeline.release(load(folder / "plan.toml"), over=True)
    made = (folder / "release" / "data" / "log.csv").read_bytes(), outcome.disclosed.files
    for gone in (folder / "release", folder / "private" / "register"):  # as if refused: no groups that must stay
        shutil.rmtree(gone)
    return made


def noted(found: list[str], what: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def spy(*given: Any) -> Any:
        found.append(what)
        return real(*given)

    return spy


def test_a_search_measures_nothing_twice_and_finds_the_same(log_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    monkeypatch.setattr(search.Search, "_best_place", noted(measured, "settings", search.Search._best_place))
    released(log_folder, 3)
    first = measured.copy()
    measured.clear()
    again = released(log_folder, 3, known=5)  # another plan: what settings keep does not depend on it
    assert first and not measured
    for path in entries(log_folder):
        path.unlink()
    assert released(log_folder, 3, known=5) == again
    assert measured == first


def test_what_was_measured_under_other_conditions_is_not_recalled() -> None:
    memory = kept_work.SealedMemory(secret=b"k" * 32, known={})
    assert memory.recall("a", {"known": 4}, lambda: (1, 0.1)) == (1, 0.1)
    assert memory.recall("a", {"known": 4}, lambda: (2, 0.2)) == (1, 0.1)
    assert memory.recall("a", {"known": 5}, lambda: None) is None
    assert memory.recall("a", {"known": 5}, lambda: 7) is None
    assert memory.recall("b", {"known": 4}, lambda: 3) == 3
    assert memory.recall("odd", {}, lambda: {1}) == {1}
    assert len(memory.known) == 3  # what only the kind itself could write down is not kept
