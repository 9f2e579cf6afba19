"""Names inside words that are written as one: "#ShaniaTwain", "laurenbacall", "maria99", "DumpTrump".

Such a word is taken apart where a capital, a digit or a sign shows it, and where what stands on either side is a word
or a name. It names somebody if a part is a name that is known in this corpus, on the roster or marked by a person, or
if two parts beside each other are a listed first name and a listed surname, or together somebody famous.
"""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sharewell.text import famous
from sharewell.text.tokens import fold
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, surname_ranks

LEAST_PART, LEAST_INSIDE, LEAST_WHOLE = 3, 4, 6  # letters: beside a capital, without one, of the whole word
MOST_PIECES = 4  # joined again, so that "McDonald" is found in "#McDonaldFan"
_RUN = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Compounds:
    """The words of a corpus that may be several in one, with the pieces that their capitals and digits show."""

    pieces: Mapping[str, AbstractSet[tuple[str, ...]]]
    lists: WordLists
    _listed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def among(cls, words: Collection[str], surfaces: Collection[str], lists: WordLists) -> "Compounds":
        """`words` of a corpus, folded; `surfaces` of them as written, where a capital or a digit stands inside."""
        found: dict[str, set[tuple[str, ...]]] = {}
        for word in words:
            if len(word) >= LEAST_WHOLE and ("-" in word or (word.isalpha() and not _is_whole(word, lists))):
                found[word] = {tuple(pieces(word))}
        for surface in surfaces:
            cut = tuple(piece.lower() for piece in pieces(surface))
            word = fold(surface)
            if word in words and sum(map(len, cut)) > LEAST_PART and ("-" in word or not lists.is_word(word)):
                found.setdefault(word, set()).update({cut, ("".join(cut),)})
        of_lists = {word: pair for word, cuts in found.items() for pair in _pairs(cuts, lists)}
        return cls(found, lists, of_lists)

    def holding(self, names: AbstractSet[str]) -> dict[str, str]:
        """Words with one of these names in them, or with a whole name by the lists → what is named in them."""
        found = dict(self._listed)
        for word, cuts in self.pieces.items():
            if inside := self._inside(cuts, names):
                found[word] = inside
        return found

    def _inside(self, cuts: AbstractSet[tuple[str, ...]], names: AbstractSet[str]) -> str | None:
        for cut in cuts:
            for first, last in itertools.combinations(range(len(cut) + 1), 2):
                joined = "".join(cut[first:last]) if last - first <= MOST_PIECES else ""
                if len(joined) >= LEAST_PART and joined in names:
                    return joined
            for piece in cut:
                if (found := self._run_together(piece, names)) is not None:
                    return found
        return None

    def _run_together(self, word: str, names: AbstractSet[str]) -> str | None:
        """A name in a word without a capital inside, if the rest is made of words and names as well."""
        n = len(word)
        spans = [(i, j) for i in range(n) for j in range(i + LEAST_INSIDE, n + 1) if word[i:j] in names and j - i < n]
        if not spans or _is_whole(word, self.lists):
            return None

        def known(part: str) -> bool:
            return part in names or (len(part) >= LEAST_PART and _is_whole(part, self.lists)) or part in _SHORT

        starts, ends = {0}, {n}  # where a row of known parts from the beginning stops, and where one to the end begins
        for j in range(1, n):
            if any(known(word[i:j]) for i in starts):
                starts.add(j)
        for i in range(n - 1, 0, -1):
            if any(known(word[i:j]) for j in ends):
                ends.add(i)
        return next((word[i:j] for i, j in spans if i in starts and j in ends), None)


_SHORT = frozenset(word for word in FUNCTION_WORDS if len(word) <= 2)


def pieces(surface: str) -> Iterator[str]:
    """The runs of letters of a word, cut before capitals as well: "HWMariaLopez99" → HW, Maria, Lopez."""
    for run in _RUN.findall(surface):
        start = 0
        for i in range(1, len(run)):
            after_lower = run[i].isupper() and not run[i - 1].isupper()
            before_lower = run[i].isupper() and i + 1 < len(run) and run[i + 1].islower()
            if after_lower or before_lower:
                yield run[start:i]
                start = i
        yield run[start:]


def _is_whole(word: str, lists: WordLists) -> bool:
    """Whether a list has the word as it is."""
    return lists.is_word(word) or lists.is_plain(word) or word in lists.first or word in surname_ranks()


def _pairs(cuts: AbstractSet[tuple[str, ...]], lists: WordLists) -> Iterator[str]:
    """Whole names by the lists: a first name and a surname, neither an ordinary word, or somebody famous."""
    for cut in cuts:
        shown = list(itertools.pairwise(cut))
        hidden = [(word[:i], word[i:]) for word in cut for i in range(LEAST_INSIDE, len(word) - LEAST_INSIDE + 1)]
        listed = [pair for pair in (*shown, *hidden) if pair[0] in lists.first and not lists.is_ordinary(pair[0])]
        for given, family in listed:
            if len(family) >= LEAST_PART and family in surname_ranks() and not lists.is_ordinary(family):
                yield famous.pair(given, family)
        asked = [famous.pair(*pair) for pair in shown if min(map(len, pair)) >= LEAST_PART]
        if asked:
            yield from itertools.compress(asked, famous.are_pairs(asked))
