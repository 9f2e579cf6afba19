"""How many names the released text still holds, and how many the original did."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import pyarrow as pa

from sharewell.contract import Count, Risk
from sharewell.posts.kind import NAMES_PER_WORD, RESIDUAL, UNKNOWN_LANGUAGE
from sharewell.posts.masked import FOUND, MaskedPosts, added_up, tallied
from sharewell.posts.measure import labelled_sample
from sharewell.posts.measure.labelled_sample import BothWord, Left, Residual
from sharewell.text.arrays import Array
from sharewell.text.decisions import Decisions, names_at
from sharewell.text.finder import Names
from sharewell.text.marks import Marks, place_key
from sharewell.text.patterns import NAME
from sharewell.text.tokens import Tokens, fold, is_capitalised, is_placeholder
from sharewell.text.word_lists import FUNCTION_WORDS, english


@dataclass(frozen=True, kw_only=True)
class Place:
    """One place of a word that is both: where it stands, and what stands around it."""

    key: str
    word: str
    before: str
    after: str


PLACES = pa.schema([(name, pa.string()) for name in ("key", "word", "before", "after")])
ALL = ""  # stands for all words where words are counted
FEW_UNKNOWN = 0.02  # of the texts: more in a language that no table knows is said aloud
CONTEXT = 5  # words on either side of a place, where the plan allows to show them; names among them are masked


def names_per_word(names: Names) -> Risk:
    """How much of the text names somebody, as far as the model sees it."""
    total = max(names.counts.tokens, 1)
    share = float(names.occurrences[names.is_name].sum()) / total
    story = "Somebody reads the posts as they are: words that the model takes for names, per word."
    return Risk(measure=NAMES_PER_WORD, attacker="reader", value=share, n=total, story=story)


def in_unknown_language(names: Names) -> Risk:
    """How many texts no table helps to read; beyond a few of them it is said aloud, since lower-case names may stay."""
    story = (
        "In a language that no word table knows a name is told by its capital alone: one in lower case stays, and a "
        "word with a capital may go. Mark the words that the review lists say are of such posts."
    )
    return Risk(
        measure=UNKNOWN_LANGUAGE,
        attacker="reader",
        value=names.unknown_posts / max(names.counts.posts, 1),
        n=names.counts.posts,
        story=story,
        limit=FEW_UNKNOWN,
    )


def left_words(masked: MaskedPosts, decisions: Decisions, names: Names) -> Left:
    """Words that redaction leaves where they may name somebody, with how often."""
    left = added_up(masked.each(partial(_left, decisions), FOUND))
    total = left.pop(ALL)
    return Left(places=dict(left), likely=names.likely, words=total)


def _left(decisions: Decisions, tokens: Tokens) -> pa.Table:
    """The same for one part, beside the number of all its words."""
    counts = np.bincount(tokens.surface[doubtful_places(tokens, decisions)], minlength=len(tokens.surfaces))
    left: Counter[str] = Counter({ALL: len(tokens.start)})
    for surface, count in zip(tokens.surfaces, counts.tolist(), strict=True):
        if count and not is_placeholder(surface):
            left[fold(surface)] += count
    return tallied(left)


def doubtful_places(tokens: Tokens, decisions: Decisions) -> Array:
    """True where a word is left that may be a name: any but "the" and the like in lower case or at a beginning."""
    lists = decisions.known.lists if decisions.known is not None else english()
    words = [fold(surface) for surface in tokens.surfaces]
    ordinary = np.array([word in FUNCTION_WORDS and word not in lists.first for word in words], dtype=bool)
    capital = np.fromiter((is_capitalised(s) for s in tokens.surfaces), bool, len(tokens.surfaces))
    raised = capital[tokens.surface] & ~tokens.begins & tokens.prose
    return cast(Array, (~ordinary[tokens.surface] | raised) & ~names_at(tokens, decisions))


def undecided_places(masked: MaskedPosts, decisions: Decisions, words: frozenset[str]) -> list[Place]:
    """The places of words marked `both` that stay in the text before anybody decides about single places."""
    if not words:
        return []
    tables = masked.each(partial(_undecided, decisions, words), PLACES)
    return [Place(**row) for table in tables for row in table.to_pylist()]


def _undecided(decisions: Decisions, words: frozenset[str], tokens: Tokens) -> pa.Table:
    """The same for one part."""
    wanted = np.fromiter((fold(surface) in words for surface in tokens.surfaces), bool, len(tokens.surfaces))
    named = names_at(tokens, decisions)
    places = places_at(tokens, np.flatnonzero(wanted[tokens.surface] & ~named), named)
    return pa.Table.from_pylist([vars(place) for place in places], PLACES)


def places_at(tokens: Tokens, chosen: Array, named: Array) -> Iterator[Place]:
    """The places of these tokens, with the words around each; names among them, by `named`, are masked."""
    first = np.searchsorted(tokens.post, np.arange(len(tokens.texts) + 1))
    for token in chosen:
        post = int(tokens.post[token])
        text, begin, end = tokens.texts[post], int(first[post]), int(first[post + 1])
        yield Place(
            key=place_key(text, int(token) - begin),
            word=fold(text[int(tokens.start[token]) : int(tokens.end[token])]),
            before=_around(tokens, range(max(begin, token - CONTEXT), token), named),
            after=_around(tokens, range(token + 1, min(end, token + 1 + CONTEXT)), named),
        )


def _around(tokens: Tokens, places: range, named: Array) -> str:
    texts = tokens.texts
    shown = (texts[int(tokens.post[i])][int(tokens.start[i]) : int(tokens.end[i])] for i in places)
    return " ".join(NAME if named[i] else word for i, word in zip(places, shown, strict=True))


def both_words(places: list[Place], marks: Marks, *, seed: int) -> dict[str, BothWord]:
    """Per word marked `both`: the places that people are asked about, and what they said."""
    by_word: dict[str, list[str]] = {word: [] for word in marks.of("both")}
    for place in places:
        by_word[place.word].append(place.key)
    found = {}
    for word, keys in by_word.items():
        asked = labelled_sample.asked_places(keys, seed=seed)
        said = [marks.places[key] for key in asked if key in marks.places]
        found[word] = BothWord(places=len(keys), asked=asked, names=sum(said), words=len(said) - sum(said))
    return found


def residual(
    found: Residual,
    asked: int,
    limit: float | None,
    *,
    choices: Mapping[int, float],
    further: int,
    seed: int,
    label: str,
) -> Risk:
    """Names left per word from marked words; without all marks there is no number and the gate refuses.

    `choices`: smaller samples and what they may show; `further`: the size of a larger one that may meet the limit.
    """
    fewer = ", ".join(f"{size:,} words about {high:.2g}" for size, high in choices.items())
    chosen = (
        f"Fewer may be asked (`review_words`) if the limit is looser: {fewer} names left per word." if fewer else ""
    )
    lists = f"review/{label}/ in the private folder"
    if found.unmarked:
        story = (
            f"Nobody can say yet how many names are left: {' and '.join(_open(found, asked))} have no mark. {chosen} "
            f"Run `sharewell posts review PLAN`, write `name`, `word` or `both` into the column `mark` of the lists in "
            f"{lists}, then release again."
        )
    elif limit is not None and found.high > limit and not found.at_fault:
        story = (
            f"No single word is at fault: {found.marked:,} marked words cannot show less than {found.high:.2g} names "
            f"left per word. Ask for {further:,} words with `review_words = {further}`, mark the new ones in {lists} "
            f"and release again, or take a limit of {found.high:.2g} or more."
        )
    elif limit is not None and found.high > limit:
        story = (
            "More names may be left than the limit allows. The words at fault are listed in at_fault.csv in the "
            f"private folder: mark them `name` in {lists}, or the places of words that are both, then release again."
        )
    else:
        story = "Somebody reads the released posts for names that were missed: names left per word, from marked words."
    return Risk(
        measure=RESIDUAL, attacker="reader", value=found.value, low=found.low, high=found.high, n=found.marked,
        seed=seed, story=story, gate="residual" if limit is not None else None, limit=limit, bound="high",
        setting={"marked": Count(found.marked)},
    )  # fmt: skip


def _open(found: Residual, asked: int) -> Iterator[str]:
    """What has no mark, by the list that it stands in."""
    words = found.unmarked - found.places
    if words:
        yield f"{words:,} of {asked:,} words (names.csv and sample.csv)"
    if found.places:
        yield f"{found.places:,} places of words that are both (places.csv)"


def words_at_fault(found: Residual, roster: Mapping[str, int]) -> dict[str, list[str | float]]:
    """What keeps the file from being released, for private eyes: the word, how often it is left, and why it counts."""
    rows = [(word, count, "marked as a name in some of its places") for word, count in found.at_fault.items()]
    rows += [(word, float(count), "stands on the roster") for word, count in roster.items()]
    rows.sort(key=lambda row: (-row[1], row[0]))
    return {
        "word": [word for word, _, _ in rows],
        "places_left": [count for _, count, _ in rows],
        "why": [why for _, _, why in rows],
    }
