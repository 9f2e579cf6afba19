"""How many further mentions one remembered mention decodes where names are invented, by how far one name holds.

    python benchmarks/posts_decoding.py --data DIR [--seeds 1 2 3]

Protocol. Texts: WNUT 2017, training and development part (a tweet or comment is a post), and fictional courses; fifty
posts in a row are a thread. The default finder finds names, `surrogate` stands for them, and the exact count of the
release's own attack is printed: on average over all mentions, how many mentions of the same name stand in other posts
under the same invented name.
"""

import argparse
from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from sharewell.fiction import make_course
from sharewell.posts.measure.decoding import decoding
from sharewell.posts.protection.redaction import Finder, Redaction, surrogates_for
from sharewell.text import labelled_text
from sharewell.text.decisions import decide
from sharewell.text.name_model import default_model


def decoded(frame: pa.Table, columns: tuple[str, ...], thread: tuple[str, ...]) -> dict[str, tuple[float, int]]:
    """Per draw, further mentions decoded by one, and how many mentions there are."""
    finder = Finder(columns=columns, model=default_model())
    masked = finder.masked(frame)
    names = finder.names(masked)
    decisions = decide(names)
    found = {}
    for per in ("file", "thread", "post"):
        surrogates = surrogates_for(decisions, names, finder, bytes(range(32)), "surrogate", per)
        (risk,) = decoding(masked, Redaction(decisions=decisions, surrogates=surrogates, thread=thread))
        found[per] = (risk.value, int(risk.n or 0))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of real data: wnut17")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    given = parser.parse_args()
    table = Table("text", "posts", "mentions", "per file", "per thread", "per post")
    for part in ("wnut17train", "emerging.dev"):
        posts, _ = labelled_text.conll(given.data / "wnut17" / f"{part}.conll")
        _add(table, part, posts, ("message",))
    for seed in given.seeds:
        course = make_course(students=300, seed=seed, parts=("students", "posts"), style="b")
        assert course.posts is not None
        _add(table, f"fictional course, seed {seed}", course.posts, ("subject", "message"))
    Console(width=110).print(table)


def _add(table: Table, text: str, posts: pa.Table, columns: tuple[str, ...]) -> None:
    frame = posts.append_column("fifty", [pa.array([i // 50 for i in range(len(posts))])])
    found = decoded(frame, columns, ("fifty",))
    shares = [f"{found[per][0]:.4f}" for per in ("file", "thread", "post")]
    table.add_row(text, f"{len(frame):,}", f"{found['file'][1]:,}", *shares)


if __name__ == "__main__":
    main()
