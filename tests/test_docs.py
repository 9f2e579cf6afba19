"""Every code block of every page runs, or is checked against the program; every page is in the navigation."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer

import sharewell as sw
from sharewell import kinds
from sharewell.cli import app
from sharewell.fiction import make_course
from sharewell.plan import document

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
LANGUAGES = {"python", "toml", "sh", "csv", "json", "mermaid", "text"}
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def blocks(path: Path) -> list[tuple[str, str]]:
    """Language and body of every fenced block."""
    found = BLOCK.findall(path.read_text(encoding="utf-8"))
    return [(language, re.sub(rf"^{indent}", "", body, flags=re.M)) for indent, language, body in found]


def in_language(language: str) -> list[Any]:
    return [
        pytest.param(path, [body for found, body in blocks(path) if found == language], id=path.name)
        for path in PAGES
        if any(found == language for found, _ in blocks(path))
    ]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the five files that pages speak of."""
    folder: Path = tmp_path_factory.mktemp("course")
    made = make_course(students=40, seed=3, characters_per_week=100)
    for name, table in {
        "students": made.students,
        "clicks": made.clicks,
        "attempts": made.attempts,
        "forum": made.posts,
        "keys": made.keys,
    }.items():
        pq.write_table(table, folder / f"{name}.parquet")
        pa.csv.write_csv(table, folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def frames(course: Path) -> dict[str, Any]:
    """What the Python of the pages begins with."""
    named = {name: pq.read_table(course / f"{name}.parquet") for name in ("students", "clicks", "attempts", "forum")}
    keys = pq.read_table(course / "keys.parquet")
    draw = np.random.default_rng(0)
    size = 200
    table = pa.table({
        "age": draw.integers(18, 40, size),
        "sex": draw.choice(["f", "m"], size),
        "postcode": draw.choice(["80331", "80333", "10115"], size),
        "passed": draw.integers(0, 2, size),
    })  # fmt: skip
    events = named["clicks"].select(["student_id", "time"]).rename_columns(["user", "time"])
    log = named["attempts"].select(["student_id", "exercise", "correct"]).rename_columns(["user", "skill", "correct"])
    timings = sw.keystrokes.timings(
        keys, student="student_id", session="exercise", key="key", press="press_ms", release="release_ms", week="week"
    )
    weeks = timings["week"].to_numpy()
    train, test = timings.filter(pa.array(weeks < 7)), timings.filter(pa.array(weeks == 7))
    return {**named, "keys": keys, "table": table, "events": events, "log": log, "posts": named["forum"],
            "train": train, "test": test}  # fmt: skip


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_block_says_its_language(path: Path) -> None:
    assert {language for language, _ in blocks(path)} <= LANGUAGES
    assert path.read_text(encoding="utf-8").count("```") == 2 * len(blocks(path))


@pytest.mark.parametrize("path, bodies", in_language("python"))
def test_python_runs(
    path: Path, bodies: list[str], frames: dict[str, Any], course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks of a page in turn, in one namespace."""
    monkeypatch.chdir(course)
    names = dict(frames)
    for body in bodies:
        exec(compile(body, str(path), "exec"), names)


@pytest.mark.parametrize("path, bodies", in_language("toml"))
def test_plans_are_plans(path: Path, bodies: list[str], course: Path) -> None:
    """A block with [release] is loaded whole; of a part every key is one of its section."""
    for body in bodies:
        read = tomllib.loads(body)
        if "release" in read and any(kind in read for kind in kinds.OURS):
            (course / "plan.toml").write_text(body, encoding="utf-8")
            assert document.load_each(course / "plan.toml")
        for kind in kinds.OURS:
            known = {item.name for item in fields(kinds.load(kind).section)}
            for section in read.get(kind, {}).values():
                assert set(section) <= known, f"{path.name}: {set(section) - known}"


def commands(body: str) -> Iterator[list[str]]:
    for line in body.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words:
            yield words


@pytest.mark.parametrize("path, bodies", in_language("sh"))
def test_commands_exist_with_their_options(path: Path, bodies: list[str]) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for words in (words for body in bodies for words in commands(body)):
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets, words
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file(), words
        elif words[0] == "sharewell":
            command: Any = typer.main.get_command(app)
            rest = words[1:]
            while rest and hasattr(command, "commands") and not rest[0].startswith("-"):
                assert rest[0] in command.commands, words
                command, rest = command.commands[rest[0]], rest[1:]
            known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
            assert {word.split("=")[0] for word in rest if word.startswith("--")} <= known, words


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_no_link_leaves_the_site(path: Path) -> None:
    """What `mkdocs build --strict` refuses: a link to a file that is no page of the documentation."""
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (path.parent / link).resolve().is_relative_to(ROOT / "docs")] == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_every_page_is_in_the_navigation(path: Path) -> None:
    assert f" {path.relative_to(ROOT / 'docs')}\n" in NAV + "\n"


def test_there_are_ten_decisions_of_a_page_each() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert len(pages) == 10
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert "**Rejected.**" in text and "**Measured.**" in text and len(text.split()) <= 450


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "kinds").glob("*.md")), ids=lambda path: path.name)
def test_a_page_of_a_kind_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").split()) <= 900
