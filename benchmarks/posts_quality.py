"""How well names are found: on fictional courses of unseen seeds and styles, and on real text the model never saw.

    python benchmarks/posts_quality.py [--data DIR] [--seeds 1 2 3]

Protocol. Fictional: the default model (seeds 9001 and up, style "a") on other seeds: style "a" as it was trained on,
"b" with other templates and vocabulary, looked at while the finder was built, and "c", likewise other, of which only
seed 1 was looked at, once, for what it missed (particles, and signatures of one unknown word). A word counts as found
when it is taken for a name; names that the narrowing loses count as missed; dictionary words that are names in less
than half of their places, and initials ("ML" as a signature), are left to the place-by-place figures; a particle ("van
der") is found where all its places in names go, since it goes with the name around it and nowhere else. WNUT 2017,
development part: word-level AUC for persons among possible names, and the share of person words lost by narrowing, as
written and in lower case; settings were chosen on its training part. StackOverflow: share of tokens redacted outside
code and numbers. Presidio's synthetic sentences: share of the words and numbers of labelled spans that are gone, by
kind. Seeds are printed.
"""

import argparse
import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

from sharewell import posts
from sharewell.fiction import make_course
from sharewell.text import labelled_text
from sharewell.text.decisions import PARTICLES, decide, names_at
from sharewell.text.finder import OneBatch, find
from sharewell.text.name_model import default_model
from sharewell.text.tokens import fold, tokenize
from sharewell.text.training import MISSED_PERSON, NAMING, labelled
from sharewell.text.word_lists import FUNCTION_WORDS, english

console = Console(width=130)
STYLES = ("a", "b", "c")
RECALLS = (0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)
NAMED = sorted(NAMING - {"initials"})
NO_PART = FUNCTION_WORDS | {"corner", "nan"}
WORDS = re.compile(r"\w+")
PATTERN_KINDS = (
    "PERSON", "CREDIT_CARD", "DOMAIN_NAME", "EMAIL_ADDRESS", "IBAN_CODE", "IP_ADDRESS", "PHONE_NUMBER",
    "STREET_ADDRESS", "US_DRIVER_LICENSE", "US_SSN", "ZIP_CODE",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was found in one fictional course."""

    words: int
    shares: dict[str, float]  # of words, then of single places
    hits: dict[str, list[bool]]  # per origin of name: which words were found
    missed: list[str]
    false: list[str]


def fictional(style: str, seed: int, students: int) -> Found:
    course = make_course(students=students, seed=seed, parts=("students", "posts"), style=style)
    corpus = labelled(course.posts, course.truth.mentions)
    names = find(OneBatch(corpus.tokens), default_model())
    named, unclear = corpus.words(english())
    at = names_at(corpus.tokens, decide(names))
    initials = set(corpus.words_at()[corpus.kind == "initials"]) - set(corpus.words_at()[np.isin(corpus.kind, NAMED)])
    unclear |= initials
    truth = {word: of for word, of in named.items() if sum(c.isalpha() for c in word) > 1 and word not in initials}
    found = {word for word, is_name in zip(names.words, names.is_name, strict=True) if is_name} - unclear
    found |= PARTICLES - set(corpus.words_at()[corpus.is_name & ~at])
    clear = [i for i, word in enumerate(names.words) if word not in unclear]
    hits: dict[str, list[bool]] = {}
    for word, origin in truth.items():
        hits.setdefault(origin or "(no person)", []).append(word in found)
    return Found(
        words=len(truth),
        shares={
            "AUC": roc_auc_score([names.words[i] in truth for i in clear], names.probability[clear]),
            "recall": len(found & truth.keys()) / len(truth),
            "precision": len(found & truth.keys()) / len(found - (PARTICLES - truth.keys())),
            "place recall": (at & corpus.is_name).sum() / corpus.is_name.sum(),
            "place precision": (at & corpus.is_name).sum() / at.sum(),
            "left per word": (corpus.is_name & ~at).mean(),
        },
        hits=hits,
        missed=sorted(truth.keys() - found),
        false=sorted(found - truth.keys() - PARTICLES),
    )


def all_fictional(seeds: list[int], students: int, verbose: bool) -> None:
    columns = ("AUC", "recall", "precision", "place recall", "place precision", "left per word")
    table = Table("style", "seed", "words", *columns, title="Fictional courses")
    groups: dict[tuple[str, str], list[bool]] = {}
    for style in STYLES:
        for seed in seeds:
            found = fictional(style, seed, students)
            told = [f"{found.shares[name]:.{5 if name == columns[-1] else 4}f}" for name in columns]
            table.add_row(style, str(seed), str(found.words), *told)
            for origin, hits in found.hits.items():
                groups.setdefault((style, origin), []).extend(hits)
            if verbose and style != "c":  # whoever looks at what was missed there can no longer quote it
                console.print(style, seed, "missed", found.missed, "false", found.false)
    console.print(table)
    weakest = sorted((np.mean(found), origin, len(found), style) for (style, origin), found in groups.items())
    console.print("recall by origin, all seeds together, weakest first:")
    console.print(", ".join(f"{style} {origin} {share:.3f} of {n}" for share, origin, n, style in weakest[:10]))


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """Persons among the possible names of real text."""

    possible: int
    people: int
    lost: float
    by_person: float
    by_probability: float
    with_places: float
    left: float  # of the tokens of persons
    ordinary_lost: float  # of the tokens without any label


def wnut(path: Path, *, lower: bool = False) -> Ranked:
    change = str.lower if lower else str
    sentences = [[(change(token), tag) for token, tag in sentence] for sentence in conll(path)]
    people, places = words_tagged(sentences, ("person",)), words_tagged(sentences, ("location",))
    frame = pa.table({"message": [" ".join(token for token, _ in sentence) for sentence in sentences]})
    found = posts.find_names(frame, text="message")
    words, probability = found["word"].to_pylist(), found["probability"].to_numpy()
    is_person = [word in people for word in words]
    return Ranked(
        possible=len(words),
        people=len(people),
        lost=len(people - set(words)) / len(people),
        by_person=roc_auc_score(is_person, found["person"].to_numpy()),
        by_probability=roc_auc_score(is_person, probability),
        with_places=roc_auc_score([word in people | places for word in words], probability),
        **tokens_left(path, change),
    )


def tokens_left(path: Path, change: Callable[[str], str]) -> dict[str, float]:
    """Person tokens that stay in the redacted text, and ordinary tokens that go, by the default settings."""
    table, mentions = labelled_text.conll(path, every_label=True)
    corpus = labelled(table, mentions, change, ("message",))
    at = names_at(corpus.tokens, decide(find(OneBatch(corpus.tokens), default_model())))
    letters = [sum(c.isalpha() for c in surface) > 1 and surface[0] != "[" for surface in corpus.tokens.surfaces]
    counted = np.array(letters)[corpus.tokens.surface]
    person, ordinary = counted & (corpus.kind == "person-name"), counted & (corpus.kind == "")
    return {"left": 1 - at[person].mean(), "ordinary_lost": at[ordinary].mean()}


def all_wnut(path: Path) -> None:
    columns = ("possible names", "person words", "lost by narrowing", "AUC by person", "by probability")
    more = ("persons and places, by probability", "person tokens left", "ordinary tokens lost")
    table = Table("WNUT 2017 development", *columns, *more)
    for label, lower in (("as written", False), ("lower case", True)):
        found = wnut(path, lower=lower)
        shares = (found.lost, found.by_person, found.by_probability, found.with_places, found.left)
        shares += (found.ordinary_lost,)
        table.add_row(label, str(found.possible), str(found.people), *(f"{share:.4f}" for share in shares))
    console.print(table)


def all_settings(path: Path) -> None:
    """The curve that `recall` moves along, with the cost of a missed name at which each setting is the best one.

    Trees learn with missed persons weighing MISSED_PERSON, so that a threshold t is the best one where a missed name
    costs MISSED_PERSON · (1 − t) / t needless redactions, if probabilities are right.
    """
    columns = ("threshold", "cost of a missed name", "words found", "of found words persons", "person tokens left")
    table = Table("recall", *columns, "ordinary tokens lost", title="WNUT 2017 development, as written, by setting")
    posts_, mentions = labelled_text.conll(path, every_label=True)
    corpus, model = labelled(posts_, mentions, columns=("message",)), default_model()
    letters = [sum(c.isalpha() for c in surface) > 1 and surface[0] != "[" for surface in corpus.tokens.surfaces]
    counted, words = np.array(letters)[corpus.tokens.surface], corpus.words_at()
    person, ordinary = counted & (corpus.kind == "person-name"), counted & (corpus.kind == "")
    people = set(words[person])
    for recall in RECALLS:
        names = find(OneBatch(corpus.tokens), model, recall=recall)
        at, t = names_at(corpus.tokens, decide(names)), model.threshold(recall)
        found = {word for word, is_name in zip(names.words, names.is_name, strict=True) if is_name}
        shares = (len(found & people) / len(people), len(found & people) / len(found), 1 - at[person].mean())
        row = (f"{t:.3f}", f"{MISSED_PERSON * (1 - t) / t:.0f}", *(f"{share:.4f}" for share in shares))
        table.add_row(str(recall), *row, f"{at[ordinary].mean():.4f}")
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


def stackoverflow(path: Path) -> tuple[int, int]:
    """Tokens redacted outside code and numbers, and all tokens with a letter."""
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
    return redacted, len(tokens)


def presidio(path: Path) -> dict[str, tuple[int, ...]]:
    """Per kind of label: words and numbers of it that are left in the redacted sentence, and all of them; labelled
    spans that stand there as they were written, and all of them.

    Function words, single letters and what is no part of an address ("the corner of … and …", "nan") are not counted.
    """
    entries = json.loads(path.read_text())
    frame = pa.table({"message": [entry["full_text"] for entry in entries]})
    clean = posts.redact(frame, text="message")["message"].to_pylist()
    counted: dict[str, tuple[int, ...]] = {}
    for entry, text in zip(entries, clean, strict=True):
        kept = {word.lower() for word in WORDS.findall(text)}
        for span in entry["spans"]:
            words = {word.lower() for word in WORDS.findall(span["entity_value"]) if len(word) > 1} - NO_PART
            found = (len(words & kept), len(words), span["entity_value"] in text, 1)
            so_far = counted.get(span["entity_type"], (0, 0, 0, 0))
            counted[span["entity_type"]] = tuple(map(sum, zip(so_far, found, strict=True)))
    return counted


def all_presidio(path: Path) -> None:
    columns = ("words and numbers", "gone", "labelled spans", "no longer as written")
    table = Table("Presidio's sentences", *columns, title="by kind of label; the last follow no pattern")
    found = presidio(path)
    for kind in (*PATTERN_KINDS, *sorted(found.keys() - set(PATTERN_KINDS))):
        left, words, whole, spans = found[kind]
        table.add_row(kind, str(words), f"{1 - left / words:.3f}", str(spans), f"{1 - whole / spans:.3f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of real data: wnut17, stackoverflow_ner, presidio_synth")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    if given.seeds:
        all_fictional(given.seeds, given.students, given.verbose)
    if given.data:
        all_wnut(given.data / "wnut17" / "emerging.dev.conll")
        all_settings(given.data / "wnut17" / "emerging.dev.conll")
        redacted, tokens = stackoverflow(given.data / "stackoverflow_ner" / "train.txt.gz")
        console.print(f"StackOverflow: {redacted:,} of {tokens:,} tokens redacted: {redacted / tokens:.2%}")
        all_presidio(given.data / "presidio_synth" / "synth_dataset_v2.json")


if __name__ == "__main__":
    main()
