"""Postal addresses: streets with house numbers as many countries write them, and the codes that stand beside them."""

import re
from bisect import bisect_right
from collections.abc import Callable

from sharewell.text.word_lists import CAPITALISED, english

LINES = 4  # so far below its street a postal code may stand, at the end of its line
REACH = 120  # so many characters behind a street its country may stand

_END = (
    "streets?|str?|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|courts?|ct|way|place|pl|squares?|sq|terrace"
    "|crescent|close|parkway|pkwy|highway|hwy|alley|quay|row"
)
_ENDING = (  # of street names written as one word, north and middle of Europe
    "straße|strasse|str\\.|weg|platz|gasse|allee|allé|brücke|straat|laan|plein|kade|gata|gatan|vägen|veien|vegen|stien"
    "|svingen|vej|(?<![Bb]ri)(?<![Rr]ene)gade|stræde|vænget|plads|torvet?|stræti|straeti|braut|vegur|katu|kuja|polku|tie"
)
_WORD = (
    r"straße|strasse|str\.|weg|platz|gasse|allee|tér|tere|utca|u\.|út|útja|körút|rakpart|rkp\.|kapu|gata|väg|vei"
    r"|ulica|cesta|põik"
)
_HOUSE = r"\d{1,5}[a-zA-Z]?"
_FLAT = r"(?i:,?\s*(?:apt|apartment|unit|suite|flat|room|no)\.?\s*#?\w{1,5}\b)?"
_CODE = r"(?:,?\s+\d{5}(?:-\d{4})?\b)?"
_NAME = r"[A-ZÀ-Þ][\w'’-]{0,40}"
_LINK = "de|del|della|delle|dei|di|da|do|dos|du|des|la|las|los|le|les|e|y"

ADDRESS = re.compile(
    rf"(?<![\w.]){_HOUSE}\s+(?:[A-Z][\w'’.-]{{0,40}}\s{{1,3}}){{1,4}}(?i:{_END})\b\.?{_FLAT}(?:,\s*[A-Z]\w+)?{_CODE}"
    rf"|(?<![\w.]){_HOUSE}\s{{1,3}}[\w'’-]{{1,40}}\s{{1,3}}(?i:street|avenue|road|boulevard|lane)\b{_FLAT}"
    rf"|(?<![\w.]){_HOUSE},?\s(?i:rue)\s(?:(?:de|du|des|la|le|les|l')\s?){{0,3}}[\w'’-]{{1,40}}(?:\s{_NAME}){{0,4}}"
    rf"|(?<![\w.]){_HOUSE},?\s+(?i:avenue|bd|boulevard|impasse)\s+(?:(?:de|du|des|la|le|les|l')\s?){{0,3}}{_NAME}(?:\s[A-Z][\w'’-]{{0,40}}){{0,4}}"
    rf"|(?<![\w-])[^\W\d_a-zà-þ][\w-]{{0,40}}?(?:{_ENDING})\s+{_HOUSE}\b{_CODE}"
    rf"|(?<![\w-]){_NAME}\s(?i:{_WORD})\s+{_HOUSE}\b\.?"
    rf"|\b(?:[Cc]alle|C/|Avenida|Av\.|Via|Viale|Piazza|Piazzetta|Plaza|[Rr]ua|[Rr]úa|[Rr]ue|Ulica|ul\.)\s+(?:(?:{_LINK})\s){{0,3}}{_NAME}(?:\s(?:{_LINK}|{_NAME})){{0,5}},?\s+{_HOUSE}\b"
)
BOX = re.compile(
    r"\b(?:(?:psc|cmr|unit)\s\d{1,5},?\sbox\s\d{1,5}(?:\s[adf]po\s(?:a[aep])\s\d{5})?)\b"  # military post of the USA
    r"|\b[adf]po\sa[aep]\s\d{5}\b|\b(?:p\.?\s?o\.?\s?box|postbox|postfach)\s+\d+|\b(?:apt|suite)\.?\s#?\d{1,5}\b",
    re.IGNORECASE,
)
BOX_WORDS = ("box", "apo ", "dpo ", "fpo ", "postfach", "apt", "suite")  # one of them stands in every match
CODE_ALONE = re.compile(  # of Britain, of Canada, and after the two letters of a state
    r"\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b|\b[A-Z]{2},?\s{1,2}\d{5}(?:-\d{4})?\b"
)
BETWEEN_NUMBERS = re.compile(
    rf"(?<![\w.,]){_HOUSE}\s(?P<street>[^\W\d_][^\W\d_'’-]{{2,40}}(?:\s[^\W\d_][\w'’-]{{2,40}}){{0,2}})\s{_HOUSE}(?!\w)"
)
LIVES = re.compile(  # where somebody lives: the words before it say that an address follows
    r"(?P<kept>\b(?i:(?:live[sd]?|living|resid(?:e|es|ed|ing)|located|staying)\s+at"
    r"|address(?:es)?(?:\s+(?:is|was))?\s?:?)\s+)"
    rf"(?:{_HOUSE}\s+(?:[\w'’.-]{{1,40}}\s){{1,4}}\d{{1,5}}\b|(?:{_NAME}\s){{1,3}}\d{{1,5}}\b|\d{{2,5}}\s+{_NAME}(?:\s{_NAME}){{0,3}})"
)
POSTAL_CODE = re.compile(
    r"(?P<kept>\b(?i:zip(?:\s?code)?|post(?:al)?\s?code|plz|c[óo]digo\spostal|code\spostal)\b[^\w\n\[]{0,3}"
    r"(?:(?i:is|was|of|number)\b[^\w\n\[]{0,3}){0,2})"
    r"(?:\d{2,5}(?:[- ]?\d{2,4})?(?:\s?[A-Z]{2})?|[A-Z]{1,3}[- ]?\d{2,5}(?:\s\d?[A-Z]{2})?)(?!\w)"
)
IN_TOWN = re.compile(  # "in Bjert 6091", but no year
    rf"(?P<kept>\b(?i:in|from|near|at|to)\s(?P<street>{_NAME}(?:\s{_NAME}){{0,2}})\s)(?!19|20)\d{{4}}(?![\w.,]*\w)"
)
CORNER = re.compile(  # "the corner of Rosenweg 7 and Hill Court": two streets say a place as well as a number does
    rf"(?P<kept>\b(?i:corner\sof)\s)(?=[^\n]{{0,80}}[A-Z\d])(?:\[ADDRESS\]|(?:{_HOUSE}\s)?(?:[\w'’-]{{1,40}}\.?\s){{1,4}}?"
    rf"(?:{_HOUSE}\s)?)\s?and\s(?:\[ADDRESS\]|{_NAME}(?:\s{_NAME}){{0,2}})"
)
BETWEEN_ADDRESSES = re.compile(  # the town between a street and its country or code
    r"\[ADDRESS\](?:,?\s{1,2},?\s?[A-ZÀ-Þ][\w'’-]{0,40}){1,4},?\s{1,2}(?=\[ADDRESS\])"
)
CAPITALISED_WORD = re.compile(r"\b[A-Z][a-z]{2,30}\b")
_HERE = re.compile(r"\[ADDRESS\]")
_FOLLOWS = re.compile(r",?\s*\[ADDRESS\]")
_BREAK = re.compile(r"\n")
_LINE_ENDS = re.compile(r"[ \t]*(?:\n|\Z)")


def beside_address(text: str) -> Callable[[re.Match[str]], bool]:
    """Return a test whether a number is a house number before an address, or a postal code on a line
    under it."""
    ends = [match.end() for match in _HERE.finditer(text)]
    breaks = [match.start() for match in _BREAK.finditer(text)] if ends else []

    def is_beside(number: re.Match[str]) -> bool:
        if not ends:
            return False
        if _FOLLOWS.match(text, number.end()):
            return True
        before = bisect_right(ends, number.start())
        if not before or not _LINE_ENDS.match(text, number.end()) or not _is_code(number[0]):
            return False
        return bisect_right(breaks, number.start()) - bisect_right(breaks, ends[before - 1]) <= LINES

    return is_beside


def under_address(text: str) -> Callable[[re.Match[str]], bool]:
    """Return a test whether a word belongs to the country that ends an address: "United Kingdom", "Chad"."""
    ends = [match.end() for match in _HERE.finditer(text)]

    def is_country(word: re.Match[str]) -> bool:
        before = bisect_right(ends, word.start())
        if not before or word.start() - ends[before - 1] > REACH or word[0].lower() not in english().countries:
            return False
        return text.count("\n", ends[before - 1], word.start()) <= LINES

    return is_country


def is_street(match: re.Match[str]) -> bool:
    """Whether what stands beside numbers is a name ("641 Dašická 688") and not a word ("2 Section 3")."""
    words = match["street"].split()
    return words[0][0].isupper() and not any(
        english().is_word(word.lower()) or word.lower() in CAPITALISED for word in words
    )


def _is_code(number: str) -> bool:
    return 3 <= sum(character.isdigit() for character in number) <= 6
