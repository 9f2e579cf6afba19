"""A release that an attacker made: every forgery is a problem in one sentence, nothing crashes, nothing hangs."""

import hashlib
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from course_folder import CLICKS, PLAN, make_folder
from hypothesis import given
from hypothesis import strategies as st

from sharewell import cli, pipeline
from sharewell.plan.document import load
from sharewell.release import papers, verify
from sharewell.release.papers import Malformed

Change = Callable[[Path], object]


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    plan = (PLAN + CLICKS).replace('audience = "enclave"', 'audience = "enclave"\njoin = true')
    outcome = pipeline.release(load(make_folder(folder, plan=plan)))
    assert outcome.verdict.passed, outcome.verdict.reasons
    return folder / "release"


@pytest.fixture
def release(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "release"))


def signed(release: Path) -> None:
    """Hashes made to fit again: what is left to see is what the papers say."""
    manifest = json.loads((release / "manifest.json").read_text())
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((release / name).read_bytes()).hexdigest()
    (release / "manifest.json").write_text(json.dumps(manifest))


def paper(name: str, content: bytes | str) -> Change:
    raw = content.encode() if isinstance(content, str) else content

    def change(release: Path) -> None:
        (release / name).write_bytes(raw)
        if name != "manifest.json":
            signed(release)

    return change


def entry(name: str, *way: str | int, value: Any) -> Change:
    """One entry of a paper set to something else, hashes made to fit."""

    def change(release: Path) -> None:
        found = json.loads((release / name).read_text())
        place = found
        for step in way[:-1]:
            place = place[step]
        if value is ...:
            del place[way[-1]]
        else:
            place[way[-1]] = value
        (release / name).write_text(json.dumps(found))
        if name != "manifest.json":
            signed(release)

    return change


def replaced(name: str, make: Callable[[Path], object]) -> Change:
    def change(release: Path) -> None:
        (release / name).unlink()
        make(release / name)

    return change


def linked_data(release: Path) -> None:
    shutil.move(release / "data", release.parent / "moved")
    (release / "data").symlink_to(release.parent / "moved")


def folder_with_a_file(folder: Path) -> None:
    folder.mkdir()
    (folder / "x").write_text("x")


def link_to_a_copy(path: Path) -> None:
    copy = path.parents[1] / f"copy-{path.name}"
    shutil.copy(path, copy)
    path.unlink()
    path.symlink_to(copy)


def bind(path: Path) -> None:
    socket.socket(socket.AF_UNIX).bind(os.path.relpath(path))


def everything_nested(depth: int) -> str:
    return '{"a": ' * depth + "1" + "}" * depth


S, M = "summary.json", "manifest.json"
FORGED: dict[str, Change] = {
    "manifest missing": lambda release: (release / M).unlink(),
    "manifest empty": paper(M, ""),
    "manifest no object": paper(M, "[]"),
    "manifest null": paper(M, "null"),
    "manifest a number": paper(M, "1"),
    "manifest no JSON": paper(M, "{"),
    "manifest no UTF-8": paper(M, b"\xff\xfe{}"),
    "manifest with a NUL": paper(M, b"\x00" * 100),
    "manifest deep": paper(M, everything_nested(100_000)),
    "manifest of deep lists": paper(M, "[" * 100_000),
    "manifest with NaN": entry(M, "measurement_seed", value=float("nan")),
    "manifest with a name twice": paper(M, '{"id": "abcdef123456", "id": "abcdef123456"}'),
    "manifest with a number of 5,000 digits": paper(M, '{"measurement_seed": ' + "9" * 5_000 + "}"),
    "files no table": entry(M, "files", value=[]),
    "files empty": entry(M, "files", value={}),
    "a digest that is a number": entry(M, "files", "README.md", value=1),
    "a digest that is null": entry(M, "files", "README.md", value=None),
    "a digest that is short": entry(M, "files", "README.md", value="ab"),
    "a digest in capitals": entry(M, "files", "README.md", value="AB" * 32),
    "a file above": entry(M, "files", "../plan.toml", value="0" * 64),
    "a file from the root": entry(M, "files", "/etc/passwd", value="0" * 64),
    "a file with a NUL": entry(M, "files", "a\0b", value="0" * 64),
    "a file without a name": entry(M, "files", "", value="0" * 64),
    "a file called .": entry(M, "files", ".", value="0" * 64),
    "a file with a long name": entry(M, "files", "x" * 5_000, value="0" * 64),
    "a file that is not there": entry(M, "files", "more.txt", value="0" * 64),
    "no summary listed": entry(M, "files", S, value=...),
    "no id": entry(M, "id", value=...),
    "an id that is no id": entry(M, "id", value="<script>"),
    "no plan digest": entry(M, "binds", "plan", value=...),
    "a plan digest that is none": entry(M, "binds", "plan", value="x"),
    "no inputs bound": entry(M, "binds", "inputs", value=...),
    "approvals that are no number": entry(M, "approvals", value="two"),
    "a seed that is text": entry(M, "measurement_seed", value="1"),
    "a seed that is true": entry(M, "measurement_seed", value=True),
    "versions that are a list": entry(M, "versions", value=[1]),
    "summary empty": paper(S, ""),
    "summary a list": paper(S, "[]"),
    "summary deep": paper(S, everything_nested(5_000)),
    "summary without files": entry(S, "files", value=...),
    "summary with no file": entry(S, "files", value=[]),
    "summary with files that are numbers": entry(S, "files", value=[1, 2]),
    "summary with null files": entry(S, "files", value=None),
    "no kind": entry(S, "files", 0, "kind", value=...),
    "an unknown kind": entry(S, "files", 0, "kind", value="os"),
    "a kind that is a list": entry(S, "files", 0, "kind", value=["records"]),
    "another kind": entry(S, "files", 0, "kind", value="traces"),
    "a kind that is a path": entry(S, "files", 0, "kind", value="records.kind"),
    "no name": entry(S, "files", 0, "name", value=""),
    "a name that is a number": entry(S, "files", 0, "name", value=7),
    "data above": entry(S, "files", 0, "data", value="data/../../plan.toml"),
    "data from the root": entry(S, "files", 0, "data", value="/etc/passwd"),
    "data a device": entry(S, "files", 0, "data", value="/dev/zero"),
    "data null": entry(S, "files", 0, "data", value=None),
    "data not listed": entry(S, "files", 0, "data", value="data/other.csv"),
    "data a pattern": entry(S, "files", 0, "data", value="data/*.csv"),
    "data the folder": entry(S, "files", 0, "data", value="data"),
    "data a paper": entry(S, "files", 0, "data", value="README.md"),
    "an unknown format": entry(S, "files", 0, "format", value="pickle"),
    "a format that is null": entry(S, "files", 0, "format", value=None),
    "another format": entry(S, "files", 0, "format", value="parquet"),
    "rows that are text": entry(S, "files", 0, "rows", value="many"),
    "rows that are null": entry(S, "files", 0, "rows", value=None),
    "rows below zero": entry(S, "files", 0, "rows", value=-1),
    "other rows": entry(S, "files", 0, "rows", value=7),
    "rows beyond any number": entry(S, "files", 0, "rows", value=10**30),
    "facts null": entry(S, "files", 0, "facts", value=None),
    "facts a list": entry(S, "files", 0, "facts", value=[]),
    "facts empty": entry(S, "files", 0, "facts", value={}),
    "facts of wrong types": entry(S, "files", 0, "facts", "quasi", value={"a": [1]}),
    "facts with unknown columns": entry(S, "files", 0, "facts", "quasi", value=["nothing"]),
    "linkable a list": entry(S, "files", 0, "linkable", value=[]),
    "linkable of numbers": entry(S, "files", 0, "linkable", "known", value=[1]),
    "linkable with an unknown column": entry(S, "files", 0, "linkable", "known", value=["nothing"]),
    "linkable with an unknown student": entry(S, "files", 0, "linkable", "student", value="nothing"),
    "an unknown audience": entry(S, "audience", value="everybody"),
    "an audience that is a list": entry(S, "audience", value=["public"]),
    "join that is text": entry(S, "join", value="false"),
    "a refused release": entry(S, "passed", value=False),
    "passed that is a number": entry(S, "passed", value=1),
    "the same file twice": lambda release: entry(
        S, "files", value=[json.loads((release / S).read_text())["files"][0]] * 2
    )(release),
    "a name with an escape": entry(S, "files", 0, "name", value="\x1b[31mred"),
    "a FIFO for the manifest": replaced(M, os.mkfifo),
    "a FIFO for the summary": replaced(S, os.mkfifo),
    "a FIFO for the data": replaced("data/students.csv", os.mkfifo),
    "a FIFO for the README": replaced("README.md", os.mkfifo),
    "a FIFO more": lambda release: os.mkfifo(release / "more"),
    "a FIFO in the data folder": lambda release: os.mkfifo(release / "data" / "more"),
    "a device for the manifest": replaced(M, lambda path: path.symlink_to("/dev/zero")),
    "a device for the data": replaced("data/students.csv", lambda path: path.symlink_to("/dev/zero")),
    "a device for the report": replaced("report.html", lambda path: path.symlink_to("/dev/random")),
    "a link for the data": lambda release: link_to_a_copy(release / "data" / "students.csv"),
    "a link for the README": lambda release: link_to_a_copy(release / "README.md"),
    "a link for the manifest": lambda release: link_to_a_copy(release / M),
    "a link to itself": replaced("README.md", lambda path: path.symlink_to(path)),
    "a link for the data folder": lambda release: linked_data(release),
    "a folder for the manifest": replaced(M, Path.mkdir),
    "a folder for the data": replaced("data/students.csv", Path.mkdir),
    "a file more": lambda release: (release / "more.txt").write_text("x"),
    "a hidden file more": lambda release: (release / ".more").write_text("x"),
    "an empty folder more": lambda release: (release / "more").mkdir(),
    "an empty folder in the data folder": lambda release: (release / "data" / "more").mkdir(),
    "a folder with a file more": lambda release: folder_with_a_file(release / "more"),
    "folders without end": lambda release: (release / "/".join(["d"] * 30)).mkdir(parents=True),
    "a file whose name is an escape": lambda release: (release / "\x1b[31mred").write_text("x"),
    "a socket": lambda release: bind(release / "socket"),
    "a changed cell": lambda release: (release / "data" / "students.csv").write_bytes(
        (release / "data" / "students.csv").read_bytes().replace(b",1\n", b",0\n", 1)
    ),
    "no data": lambda release: shutil.rmtree(release / "data"),
    "data that is no table": paper("data/students.csv", b"\x00\x01\x02"),
    "data that is empty": paper("data/students.csv", b""),
    "data with other columns": paper("data/students.csv", b"a,b\n1,2\n"),
    "data that opens a quote": paper("data/students.csv", b'id,age,sex,passed\n"'),
    "a huge manifest": lambda release: os.truncate(release / M, 10**12),
    "a huge summary": lambda release: os.truncate(release / S, 10**11),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_release_has_a_problem(
    case: str, release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(release.parent)
    FORGED[case](release)
    if case == "a huge summary":  # its hash would take minutes: the time there is runs out first
        monkeypatch.setattr(verify, "SECONDS", 0.2)
    problems = verify.verify(release).problems
    assert problems and all("\n" not in problem and "\x1b" not in problem for problem in problems)
    assert all(len(problem) < 700 for problem in problems)
    monkeypatch.setattr(sys, "argv", ["sharewell", "verify", str(release)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 4
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out and "bug of its own" not in said.err


def test_a_sound_release_has_none(release: Path) -> None:
    assert verify.verify(release).problems == ()


def test_there_is_an_end_to_what_is_said(release: Path) -> None:
    for number in range(200):
        (release / f"more-{number}").write_text("x")
    problems = verify.verify(release).problems
    assert len(problems) == verify.MOST_PROBLEMS + 1 and problems[-1] == "and 150 more"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(raw=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_paper_is_read_or_malformed(raw: bytes) -> None:
    try:
        found = papers.parse(raw)
    except Malformed as error:
        assert "\n" not in str(error)
    else:
        with pytest.raises(Malformed):
            papers.check_manifest(found)


@given(data=st.data())
def test_a_paper_with_one_entry_changed_is_never_a_crash(data: st.DataObject, sound: Path) -> None:
    """Somewhere in a true summary stands something else; `verify` sees a problem or measures the same."""
    listed = json.loads((sound / M).read_text())["files"]
    summary = json.loads((sound / S).read_text())
    place, key = summary, data.draw(st.sampled_from(sorted(summary)))
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    place[key] = data.draw(JSON)
    try:
        found = papers.parse(json.dumps(summary).encode())
        papers.check_summary(found, listed)
    except Malformed as error:
        assert "\n" not in str(error)
        return
    problems: list[str] = []
    for file in found["files"]:
        verify._recheck(sound, file, {}, problems)
    assert all("\n" not in problem for problem in problems)


def test_each_sensitive_column_is_compared_with_itself(tmp_path: Path) -> None:
    rows = "".join(f"s{n},{19 + n % 3},{'xyz'[n % 7 % 3]},{'uv'[n % 5 % 2]}\n" for n in range(90))
    (tmp_path / "people.csv").write_text("id,age,first,second\n" + rows)
    columns = 'student = "id"\nquasi = ["age"]\nsensitive = ["first", "second"]\n'
    (tmp_path / "plan.toml").write_text(f'[release]\nname = "Two"\n[records.people]\nfile = "people.csv"\n{columns}')
    assert pipeline.release(load(tmp_path / "plan.toml")).verdict.passed
    release = tmp_path / "release"
    assert not verify.verify(release).problems
    risks = json.loads((release / "summary.json").read_text())["files"][0]["risk_after"]
    number = next(n for n, risk in enumerate(risks) if risk["name"] == "l" and risk["setting"]["column"] == "second")
    entry("summary.json", "files", 0, "risk_after", number, "setting", "column", value="first")(release)
    assert any("other settings" in one or "another number" in one for one in verify.verify(release).problems)
