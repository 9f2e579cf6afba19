"""The desk in a real browser: a release by mouse and by keys, two raters, a killed server, people who cannot see."""

import csv
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from course_folder import make_folder
from desk.desk_at import LABEL, desk_at, put_queue, small_queue
from desk.live import Live, live

from sharewell.demo.run import CHARACTERS
from sharewell.fiction.course import make_course
from sharewell.fiction.write import write_course
from sharewell.text.training import labelled

AXE = Path(os.environ.get("SHAREWELL_AXE", Path(__file__).parents[2] / "build/axe/node_modules/axe-core/axe.min.js"))
WHOLE = os.environ.get("SHAREWELL_TEST_WHOLE_DESK") == "1"  # all five kinds of 300 students: minutes of work
WAIT = 3_600_000 if WHOLE else 900_000  # milliseconds that long work may take on a busy machine
WORDS = 200
SLOW_DISK = """
const read = Blob.prototype.text;
Blob.prototype.text = function () { return new Promise((done) => setTimeout(() => read.call(this).then(done), 1500)); };
"""
ON_THE_WAY = """
const away = (event) => {
  if (!event.defaultPrevented && !("stays" in event.target.dataset)) window.onTheWay = true;
};
window.addEventListener("submit", away);
window.addEventListener("click", (event) => { if (event.target.closest("a[href]")) away(event); });
"""
OTHER_PLAN = "before => document.getElementById('plan-text').value !== before"


@dataclass(frozen=True)
class Truth:
    """What was planted: how often each word stands there, and how often it is a name."""

    total: Mapping[str, int]
    named: Mapping[str, int]

    def key(self, word: str) -> str:
        """What a careful reviewer presses; a word that is nearly always one of the two is called that."""
        return "n" if 2 * self.named.get(word, 0) >= self.total.get(word, 1) else "w"


def demo_course(folder: Path) -> Truth:
    """The demo's folder before there is a plan: students, those who said no, and a forum; or, when asked, all of it."""
    made = make_course(students=300 if WHOLE else 40, seed=7, characters_per_week=CHARACTERS)
    write_course(made, folder)
    (folder / "plan.toml").unlink()
    for name in () if WHOLE else ("clicks.parquet", "attempts.csv", "keys.parquet"):
        (folder / name).unlink()
    assert made.posts is not None and made.truth.mentions is not None
    corpus = labelled(made.posts, made.truth.mentions)
    return Truth(total=Counter(corpus.words_at()), named=Counter(corpus.words_at()[corpus.is_name]))


def entered(browser: Any, link: str, **options: Any) -> Any:
    """A person at a browser of their own; what it complains of is gathered."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, **options)
    context.add_init_script(SLOW_DISK)  # a key that is sent before it has been read is none
    context.add_init_script(ON_THE_WAY)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(link)
    page.wait_for_url(re.compile(r":\d+/$"))
    return page


def ended(page: Any, title: str) -> str:
    """What the work came to, once it has; the page loads itself again then."""
    strip = page.locator("#job", has_text=title).and_(page.locator("#job:not([data-state=running])"))
    strip.wait_for()
    page.wait_for_load_state()
    return str(page.locator("#job").inner_text())


def arrived(page: Any) -> None:
    """People wait for the page they asked for; what is chosen on the one they leave is lost with it."""
    page.wait_for_function("() => !window.onTheWay && document.readyState === 'complete'")


@contextmanager
def next_word(page: Any) -> Iterator[None]:
    """What is done inside brings the next word to the screen."""
    left = page.locator("[data-left]").first
    before = left.get_attribute("data-left")
    yield
    page.locator(f"[data-left]:not([data-left='{before}'])").first.wait_for()


class Mouse:
    """Somebody who points at things."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open(self, name: str) -> None:
        self._go(self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name))

    def press(self, name: str) -> None:
        self._go(self.page.get_by_role("button", name=name).first)

    def _go(self, target: Any) -> None:
        target.click()
        arrived(self.page)

    def choose(self, label: str, value: str) -> None:
        self.page.get_by_label(label).select_option(value)

    def mark(self, key: str) -> None:
        """The mark of a word; the next one then stands there."""
        with next_word(self.page):
            self.page.locator(f"#review [data-key={key}]").click()


class Keys(Mouse):
    """Somebody without a mouse: everything is reached by Tab, chosen by letters, and pressed by Enter."""

    MOST_TABS = 150

    def _reach(self, target: Any) -> None:
        for _ in range(self.MOST_TABS):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("not reached by Tab")

    def _go(self, target: Any) -> None:
        self._reach(target)
        self.page.keyboard.press("Enter")
        arrived(self.page)

    def choose(self, label: str, value: str) -> None:
        self._reach(self.page.get_by_label(label))
        self.page.keyboard.type(value)
        self.page.keyboard.press("Tab")

    def mark(self, key: str) -> None:
        with next_word(self.page):
            self.page.keyboard.press(key)


def signed(person: Mouse, folder: Path, name: str) -> None:
    """The key that the browser saved goes into the form; a dialog of the system cannot be steered from here."""
    person.page.locator("#key-file").set_input_files(folder / f"{name}.key")
    person.press("Approve and sign")
    assert "pproved" in ended(person.page, f"{name} approves")


def own_key(person: Mouse, folder: Path, name: str) -> None:
    with person.page.expect_download() as saved:
        person.press("Make my signing key")
    saved.value.save_as(folder / f"{name}.key")


@pytest.mark.parametrize("way", [Mouse, Keys], ids=["mouse", "keys"])
def test_from_nothing_to_an_approved_release(browser: Any, tmp_path: Path, way: type[Mouse]) -> None:
    folder = tmp_path / "course"
    truth = demo_course(folder)
    desk = live(folder, "Ada")
    try:
        steward, ada = (way(entered(browser, desk.links[name])) for name in ("steward", "Ada"))
        steward.press("Look at the files and write a first plan")
        assert "first plan was written" in ended(steward.page, "Writing a first plan")
        steward.press("It lists students who said no")
        steward.page.get_by_text("are kept out of every file").wait_for()
        while steward.page.locator("#asked").count():
            steward._go(steward.page.locator("#asked button.primary").first)
        before = steward.page.locator("#plan-text").input_value()
        steward.choose("Role of grade", "drop")
        steward.page.wait_for_function(OTHER_PLAN, arg=before)
        steward.page.locator("#plan-part .fine").wait_for()
        if way is Mouse:
            chosen_on_the_curve(steward, folder)
        steward.open("Names")
        steward.press("Look for possible names")
        ended(steward.page, "Looking for possible names")
        while steward.page.locator("#the-word").count():
            steward.mark(truth.key(steward.page.locator("#the-word").inner_text()))
        for person, name in ((steward, "steward"), (ada, "Ada")):
            person.open("Release")
            own_key(person, tmp_path, name)
        steward.open("Release")
        steward.press("Accept steward")
        steward.press("Accept Ada")
        steward.choose("How many must approve", "2")
        steward.press("Write it into the plan")
        steward.page.get_by_text("2 of the approvers").wait_for()
        steward.press("Make a candidate for approval")
        assert "Every limit is met" in ended(steward.page, "Making the release")
        assert not (folder / "release").exists()
        frame = steward.page.frame_locator("iframe.report").first
        frame.get_by_role("heading", level=1).wait_for()
        signed(steward, tmp_path, "steward")
        ada.page.get_by_text("1 of 2 approvals: steward").wait_for()  # her page loaded itself again
        signed(ada, tmp_path, "Ada")
        assert (folder / "release" / "signature.json").is_file() and not (folder / "candidate").exists()
        steward.open("Release")
        assert "approved by" in steward.page.get_by_role("region", name="Register").inner_text()
        for person in (steward, ada):
            assert person.page.complaints == []
            person.page.context.close()
    finally:
        desk.end()


def chosen_on_the_curve(steward: Mouse, folder: Path) -> None:
    """A click on a point writes its limit into the plan."""
    steward.open("Risk")
    steward.press("Draw the curves")
    ended(steward.page, "Drawing the curves")
    before = (folder / "plan.toml").read_text()
    steward.page.locator("#curve-records-students .point").filter(has=steward.page.locator("path.chosen")).click()
    steward.page.get_by_text("The plan now says limit.k").wait_for()
    after = (folder / "plan.toml").read_text()
    assert after != before and "k = " in after and before.count("#") == after.count("#")


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    made = desk_at(tmp_path)
    put_queue(made.desk, small_queue(WORDS))
    made.desk.store.close()
    return tmp_path


def press(page: Any, key: str) -> float:
    """One key, and the seconds until the next word stands there."""
    with next_word(page):
        began = time.perf_counter()
        page.keyboard.press(key)
    return time.perf_counter() - began


def test_two_raters_two_hundred_words_and_nothing_is_lost(browser: Any, reviewed: Path) -> None:
    """Two cookies, a reload, the back button, a second tab, and a server that is killed in the middle."""
    desk = live(reviewed, "Ada", "Bob")
    ada, bob = (entered(browser, desk.links[name]) for name in ("Ada", "Bob"))
    said: dict[str, dict[str, str]] = {"Ada": {}, "Bob": {}}
    took: list[float] = []

    def label(page: Any, who: str, many: int, differs: int) -> None:
        for _ in range(many):
            word = page.locator("#the-word").inner_text()
            number = int(word[1:]) if word[1:].isdecimal() else 1
            mark = "name" if (number % 3 == 0) != (differs > 0 and number % differs == 0) else "word"
            took.append(press(page, mark[0]))
            said[who][word] = mark

    ada.goto(f"{desk.origin}/names")
    bob.goto(f"{desk.origin}/names")
    label(ada, "Ada", 60, 0)
    label(bob, "Bob", 60, 20)
    ada.reload()
    label(ada, "Ada", 10, 0)
    ada.goto(f"{desk.origin}/names/list")
    ada.go_back()
    ada.locator("#the-word").wait_for()
    assert ada.locator("[data-left]").first.get_attribute("data-left") == str(WORDS + 1 - 70)
    second = ada.context.new_page()
    second.goto(f"{desk.origin}/names")
    label(second, "Ada", 10, 0)
    desk.kill()
    desk = live(reviewed, "Ada", "Bob")
    ada, bob = (entered(browser, desk.links[name]) for name in ("Ada", "Bob"))
    try:
        ada.goto(f"{desk.origin}/names")
        bob.goto(f"{desk.origin}/names")
        assert ada.locator("[data-left]").first.get_attribute("data-left") == str(WORDS + 1 - 80)
        label(ada, "Ada", WORDS + 1 - 80, 0)
        label(bob, "Bob", WORDS + 1 - 60, 20)
        ada.get_by_text("Nearly done").wait_for()  # where they differ nobody is done
        differ = {word for word in said["Ada"] if said["Ada"][word] != said["Bob"][word]}
        assert len(said["Ada"]) == WORDS + 1 and differ
        bob.goto(f"{desk.origin}/names/differing")
        assert bob.locator(".differing .word").count() == len(differ)
        assert re.search(r"0\.\d\d kappa of Ada and Bob", bob.locator("#standing").inner_text().replace("\n", " "))
        for left in range(len(differ), 0, -1):
            bob.get_by_role("button", name=": name").first.click()
            bob.get_by_text(
                f"{left - 1} words to talk about"
                if left > 2
                else "1 word to talk"
                if left == 2
                else "No disagreement is open"
            ).wait_for()
        assert bob.complaints == [] and ada.complaints == []
        assert ada.evaluate("localStorage.length + sessionStorage.length") == 0
    finally:
        desk.end()
    with (reviewed / "private" / "review" / LABEL / "names.csv").open(newline="", encoding="utf-8-sig") as file:
        marks = {row["word"]: row["mark"] for row in csv.DictReader(file)}
    assert marks == {word: "name" if word in differ else mark for word, mark in said["Ada"].items()}
    print(f"median time from key to next word: {1000 * statistics.median(took):.0f} ms over {len(took)} words")


@pytest.fixture(scope="module")
def open_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A desk with something on every page."""
    from sharewell.desk import tasks

    folder = tmp_path_factory.mktemp("pages") / "course"
    make_folder(folder, students=60)
    at = desk_at(folder)
    given = {"folder": str(folder)}
    tasks.look(given)
    tasks.assess(given)
    tasks.explore(given)
    tasks.release({**given, "replace": False})
    put_queue(at.desk, small_queue(40))
    review = at.desk.reviewing(LABEL)
    assert review is not None
    for number in range(5):
        review.mark("Ada", f"w{number}", "name")
        review.mark("steward", f"w{number}", "word")
    at.desk.store.close()
    made = live(folder, "Ada")
    yield made
    made.end()


@pytest.fixture(scope="module")
def steward(browser: Any, open_desk: Live) -> Any:
    return entered(browser, open_desk.links["steward"], bypass_csp=True)


PAGES = ("/", "/files", "/risk", "/names", "/names/list", "/names/differing", "/release", "/student")


@pytest.mark.parametrize("path", PAGES)
def test_nobody_is_kept_out(steward: Any, open_desk: Live, path: str) -> None:
    """axe-core finds nothing in light or dark, and every width has room."""
    if not AXE.is_file():
        pytest.skip("axe-core is not here: make build/axe/node_modules/axe-core/axe.min.js")
    steward.goto(f"{open_desk.origin}{path}")
    source = AXE.read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        steward.emulate_media(color_scheme=scheme)
        steward.evaluate(source)
        found = steward.evaluate(
            "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], iframes: false })"
        )
        assert [(one["id"], [node["html"][:150] for node in one["nodes"]][:3]) for one in found["violations"]] == []
    for width in (390, 1024):
        steward.set_viewport_size({"width": width, "height": 900})
        assert steward.evaluate("document.documentElement.scrollWidth") <= width
    steward.set_viewport_size({"width": 1280, "height": 900})


def test_work_survives_a_closed_tab_and_can_be_stopped(browser: Any, open_desk: Live, steward: Any) -> None:
    steward.goto(f"{open_desk.origin}/risk")
    open_desk.hold()
    steward.get_by_role("button", name="Draw the curves").click()
    other = steward.context.new_page()
    other.set_default_timeout(WAIT)
    steward.locator("#job[data-state=running]").wait_for()
    steward.goto("about:blank")
    other.goto(f"{open_desk.origin}/")
    assert "Drawing the curves" in other.locator("#job").inner_text()
    other.get_by_role("button", name="Stop").click()
    other.locator("#job[data-state=stopped]").wait_for()
    other.close()


def test_a_role_chosen_before_the_script_came_is_written(browser: Any, open_desk: Live, steward: Any) -> None:
    """The script is held back until somebody has chosen, as on a slow computer."""
    held: list[Any] = []
    page = steward.context.new_page()
    page.set_default_timeout(WAIT)
    page.route("**/static/desk.js", lambda route: held.append(route))
    page.goto(f"{open_desk.origin}/files", wait_until="commit")
    page.get_by_label("Role of passed").select_option("sensitive")
    before = page.locator("#plan-text").input_value()
    held[0].continue_()
    page.wait_for_function(OTHER_PLAN, arg=before)
    assert "sensitive" in page.locator("#plan-text").input_value()
    page.close()


def test_what_somebody_writes_is_not_lost_when_the_work_ends(browser: Any, open_desk: Live, steward: Any) -> None:
    page = steward.context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{open_desk.origin}/release")
    page.get_by_text("A student opted out after a release").click()
    page.get_by_label("Ids as in the original files").fill("s01")
    steward.goto(f"{open_desk.origin}/files")
    steward.get_by_role("button", name="Look at the files again").click()
    assert "Load this page again" in ended(page, "Looking at the files")
    assert page.get_by_label("Ids as in the original files").input_value() == "s01"
    page.close()


@pytest.mark.parametrize("start", ["/files", "/release"])
def test_whoever_is_on_the_way_to_a_page_is_not_called_back(
    browser: Any, open_desk: Live, steward: Any, start: str
) -> None:
    """The page that they leave would load itself again as the work ends; the one they go to is held back until then."""
    held: list[Any] = []
    page = steward.context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{open_desk.origin}{start}")
    if start == "/release":  # a file that was fetched from a page does not hold it
        with page.expect_download():
            page.get_by_role("button", name="Make my signing key").click()
    page.route("**/risk", lambda route: held.append(route))
    page.evaluate("document.querySelector('a[href=\"/risk\"]').click()")
    steward.goto(f"{open_desk.origin}/files")
    steward.get_by_role("button", name="Look at the files again").click()
    steward.locator("#job[data-state=running]").wait_for()
    ended(steward, "Looking at the files")
    held[0].continue_()
    page.wait_for_url("**/risk")
    assert page.get_by_role("heading", level=1).inner_text() == "Risk and trade-off"
    page.close()


def test_the_stream_of_progress_is_as_closed_as_the_pages(steward: Any, open_desk: Live) -> None:
    steward.goto(f"{open_desk.origin}/")
    headers = steward.evaluate(
        "async () => { const stop = new AbortController();"
        " const answer = await fetch('/work/events', { signal: stop.signal });"
        " const told = Object.fromEntries(answer.headers); stop.abort(); return told; }"
    )
    assert "default-src 'none'" in headers["content-security-policy"] and headers["cache-control"] == "no-store"


def test_idle_people_are_signed_out_of_the_screen_as_well(browser: Any, tmp_path: Path) -> None:
    """The clock of the browser is moved on: what stood there is gone, and so is the way back."""
    make_folder(tmp_path / "course")
    desk = live(tmp_path / "course", options=("--idle", "1"))
    try:
        page = entered(browser, desk.links["steward"])
        page.clock.install()
        page.goto(f"{desk.origin}/files")
        page.clock.fast_forward(61_000)
        page.get_by_text("You are signed out").wait_for()
        page.goto(f"{desk.origin}/files")
        assert "Nobody is signed in here" in page.inner_text("body")
    finally:
        desk.end()
