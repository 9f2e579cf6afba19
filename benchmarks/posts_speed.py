"""How fast names are found and redacted, and in how much memory.

    python benchmarks/posts_speed.py [--posts 14082] [--large 1000000]

Protocol: posts of a fictional course (style "a", seed 77), repeated with numbered words so that the vocabulary grows,
are found and redacted in one process with the default model already loaded and the kernels compiled. The time is
compared with reading every character once in Python in the same run; `redact` finds the names as well. With --large
the posts go through in batches, as in a release; the peak resident memory is printed.
"""

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from sharewell import posts
from sharewell.demo import make_course
from sharewell.posts.finder import find
from sharewell.posts.patterns import mask
from sharewell.posts.protect import Finder, decide
from sharewell.posts.redaction import redact_texts
from sharewell.posts.training import default_model

console = Console(width=110)
BATCH = 20_000


def messages(count: int, base: list[str], start: int = 0) -> list[str]:
    """Posts of a course, over and over, each with a rare word of its own time: Zipf-like growth of the vocabulary."""
    generator = np.random.default_rng(start)
    rare = generator.zipf(1.5, count)
    return [f"{base[(start + i) % len(base)]} thing{_letters(int(rare[i]))}" for i in range(count)]


def _letters(number: int) -> str:
    out = ""
    while number:
        number, rest = divmod(number, 26)
        out += chr(97 + rest)
    return out[:12]


def small(count: int, base: list[str]) -> None:
    frame = pa.table({"message": messages(count, base)})
    posts.redact(frame.slice(0, 500), text="message")
    characters = sum(len(text) for text in frame["message"].to_pylist())
    started = time.perf_counter()
    sum(character == "e" for text in frame["message"].to_pylist() for character in text)
    unit = time.perf_counter() - started
    started = time.perf_counter()
    names = posts.find_names(frame, text="message")
    found = time.perf_counter() - started
    started, worked = time.perf_counter(), time.process_time()
    posts.redact(frame, text="message", names=names)
    redacted, cpu = time.perf_counter() - started, time.process_time() - worked
    table = Table("posts", "characters", "possible", "find_names", "redact", "its CPU time", "reading once", "ratio")
    sizes = (f"{count:,}", f"{characters:,}", f"{len(names):,}")
    table.add_row(
        *sizes, f"{found:.2f} s", f"{redacted:.2f} s", f"{cpu:.2f} s", f"{unit:.2f} s", f"{redacted / unit:.1f}"
    )
    console.print(table)


def large(count: int, base: list[str]) -> None:
    model = default_model()

    def batches() -> Iterator[list[str]]:
        for start in range(0, count, BATCH):
            yield messages(min(BATCH, count - start), base, start)

    table = Table("step", "posts", "seconds", "posts per second", "peak memory")
    started = time.perf_counter()
    names = find(([mask(text).text for text in batch] for batch in batches()), model)
    table.add_row("find", f"{count:,}", *_told(started, count))
    decisions = decide(names, Finder(columns=("message",), model=model))
    started, found = time.perf_counter(), Counter()
    for batch in batches():
        found.update(redact_texts(batch, decisions).found)
    table.add_row("redact", f"{count:,}", *_told(started, count))
    console.print(table)


def _told(started: float, count: int) -> list[str]:
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [f"{seconds:.1f}", f"{count / seconds:,.0f}", f"{peak:,.0f} MB"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=14_082)
    parser.add_argument("--large", type=int, nargs="*", default=[])
    given = parser.parse_args()
    course = make_course(students=3000, seed=77, parts=("students", "posts"))
    base = [text for text in course.posts["message"].to_pylist() if text]
    if given.posts:
        small(given.posts, base)
    for count in given.large:
        large(count, base)


if __name__ == "__main__":
    main()
