"""How often the interval of names left per word holds the truth, on text whose names are known.

    python benchmarks/posts_residual.py --data DIR [--draws 200]

Protocol. The default finder redacts; every place that it leaves is known to be a name or not. Samples are drawn with
other seeds each time, a careful reviewer marks each asked word with the share of its left places that are names, the
release takes out what is mostly a name, and the interval is compared with the names that are then left, those outside
the population too.
"""

import argparse
from collections.abc import Callable
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
from sharewell.text.finder import Held, find
from sharewell.text.marks import MOSTLY_NAME, Marks
from sharewell.text.name_model import default_model
from sharewell.text.training import Labelled, labelled


def coverage(corpus: Labelled, draws: int) -> tuple[float, float]:
    """Share of the draws whose interval holds the truth, and the truth before anybody marked."""
    tokens, words = corpus.tokens, corpus.words_at()
    decisions = decide(find(Held(tokens), default_model()))
    stays = ~names_at(tokens, decisions)
    asked = doubtful_places(tokens, decisions)
    distinct, number = np.unique(words.astype(str), return_inverse=True)
    places = np.bincount(number[asked], minlength=len(distinct))
    named = np.bincount(number[asked & corpus.is_name], minlength=len(distinct))
    share = {word: n / p for word, n, p in zip(distinct.tolist(), named, places, strict=True) if p}
    left = {word: int(p) for word, p in zip(distinct.tolist(), places, strict=True) if p}
    population = Left(
        possible={word: count for word, count in left.items() if word in decisions.possible},
        others={word: count for word, count in left.items() if word not in decisions.possible},
        words=len(words),
    )
    held = 0
    for seed in range(draws):
        sample = labelled_sample.draw(population, seed=seed)
        marks = Marks(shares={word: share[word] for word in sample.to_mark()})
        found = labelled_sample.estimate(sample, marks, {})
        gone = {word for word in sample.to_mark() if share[word] >= MOSTLY_NAME}
        truth = (stays & corpus.is_name & ~np.isin(words, sorted(gone))).sum() / len(words)
        held += found.low - 1e-12 <= truth <= found.high + 1e-12
    return held / draws, float((stays & corpus.is_name).sum() / len(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of real data: wnut17")
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    table = Table("text", "names left per word before marks", "intervals that hold the truth")
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
        held, before = coverage(corpus, given.draws)
        table.add_row(name, f"{before:.5f}", f"{held:.3f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
