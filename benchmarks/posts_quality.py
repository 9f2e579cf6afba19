"""How well names are found: on fictional courses of unseen seeds and style, and on real text the model never saw.

    python benchmarks/posts_quality.py [--data DIR] [--seeds 1 2 3]

Protocol. Fictional: the default model (seeds 9001 and up, style "a") on other seeds, styles "a" and "b"; a word counts
as found when it is taken for a name; names that the narrowing loses count as missed; dictionary words that are names
in less than half of their places are left to the place-by-place figures. WNUT 2017, development part:
word-level AUC for persons among possible names, and the share of person words lost by narrowing, as written and in
lower case. StackOverflow: share of tokens redacted outside code and numbers. Seeds are printed.
"""

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

from sharewell import posts
from sharewell.demo import make_course
from sharewell.posts.candidates import Counts
from sharewell.posts.finder import Names, classify
from sharewell.posts.lists import english
from sharewell.posts.protect import Finder, decide
from sharewell.posts.redaction import names_at
from sharewell.posts.tokens import fold, tokenize
from sharewell.posts.training import default_model, labelled

console = Console(width=130)


def fictional(seeds: list[int], students: int, verbose: bool) -> None:
    table = Table(
        "style",
        "seed",
        "words",
        "AUC",
        "recall",
        "precision",
        "place recall",
        "place precision",
        "left per word",
        title="Fictional courses",
    )
    lists, model = english(), default_model()
    groups: dict[tuple[str, str], list[bool]] = {}
    for style in ("a", "b"):
        for seed in seeds:
            course = make_course(students=students, seed=seed, parts=("students", "posts"), style=style)
            corpus = labelled(course.posts, course.truth.mentions)
            counts = Counts()
            counts.add_tokens(corpus.tokens, corpus.posts)
            names = classify(counts, model)
            named, unclear = corpus.words(lists)
            truth = {word: origin for word, origin in named.items() if sum(c.isalpha() for c in word) > 1}
            found = {word for word, is_name in zip(names.words, names.is_name, strict=True) if is_name} - unclear
            at = names_at(corpus.tokens, decide(names, Finder(columns=(), model=model)))
            left = f"{(corpus.is_name & ~at).mean():.5f}"
            table.add_row(
                style,
                str(seed),
                str(len(truth)),
                *_scores(names, truth, found, unclear),
                *_place_scores(at, corpus.is_name),
                left,
            )
            for word, origin in truth.items():
                groups.setdefault((style, origin or "(no person)"), []).append(word in found)
            if verbose:
                console.print(
                    style, seed, "missed", sorted(truth.keys() - found), "false", sorted(found - truth.keys())
                )
    console.print(table)
    weakest = sorted((np.mean(found), origin, len(found), style) for (style, origin), found in groups.items())
    console.print("recall by origin, all seeds together, weakest first:")
    console.print(", ".join(f"{style} {origin} {share:.3f} of {n}" for share, origin, n, style in weakest[:10]))


def _scores(names: Names, truth: dict[str, str], found: set[str], unclear: set[str]) -> list[str]:
    clear = [i for i, word in enumerate(names.words) if word not in unclear]
    auc = roc_auc_score([names.words[i] in truth for i in clear], names.probability[clear])
    hits = len(found & truth.keys())
    return [f"{auc:.4f}", f"{hits / len(truth):.4f}", f"{hits / len(found):.4f}"]


def _place_scores(at: np.ndarray, truth: np.ndarray) -> list[str]:
    hits = (at & truth).sum()
    return [f"{hits / truth.sum():.4f}", f"{hits / at.sum():.4f}"]


def wnut(path: Path, verbose: bool) -> None:
    table = Table(
        "WNUT 2017 development",
        "possible names",
        "person words",
        "lost by narrowing",
        "AUC persons (person)",
        "AUC persons (probability)",
        "AUC persons and places",
    )
    for label, change in (("as written", str), ("lower case", str.lower)):
        sentences = [[(change(token), tag) for token, tag in sentence] for sentence in conll(path)]
        people, places = words_tagged(sentences, ("person",)), words_tagged(sentences, ("location",))
        frame = pa.table({"message": [" ".join(token for token, _ in sentence) for sentence in sentences]})
        found = posts.find_names(frame, text="message")
        words, probability = found["word"].to_pylist(), found["probability"].to_numpy()
        auc = roc_auc_score([word in people for word in words], probability)
        person = roc_auc_score([word in people for word in words], found["person"].to_numpy())
        wider = roc_auc_score([word in people | places for word in words], probability)
        lost = people - set(words)
        table.add_row(
            label,
            str(len(words)),
            str(len(people)),
            f"{len(lost) / len(people):.3f}",
            f"{person:.4f}",
            f"{auc:.4f}",
            f"{wider:.4f}",
        )
        if verbose:
            ranked = sorted(zip(probability, words, strict=True))
            console.print(label, "lost", sorted(lost))
            console.print("low persons", [(w, round(float(p), 2)) for p, w in ranked if w in people][:60])
            console.print("high others", [(w, round(float(p), 2)) for p, w in ranked[::-1] if w not in people][:150])
    console.print(table)


def conll(path: Path) -> Iterator[list[tuple[str, str]]]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    sentence: list[tuple[str, str]] = []
    for line in raw.decode().split("\n"):
        token, _, rest = line.partition("\t")
        if token.strip():
            sentence.append((token, rest.split("\t")[0]))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def words_tagged(sentences: list[list[tuple[str, str]]], tags: tuple[str, ...]) -> set[str]:
    tagged = [token for sentence in sentences for token, tag in sentence if tag[2:] in tags]
    words = {fold(surface) for surface in tokenize(tagged).surfaces} if tagged else set()
    return {word for word in words if sum(character.isalpha() for character in word) > 1}


def stackoverflow(path: Path, verbose: bool) -> None:
    blocks = [
        [token for token, tag in block if "Code" not in tag and "Output_Block" not in tag] for block in conll(path)
    ]
    blocks = [block for block in blocks if block and not block[0].startswith(("Question_", "Answer_"))]
    tokens = [token for block in blocks for token in block if any(character.isalpha() for character in token)]
    frame = pa.table({"message": [" ".join(block) for block in blocks]})
    clean = " ".join(posts.redact(frame, text="message")["message"].to_pylist()).split()
    redacted = sum(
        any(f"[{what}]" in token for what in ("NAME", "HANDLE", "EMAIL", "PHONE", "ADDRESS", "ID", "DATE"))
        for token in clean
    )
    share = f"{redacted / len(tokens):.2%}"
    console.print(f"StackOverflow: {redacted:,} of {len(tokens):,} tokens redacted outside code and numbers: {share}")
    if verbose:
        found = posts.find_names(frame, text="message")
        named = [
            (w, c)
            for w, c, n in zip(
                found["word"].to_pylist(), found["occurrences"].to_pylist(), found["name"].to_pylist(), strict=True
            )
            if n
        ]
        console.print(named[:150])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of real data with wnut17 and stackoverflow_ner")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    if given.seeds:
        fictional(given.seeds, given.students, given.verbose)
    if given.data:
        wnut(given.data / "wnut17" / "emerging.dev.conll", given.verbose)
        stackoverflow(given.data / "stackoverflow_ner" / "train.txt.gz", given.verbose)


if __name__ == "__main__":
    main()
