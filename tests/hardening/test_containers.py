"""Other machines: any locale, any column name through a whole release, plans that are bombs or no files at all."""

import ast
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from course_folder import PLAN, make_folder

from sharewell import pipeline
from sharewell.errors import PlanError
from sharewell.plan.document import load


def instead(path: Path, make: Callable[[Path], object]) -> None:
    """Something else where a file was."""
    path.unlink()
    make(path)


SOURCE = Path(__file__).parents[2] / "src"
TEXT_CALLS = {"open", "read_text", "write_text", "NamedTemporaryFile", "TemporaryFile", "fdopen"}


def opened_as_text(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that open a file as text; a mode with b in it opens bytes."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if (
            name not in TEXT_CALLS
            or owner in ("os", "pq", "wave", "archive")
            or (name.endswith("File") and not node.args)
        ):
            continue
        modes = [arg.value for arg in (*node.args, *(k.value for k in node.keywords)) if isinstance(arg, ast.Constant)]
        if not any(isinstance(mode, str) and "b" in mode and len(mode) <= 3 for mode in modes):
            yield node


def says_encoding(call: ast.Call) -> bool:
    return any(keyword.arg == "encoding" for keyword in call.keywords)


def test_every_text_file_is_opened_with_its_encoding() -> None:
    """A locale that is not UTF-8 must not decide what a file says; to open a kind's `job` is another open."""
    silent = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for call in opened_as_text(ast.parse(path.read_text(encoding="utf-8")))
        if not says_encoding(call) and "job" not in ast.unparse(call)
    ]
    assert silent == []


def test_the_search_for_silent_encodings_finds_one() -> None:
    found = list(opened_as_text(ast.parse("path.read_text()\npath.open('rb')\nopen(p, encoding='utf-8')")))
    assert [says_encoding(call) for call in found] == [False, True]


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1"])
def test_any_locale_gives_a_sentence_and_no_crash(locale: str, tmp_path: Path) -> None:
    """UTF-8 mode off, as an old container has it; the plan and the message have letters that ASCII has not."""
    (tmp_path / "sizes.csv").write_text("id,größe,日本\n1,2,3\n", encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        '[release]\nname = "Übung"\n[records.a]\nfile = "sizes.csv"\nstudent = "id"\nquasi = ["größe"]\n',
        encoding="utf-8",
    )
    environment = {
        **os.environ, "PYTHONPATH": str(SOURCE), "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii:strict",
    }  # fmt: skip
    command = [sys.executable, "-W", "ignore", "-m", "sharewell", "assess", str(tmp_path / "plan.toml")]
    run = subprocess.run(command, env=environment, capture_output=True)
    assert run.returncode == 2, run.stderr
    assert b"no role for" in run.stderr and b"Traceback" not in run.stderr


HELPERS = (
    "__id", "__row", "__n", "__class", "__place", "__student", "__value", "__time", "__at", "__ID", "row", "n",
    "student", "value", "rows", "c0", "count", "who", "fact", "spelling", "pseudonym",
)  # fmt: skip
KINDS = {
    "records": 'quasi = ["age"]',
    "traces": 'at = "time"\nquasi = ["age"]\nwindow = "1w"',
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_named_like_helpers_are_released(kind: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    names = [name for name in HELPERS if name not in ("__ID",)]
    rows = [
        f"s{n % 60:02d},{20 + n % 2},2025-03-{1 + draw.randrange(28):02d} 10:00:00," + ",".join(["x"] * len(names))
        for n in range(60 if kind == "records" else 600)
    ]
    (tmp_path / "a.csv").write_text("\n".join([f"id,age,time,{','.join(names)}", *rows, ""]))
    keep = ", ".join(f'"{name}"' for name in names)
    drop = '\ndrop = ["time"]' if kind == "records" else ""
    (tmp_path / "plan.toml").write_text(
        f'[release]\nname = "x"\naudience = "enclave"\n[{kind}.a]\nfile = "a.csv"\nstudent = "id"\n{KINDS[kind]}\n'
        f"keep = [{keep}]{drop}\n"
    )
    outcome = pipeline.release(load(tmp_path / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    header = (tmp_path / "release" / "data" / "a.csv").read_text().splitlines()[0].split(",")
    assert [name for name in header if name not in ("time", "age")] == ["id", *names]  # a search may drop the age


BOMBS: dict[str, tuple[Callable[[Path], object], str]] = {
    "arrays 5,000 deep": (lambda path: path.write_text("x = " + "[" * 5_000 + "]" * 5_000), "too deep"),
    "tables 5,000 deep": (lambda path: path.write_text("x = " + "{a = " * 5_000 + "1" + "}" * 5_000), "too deep"),
    "a name of a megabyte": (lambda path: path.write_text(PLAN.replace("Course", "C" * 1_000_000)), "shorter"),
    "a section with a long name": (
        lambda path: path.write_text(PLAN.replace("students]", "s" * 5_000 + "]")), "at most 60",
    ),
    "a file with a long name": (lambda path: path.write_text(PLAN.replace("students.csv", "s" * 5_000)), "too long"),
    "an opt-out list with a long name": (
        lambda path: path.write_text(PLAN.replace("optouts.csv", "s" * 5_000)), "no file",
    ),
    "a file with a NUL": (lambda path: path.write_text(PLAN.replace("students.csv", "a\\u0000b")), "there is no file"),
    "11 MB": (lambda path: path.write_text("#" * 11_000_000), "too large"),
    "a pipe": (lambda path: instead(path, os.mkfifo), "a pipe or a device"),
    "a folder": (lambda path: instead(path, Path.mkdir), "a folder"),
    "a device": (lambda path: instead(path, lambda gone: gone.symlink_to("/dev/zero")), "a pipe or a device"),
    "a loop of links": (lambda path: instead(path, lambda gone: gone.symlink_to(gone)), "may not be read"),
    "no UTF-8": (lambda path: path.write_bytes(b"\xff\xfe\xff"), "not UTF-8"),
    "unknown keys of sizes": (
        lambda path: path.write_text(PLAN.replace("audience", "sizes = { x = 1 }\naudience")), "'x'",
    ),
    "rows of none": (
        lambda path: path.write_text(PLAN.replace("audience", "sizes = { rows = 0 }\naudience")), "'rows'",
    ),
    "an unknown answer": (
        lambda path: path.write_text(PLAN.replace('"optouts.csv"', '{ file = "optouts.csv", unknown = "maybe" }')),
        "unknown",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BOMBS)
def test_a_plan_that_is_a_bomb_is_one_sentence(case: str, tmp_path: Path) -> None:
    change, said = BOMBS[case]
    path = make_folder(tmp_path)
    change(path)
    with pytest.raises(PlanError, match=said) as error:
        load(path)
    assert len(str(error.value)) < 12_000


def test_sizes_can_be_raised_in_the_plan(tmp_path: Path) -> None:
    path = make_folder(tmp_path)
    path.write_text(PLAN.replace("audience", "sizes = { rows = 10, columns = 3 }\naudience"))
    assert load(path).header.sizes.rows == 10
    with pytest.raises(Exception, match=r"5 columns and at most 3 are read.*sizes = \{ columns = 5 \}"):
        pipeline.assess(load(path))
