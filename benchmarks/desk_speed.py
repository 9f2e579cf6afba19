"""How fast the desk answers: 50,000 candidate words, a page of 1,000 columns, and a reviewer's keys.

    python benchmarks/desk_speed.py

Times are at the server, over its whole stack but the network: guard, page, SQLite with a full sync, and the live
estimate. A mark is on disk before it is answered. Beside the clock stands the processor time: on a busy machine the
clock also tells how busy the others are.
"""

import argparse
import shutil
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from starlette.testclient import TestClient

from sharewell.data.files import to_json
from sharewell.desk import app, server
from sharewell.desk.sessions import DeskUser
from sharewell.desk.state import Desk
from sharewell.posts.measure.labelled_sample import Left, draw
from sharewell.posts.review_queue import Asked, Queue
from sharewell.release import place

HOST = "127.0.0.1:8710"
LABEL = "posts.forum"
LIMIT = 100  # milliseconds
CHANGE = """async (number) => {
  const select = document.querySelectorAll("form.role select")[number];
  const began = performance.now();
  select.value = "keep";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  const part = document.getElementById("plan-part");
  await new Promise((done) => new MutationObserver(done).observe(part, { childList: true }));
  await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def queue(words: int) -> Queue:
    """Candidates with counts as words have them, and a sample drawn from what is left of them."""
    generator = np.random.default_rng(0)
    counts = generator.zipf(1.4, words).clip(1, 50_000)
    likely = generator.beta(0.3, 1.5, words)
    left = Left(places={f"word{i}": int(count) for i, count in enumerate(counts)}, likely={}, words=30_000_000)
    asked = [
        Asked(word=f"word{i}", count=int(counts[i]), probability=round(float(likely[i]), 4), why="in lists of names",
              left=int(counts[i]), sampled=False)
        for i in np.argsort(-counts)
    ]  # fmt: skip
    return Queue(asked=tuple(asked), sample=draw(left, seed=0, limit=0.0005), places={}, totals={}, limit=0.0005)


def columns(many: int) -> dict[str, Any]:
    bars = [{"name": f"value {i}", "count": 90 - 10 * i, "share": 100 - 10 * i} for i in range(8)]
    told = {
        "type": "categories",
        "missing": "0%",
        "distinct": 8,
        "reason": "others may know this",
        "bars": bars,
        "hidden": 7,
    }
    listed = [{**told, "name": f"column {i}"} for i in range(many)]
    return {
        "files": [
            {"label": "records.wide", "file": "wide.csv", "why": "one row each", "rows": "5,000", "columns": listed}
        ]
    }


def timed(action: Callable[[int], Any], repeats: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer by the clock and of the processor; the first two warm up."""
    took, worked = [], []
    for number in range(repeats + 2):
        began, busy = time.perf_counter(), time.process_time()
        answer = action(number)
        took.append(1000 * (time.perf_counter() - began))
        worked.append(1000 * (time.process_time() - busy))
        assert answer.status_code == 200, answer.status_code
    return took[2:], worked[2:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--columns", type=int, default=1_000)
    parser.add_argument("--marks", type=int, default=100)
    parser.add_argument("--keys", type=int, default=600)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), asked)
    _in_browser(asked)


def _filled(folder: Path, asked: argparse.Namespace) -> tuple[Desk, Queue]:
    """A desk over a wide table and a long queue of words."""
    names = "\n".join(f'    "column {i}",' for i in range(asked.columns))
    (folder / "wide.csv").write_text("id," + ",".join(f"column {i}" for i in range(asked.columns)) + "\n")
    (folder / "plan.toml").write_text(
        f'[release]\nname = "Wide"\n[records.wide]\nfile = "wide.csv"\nstudent = "id"\nquasi = [\n{names}\n]\n'
    )
    desk = server.opened(folder, idle=3600)
    made = queue(asked.words)
    rows = {"word": [one.word for one in made.asked], "mark": [""] * len(made.asked)}
    place.write_private(desk.where, f"desk/queue-{LABEL}.json", to_json({**made.to_dict(), "lists": {"names": rows}}))
    place.write_private(desk.where, "desk/columns.json", to_json(columns(asked.columns)))
    return desk, made


def _measure(folder: Path, asked: argparse.Namespace) -> None:
    desk, made = _filled(folder, asked)
    client = TestClient(app.make(desk, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    client.get(f"/enter?link={desk.sessions.invite(DeskUser(name='Ada', steward=True))}")
    began = time.perf_counter()
    csrf = client.get("/names").text.partition('name="csrf" content="')[2].partition('"')[0]
    print(f"opening the review of {asked.words:,} words, once: {time.perf_counter() - began:.1f} s")
    fields = {"csrf": csrf, "file": LABEL}
    headers = {"origin": f"http://{HOST}", "x-fragment": "1"}

    def mark(number: int) -> Any:
        word = made.asked[number].word
        return client.post(
            "/names/mark", data={**fields, "word": word, "mark": ("name", "word")[number % 2]}, headers=headers
        )

    _tell("a mark and the next word", timed(mark, asked.marks))
    _tell("the list of open words", timed(lambda _: client.get("/names/list"), 20))
    _tell(
        "a page from the middle of the list", timed(lambda _: client.get(f"/names/list?start={asked.words // 2}"), 20)
    )
    _tell("undo", timed(lambda _: client.post("/names/undo", data=fields, headers=headers), 20))
    _tell(f"roles of {asked.columns:,} columns, the page", timed(lambda _: client.get("/files"), 5), limit=None)
    change = {"csrf": csrf, "file": "records.wide", "role": "keep"}
    _tell(
        f"roles of {asked.columns:,} columns, one change",
        timed(lambda n: client.post("/files/role", data={**change, "column": str(n)}, headers=headers), 5),
        limit=None,
    )


def _in_browser(asked: argparse.Namespace) -> None:
    """A scripted reviewer in a real browser: from a key to the next word on the screen, all of the machine included."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        chromium = None
    if chromium is None:
        print("keys in a browser: not measured, there is no chromium or no playwright")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        desk, _ = _filled(Path(folder), argparse.Namespace(words=asked.keys, columns=asked.columns))
        listening = socket.create_server(("127.0.0.1", 0))
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(app.make(desk, hosts=frozenset({host})), log_level="critical", lifespan="off")
        running = uvicorn.Server(config)
        threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True).start()
        page = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page()
        page.goto(f"http://{host}/enter?link={desk.sessions.invite(DeskUser(name='Ada', steward=True))}")
        page.goto(f"http://{host}/names")
        took = [_pressed(page, "nw"[number % 2], asked.keys - number) for number in range(asked.keys)]
        print(
            f"a key and the next word on the screen, {asked.keys} words: median {statistics.median(took):.0f} ms, "
            f"95th percentile {_high(took):.0f} ms"
        )
        page.goto(f"http://{host}/files")
        shown = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        print(f"{asked.columns:,} columns on the screen: {shown / 1000:.1f} s from the click to the end of loading")
        changed = page.evaluate(CHANGE, asked.columns // 2)
        print(f"a role among {asked.columns:,} changed, and the plan beside it drawn: {changed / 1000:.2f} s")
        running.should_exit = True


def _pressed(page: Any, key: str, left: int) -> float:
    began = time.perf_counter()
    page.keyboard.press(key)
    page.locator(f"[data-left='{left - 1}']").wait_for()
    return 1000 * (time.perf_counter() - began)


def _tell(what: str, measured: tuple[list[float], list[float]], limit: float | None = LIMIT) -> None:
    took, worked = measured
    judged = "" if limit is None else f" (limit {limit} ms: {'met' if _high(took) < limit else 'MISSED'})"
    print(
        f"{what}: median {statistics.median(took):.0f} ms, 95th percentile {_high(took):.0f} ms{judged}; "
        f"processor {statistics.median(worked):.0f} and {_high(worked):.0f} ms"
    )


def _high(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    main()
