"""The worker: progress, one at a time, stopped, killed, and what the tasks leave behind."""

import json
import sys
from pathlib import Path

import pytest
from course_folder import make_folder
from desk.desk_at import At, desk_at

from sharewell import progress
from sharewell.desk import plan_text, tasks
from sharewell.desk.state import PLAN, Desk
from sharewell.desk.student_page import blocks
from sharewell.desk.work import Busy, Work
from sharewell.errors import InputError

SECONDS = 60


def scripted(body: str) -> Work:
    """A worker that runs a few lines instead of a task."""
    return Work(
        command=(sys.executable, "-c", "import json, sys, time\ngiven = json.loads(sys.stdin.readline())\n" + body)
    )


def test_progress_is_heard_and_the_end_as_well(tmp_path: Path) -> None:
    work = scripted(f"""
print(json.dumps({{"step": given["what"], "share": 0.5, "left": 3.0}}), flush=True)
while not __import__("os").path.exists({str(tmp_path / "heard")!r}): time.sleep(0.01)
print(json.dumps({{"state": "done", "said": "ready"}}), flush=True)
""")
    work.start("x", "Test", who="a", given={"what": "half"})
    seen, version = [], -1
    while (job := work.job) is not None and job.running:
        version, job = work.wait(version, 5)
        seen.append(job and (job.step, job.share))
        if seen[-1] == ("half", 0.5):
            (tmp_path / "heard").touch()
    assert ("half", 0.5) in seen
    assert work.job is not None and (work.job.state, work.job.said) == ("done", "ready")
    work.close()


def test_one_at_a_time_and_a_stop_ends_it() -> None:
    work = scripted("time.sleep(60)")
    work.start("x", "Long", who="a", given={})
    with pytest.raises(Busy, match="Long"):
        work.start("y", "Other", who="b", given={})
    process = work._process
    work.stop()
    assert process is not None and process.poll() is not None
    assert work.job is not None and work.job.state == "stopped"
    work.start("x", "Again", who="a", given={})
    work.close()


@pytest.mark.parametrize("body", ["sys.exit(3)", "import os; os.kill(os.getpid(), 9)"])
def test_a_worker_that_dies_is_told(body: str) -> None:
    work = scripted(body)
    work.start("x", "Test", who="a", given={})
    job = work.finished(SECONDS)
    assert job is not None and job.state == "failed" and "without a word" in job.said
    work.close()


def test_a_late_word_of_an_old_worker_changes_no_new_job() -> None:
    work = scripted("time.sleep(60)")
    first = work.start("x", "First", who="a", given={})
    work.stop()
    work.start("x", "Second", who="a", given={})
    work._hear(first.number, {"state": "failed", "said": "late"})
    assert work.job is not None and work.job.title == "Second" and work.job.running
    work.close()


def test_work_that_ended_is_not_stopped() -> None:
    work = scripted('print(json.dumps({"state": "done", "said": "released"}), flush=True)')
    work.start("x", "Quick", who="a", given={})
    work.finished(SECONDS)
    work.stop()
    assert work.job is not None and (work.job.state, work.job.said) == ("done", "released")
    work.close()


def test_a_page_made_before_the_end_of_the_work_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its browser then loads it again: a page that said "done" over what stood there before would stay."""
    at = desk_at(tmp_path)
    steward = at.visitor()
    go = tmp_path / "go"
    waits = f"import pathlib, time\nwhile not pathlib.Path({str(go)!r}).exists(): time.sleep(0.01)"
    at.desk.work._command = (sys.executable, "-c", waits)
    plan_source = Desk.plan_source

    def slowly(desk: Desk) -> str | None:
        """The work ends while the page is being made."""
        found = plan_source(desk)
        go.touch()
        desk.work.finished(SECONDS)
        return found

    monkeypatch.setattr(Desk, "plan_source", slowly)
    at.desk.start("look", "Looking at the files", who="steward")
    assert 'data-state="running"' in steward.get("/files").text
    assert 'data-state="failed"' in steward.get("/files").text
    at.desk.work.close()


def test_steps_are_told_to_whoever_listens() -> None:
    heard = []
    with (
        progress.heard(lambda step, share, left: heard.append((step, share))),
        progress.step("Searching", 4) as advance,
    ):
        advance(1)
        advance(1)
    assert heard == [("Searching", 0.0), ("Searching", 0.25), ("Searching", 0.5)]
    with progress.step("silent") as advance:
        advance(1)
    assert len(heard) == 3


def test_the_tasks_do_what_the_commands_do(tmp_path: Path) -> None:
    """A whole release through the functions of the worker, and what each leaves for the pages."""
    make_folder(tmp_path, students=60)
    at = desk_at(tmp_path)
    given = {"folder": str(tmp_path)}
    tasks.look(given)
    tasks.assess(given)
    tasks.explore(given)
    steward = at.visitor()
    page = steward.get("/risk").text
    assert "What binds" in page and "k = 3" in page and "Student records" in page
    _choose(at, page)
    assert tasks.rehearse(given)["said"].startswith("Every limit is met. Nothing was written")
    assert not (tmp_path / "release").exists()
    assert tasks.release({**given, "replace": False})["said"] == "Every limit is met."
    page = steward.get("/release").text
    assert "Register" in page and "/release/report?of=standing" in page
    report = steward.get("/release/report?of=standing")
    assert report.status_code == 200 and "sandbox allow-scripts" in report.headers["content-security-policy"]
    student = (tmp_path / "students.csv").read_text().splitlines()[1].partition(",")[0]
    told = tasks.one_student({**given, "student": student})
    shown = blocks((tmp_path / "private" / told["result"]["page"]).read_text())
    assert {"h1", "h2", "list", "table"} <= {block.kind for block in shown}
    assert tasks.one_student({**given, "student": "nobody"})["said"] == "No release holds this student."
    done = tasks.withdraw({**given, "students": [student]})
    assert "next version" in done["said"] or done.get("state") == "refused"
    assert student not in json.dumps(tasks.kept(at.desk.where, "ended.json"))


def _choose(at: At, page: str) -> None:
    """A point that meets the limit is written at once; one that misses it on a second word only."""
    steward, before = at.visitor(), at.desk.plan.read_text()
    options = page.split('data-meets="')[1:]
    meets, misses = (next(i for i, option in enumerate(options) if option.startswith(is_)) for is_ in ("yes", "no"))
    choice = {"file": "records.students", "point": str(misses)}
    steward.post("/risk/choose", choice)
    assert at.desk.plan.read_text() == before
    steward.post("/risk/choose", {**choice, "sure": "yes"})
    assert at.desk.plan.read_text() != before
    steward.post("/risk/choose", {**choice, "point": str(meets)})
    assert "k = " in at.desk.plan.read_text()


def test_work_goes_on_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The real worker: what it says, and that its folder of scratch goes with it when it is stopped."""
    make_folder(tmp_path)
    at = desk_at(tmp_path)
    at.desk.start("look", "Looking", who="a")
    job = at.desk.work.finished(240)
    assert job is not None and job.state == "done", job
    assert at.desk.columns()[0]["columns"]
    at.desk.start("no such task", "Broken", who="a")
    job = at.desk.work.finished(240)
    assert job is not None and job.state == "failed" and "KeyError" in job.said
    at.desk.work.close()


def test_the_worker_ends_with_the_desk(tmp_path: Path) -> None:
    work = Work(command=(sys.executable, "-c", "import sys; sys.stdin.read()"))
    work.prepare()
    spare = work._spare
    work.close()
    assert spare is not None and spare.wait(120) == 0


FORUM = """
[release]
name = "Forum"
audience = "enclave"

[posts.forum]
file = "forum.csv"
student = "author"
text = ["message"]
review_context = true
limit = { residual = 0.01 }
"""


def forum(folder: Path) -> Path:
    """Posts in which one name stands alone, one beside another, and one word is both."""
    said = ("I will mark this as done", "thanks Tomasz for the loop", "ask Will Baker about the storm", "he will know")
    rows = [f'u{i % 12},"{said[i % 4]}, week {i % 7}"' for i in range(48)]
    (folder / "forum.csv").write_text("\n".join(["author,message", *rows, ""]))
    (folder / "plan.toml").write_text(FORUM)
    return folder


def test_names_are_listed_asked_and_honoured(tmp_path: Path) -> None:
    """The desk's last number is the one that the release then measures, and what was marked goes or stays."""
    at = desk_at(forum(tmp_path))
    given = {"folder": str(tmp_path)}
    assert "ready" in tasks.names(given)["said"]
    review = at.desk.reviewing("posts.forum")
    assert review is not None and review.queue.context
    words = [one.word for one in review.queue.asked]
    assert {"tomasz", "will", "baker"} <= set(words)
    around = [place.before + " | " + place.after for place in review.queue.examples["will"]]
    assert around and not any("Baker" in text for text in around)
    assert any(
        "[NAME]" in text
        for word in ("storm", "about")
        for p in review.queue.examples.get(word, ())
        for text in (p.before,)
    )
    for word in words:
        review.mark("Ada", word, "name" if word in ("tomasz", "baker", "will") else "word")
    at.desk.unwritten.add("posts.forum")
    at.desk.write_lists()
    last = review.standing("Ada").residual
    assert last.unmarked == 0
    tasks.release({**given, "replace": False})
    ended = tasks.kept(at.desk.where, "ended.json")
    assert ended is not None
    residual = next(risk for risk in ended["outcomes"][0]["files"][0]["risk_after"] if risk["name"] == "residual")
    assert (residual["value"], residual["high"]) == (pytest.approx(last.value), pytest.approx(last.high))
    released = (tmp_path / "release" / "data" / "forum.csv").read_text().lower()
    assert "tomasz" not in released and "baker" not in released and "will" not in released and "storm" in released


def test_a_file_left_out_is_given_a_kind_and_its_students_and_undo_brings_a_plan_back(tmp_path: Path) -> None:
    """`init` takes it for a catalogue: none of its columns looks like a student's."""
    rows = "\n".join(f"c{row % 12},2025-09-02 10:{row:02d}:00,{'ab'[row % 2]}" for row in range(48))
    (tmp_path / "visits.csv").write_text(f"Besuch,zeit,seite\n{rows}\n", encoding="utf-8")
    first = '[release]\nname = "Course"\naudience = "agreement"\n\n# left out: visits.csv has no column: a catalogue?\n'
    (tmp_path / PLAN).write_text(first, encoding="utf-8")
    at = desk_at(tmp_path)
    tasks.add({"folder": str(tmp_path), "file": "visits.csv", "kind": "traces", "student": "Besuch"})
    text = at.desk.plan_source() or ""
    assert "left out" not in text and plan_text.parsed(text).unwrap()["traces"]["visits"]["student"] == "Besuch"
    assert [one["label"] for one in at.desk.columns()] == ["traces.visits"]
    assert not at.desk.can_undo
    at.desk.write_plan(text.replace("Course", "Other"))
    at.desk.write_plan(text.replace("Course", "Third"))
    at.desk.undo_plan()
    assert 'name = "Other"' in (at.desk.plan_source() or "")
    at.desk.undo_plan()
    assert at.desk.plan_source() == text and not at.desk.can_undo
    at.desk.write_plan(first)
    at.desk.plan.write_text(text, encoding="utf-8")  # by somebody else, in an editor
    with pytest.raises(InputError, match="changed elsewhere"):
        at.desk.undo_plan()
