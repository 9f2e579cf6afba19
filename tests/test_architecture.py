"""The rules of the tree: who may import whom, and what must not load at start-up."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "sharewell"
KINDS = ("records", "traces", "responses", "posts", "keystrokes")
HEAVY = (
    "torch",
    "pyspark",
    "sklearn",
    "plotly",
    "numba",
    "scipy",
    "numpy",
    "pyarrow",
    "duckdb",
    "ibis",
    "pandas",
)


def imported(path: Path, source: str | None = None) -> set[str]:
    """The modules of the project that a file imports anywhere, absolute or relative."""
    names: set[str] = set()
    package = ("sharewell", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(source or path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("sharewell.")}


def belongs_to(module: str, part: str) -> bool:
    return module == f"sharewell.{part}" or module.startswith(f"sharewell.{part}.")


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_never_import_each_other(kind: str) -> None:
    others = [other for other in KINDS if other != kind]
    offences = {
        (path.name, module)
        for path in (SOURCE / kind).rglob("*.py")
        for module in imported(path)
        if any(belongs_to(module, other) for other in others)
    }
    assert offences == set()


def test_release_never_sees_a_kind() -> None:
    offences = {
        (path.name, module)
        for path in (SOURCE / "release").rglob("*.py")
        for module in imported(path)
        if any(belongs_to(module, kind) for kind in KINDS)
    }
    assert offences == set()


def test_shared_mathematics_imports_nothing_above_it() -> None:
    allowed = ("stats", "errors", "results", "progress")
    offences = {
        (path.name, module)
        for path in (SOURCE / "stats").rglob("*.py")
        for module in imported(path)
        if not any(belongs_to(module, part) for part in allowed)
    }
    assert offences == set()


def test_kinds_do_not_reach_into_the_pipeline() -> None:
    above = ("pipeline", "cli", "plan", "release")
    offences = {
        (kind, path.name, module)
        for kind in KINDS
        for path in (SOURCE / kind).rglob("*.py")
        for module in imported(path)
        if any(belongs_to(module, part) for part in above)
    }
    assert offences == set()


def test_an_offence_would_be_seen() -> None:
    source = (
        "def late():\n    from sharewell.traces import unicity\nfrom ..posts import redact\nfrom .. import keystrokes"
    )
    found = imported(SOURCE / "records" / "offender.py", source)
    assert all(any(belongs_to(name, kind) for name in found) for kind in ("traces", "posts", "keystrokes"))


@pytest.mark.parametrize("statement", ["import sharewell", "import sharewell.cli", "import sharewell.plan"])
def test_nothing_heavy_is_imported_at_start_up(statement: str) -> None:
    script = f"{statement}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    here = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=here)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "path", ["records/check", "traces/recheck", "responses/recheck", "posts/check", "keystrokes/recheck"]
)
def test_a_second_look_imports_nothing_of_what_it_looks_at(path: str) -> None:
    """What re-checks a release may know the section of its kind, and no other module of it."""
    kind = path.split("/")[0]
    own = {name for name in imported(SOURCE / f"{path}.py") if name.startswith(f"sharewell.{kind}.")}
    assert own <= {f"sharewell.{kind}.section", f"sharewell.{kind}.section.Section"}
