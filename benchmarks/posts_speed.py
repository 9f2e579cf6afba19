"""How fast names are found and redacted, and in how much memory.

    python benchmarks/posts_speed.py [--posts 14082] [--large 250000 1000000]

Protocol: posts of a fictional course (style "a", seed 77), repeated with numbered words so that the vocabulary grows,
are found and redacted in one process with the default model already loaded and the kernels compiled. The time is
compared with reading every character once in Python in the same run; `redact` finds the names as well. With --large
posts go from one file to another through the step of a release that finds and redacts, first the fewer, then the
more; time per post and the peak resident memory are printed: the one stays, the other grows with distinct words only.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from sharewell import posts
from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.fiction import make_course
from sharewell.posts import study
from sharewell.posts.section import Section
from sharewell.text.name_model import default_model

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
    posts.redact(pa.table({"message": ["Hello World, it's me: Ana"]}), text="message")
    characters = sum(len(text) for text in frame["message"].to_pylist())
    started = time.perf_counter()
    sum(character == "e" for text in frame["message"].to_pylist() for character in text)
    unit = time.perf_counter() - started
    started, worked = time.perf_counter(), time.process_time()
    posts.redact(frame, text="message")
    redacted, cpu = time.perf_counter() - started, time.process_time() - worked
    started = time.perf_counter()
    names = posts.find_names(frame, text="message")  # after `redact`: edit distances of words are remembered
    found = time.perf_counter() - started
    table = Table(
        "posts", "characters", "possible", "redact", "its CPU time", "find_names again", "reading once", "ratio"
    )
    sizes = (f"{count:,}", f"{characters:,}", f"{len(names):,}")
    table.add_row(
        *sizes, f"{redacted:.2f} s", f"{cpu:.2f} s", f"{found:.2f} s", f"{unit:.2f} s", f"{redacted / unit:.1f}"
    )
    console.print(table)


def large(counts: list[int], base: list[str]) -> None:
    """The step of a release that finds and redacts, from a file to a file, in growing sizes."""
    for count in sorted(counts):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forum.parquet"
            _write(path, count, base)
            before, started, worked = _peak(), time.perf_counter(), time.process_time()
            released = study.open(_job(path)).protect()
            seconds, cpu = time.perf_counter() - started, time.process_time() - worked
            possible = f"{len(released.private['names']):,}"
        each = 1000 * cpu / count
        told = f"{count:,} posts, {possible} possible names: {seconds:.1f} s, {cpu:.1f} s of CPU, {each:.3f} ms each"
        console.print(f"{told}; peak memory before {before}, after {_peak()}")  # at once: the next may take an hour


def _write(path: Path, count: int, base: list[str]) -> None:
    schema = pa.schema([("author", pa.string()), ("message", pa.string())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, count, BATCH):
            texts = messages(min(BATCH, count - start), base, start)
            authors = [f"s{(start + i) % (count // 10)}" for i in range(len(texts))]
            writer.write_table(pa.table({"author": authors, "message": texts}, schema))


def _job(path: Path) -> Job:
    section = Section(name="forum", folder=path.parent, file=path.name, student="author", text=("message",))
    return Job(section=section, source=engine.table(path), seed=1, keyed=Keyed(b"k" * 32, "speed"))


def _peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=14_082)
    parser.add_argument("--large", type=int, nargs="*", default=[])
    given = parser.parse_args()
    course = make_course(students=3000, seed=77, parts=("students", "posts"))
    base = [text for text in course.posts["message"].to_pylist() if text]
    if given.posts:
        small(given.posts, base)
    if given.large:
        default_model()
        large(given.large, base)


if __name__ == "__main__":
    main()
