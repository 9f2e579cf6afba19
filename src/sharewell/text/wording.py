"""How a place is worded: a linear judge of the letters of a word and of the words around it.

Trees see what lists know of a word; this judge sees which words stand beside a name ("feat", "vs", "said") and how
names are spelled. Words and letters are hashed into buckets (Weinberger et al. 2009) with one weight each: no word is
kept.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.tokens import Tokens, fold

BUCKETS = 1 << 16
STEPS = (-2, -1, 1, 2)
SHAPED_STEPS = (-1, 1)  # neighbours that are also looked at together with the case of the word itself
SHAPES = ("xx", "xX", "Xx", "XX")  # first letter, then the rest: capital or not
OUTSIDE = "^"  # beyond the edge of a post
STRENGTH = 0.3  # inverse weight of the L2 penalty, chosen by cross-validation on WNUT 2017's training part


@dataclass(frozen=True)
class Wording:
    """One weight per bucket, and the log-odds of a place of which nothing is known."""

    weights: Array
    intercept: Array  # one number

    def log_odds(self, tokens: Tokens, chosen: Array) -> Array:
        """Per chosen token, the log-odds that a person is named there."""
        weights = self.weights.astype(np.float64)
        own = tokens.surface[chosen]
        letters = np.array([weights[_letters(surface)].sum() for surface in tokens.surfaces])
        score = self.intercept[0] + letters[own]
        shape = _shapes(tokens.surfaces)[own]
        for step, buckets in _beside(tokens.surfaces).items():
            score = score + weights[buckets][_surface_at(tokens, chosen, step)]
        for step, by_shape in _beside_shaped(tokens.surfaces).items():
            score = score + weights[by_shape][_surface_at(tokens, chosen, step), shape]
        return cast(Array, score)

    def of_rows(self, described: Any) -> Array:
        """The same from the sparse matrix of `rows`."""
        return cast(Array, described @ self.weights.astype(np.float64) + self.intercept[0])

    def to_arrays(self) -> dict[str, Array]:
        return {"weights": self.weights, "intercept": self.intercept}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "Wording":
        return cls(arrays["weights"], arrays["intercept"])


def rows(tokens: Tokens, chosen: Array) -> Any:
    """The buckets of every chosen token as a sparse matrix: what `fit` learns from."""
    from scipy.sparse import csr_array

    own = tokens.surface[chosen]
    letters = [_letters(surface) for surface in tokens.surfaces]
    bounds = np.cumsum([0, *(len(buckets) for buckets in letters)])
    spelled = csr_array(
        (np.ones(bounds[-1]), np.concatenate([np.zeros(0, int), *letters]), bounds), (len(letters), BUCKETS)
    )
    around = [buckets[_surface_at(tokens, chosen, step)] for step, buckets in _beside(tokens.surfaces).items()]
    shape = _shapes(tokens.surfaces)[own]
    for step, by_shape in _beside_shaped(tokens.surfaces).items():
        around.append(by_shape[_surface_at(tokens, chosen, step), shape])
    fixed = np.column_stack(around)
    starts = np.arange(len(chosen) + 1) * fixed.shape[1]
    return spelled[own] + csr_array((np.ones(fixed.size), fixed.ravel(), starts), (len(chosen), BUCKETS))


def fit(described: Any, is_person: Array, weights: Array) -> Wording:
    """Logistic regression over the buckets."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=STRENGTH, max_iter=100).fit(described, is_person.astype(int), sample_weight=weights)
    return Wording(model.coef_[0].astype(np.float16), model.intercept_.astype(np.float32))


def _letters(surface: str) -> Array:
    """Buckets of a word itself: how it begins and ends, its letter triples and its case."""
    word = f"^{fold(surface)}$"
    parts = [f"shape {_shape(surface)}", *(f"begins {word[: size + 1]}" for size in (1, 2, 3))]
    parts += [f"ends {word[-size - 1 :]}" for size in (1, 2, 3, 4)]
    return _hashed([*parts, *(f"has {word[i : i + 3]}" for i in range(len(word) - 2))])


def _beside(surfaces: Sequence[str]) -> dict[int, Array]:
    """Per step, the bucket of every surface as the word there; the last entry is for the edge."""
    return {step: _hashed([f"{step} {word}" for word in _words(surfaces)]) for step in STEPS}


def _beside_shaped(surfaces: Sequence[str]) -> dict[int, Array]:
    """As `_beside`, one column per case of the word itself."""
    return {
        step: _hashed([f"{step} {word} {shape}" for word in _words(surfaces) for shape in SHAPES]).reshape(
            -1, len(SHAPES)
        )
        for step in SHAPED_STEPS
    }


def _words(surfaces: Sequence[str]) -> Iterator[str]:
    yield from (fold(surface) for surface in surfaces)
    yield OUTSIDE


def _surface_at(tokens: Tokens, chosen: Array, step: int) -> Array:
    """The surface so many tokens on, -1 beyond the edge of the post."""
    other = np.clip(chosen + step, 0, max(len(tokens.post) - 1, 0))
    inside = (other == chosen + step) & (tokens.post[other] == tokens.post[chosen])
    return np.where(inside, tokens.surface[other], -1)


def _shapes(surfaces: Sequence[str]) -> Array:
    return np.array([SHAPES.index(_shape(surface)) for surface in surfaces], dtype=int)


def _shape(surface: str) -> str:
    return ("X" if surface[:1].isupper() else "x") + ("X" if surface[1:].isupper() else "x")


def _hashed(parts: Sequence[str]) -> Array:
    found = (zlib.crc32(part.encode("utf-8", "surrogatepass")) % BUCKETS for part in parts)
    return np.fromiter(found, dtype=np.int64, count=len(parts))
