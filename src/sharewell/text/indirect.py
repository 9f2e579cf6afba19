"""Indirect identifiers, which give a person away unnamed: age, school, employer, relatives, illness, exact dates.

Found by phrases that people use for them, in English; a list of kinds may be taken out, each for its placeholder.
"""

import re
from collections.abc import Mapping, Sequence

_PART = r"(?:[A-Z][\w'’&-]*|\[NAME\])"
_PLACE_NAME = rf"(?:the )?{_PART}(?: (?:of|and|for|the|{_PART})){{0,5}}"
SCHOOLS = (
    "High School|School|College|University|Academy|Institute|Polytechnic|Universidad|Universidade|Université"
    "|Universität|Hochschule|Escola|Escuela|Colegio|Colégio|Vidyalaya|Gymnasium|Lyc[ée]e"
)
_SUBJECT = r" (?:of|for) (?:(?:[A-Z]\w*|\[NAME\])(?:,? (?:and|&) |, | )?)+(?<! )(?<!,)"
_RELATIVE = (
    "mother|mom|mum|father|dad|parents?|brothers?|sisters?|sons?|daughters?|wife|husband|fianc[eé]e?|girlfriend|boyfriend"
    "|partner|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousins?|nieces?|nephews?|kids?|children|twins?"
)
_ILLNESS = (
    "cancer|leukemia|diabetes|epilepsy|asthma|depression|anxiety|bipolar|adhd|autism|autistic|dyslexia|dyslexic|anorexia"
    "|bulimia|hiv|hepatitis|tumou?r|chemotherapy|surgery|miscarriage|pregnant|pregnancy|concussion|migraines?|ptsd|lupus"
    "|crohn'?s|celiac|multiple sclerosis|wheelchair|hearing aids?|panic attacks?|stroke|heart attack"
)
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
KINDS: Mapping[str, re.Pattern[str]] = {
    "age": re.compile(
        r"\b(?:i am|i'm|im|aged?|turn(?:ed|ing)?|was|is) (?P<part>\d{1,2})\b(?= (?:years?|yrs?)\b|[.,;!?)]|\s*$)"
        r"|\b(?P<years>\d{1,2})[- ](?:years?|yrs?)[- ]old\b",
        re.IGNORECASE | re.MULTILINE,
    ),
    "school": re.compile(
        rf"(?P<part>(?<![\w\]])(?:{_PART} (?:(?:of|de|da|do|for|and|the|&) ){{0,2}}){{1,5}}(?:{SCHOOLS})\b"
        rf"(?:{_SUBJECT})?"
        rf"|\b(?:{SCHOOLS}) (?:of|de|da|do) (?:{_PART}[ ,]*){{1,4}}(?<! )(?<!,))"
        rf"|\b(?:[Ii] (?:go|went|study|studied|graduated)|student) (?:to|at|from) (?P<at>{_PLACE_NAME})"
    ),
    "employer": re.compile(
        rf"\b(?:[Ii]|[Mm]y \w+) (?:(?:currently|now|also) )?(?:work|works|worked|working|intern|interned) (?:at|for) "
        rf"(?P<part>{_PLACE_NAME})"
        rf"|\b(?:employed|job|internship|position) (?:at|with|by) (?P<at>{_PLACE_NAME})"
    ),
    "relative": re.compile(rf"\bmy (?:\w+ )?(?P<part>{_RELATIVE})\b", re.IGNORECASE),
    "illness": re.compile(rf"\b(?P<part>{_ILLNESS})\b", re.IGNORECASE),
    "date": re.compile(
        rf"\b(?P<part>(?:(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})))\b",
        re.IGNORECASE,
    ),
}


_HINTS: Mapping[str, tuple[str, ...]] = {  # without one of them a text in lower case has no phrase of the kind
    "age": tuple("0123456789"),
    "school": (
        *SCHOOLS.lower().replace("[ée]", "é").split("|"),
        *("lycee", "i go ", "i went ", "i stud", "i graduated ", "student "),
    ),
    "employer": ("work", "intern", "employed", "job", "position"),
    "relative": ("my ",),
    "illness": tuple(re.sub(r".\?.*", "", word) for word in _ILLNESS.split("|")),
    "date": tuple("0123456789"),
}


def count(text: str) -> dict[str, int]:
    """How many phrases of each kind a text holds."""
    lower = text.lower()
    return {
        kind: sum(1 for _ in pattern.finditer(text)) if any(hint in lower for hint in _HINTS[kind]) else 0
        for kind, pattern in KINDS.items()
    }


def taken_out(text: str, kinds: Sequence[str]) -> tuple[str, int]:
    """The text with a placeholder for each phrase of the chosen kinds, and how many there were."""
    done = 0
    for kind in kinds:
        text, found = KINDS[kind].subn(lambda match, kind=kind: _without(match, kind), text)  # type: ignore[misc]
        done += found
    return text, done


def _without(match: re.Match[str], kind: str) -> str:
    """The phrase without the part that identifies."""
    group = next(name for name, part in match.groupdict().items() if part is not None)
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return f"{match[0][:start]}[{kind.upper()}]{match[0][end:]}"
