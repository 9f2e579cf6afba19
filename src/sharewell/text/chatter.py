"""Chatter: short comments about games, films, gadgets and people, for training only.

Courses hold few unknown words that are not names; the world is full of them. Here brands, titles, abbreviations,
exclamations, joined words and slips are written as people write them, beside people's names in other places than
greetings. Every word but a handful is put together from the word lists, so that no word itself can be learnt.
"""

import itertools
from collections.abc import Mapping
from functools import cache

import numpy as np
import pyarrow as pa

from sharewell.fiction.grammar import Dice, Draft, expand
from sharewell.fiction.name_lists import NAMES
from sharewell.fiction.names import misspelling
from sharewell.text.listed_words import table
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, surname_ranks

RARE_SURNAMES, OFTEN = 40_000, 30
GRAMMAR = table("chatter")["grammar"]
FOREIGN = tuple(tuple(words.split()) for words in table("chatter")["foreign"])  # everyday words of other languages
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"


class Chatter:
    """Fills the slots of the grammar from word lists; people are the only ones that count as names."""

    def __init__(self, dice: Dice, lists: WordLists) -> None:
        self.dice = dice
        stock = _stock(lists)
        self._words = [dice.pick(stock["words"]) for _ in range(4000)]
        self._common = [*self._words[:400], *(dice.pick(stock["both"]) for _ in range(500))]
        self._adjectives, self._countries, self._towns = stock["adjectives"], stock["countries"], stock["towns"]
        self._given, self._families = stock["given"], stock["families"]
        self._cries = [self._syllables() for _ in range(12)]
        self._brands = [self._brand() for _ in range(60)]
        self._stars = [self._somebody() for _ in range(60)]

    def fill(self, slot: str, draft: Draft) -> None:
        if slot == "person":
            self._person(draft)
        elif slot == "town":
            draft.mention(self._cased(self.dice.pick(self._towns)), "town")
        elif slot == "big_person":
            draft.mention(" ".join(self._star()).upper(), "person-name")
        elif slot.startswith("big_"):
            draft.write(self._make(slot.removeprefix("big_")).upper())
        else:
            draft.write(self._make(slot))

    def _somebody(self) -> tuple[str, str]:
        return self.dice.pick(self._given), self.dice.pick(self._families)

    def _star(self) -> tuple[str, str]:
        """A few are on everybody's lips, most are mentioned once."""
        return self.dice.pick(self._stars) if self.dice.chance() < 0.3 else self._somebody()

    def _person(self, draft: Draft) -> None:
        given, family = self._star()
        chance = self.dice.chance()
        text = f"{given} {family}" if chance < 0.45 else family if chance < 0.65 else given
        if self.dice.chance() < 0.05:
            text = misspelling(text, self.dice.chance(), self.dice.chance())
        if self.dice.chance() < 0.2:
            text = text.lower()
        elif self.dice.chance() < 0.04:
            text = text.upper()
        draft.mention(text, "person-name")

    def _make(self, slot: str) -> str:
        made: str = getattr(self, f"_{slot}")()
        return made

    def _noun(self) -> str:
        return self.dice.pick(self._common)

    def _adjective(self) -> str:
        return self.dice.pick(self._adjectives)

    def _how(self) -> str:
        return self._adjective()

    def _country(self) -> str:
        return self.dice.pick(self._countries)

    def _brand(self) -> str:
        """An invented product: syllables, a word with another ending, or a dictionary word with a capital."""
        if hasattr(self, "_brands") and self.dice.chance() < 0.5:
            return self._cased(self.dice.pick(self._brands))
        chance = self.dice.chance()
        if chance < 0.4:
            return self._syllables().title()
        if chance < 0.7:
            word = self.dice.pick(self._words)
            return (
                word[: 3 + self.dice.below(4)]
                + self.dice.pick(("ify", "ly", "oo", "tech", "net", "x", "io", "us", "ix", "a", "o"))
            ).title()
        return self.dice.pick(self._words).title()

    def _cased(self, brand: str) -> str:
        return brand.lower() if self.dice.chance() < 0.25 else brand

    def _syllables(self) -> str:
        pairs = (self.dice.pick(_CONSONANTS) + self.dice.pick(_VOWELS) for _ in range(2 + self.dice.below(2)))
        return "".join(pairs) + (self.dice.pick(_CONSONANTS) if self.dice.chance() < 0.5 else "")

    def _interjection(self) -> str:
        return self._syllables() if self.dice.chance() < 0.3 else self.dice.pick(self._cries)

    def _joined(self) -> str:
        parts = [self.dice.pick(self._words), self.dice.pick(self._words)]
        return self.dice.pick(("".join(parts), "".join(part.title() for part in parts), "".join(parts).title()))

    def _camel(self) -> str:
        first, second = self.dice.pick(self._words), self.dice.pick(self._words).title()
        return self.dice.pick((first + second, first.title() + second, f"{first}_{second.lower()}", first[:3]))

    def _title(self) -> str:
        parts = [self.dice.pick(self._common).title() for _ in range(1 + self.dice.below(3))]
        if self.dice.chance() < 0.4:
            parts = [part.lower() for part in parts]
        return ("The " if self.dice.chance() < 0.4 else "") + " ".join(parts)

    def _abbreviation(self) -> str:
        letters = "".join(chr(65 + self.dice.below(26)) for _ in range(2 + self.dice.below(3)))
        return letters.lower() if self.dice.chance() < 0.35 else letters

    def _stretched(self) -> str:
        word = self.dice.pick(
            (*self._common[:60], "so", "no", "yes", "wow", "please", "what", "omg", "yeah", "aw", "me")
        )
        at = self.dice.below(len(word))
        return word[:at] + word[at] * (2 + self.dice.below(8)) + word[at:]

    def _laughter(self) -> str:
        return self.dice.pick(("ha", "he", "lo", "ah")) * (2 + self.dice.below(5)) + self.dice.pick(("", "l", "h", "a"))

    def _slip(self) -> str:
        """A dictionary word with one or two typing errors."""
        word = self.dice.pick(self._words)
        for _ in range(1 + self.dice.below(2)):
            at = 1 + self.dice.below(max(len(word) - 2, 1))
            cut = (
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[: at - 1] + word[at : at + 1] + word[at - 1] + word[at + 1 :],
            )
            word = self.dice.pick((*cut, word[:at] + self.dice.pick(_VOWELS) + word[at + 1 :]))
        return word

    def _foreign(self) -> str:
        """A few words of another language; often without a capital."""
        words = self.dice.pick(FOREIGN)
        return " ".join(self.dice.pick(words) for _ in range(2 + self.dice.below(5)))

    def _slang(self) -> str:
        """A dictionary word as it is typed in haste: shortened, by sound, or with figures."""
        word = self.dice.pick(self._words)
        first, rest = word[0], word[1:]
        short = first + "".join(letter for letter in rest if letter not in _VOWELS)
        sound = word.replace("ck", "k").replace("s", "z").replace("c", "k").replace("ou", "u")
        figures = word.replace("e", "3").replace("to", "2").replace("for", "4").replace("a", "4")
        return self.dice.pick((short, sound, figures, word[:4], word + self.dice.pick(("in", "a", "z", "y", "ie"))))

    def _team(self) -> str:
        word = self.dice.pick(self._words) if self.dice.chance() < 0.6 else self._syllables()
        return self._cased(f"{word}s".title())

    def _small(self) -> str:
        return str(2 + self.dice.below(9))

    def _url(self) -> str:
        return f"https://{self._syllables()}.example/{self.dice.below(999)}"


def make_chatter(seed: int, comments: int, lists: WordLists) -> tuple[pa.Table, pa.Table]:
    """(posts, mentions) in the shape of a fictional course's."""
    dice = Dice(np.random.default_rng(seed))
    filler = Chatter(dice, lists)
    texts, mentions = [], []
    for row in range(comments):
        draft = Draft(dice=dice, slips=0.01, case="lower" if dice.chance() < 0.12 else "normal")
        draft.capital = dice.chance() < 0.6
        expand("comment", GRAMMAR, filler, draft)
        texts.append(draft.text())
        mentions += [{"row": row, "column": "message", **mention._asdict()} for mention in draft.mentions]
    return pa.table({"message": texts}), pa.Table.from_pylist(mentions)


@cache
def _stock(lists: WordLists) -> dict[str, list[str]]:
    """What texts are put together from."""
    words = sorted(word for word in lists.plain if word.isascii() and 4 <= len(word) <= 9)
    towns = lists.cities - lists.dictionary - lists.first.keys() - lists.countries
    both = lists.dictionary - lists.plain - FUNCTION_WORDS
    given, families = _names(lists)
    return {
        "words": words,
        "both": sorted(word for word in both if lists.is_ordinary(word)),
        "adjectives": [word for word in words if word.endswith(("ful", "ous", "able", "ish", "ive"))],
        "countries": sorted(word.title() for word in lists.countries if len(word) > 3),
        "towns": [word.title() for word in sorted(towns) if word.isalpha() and len(word) > 3],
        "given": given,
        "families": families,
    }


def _names(lists: WordLists) -> tuple[list[str], list[str]]:
    """First and last names of the census and of the world, some of them ordinary words as well."""
    world = NAMES.values()
    given = [name for names in world for name in (*names.girls, *names.boys)]
    families = [name for names in world for name in names.families]
    rare = itertools.islice(surname_ranks(), len(lists.last), RARE_SURNAMES, 15)
    return [*given, *_as_common(lists.first)], [*families, *_as_common(lists.last), *(name.title() for name in rare)]


def _as_common(names: Mapping[str, float]) -> list[str]:
    """Every name, the frequent ones more often."""
    return [name.title() for name in sorted(names) for _ in range(1 + int(OFTEN * names[name]))]
