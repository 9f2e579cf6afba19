"""One desk: its folder, who is there, what they decided, and the work under way. Handed to every page."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sharewell.desk import plan_text, tasks
from sharewell.desk.reviewing import Reviewing
from sharewell.desk.sessions import Sessions
from sharewell.desk.store import Store
from sharewell.desk.work import Job, Work
from sharewell.posts.review_queue import Queue
from sharewell.release import place
from sharewell.release.place import Place

PLAN = tasks.PLAN


@dataclass(kw_only=True)
class Desk:
    """Everything that pages share; what is kept here can be made again from the folder."""

    folder: Path
    sessions: Sessions
    store: Store
    work: Work = field(default_factory=Work)
    changing: threading.RLock = field(default_factory=threading.RLock)  # the plan, or the reviews
    reviews: dict[str, tuple[tuple[int, int], Reviewing]] = field(default_factory=dict)
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

    def columns(self) -> list[dict[str, Any]]:
        """What the files hold, as the last look found it."""
        files: list[dict[str, Any]] = (tasks.kept(self.where, "columns.json") or {}).get("files", [])
        return files

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
        """The review of a file; made anew when its words were listed anew."""
        if label not in self.labels():
            return None
        path = self.where.private / tasks.FOLDER / f"queue-{label}.json"
        found = path.stat()
        version = (found.st_mtime_ns, found.st_size)
        with self.changing:
            known = self.reviews.get(label)
            if known is None or known[0] != version:
                told = json.loads(path.read_text(encoding="utf-8"))
                known = (version, Reviewing(label, Queue.from_dict(told), told["lists"], self.store))
                self.reviews[label] = known
                self.unwritten.add(label)
            return known[1]

    def write_lists(self) -> None:
        """What was decided since, into the lists that a release reads."""
        with self.changing:
            waiting, self.unwritten = self.unwritten, set()
            for label in waiting:
                review = self.reviewing(label)
                if review is not None:
                    with place.clear_sentences(self.where.private):
                        review.write_lists(self.where)
            self.unwritten -= waiting

    def start(self, task: str, title: str, *, who: str, given: Mapping[str, Any] | None = None) -> Job:
        """Long work, on what everybody decided until now."""
        self.write_lists()
        return self.work.start(task, title, who=who, given={"folder": str(self.folder), **(given or {})})
