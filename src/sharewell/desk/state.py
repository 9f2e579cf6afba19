"""One desk: its folder, who is there, what they decided, and the work under way. Handed to every page."""

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sharewell.desk import columns, plan_text, tasks
from sharewell.desk.reviewing import Reviewing, listed_marks, lists_on_disk
from sharewell.desk.sessions import Sessions
from sharewell.desk.store import Store
from sharewell.desk.work import Busy, DeskJob, Work
from sharewell.errors import InputError, PlanError
from sharewell.plan.questions import Question, questions, undecided
from sharewell.posts.review_queue import Queue
from sharewell.release import place
from sharewell.release.place import Place

PLAN = tasks.PLAN
UNDOABLE = 50  # changes of the plan
LOOK = 20  # seconds that a page waits for a look at the files
Version = tuple[int, int]  # of a file: when it was changed, and its size


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One thing to decide about a file or the release: a question of the plan, or columns that are left out unseen."""

    label: str
    file: str
    number: int = -1  # the line of the question
    question: Question | None = None
    left: Sequence[str] = ()


@dataclass(kw_only=True)
class Desk:
    """Everything that pages share; what is kept here can be made again from the folder."""

    folder: Path
    sessions: Sessions
    store: Store
    work: Work = field(default_factory=Work)
    changing: threading.RLock = field(default_factory=threading.RLock)  # the plan, or the reviews
    reviews: dict[str, tuple[Version, Reviewing]] = field(default_factory=dict)
    lists: dict[str, tuple[Version, ...]] = field(default_factory=dict)  # the review lists as the desk last saw them
    unwritten: set[str] = field(default_factory=set)

    @property
    def where(self) -> Place:
        return Place(self.folder)

    @property
    def plan(self) -> Path:
        return self.folder / PLAN

    def plan_source(self) -> str | None:
        try:
            return self.plan.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None

    def write_plan(self, text: str) -> None:
        """Write a new plan; `undo_plan` restores the one it replaces."""
        before = self.plan_source() or ""
        plan_text.written(self.plan, text)
        earlier = json.loads(self.store.kept("plans") or "[]")
        self.store.keep("plans", json.dumps([*earlier, before][-UNDOABLE:]))
        self.store.keep("plan", text)

    @property
    def can_undo(self) -> bool:
        """Whether the plan stands as the desk last wrote it, over an earlier one."""
        return self.store.kept("plan") == self.plan_source() and bool(json.loads(self.store.kept("plans") or "[]"))

    def undo_plan(self) -> None:
        """Restore the plan as it was before the last change made at the desk."""
        with self.changing:
            if not self.can_undo:
                raise InputError("the plan was changed elsewhere since, or nothing was changed here")
            *earlier, before = json.loads(self.store.kept("plans") or "[]")
            plan_text.written(self.plan, before)
            self.store.keep("plans", json.dumps(earlier))
            self.store.keep("plan", before)

    def asked(self) -> "list[Ask]":
        """Return what only a person can decide: questions, then unknown columns."""
        text = self.plan_source() or ""
        try:
            files = {
                label: str(one.get("file", "")) for label, one in columns.sections(plan_text.parsed(text).unwrap())
            }
        except PlanError:
            return []
        found = [
            Ask(label=label, file=files.get(label, ""), number=number, question=one)
            for label, number, one in questions(text)
        ]
        return found + [
            Ask(label=label, file=files.get(label, ""), left=left) for label, left in undecided(text).items()
        ]

    def columns(self) -> list[dict[str, Any]]:
        """Return what the last look found, but not of files that are read anew since."""
        files: list[dict[str, Any]] = (tasks.kept(self.where, "columns.json") or {}).get("files", [])
        now = self._readings()
        return [file for file in files if now.get(file["label"]) == file.get("reading")]

    def _readings(self) -> dict[str, Any]:
        try:
            document = plan_text.parsed(self.plan_source() or "").unwrap()
        except PlanError:
            return {}
        return {label: columns.reading(self.folder, section) for label, section in columns.sections(document)}

    def look_again(self, who: str) -> None:
        """Look again at files that the plan reads in another way, if nothing else runs."""
        if self._readings().keys() <= {file["label"] for file in self.columns()}:
            return
        with suppress(Busy):
            self.start("look", "Looking at the files", who=who)
            self.work.finished(LOOK)

    def problems(self) -> list[str]:
        """What is wrong with the plan, in the words of the command line."""
        names = {file["label"]: [one["name"] for one in file["columns"]] for file in self.columns() if file["columns"]}
        folder = f"{self.folder}/"
        return [problem.replace(folder, "") for problem in plan_text.problems(self.plan, names)]

    def labels(self) -> list[str]:
        """Files with words to look at."""
        found = (self.where.private / tasks.FOLDER).glob("queue-*.json")
        return sorted(path.stem.removeprefix("queue-") for path in found)

    def reviewing(self, label: str) -> Reviewing | None:
        """Return the review of a file, with the words and lists as they are by now."""
        if label not in self.labels():
            return None
        path = self.where.private / tasks.FOLDER / f"queue-{label}.json"
        version = _version(path)
        with self.changing:
            known = self.reviews.get(label)
            if known is None or known[0] != version:
                found = json.loads(path.read_text(encoding="utf-8"))
                known = (version, Reviewing(label, Queue.from_dict(found), found["lists"], self.store))
                self.reviews[label] = known
                self.unwritten.add(label)
                self._take_as_listed(label, version, known[1])
            self._take_as_they_are(label, known[1])
            return known[1]

    def _take_as_listed(self, label: str, version: Version, review: Reviewing) -> None:
        """What the worker read in the lists when it listed the words: once, since the desk writes to them later."""
        if self.store.kept(f"taken:{label}") != str(version):
            review.take(listed_marks(review.lists))
            self.store.keep(f"taken:{label}", str(version))

    def _take_as_they_are(self, label: str, review: Reviewing) -> None:
        """What somebody wrote into the lists while the desk is open, or while it was closed."""
        now = self._lists(label)
        if self.lists.get(label) != now:
            review.take(lists_on_disk(self.where, label))
            self.lists[label] = now

    def _lists(self, label: str) -> tuple[Version, ...]:
        return tuple(_version(path) for path in sorted((self.where.private / "review" / label).glob("*.csv")))

    def write_lists(self) -> None:
        """What was decided since, into the lists that a release reads."""
        with self.changing:
            for label in tuple(self.unwritten):
                review = self.reviewing(label)
                self.unwritten.discard(label)
                if review is not None:
                    with place.clear_sentences(self.where.private):
                        review.write_lists(self.where)
                    self.lists[label] = self._lists(label)

    def start(self, task: str, title: str, *, who: str, given: Mapping[str, Any] | None = None) -> DeskJob:
        """Long work, on what everybody decided until now."""
        self.write_lists()
        return self.work.start(task, title, who=who, given={"folder": str(self.folder), **(given or {})})


def _version(path: Path) -> Version:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
