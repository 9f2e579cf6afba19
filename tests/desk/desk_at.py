"""A desk in this process for tests: a folder, people with cookies, and requests as a browser would make them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from sharewell.data.files import to_json
from sharewell.desk import app, server
from sharewell.desk.sessions import DeskUser
from sharewell.desk.state import Desk
from sharewell.posts.measure.labelled_sample import Left, draw
from sharewell.posts.measure.names_left import Place as WordPlace
from sharewell.posts.review_queue import Asked, Queue
from sharewell.release import place

HOST = "127.0.0.1:8710"
ORIGIN = f"http://{HOST}"
LABEL = "posts.forum"


@dataclass
class Visitor:
    """One browser: it sends what browsers send."""

    client: TestClient
    csrf: str = ""

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, follow_redirects=False, **options)

    def post(self, path: str, fields: Mapping[str, str] | None = None, **options: Any) -> Any:
        headers = {"origin": ORIGIN, **options.pop("headers", {})}
        return self.client.post(
            path, data={"csrf": self.csrf, **(fields or {})}, headers=headers, follow_redirects=False, **options
        )


@dataclass
class At:
    """A desk with its application and visitors."""

    desk: Desk
    app: Any
    people: dict[str, Visitor] = field(default_factory=dict)

    def visitor(self, name: str = "steward", *, steward: bool = True) -> Visitor:
        if name not in self.people:
            made = self.stranger()
            link = self.desk.sessions.invite(DeskUser(name=name, steward=steward))
            assert made.get(f"/enter?link={link}").status_code == 200
            made.csrf = made.get("/names").text.partition('name="csrf" content="')[2].partition('"')[0]
            self.people[name] = made
        return self.people[name]

    def stranger(self) -> Visitor:
        return Visitor(TestClient(self.app, base_url=ORIGIN, raise_server_exceptions=False))


def desk_at(folder: Path, *, idle: float = 1800) -> At:
    desk = server.opened(folder, idle=idle)
    return At(desk, app.make(desk, hosts=frozenset({HOST})))


def small_queue(words: int = 30, *, context: bool = True) -> Queue:
    """Words of which every third is a name; the last is both and has three places."""
    left = Left(places={**{f"w{i}": 40 - i % 7 for i in range(words)}, "of": 300}, likely={}, words=20_000)
    sample = draw(left, seed=0)
    asked = [
        Asked(word=f"w{i}", count=500 - i, probability=0.9 if i % 3 == 0 else 0.1, why="in lists of names",
              left=left.places[f"w{i}"], sampled=True)
        for i in range(words)
    ]  # fmt: skip
    asked.append(Asked(word="of", count=300, probability=0.0, why="drawn by lot", left=300, sampled=True))
    places = tuple(
        WordPlace(key=f"abc.{i}", word=f"w{words - 1}", before="he said", after="[NAME] too") for i in range(3)
    )
    return Queue(
        asked=tuple(asked),
        sample=sample,
        places={
            f"w{words - 1}": places
            if context
            else tuple(WordPlace(key=p.key, word=p.word, before="", after="") for p in places)
        },
        totals={f"w{words - 1}": 3},
        examples={f"w{words - 1}": places} if context else {},
        limit=0.01,
        context=context,
    )


def put_queue(desk: Desk, queue: Queue, label: str = LABEL) -> None:
    """As the worker leaves it, with empty lists beside it."""
    words = [one.word for one in queue.asked]
    table = {
        "word": words,
        "count": [one.count for one in queue.asked],
        "probability": [one.probability for one in queue.asked],
        "why": [one.why for one in queue.asked],
        "mark": [""] * len(words),
    }
    told = {**queue.to_dict(), "lists": {"names": table, "sample": table}}
    place.write_private(desk.where, f"desk/queue-{label}.json", to_json(told))
