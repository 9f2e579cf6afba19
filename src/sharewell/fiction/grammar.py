"""Text from recursive templates, in which every planted identifier is recorded where it stands.

A template is a string with slots: `{question}` is replaced by one of the grammar's alternatives of that name,
filled in turn; `{^question}` the same with a capital letter; other slots are filled by the scene (people,
towns, code …).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

Grammar = Mapping[str, Sequence[str]]
T = TypeVar("T")
_SLOT = re.compile(r"\{(\^?)([a-z_]+)\}")
_SLIPS = re.compile(r"[a-z]{5,}")


class Dice:
    """Cheap single draws out of a numpy generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._pool: list[float] = []

    def chance(self) -> float:
        """A number in [0, 1)."""
        if not self._pool:
            self._pool = self._rng.random(65_536).tolist()
        return self._pool.pop()

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.chance() * len(options))]

    def below(self, limit: int) -> int:
        return int(self.chance() * limit)


class Mention(NamedTuple):
    """One planted identifier: where it stands in its text and what it is."""

    start: int
    end: int
    text: str
    type: str
    whose: str
    origin: str


class Filler(Protocol):
    """What fills the slots that the grammar does not know: writes into the draft."""

    def fill(self, slot: str, draft: "Draft") -> None: ...


@dataclass(kw_only=True)
class Draft:
    """A text in the making."""

    dice: Dice
    slips: float = 0.0  # share of longer words with a typing error
    case: str = "normal"  # or "lower", "upper": how the writer types everything
    pieces: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    length: int = 0
    capital: bool = False  # the next letter written becomes a capital

    def write(self, text: str) -> None:
        """Ordinary words, with the writer's case and slips."""
        if self.capital and text:
            text, self.capital = text[0].upper() + text[1:], False
        if self.slips:
            text = _SLIPS.sub(self._maybe_slip, text)
        self._add(self._cased(text))

    def raw(self, text: str) -> None:
        """Code, formulas, markup: as they are."""
        self.capital = False
        self._add(text)

    def mention(self, text: str, type: str, whose: str = "", origin: str = "", *, exact: bool = False) -> None:
        """An identifier; `exact` ones (addresses, numbers) keep their case."""
        self.capital = False
        text = text if exact else self._cased(text)
        start = self.length
        self._add(text)
        self.mentions.append(Mention(start, self.length, text, type, whose, origin))

    def copy(self, text: str, mentions: Sequence[Mention]) -> None:
        """A stretch of another text with the identifiers in it."""
        self.mentions += [m._replace(start=m.start + self.length, end=m.end + self.length) for m in mentions]
        self._add(text)

    def text(self) -> str:
        return "".join(self.pieces)

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def _cased(self, text: str) -> str:
        return {"lower": text.lower(), "upper": text.upper()}.get(self.case, text) if self.case != "normal" else text

    def _maybe_slip(self, found: re.Match[str]) -> str:
        word = found.group()
        if self.dice.chance() >= self.slips:
            return word
        at = 1 + self.dice.below(len(word) - 2)
        kind = self.dice.below(3)
        if kind == 0:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return word[:at] + word[at + 1 :] if kind == 1 else word[:at] + word[at] + word[at:]


def expand(symbol: str, grammar: Grammar, filler: Filler, draft: Draft) -> None:
    """Write one random alternative of the symbol into the draft."""
    for literal, capital, slot in _parts(draft.dice.pick(grammar[symbol])):
        if literal:
            draft.write(literal)
        if not slot:
            continue
        draft.capital |= bool(capital)
        if slot in grammar:
            expand(slot, grammar, filler, draft)
        else:
            filler.fill(slot, draft)


@cache
def _parts(template: str) -> tuple[tuple[str, str, str], ...]:
    """(literal before, capital mark, slot) triples; the last has no slot."""
    pieces = _SLOT.split(template)
    triples = ((pieces[at], pieces[at + 1], pieces[at + 2]) for at in range(0, len(pieces) - 1, 3))
    return (*triples, (pieces[-1], "", ""))


def slots(grammar: Grammar) -> set[str]:
    """Every slot that the grammar leaves to the filler."""
    used = {slot for options in grammar.values() for option in options for _, _, slot in _parts(option) if slot}
    return used - set(grammar)


def literal_words(grammar: Grammar) -> set[str]:
    """Every word that the grammar itself writes, in lower case."""
    text = " ".join(literal for options in grammar.values() for option in options for literal, _, _ in _parts(option))
    return set(re.findall(r"[^\W\d_]+", text.lower()))
