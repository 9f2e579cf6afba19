"""Names from a roster: exact, shortened, transliterated and nearly right. No word of it enters any output by itself.

The roster only says which words *of the posts* are names; a name that no post mentions is written nowhere.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from sharewell.text.patterns import NAME
from sharewell.text.tokens import fold
from sharewell.text.word_lists import WordLists

NEAR_MISS_LETTERS = 5  # shorter names are too close to too many words
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
# Turkish endings: genitive, accusative, dative, locative, ablative, with somebody, plural, and "who is at"
_LONG = r"n[ıiuü]n|y[ıiuüae]|[dt][ae]n?(?:ki)?|yl[ae]|l[ae]|l[ae]r(?:[ıiuü]n?|[ae]|d[ae]n?)?"
CASE = re.compile(rf"{_LONG}|[ıiuü]n|[ıiuüae]")
BARE_CASE = re.compile(rf"{_LONG}|[ıiuü]n|s")  # one letter alone would make names of too many words; -s is German
LONGEST_CASE, LEAST_NAME = 6, 4  # letters
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "ı": "i", "þ": "th", "ð": "d", "ħ": "h", "ŋ": "n",
    "ʻ": "", "ʼ": "'", "’": "'",
})  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_NICKNAMES = """
abigail abby gail|adam ad|albert al bert bertie|alexander alex sasha xander lex al
alexandra alex sasha sandra lexi|alfred fred alfie al|alice allie|alison allie|amanda mandy|amelia millie amy
andrea andie|andrew andy drew|angela angie|anthony tony|antonio toni tony|arthur art|barbara barb babs
benjamin ben benny|bernard bernie|beatrice bea trixie|bethany beth|bradley brad|brian bri|calvin cal|cameron cam
carolyn carol|caroline carol carrie|catherine cathy kate katie cat|charles charlie chuck chas
charlotte charlie lottie|christian chris|christina chris tina chrissy|christine chris chrissy
christopher chris topher kit|clara clare|daniel dan danny|danielle dani|david dave davey|deborah deb debbie
dennis den|dolores lola|dominic dom nick|donald don donny|dorothy dot dottie|douglas doug
edward ed eddie ted ned|edwin ed|elizabeth liz lizzie beth betty eliza libby lisa|eleanor ellie nell nora
emily em emmy|emmanuel manny|ernest ernie|eugene gene|evelyn evie|ezekiel zeke|frances fran frannie
francis frank|franklin frank|frederick fred freddie rick|gabriel gabe|gabriella gabby ella|geoffrey geoff jeff
george georgie|gerald gerry jerry|gregory greg|guadalupe lupe lupita|hannah annie|harold harry hal
henry hank harry|howard howie|ignacio nacho|isaac ike|isabella bella izzy isa|isabel bella izzy|jacob jake
jacqueline jackie|james jim jimmy jamie|janet jan|jason jay|jeffrey jeff|jennifer jen jenny|jeremy jerry
jessica jess jessie|joanna jo|john jack johnny jon|jonathan jon jonny nathan|jose pepe|joseph joe joey
josephine jo josie|joshua josh|judith judy|julia jules|julian jules|katherine kate kathy katie kat kit
kathleen kathy kate katie|kenneth ken kenny|kimberly kim|kristina kris tina|lawrence larry|leonard len lenny leo
leonardo leo|lillian lily|louis lou|louise lou|lucas luke|madeline maddie|madison maddie|magdalena lena magda
margaret maggie meg peggy greta|maria mia|marjorie marge|martha marty|martin marty|mary molly polly
matthew matt matty|maximilian max|megan meg|melissa mel missy|michael mike mikey mick|michelle shelly
miguel migue|mohammed mo moe|mohamed mo moe|muhammad mo moe|nathan nate|nathaniel nate nathan nat
nicholas nick nicky|nicole nicky nikki|oliver ollie|olivia liv livvy|oscar ozzie|pamela pam
patricia pat patty trish|patrick pat paddy|peter pete|philip phil|priscilla cilla|rachel rach|raymond ray
rebecca becky becca|reginald reg reggie|richard rick rich dick ricky|robert rob bob bobby robbie bert
rodrigo rodri|roger rog|ronald ron ronnie|rosemary rosie|russell russ|ruth ruthie|samantha sam sammy
samuel sam sammy|sandra sandy|santiago santi|sarah sally sadie|sebastian seb basti|sharon shaz|sophia sophie
stephanie steph|stephen steve|steven steve|stuart stu|susan sue susie|suzanne sue|sylvia syl|terence terry
theodore ted theo|theresa terry tess|thomas tom tommy|timothy tim timmy|valerie val|vanessa nessa|victor vic
victoria vicky tori|vincent vince|virginia ginny|vladimir vova vlad|walter walt wally|wilhelmina mina
william will bill billy liam|yevgeny zhenya|zachary zach zack
"""  # fmt: skip


@dataclass(frozen=True)
class Roster:
    """The words of a roster, each with the word it stands for (itself, or the name it is a form of)."""

    words: Mapping[str, str]
    whole: frozenset[str] = frozenset()  # whole names written as one, given name first or last
    unspaced: tuple[str, ...] = ()  # names in scripts that put no space around them: looked for inside words, too

    def match(self, words: Sequence[str]) -> dict[str, str]:
        """Words of the corpus that are on the roster or nearly so → the roster's own form of them."""
        found = {word: named for word in words if (named := self.named_by(word)) is not None}
        rest = [word for word in words if word not in found and len(word) >= NEAR_MISS_LETTERS]
        return found | self._near_misses(rest)

    def named_by(self, word: str) -> str | None:
        """The name that a word is, in plain letters or in a case: Turkish after an apostrophe or not, German in -s."""
        for form in (word, transliterated(word)):
            if form in self.words:
                return self.words[form]
        head, apostrophe, ending = word.partition("'")
        if apostrophe and CASE.fullmatch(ending):
            return self.words.get(head) or self.words.get(transliterated(head))
        for length in range(1, min(LONGEST_CASE, len(word) - LEAST_NAME) + 1):
            if BARE_CASE.fullmatch(word[-length:]):
                head = word[:-length]
                named = self.words.get(head) or self.words.get(transliterated(head))
                if named is not None:
                    return named
        return None

    def sure(self, lists: WordLists) -> frozenset[str]:
        """What names somebody wherever it stands inside a word: no ordinary words, but whole names of such."""
        return self.whole.union(word for word in self.words if not lists.is_ordinary(word))

    def without_unspaced(self, text: str) -> tuple[str, int]:
        """The text without the names that stand inside words, and how many of them there were."""
        return self._inside.subn(NAME, text) if self._inside is not None else (text, 0)

    @cached_property
    def _inside(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(re.escape, self.unspaced))) if self.unspaced else None

    def _near_misses(self, words: Sequence[str]) -> dict[str, str]:
        targets = [word for word in self.words if len(word) >= NEAR_MISS_LETTERS]
        if not words or not targets:
            return {}
        found: dict[str, str] = {}
        for start in range(0, len(words), 500):
            block = words[start : start + 500]
            distance = process.cdist(block, targets, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8)
            for row, column in zip(*np.nonzero(distance <= 1), strict=True):
                found.setdefault(block[row], self.words[targets[column]])
        return found


def read_roster(cells: Iterable[str | None]) -> Roster:
    """Names and e-mail addresses, as they stand in the cells of a roster."""
    names = [cell or "" for cell in cells]
    words: dict[str, str] = {}
    for cell in names:
        for part in _parts(cell):
            for form in (part, transliterated(part), part.translate(_UMLAUTS)):
                words.setdefault(form, part)
            for short in _nicknames().get(transliterated(part), ()):
                words.setdefault(short, part)
    return Roster(words, frozenset(_whole(names)), _unspaced(names))


def _whole(names: Sequence[str]) -> Iterator[str]:
    """Every two neighbouring words of a name, and its last and first, written as one."""
    for name in names:
        parts = [fold(part) for part in re.findall(r"[^\W\d_]+", name.split("@")[0])]
        for pair in (*itertools.pairwise(parts), *([(parts[-1], parts[0])] if len(parts) > 1 else [])):
            if len("".join(pair)) >= NEAR_MISS_LETTERS:
                yield from {"".join(pair), transliterated("".join(pair))}


def _unspaced(names: Sequence[str]) -> tuple[str, ...]:
    """Chinese, Japanese, Korean and Thai names with what stands for them alone, longest first.

    Written in one, a name of three syllables ends in a given name of two.
    """
    found: set[str] = set()
    for name in names:
        parts = UNSPACED.findall(name)
        found.update((*parts, "".join(parts)))
        found.update(part[1:] for part in parts if len(parts) == 1 and len(part) == 3)
    return tuple(sorted((name for name in found if len(name) > 1), key=lambda name: (-len(name), name)))


def transliterated(word: str) -> str:
    """The word in plain letters, as people type names whose letters their keyboard lacks."""
    decomposed = unicodedata.normalize("NFKD", word.lower().translate(_LETTERS))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _parts(cell: str) -> set[str]:
    """The words of a name, or of what stands before the @ of an address; parts of hyphenated names too."""
    text = cell.split("@")[0] if "@" in cell else cell
    text = re.sub(r"[\d_.+]" if "@" in cell else r"[\d_,;()\"]", " ", text)
    words = {fold(word.strip(".")) for word in text.split()}
    words |= {part for word in words for part in re.split(r"[-']", word) if len(part) > 2}
    return {word for word in words if len(word) > 1}


@cache
def _nicknames() -> dict[str, tuple[str, ...]]:
    groups = [entry.split() for line in _NICKNAMES.strip().splitlines() for entry in line.split("|")]
    return {name: tuple(short) for name, *short in groups}


def shortened(word: str) -> tuple[str, ...]:
    """The usual short forms of a first name."""
    return _nicknames().get(transliterated(word), ())
