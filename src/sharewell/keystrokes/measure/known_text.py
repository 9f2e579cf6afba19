"""Someone knows what a student wrote in one session and looks for it: by its letters, by its shape, by its length.

Shape is what remains when letters and digits are all the same: lengths of words and signs between them. Length
compares the number of characters known with the number of keys released. A student is as alike as the most alike of
their sessions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.measure.measuring import Attackers, told
from sharewell.keystrokes.texts import final_texts

FORMS = ("letters", "shape", "length")
MOST_CHARACTERS = 120
LEAST_CHARACTERS = 5
COMPARISONS = 300_000


@dataclass(frozen=True, kw_only=True)
class KnownTexts:
    """One text of each of some students, and whose it is."""

    texts: tuple[str, ...]
    sizes: Array  # in characters, uncut
    owner: Array


def known_texts(original: TypedEvents, seed: int) -> KnownTexts:
    """One session of each student, drawn among those with something in them; of many students some are drawn."""
    starts = session_starts(original.session)
    whole = final_texts(original, 1_000_000)
    owner, sizes = original.student[starts[:-1]], np.array([len(text) for text in whole])
    chance = np.where(sizes >= LEAST_CHARACTERS, np.random.default_rng(seed).random(len(owner)), 2.0)
    order = np.lexsort((chance, owner))
    first = order[np.searchsorted(owner[order], np.unique(owner))]
    first = first[sizes[first] >= LEAST_CHARACTERS]
    most = max(100, COMPARISONS // max(1, len(owner)))
    if len(first) > most:
        first = np.sort(np.random.default_rng(seed).choice(first, most, replace=False))
    texts = tuple(whole[one][:MOST_CHARACTERS] for one in first)
    return KnownTexts(texts=texts, sizes=sizes[first], owner=owner[first])


def known_text(known: KnownTexts, released: TypedEvents, attackers: Attackers) -> list[Risk]:
    """The share of students found by one known text, in each of its forms."""
    if len(known.texts) == 0:
        return []
    return [
        replace(one, setting={**one.setting, "form": form, "reference": "the text of one session"})
        for form, scored in zip(FORMS, _scores(known, released), strict=True)
        for one in told(scored, known.owner, "text", attackers)
    ]


def _scores(known: KnownTexts, released: TypedEvents) -> list[Array]:
    starts = session_starts(released.session)
    owner = released.student[starts[:-1]]
    seen = final_texts(released, MOST_CHARACTERS)
    size = np.log(np.maximum(np.diff(starts), 1))
    sought = np.log(known.sizes)
    usual = np.median(size) - np.median(sought)  # keys per character: shifts and corrections write nothing
    alike = [_alike(known.texts, seen), _alike([_shape(text) for text in known.texts], [_shape(text) for text in seen])]
    alike.append(-np.abs(sought[:, None] + usual - size[None, :]))
    return [_best(one, owner, int(released.student.max()) + 1) for one in alike]


def _alike(known: Sequence[str], seen: Sequence[str]) -> Array:
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    return np.asarray(cdist(known, seen, scorer=Indel.normalized_similarity, dtype=np.float32), dtype=float)


def _shape(text: str) -> str:
    return text.translate(_SHAPES)


class _Shapes(dict[int, str]):
    """What stands for each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = "a" if letter.isalpha() else "0" if letter.isdecimal() else letter
        return self[code]


_SHAPES = _Shapes()


def _best(alike: Array, owner: Array, students: int) -> Array:
    """Texts × students: the most alike session of each; who has none is like nothing."""
    present, first = np.unique(owner, return_index=True)
    result = np.full((len(alike), students), -1e9)
    result[:, present] = np.maximum.reduceat(alike, first, axis=1)
    return result
