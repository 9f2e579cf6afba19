"""Months that are also names: "due Jan 19" and "back in June" are dates, "April said" and "ask Jan" people."""

import re
from collections.abc import Sequence

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.tokens import GREETINGS, Tokens

MONTHS = frozenset(("jan", "mar", "apr", "april", "may", "jun", "june", "jul", "july", "aug", "august"))
_COUNTED = """
    assignment chapter day ex exercise figure group homework hw lab lecture level module no number page part problem q
    question quiz room section session slide step table task team unit version week
"""
COUNTED = frozenset(_COUNTED.split())  # "in exercise 4 April says": the number is not a day
NEAR = 24  # characters that are looked at on either side
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_AFTER_DAY = re.compile(rf"(?P<counted>[^\W\d]*)\s*(?<![\w.,:/])(?P<day>{_DAY})(?: of)?[ '.-]{{1,3}}$", re.IGNORECASE)
_BEFORE_NUMBERED_DAY = re.compile(r"[ .-]{1,3}(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)(?!\w)", re.IGNORECASE)
_BEFORE_DAY = re.compile(r"[ .-]{1,3}(?:0?[1-9]|[12]\d|3[01])(?![\w%]|[.,:/]\d)(?! (?:of|more|times|[^\W\d]{3,}s)\b)")
_BEFORE_YEAR = re.compile(r"[ ,.'-]{1,3}(?:19|20)\d\d(?!\w)")
_WITHIN = re.compile(
    r"(?<![\w'])(?<!believe )(?<!interested )(?:in|late|early|mid|during|(?:beginning|middle|end) of)[ -]$",
    re.IGNORECASE,
)


def are_dates(tokens: Tokens, words: Sequence[str], named: Array) -> Array:
    """Per token: whether it is the month of a date; `words` are the words of the surfaces. Beside a name it is none."""
    month = np.fromiter((word in MONTHS for word in words), bool, len(words))[tokens.surface]
    when = np.zeros(len(month), bool)
    for i in np.flatnonzero(month & named):
        whole = len(tokens.surfaces[tokens.surface[i]]) == len(words[tokens.surface[i]])  # not "April's"
        leads = i + 1 < len(named) and named[i + 1] and _adjoin(tokens, i)
        follows = i > 0 and named[i - 1] and _adjoin(tokens, i - 1)
        when[i] = whole and not leads and _is_dated(tokens, words, int(i), follows_name=bool(follows))
    return when


def _adjoin(tokens: Tokens, i: int) -> bool:
    """Whether nothing but a blank stands between a word and the next: "April Lopez", but not "Jan 19 Peter"."""
    if tokens.post[i] != tokens.post[i + 1]:
        return False
    return str(tokens.texts[tokens.post[i]])[tokens.end[i] : tokens.start[i + 1]].isspace()


def _is_dated(tokens: Tokens, words: Sequence[str], i: int, *, follows_name: bool) -> bool:
    text = tokens.texts[tokens.post[i]]
    before, after = text[max(0, tokens.start[i] - NEAR) : tokens.start[i]], text[tokens.end[i] :][:NEAR]
    if _BEFORE_NUMBERED_DAY.match(after):
        return True
    greeted = i > 0 and tokens.post[i - 1] == tokens.post[i] and words[tokens.surface[i - 1]] in GREETINGS
    if follows_name or greeted:  # "Peter Jan", "Thanks Jan. 3 of us"
        return False
    day = _AFTER_DAY.search(before)
    on_day = day is not None and day["counted"].lower() not in COUNTED
    return on_day or bool(_BEFORE_DAY.match(after) or _BEFORE_YEAR.match(after) or _WITHIN.search(before))
