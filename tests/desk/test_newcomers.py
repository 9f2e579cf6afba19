"""Three newcomers with files that nobody prepared: what they click or type, and what they are asked."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from desk.live import live
from desk.newcomers import FIRST, LAST, class_list_and_forum, moodle_course, oulad_folder
from desk.test_desk_browser import Mouse, ended, entered
from everyday.test_every_format import answers
from typer.testing import CliRunner

from sharewell.cli import app
from sharewell.plan.questions import questions
from sharewell.release import verify

MOST_CLICKS = 15


def moodle(folder: Path) -> None:
    moodle_course(folder, students=40, events=2_000)


def test_a_moodle_course_by_desk(browser: Any, tmp_path: Path) -> None:
    """From the first page to a release that is verified; every question is answered on its page."""
    folder, clicks = tmp_path / "course", 0
    moodle(folder)
    desk = live(folder)
    try:
        steward = Mouse(entered(browser, desk.links["steward"]))
        page = steward.page

        def click(target: Any) -> None:
            nonlocal clicks
            clicks += 1
            steward._go(target)

        click(page.get_by_role("button", name="Look at the files and write a first plan"))
        assert "first plan was written" in ended(page, "Writing a first plan")
        asked = []
        while page.locator("#asked").count():
            assert page.locator("#plan-part .fine").count() == 0, "nothing is complete while a question is open"
            asked.append(page.locator("#question").inner_text())
            click(page.locator("#asked button.primary").first)
        assert len(asked) == 2 and "Who gets it" in asked[0] and "In which year" in asked[1]
        page.locator("#plan-part .fine").wait_for()
        while not page.url.endswith("/release"):
            click(page.locator(".onward a"))
        assert "recipients get 6 of 10 columns" in page.locator(".received").inner_text()
        click(page.get_by_role("button", name="Make the release"))
        assert "Every limit is met" in ended(page, "Making the release")
        page.locator("table.rows").first.wait_for(state="attached")
        assert clicks <= MOST_CLICKS and page.complaints == []
        page.context.close()
    finally:
        desk.end()
    assert verify.verify(folder / "release").problems == ()


def run(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code or done.exception.exit_code == code, done.output  # type: ignore[union-attr]
    return done.output


MADE: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    "moodle": (moodle, ["audience", "year"], "you leave out "),
    "oulad": (oulad_folder, ["audience", "role score", "missing ?"], "nobody decided on "),
}


@pytest.mark.parametrize("name", MADE)
def test_a_folder_by_the_command_line(name: str, tmp_path: Path) -> None:
    """Two commands, and the answers in between; marks are asked about, and who decided what is said."""
    make, expected, said = MADE[name]
    make(tmp_path)
    run("init", tmp_path)
    plan = tmp_path / "plan.toml"
    text = plan.read_text()
    assert [f"{one.key} {one.name}".strip() for _, _, one in questions(text)] == expected
    plan.write_text(answers(text))
    told = run("release", plan)
    assert re.search(rf"recipients get \d+ of \d+ columns; .*{said}", told)
    assert verify.verify(tmp_path / "release").problems == ()


def test_a_german_class_list_with_a_forum_by_the_command_line(tmp_path: Path) -> None:
    """129 posts: a release says which list is open, words are marked once, and no name of the class is left."""
    class_list_and_forum(tmp_path)
    run("init", tmp_path)
    plan = tmp_path / "plan.toml"
    assert 'student = "Matrikelnr."' in plan.read_text() and 'roster = { file = "Kursliste.csv"' in plan.read_text()
    plan.write_text(answers(plan.read_text()))
    run("posts", "review", plan)
    lists = sorted((tmp_path / "private" / "review" / "posts.forum").glob("*.csv"))
    names = {name.casefold() for name in (*FIRST, *LAST)}
    for path in lists:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        with path.open("w", newline="", encoding="utf-8") as file:
            written = csv.DictWriter(file, rows[0])
            written.writeheader()
            written.writerows({**row, "mark": "name" if row["word"] in names else "word"} for row in rows)
    run("release", plan)
    assert verify.verify(tmp_path / "release").problems == ()
    left = (tmp_path / "release" / "data" / "Forum.csv").read_text().casefold()
    assert not {name for name in names if re.search(rf"\b{name}\b", left)}
