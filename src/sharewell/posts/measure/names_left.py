"""How many names the released text still holds, and how many the original did."""

from collections.abc import Mapping
from typing import cast

import numpy as np

from sharewell.contract import Risk
from sharewell.posts.kind import NAMES_PER_WORD, RESIDUAL
from sharewell.posts.masked import MaskedPosts
from sharewell.posts.measure import labelled_sample
from sharewell.posts.measure.labelled_sample import Left, Sample
from sharewell.text.arrays import Array
from sharewell.text.decisions import Decisions, names_at
from sharewell.text.finder import Names
from sharewell.text.tokens import Tokens, fold, is_capitalised, is_placeholder, tokenize


def names_per_word(names: Names) -> Risk:
    """How much of the text names somebody, as far as the model sees it."""
    total = max(names.counts.tokens, 1)
    share = float(names.occurrences[names.is_name].sum()) / total
    story = "Somebody reads the posts as they are: words that the model takes for names, per word."
    return Risk(measure=NAMES_PER_WORD, attacker="reader", value=share, n=total, story=story)


def left_words(masked: MaskedPosts, decisions: Decisions) -> Left:
    """Words that redaction leaves where they may name somebody, with how often."""
    possible: dict[str, int] = {}
    ruled_out: dict[str, int] = {}
    total = 0
    for cells in masked.cells():
        tokens = tokenize(cells)
        total += len(tokens.start)
        counts = np.bincount(tokens.surface[doubtful_places(tokens, decisions)], minlength=len(tokens.surfaces))
        for surface, count in zip(tokens.surfaces, counts, strict=True):
            word = fold(surface)
            if count and not is_placeholder(surface) and len(word) > 1:
                group = possible if word in decisions.possible else ruled_out
                group[word] = group.get(word, 0) + int(count)
    return Left(possible=possible, ruled_out=ruled_out, words=total)


def doubtful_places(tokens: Tokens, decisions: Decisions) -> Array:
    """True where a word is left that may be a name: a possible name, or a capital in the middle of a sentence."""
    possible = np.fromiter((fold(s) in decisions.possible for s in tokens.surfaces), bool, len(tokens.surfaces))
    capital = np.fromiter((is_capitalised(s) for s in tokens.surfaces), bool, len(tokens.surfaces))
    doubtful = possible[tokens.surface] | (capital[tokens.surface] & ~tokens.begins & tokens.prose)
    return cast(Array, doubtful & ~names_at(tokens, decisions))


def residual(drawn: Sample, labels: Mapping[str, float], limit: float | None, *, seed: int, label: str) -> Risk:
    """Names left per word from labelled words; without all labels there is no number and the gate refuses."""
    found = labelled_sample.estimate(drawn, labels)
    if found.unlabelled:
        story = (
            f"Nobody can say yet how many names are left: {found.unlabelled:,} of {len(drawn.to_label()):,} sampled "
            f"words have no label. Write `name` or `word` into the column `label` of review/{label}/sample.csv in the "
            "private folder (`sharewell posts review` puts the list there), then release again."
        )
    else:
        story = (
            "Somebody reads the released posts for names that were missed: names left per word, from labelled words. "
            "Ordinary words without a capital inside a sentence are taken for no names."
        )
    return Risk(
        measure=RESIDUAL, attacker="reader", value=found.value, low=found.low, high=found.high, n=found.n, seed=seed,
        story=story, gate="residual" if limit is not None else None, limit=limit, bound="high",
        setting={"labelled": found.n},
    )  # fmt: skip
