"""What is shown knows the contract and what may be told; never a kind, and never how a release is made."""

import ast
from pathlib import Path

import pytest

import sharewell.show
from sharewell.kinds import OURS

SHOW = Path(sharewell.show.__file__).parent
KNOWN = ("contract", "data", "disclosure", "errors", "findings", "kinds", "plan", "show")


def imported(path: Path) -> set[str]:
    """The parts of the house that a file imports anywhere, also late ones."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    names = [f"{node.module}.{alias.name}" for node in froms for alias in node.names]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("sharewell.")}


@pytest.mark.parametrize("path", sorted(SHOW.glob("*.py")), ids=lambda path: path.name)
def test_a_writer_sees_what_it_may(path: Path) -> None:
    assert imported(path) <= set(KNOWN)


def test_no_kind_is_among_what_a_writer_may_see() -> None:
    assert not set(KNOWN) & {*OURS, "release", "pipeline", "cli"}


def test_an_offence_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "late.py"
    file.write_text("def late():\n    from sharewell.release import gate\n    import sharewell.traces.measure\n")
    assert imported(file) == {"release", "traces"}
