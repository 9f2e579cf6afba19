"""The papers of the project: what people expect is there, and what they say is true of the tree."""

import re
from pathlib import Path

import pytest

import sharewell

ROOT = Path(__file__).parents[1]
PLAIN = ("nought", "mend", "mends", "mended", "never a pass", "second look")


def paper(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"])
def test_a_paper_is_there(name: str) -> None:
    assert len(paper(name)) > 500


def test_the_license_is_the_whole_text_of_what_the_package_declares() -> None:
    text = paper("LICENSE")
    assert "Apache License" in text and "Version 2.0" in text and "END OF TERMS AND CONDITIONS" in text
    assert 'license = "Apache-2.0"' in paper("pyproject.toml")


def test_the_map_answers_thirty_questions_by_paths_that_exist() -> None:
    rows = re.findall(r"^\| (.+\?) \| `(.+)` \|$", paper("CONTRIBUTING.md"), re.M)
    assert len(rows) >= 30 and len({question for question, _ in rows}) == len(rows)
    assert [path for _, path in rows if not (ROOT / path).is_file()] == []


def test_the_glossary_uses_a_word_once() -> None:
    table = paper("CONTRIBUTING.md").split("## Words")[1].split("## How to add an attack")[0]
    words = re.findall(r"^\| (\w+) \|", table, re.M)
    assert len(words) - 1 == len(set(words) - {"word"}) >= 20


def test_the_five_papers_are_cited() -> None:
    text = paper("CITATION.cff")
    references = text.split("references:")[1]
    assert references.count("  - type:") == 5
    for family in ("Stinar", "Ito", "Vie", "Crues", "Leinonen"):
        assert f"family-names: {family}" in references
    assert f"version: {sharewell.__version__}" in text


def test_the_changelog_names_this_version() -> None:
    assert f"## {sharewell.__version__}" in paper("CHANGELOG.md")


@pytest.mark.parametrize("folder", ["src", "docs"])
def test_the_english_is_plain(folder: str) -> None:
    strange = re.compile(rf"\b({'|'.join(PLAIN)})\b", re.I)
    texts = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".j2", ".css", ".js")]
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in [*texts, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        for word in strange.findall(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def links(text: str) -> list[str]:
    return [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda path: path.name
)
def test_every_link_leads_somewhere(path: Path) -> None:
    made = ("api.md", "../api.md")  # by the build of the documentation
    assert [
        link
        for link in links(path.read_text(encoding="utf-8"))
        if link not in made and not (path.parent / link).exists()
    ] == []
