"""Kills real releases at random moments, also several at once: 0 broken releases, 0 lost keys, 0 files left behind.

    python benchmarks/kills.py --kills 200 --publishing 50

Each round forks a process that replaces the release of a small course, and kills it after a random time; the first
`--publishing` rounds die at one file operation after another of those that publish. What then stands in the folder
must verify, every key must be whole, and the next run must find its way. Exit 1 if anything is broken.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sharewell import pipeline
from sharewell.errors import DiskError
from sharewell.plan.document import load
from sharewell.release import place, verify
from sharewell.release.office import Office
from sharewell.release.register import Register

PLAN = """
[release]
name = "Course"
audience = "enclave"
[records.students]
file = "students.csv"
student = "id"
direct = ["name"]
quasi = ["age", "sex"]
keep = ["mark"]
limit = { k = 2 }
"""


def course(folder: Path) -> Path:
    rows = [f"s{n},Person {n},{20 + n % 2},{'fm'[n // 2 % 2]},{n % 3}" for n in range(40)]
    (folder / "students.csv").write_text("\n".join(["id,name,age,sex,mark", *rows, ""]), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return folder / "plan.toml"


def forked(work: Callable[[], object]) -> int:
    """The work in a process of its own; an interpreter's start would take longer than the work."""
    process = os.fork()
    if process:
        return process
    try:
        work()
    except DiskError:
        os._exit(5)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def released(plan: Path) -> None:
    pipeline.release(load(plan), over=True)


def publishing(plan: Path, step: int, told: Path) -> Callable[[], None]:
    """The release, which kills itself at the given file operation after its register and folder begin to change."""

    def work() -> None:
        write_down, count = Office.write_down, iter(range(10**6))

        def counted(event: str, _: object) -> None:
            if event in FILE_EVENTS and next(count) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        def watched(*args: object, **options: object) -> None:
            sys.addaudithook(counted)
            write_down(*args, **options)  # type: ignore[arg-type]

        Office.write_down = watched  # type: ignore[method-assign]
        released(plan)
        told.write_text(str(next(count)), encoding="utf-8")

    return work


FILE_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.listdir", "os.scandir", "os.chmod")


def looked_over(folder: Path) -> None:
    """What is wrong with what a killed run left, once the next run has tidied up; told by the way the process ends."""
    where = place.Place(folder)
    place.prepare(where, replace=True)
    found = list(verify.verify(folder / "release").problems)
    found += [f"{key.name} is not whole" for key in where.private.glob("key-*") if not _whole(key)]
    released_with = json.loads((folder / "release/manifest.json").read_text(encoding="utf-8"))["id"].partition("-")[0]
    found += [] if (where.private / f"key-{released_with}").exists() else ["the key of the release is lost"]
    found += Register(where.private / "register").problems()
    known = {"release", "private", "students.csv", "plan.toml", "told"}
    found += [f"{path.name} was left behind" for path in folder.iterdir() if path.name not in known]
    for problem in found:
        print(problem, flush=True)
    assert not found


def _whole(key: Path) -> bool:
    text = key.read_text(encoding="utf-8").strip()
    return len(text) == 64 and all(letter in "0123456789abcdef" for letter in text)


def at_random(plan: Path, usual: float, draw: random.Random, count: int) -> list[int]:
    """One, two or three releases at once, all of them killed."""
    runs = [forked(lambda: released(plan)) for _ in range(count)]
    time.sleep(draw.uniform(0, usual))
    for process in runs:
        os.kill(process, signal.SIGKILL)
    return runs


OUTCOMES = {-signal.SIGKILL: "killed", 0: "ended before", 5: "another release was at work"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--publishing", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    draw, counts, broken = random.Random(asked.seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        plan, told = course(folder), folder / "told"
        assert ended(forked(lambda: released(plan))) == 0
        started = time.monotonic()
        assert ended(forked(publishing(plan, -1, told))) == 0
        usual, steps = time.monotonic() - started, int(told.read_text(encoding="utf-8"))
        for number in range(asked.kills):
            if number < asked.publishing:
                runs, where = [forked(publishing(plan, number * steps // asked.publishing, told))], "while publishing"
            else:
                runs, where = at_random(plan, usual, draw, 1 + number % 3), "at any moment"
            counts.update(f"{OUTCOMES.get(ended(process), 'crashed')} {where}" for process in runs)
            broken += ended(forked(lambda: looked_over(folder))) != 0
    crashed = sum(count for kind, count in counts.items() if kind.startswith("crashed"))
    print(f"{steps} file operations in publishing; {dict(counts)}; {broken} broken")
    return 1 if broken or crashed else 0


if __name__ == "__main__":
    sys.exit(main())
