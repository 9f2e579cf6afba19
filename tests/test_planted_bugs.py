"""Every planted bug still has its line: `python tests/planted_bugs.py` plants them, which takes many minutes."""

from collections import Counter
from pathlib import Path

import pytest
from planted_bugs import BUGS, ROOT, Bug


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.file} {bug.wrong.strip()[:40]}")
def test_a_bug_can_be_planted(bug: Bug) -> None:
    """In one line of one file, by tests that are there."""
    assert (ROOT / "src" / "sharewell" / bug.file).read_text(encoding="utf-8").count(bug.right) == 1
    assert bug.wrong != bug.right
    assert all((Path(__file__).parent / name.partition("::")[0]).exists() for name in bug.tests.split())


def test_each_kind_has_six_or_more() -> None:
    counts = Counter(bug.kind for bug in BUGS)
    assert len(counts) == 5 and min(counts.values()) >= 6
