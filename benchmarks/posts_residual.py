"""How often the interval of names left per word holds the truth, on text whose names are known.

    python benchmarks/posts_residual.py --data DIR [--draws 200] [--sizes 600 2400]

Protocol. The default finder redacts; every place that it leaves is known to be a name or not. Samples are drawn with
other seeds each time, a careful reviewer marks each asked word with the share of its left places that are names, the
release takes out what is mostly a name, and the interval is compared with the names that are then left: at places that
may be asked about, for which it is made, and with those elsewhere ("the" in the name of a band).
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sharewell.fiction import make_course
from sharewell.posts.measure import labelled_sample
from sharewell.posts.measure.labelled_sample import Left
from sharewell.posts.measure.names_left import doubtful_places
from sharewell.text import labelled_text
from sharewell.text.decisions import decide, names_at
from sharewell.text.finder import OneBatch, find
from sharewell.text.marks import MOSTLY_NAME, Marks
from sharewell.text.name_model import default_model
from sharewell.text.training import Labelled, labelled

LIMIT = 0.0005  # of the audience `agreement`


@dataclass(frozen=True, kw_only=True)
class Held95:
    """What samples of one size come to in one text."""

    intervals: float  # share of the draws whose interval holds the truth
    inside: float  # the same of names at places that are asked about: no "the" in lower case
    before: float  # names left per word before anybody marked
    asked: int  # distinct words
    high: float  # upper end, mean over the draws
    needed: int  # words that the limit needs, by the finder
    left: int  # all distinct words that may be asked about


def coverage(corpus: Labelled, draws: int, size: int) -> Held95:
    """Samples of one size in one text, each marked by a careful reviewer."""
    tokens, words = corpus.tokens, corpus.words_at()
    names = find(OneBatch(tokens), default_model())
    decisions = decide(names)
    stays, asked = ~names_at(tokens, decisions), doubtful_places(tokens, decisions)
    distinct, number = np.unique(words.astype(str), return_inverse=True)
    places = np.bincount(number[asked], minlength=len(distinct))
    named = np.bincount(number[asked & corpus.is_name], minlength=len(distinct))
    share = {word: n / p for word, n, p in zip(distinct.tolist(), named, places, strict=True) if p}
    left = {word: int(p) for word, p in zip(distinct.tolist(), places, strict=True) if p}
    population = Left(places=left, likely=names.likely, words=len(words))
    held, inside, highest = 0, 0, []
    for seed in range(draws):
        sample = labelled_sample.draw(population, seed=seed, size=size)
        marks = Marks(shares={word: share[word] for word in sample.to_mark()})
        found = labelled_sample.estimate(sample, marks, {})
        gone = {word for word in sample.to_mark() if share[word] >= MOSTLY_NAME}
        truth = (stays & corpus.is_name & ~np.isin(words, sorted(gone))).sum() / len(words)
        highest.append(found.high)
        seen = (asked & corpus.is_name & ~np.isin(words, sorted(gone))).sum() / len(words)
        inside += found.low - 1e-12 <= seen <= found.high + 1e-12
        held += found.low - 1e-12 <= truth <= found.high + 1e-12
    return Held95(
        intervals=held / draws,
        inside=inside / draws,
        before=float((stays & corpus.is_name).sum() / len(words)),
        asked=len(sample.asked),
        high=float(np.mean(highest)),
        needed=labelled_sample.words_needed(population, LIMIT),
        left=len(left),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of real data: wnut17")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="*", default=[600, 2400])
    given = parser.parse_args()
    columns = (
        "text",
        "names left before marks",
        "sample",
        "words to mark",
        "intervals that hold the names at places asked about",
        "and elsewhere",
        "upper end",
    )
    table = Table(*columns, f"words needed for {LIMIT}", "all words")
    source = given.data / "wnut17" / "emerging.dev.conll"
    changes: dict[str, Callable[[str], str]] = {"as written": str, "lower case": str.lower}
    corpora = {
        f"WNUT 2017 development, {how}": labelled(*labelled_text.conll(source), change, ("message",))
        for how, change in changes.items()
    }
    for style in ("a", "b"):
        course = make_course(students=300, seed=5, parts=("students", "posts"), style=style)
        assert course.posts is not None and course.truth.mentions is not None
        corpora[f"fictional course, style {style}"] = labelled(course.posts, course.truth.mentions)
    for name, corpus in corpora.items():
        for size in given.sizes:
            one = coverage(corpus, given.draws, size)
            shares = (
                f"{one.before:.5f}",
                f"{size:,}",
                f"{one.asked:,}",
                f"{one.inside:.3f}",
                f"{one.intervals:.3f}",
                f"{one.high:.5f}",
            )
            table.add_row(name, *shares, f"{one.needed:,}", f"{one.left:,}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
