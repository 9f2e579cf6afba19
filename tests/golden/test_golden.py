"""Small releases stay as they are: data files byte for byte, verdicts, and gated numbers."""

import json
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from golden import releases

from sharewell.data.files import file_digest
from sharewell.fiction.course import Course
from sharewell.release import verify

KNOWN = Path(__file__).with_name("releases.json")


@pytest.fixture(scope="module")
def course() -> Course:
    return releases.course()


@pytest.mark.parametrize(("name", "plan"), list(releases.cases()), ids=[name for name, _ in releases.cases()])
def test_a_release_is_as_it_was(name: str, plan: str, course: Course, tmp_path: Path) -> None:
    releases.write(tmp_path, course)
    assert releases.released(tmp_path, plan) == json.loads(KNOWN.read_text())[name]


@pytest.mark.parametrize("method", ["groups", "search", "attackers"])
def test_a_release_made_before_company_still_verifies(method: str, tmp_path: Path) -> None:
    """Made in November 2026 by groups, by search, and with attackers = ["random"], which promised k = 2."""
    with tarfile.open(Path(__file__).with_name("before_company.tar.xz")) as packed:
        packed.extractall(tmp_path, filter="data")
    found = verify.verify(tmp_path / method)
    assert not found.problems
    (company,) = (risk for _, risk in found.risks if risk.name == "company")
    assert company.limit == (2 if method == "attackers" else 5)


def test_an_older_release_with_one_row_less_is_caught(tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).with_name("before_company.tar.xz")) as packed:
        packed.extractall(tmp_path, filter="data")
    data = tmp_path / "groups" / "data" / "clicks.parquet"
    pq.write_table(pq.read_table(data).slice(1), data)
    manifest = json.loads((tmp_path / "groups" / "manifest.json").read_text())
    manifest["files"]["data/clicks.parquet"] = file_digest(data)
    (tmp_path / "groups" / "manifest.json").write_text(json.dumps(manifest))
    problems = " ".join(verify.verify(tmp_path / "groups").problems)
    assert "company (knows everything a student did) is" in problems
