"""Identifiers that follow a pattern: each becomes its own placeholder, before any word is looked at.

The placeholders then serve as context for the names (Bosch et al. 2020, §2.6). By default only numbers that can
identify go: ids, phone numbers, dates of birth, long numbers; "page 12", "p < .05" and "1,000,000" stay. The paper's
way, every number, is a setting. Inside code and formulas short numbers always stay, and so do the numbers that mark
list items: the layout is not ours to change. Every pattern takes time in proportion to the text, whatever it holds.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Literal

from sharewell.text.postal import (
    ADDRESS,
    BETWEEN_ADDRESSES,
    BETWEEN_NUMBERS,
    BOX,
    BOX_WORDS,
    CAPITALISED_WORD,
    CODE_ALONE,
    CORNER,
    IN_TOWN,
    LIVES,
    POSTAL_CODE,
    beside_address,
    is_street,
    under_address,
)  # fmt: skip
from sharewell.text.regions import PROSE, regions

Numbers = Literal["identifying", "all"]
PLACEHOLDERS = ("EMAIL", "URL", "HANDLE", "IP", "ADDRESS", "DATE", "SSN", "PHONE", "ID", "NUMBER")
NAME = "[NAME]"
ACCOUNT_DIGITS = 8  # of an account number at least: the shortest, of Malta, has more
LONG_DIGITS = 5  # shorter numbers are pages, years and quantities; postal codes and student numbers are not
RUN_DIGITS = 7  # in a row: glued to letters as well they are somebody's number
OLDEST, YOUNGEST = 1930, 2015  # years that a student may be born in

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:the )?\d{1,2}(?:st|nd|rd|th)?"
_SEPARATED = "|".join(
    rf"\d{{4}}{sign}\d{{1,2}}{sign}\d{{1,2}}|\d{{1,2}}{sign}\d{{1,2}}{sign}(?:\d{{4}}|\d{{2}})"
    for sign in ("-", "/", r"\.")
)
_DATE = (
    rf"(?:{_SEPARATED}"
    rf"|{_DAY}(?: of)? {_MONTH},? \d{{4}}|{_MONTH} {_DAY},? \d{{4}})"
)
_DAY_ONLY = rf"(?:{_DAY}(?: of)? {_MONTH}|{_MONTH},? \d{{4}}|{_MONTH} {_DAY}|\d{{1,2}}[/.]\d{{1,2}})"
_BORN = (
    r"\b(?:born|birthday|birth ?date|date of birth|d\.?o\.?b\.?|bday)\b[^\w\n]{0,3}"
    r"(?:(?:is|on|in|was|the)[^\w\n]{1,2}){0,3}"
)
_TLD = (
    "com|org|net|edu|gov|info|io|dev|app|me|co|ai|eu|uk|de|fr|es|it|nl|ch|at|se|no|fi|pl|ru|cn|jp|kr|in|br|mx|ca|au|nz"
    "|za|ly|gg|xyz"
)
_MAIL_HOSTS = "gmail|googlemail|hotmail|outlook|yahoo|icloud|gmx|protonmail|proton|yandex|qq|mail"

_JOINERS = "\u200c\u200d"  # inside a word of Persian or Hindi
EMAIL = re.compile(
    rf"(?:mailto:)?(?<![\w.+%'’{_JOINERS}-])[\w.+%'’{_JOINERS}-]++\s?@\s?\w[\w{_JOINERS}-]*+(?:\.[\w{_JOINERS}-]++)+"
    r"|(?<![\w.+-])[\w.+-]++\s{0,3}(?:\(at\)|\[at\]|\{at\}|<at>|\sat\s)\s{0,3}[\w-]++\s{0,3}"
    r"(?:\(dot\)|\[dot\]|\{dot\}|\sdot\s|\.)"
    r"\s{0,3}(?:" + _TLD + r")\b"
    rf"|(?<![\w.+-])[\w.+-]++ ?(?:@|\[@\]|\(@\)|\(a\)) ?[\w-]++ ?(?:[.]|\[\.\]|\(\.\)) ?(?:{_TLD})\b"
    rf"|(?<![\w.+-])[\w.+-]++(?: ?@ ?| at )(?:{_MAIL_HOSTS})\b(?: ?[.,] ?(?:{_TLD})\b)?"
    rf"|(?<![\w.+-])[\w.+]+(?:-[\w.+]+)*?-at-[\w-]+-dot-(?:{_TLD})\b"
    r"|(?:(?<=ssh )|(?<=scp ))[\w.-]++@[\w.-]*\w",
    re.IGNORECASE,
)
URL = re.compile(
    r"(?i:https?|ftp)://[^\s<>\"'`\])}]+|(?<![^\W\d_])(?i:www)\.[^\s<>\"'`\])}]+"
    rf"|(?<![\w@./-])(?://)?[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:{_TLD})\b(?:\.[a-z]{{2}}\b)?(?:/[^\s<>\"'`\])}}]*)?(?![\w.]*@)"
)
HANDLE = re.compile(
    r"(?<![\w.@/])@(?!(?:everyone|all|here|channel)\b)[\w](?:[\w.-]*\w)?|(?<=/home/)\w[\w.-]*|(?<=[/\\][Uu]sers[/\\])\w[\w.-]*|\bu/\w[\w-]+"
)
IP = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\w)"
    r"|(?<![\w:])(?:[\da-fA-F]{1,4}:){4,7}[\da-fA-F]{1,4}(?![\w:])|(?<![\w:])(?:[\da-fA-F]{2}[:-]){5}[\da-fA-F]{2}(?![\w:])"
)
DATE = re.compile(
    rf"(?P<born>{_BORN})(?P<day>{_DATE}|{_DAY_ONLY}|\d{{4}})|(?<![\w.+/-]){_DATE}(?![-\w]|\.\d)", re.IGNORECASE
)
_WHOLE_DATE = re.compile(_DATE, re.IGNORECASE)
SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
PHONE = re.compile(
    r"(?<![\w.])(?:\+\s?|\(\+?)?\d(?:(?:[ \u00a0]|[ ]?[-/–][ ]?|\.|\)[ -]?|[ ]\(|\(0\)[ ]?)?\d){6,15}"
    r"(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?![\w])"
)
NAMED_ID = re.compile(
    r"(?i:\b(?:student|matriculation|enrol?lment|registration)\s?(?:id|number|no\.?|nr\.?|#)?\s?(?:is|:|#)?\s*)"
    r"(?P<id>[A-Za-z]{0,3}-?\d[\d-]{3,}\d[A-Za-z]?)(?!\w)"
    r"|(?i:\b(?:roll (?:number|no\.?|nr\.?|#)|(?:my|student) id|id ?#)(?: is)?[ :#]{0,2})(?P<short>\d{2,12})(?![\w.])"
)
PREFIXED_ID = re.compile(  # "MDI-191 student", "roll no. 17BCS1023", "Reg. No: RA-1911"
    r"(?P<before>(?i:\b(?:(?:student|matric(?:ulation)?|enrol?lment|registration|reg|roll|admission|index)\.?\s?"
    r"(?:id|number|no|nr|#)\.?|matric)\s?(?:is|:|#)?\s*)|\b(?i:student|matric)[ ,(]{1,2}(?=[A-Z]{2,5}-))"
    r"\d{0,4}[A-Z]{1,6}[-/]?(?:\d{1,4}[A-Z]{1,4}[-/]?)?\d{2,12}[A-Z]?(?!\w)"
    r"|(?<![\w-])[A-Z]{2,5}-\d{2,6}(?= student\b)"
)
ENROLMENT = re.compile(  # with the year and the branch of studies inside: "17BCS1023", "1MS17CS001", "CB.EN.U4CSE17045"
    r"(?<![\w.-])(?=(?:[A-Z.]*\d){6})(?:\d{1,4}[A-Z]{2,5}\d{2,5}(?:[A-Z]{2,4}\d{2,5})?|[A-Z]{2,4}\d{2}[A-Z]{2,4}\d{3,5}"
    r"|(?:[A-Z]{2}\.){1,3}[A-Z]\d[A-Z]{2,4}\d{4,6})(?!\w)|(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dX](?![\w-])"  # ORCID
)
ACCOUNT = re.compile(  # IBAN (ISO 13616)
    r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){3,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)"
)
ID = re.compile(r"(?<![\w.])[A-Za-z]{1,3}-?\d{5,14}(?!\w)|(?<![\w.])\d{5,10}[A-Za-z](?!\w)")
NUMBER = re.compile(r"(?<![\w#&])\d(?:[\d.,:  ’']*\d)?(?!\w)")
RUN = re.compile(rf"\d{{{RUN_DIGITS},}}")  # whatever it is glued to: matric1234567
_QUANTITY = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}\.\d{1,6}")  # 1,000,000 and 3.14159 are nobody's numbers
_LIST_ITEM = re.compile(r"^[ \t>]*\d{1,2}(?=[.)])", re.MULTILINE)
_TRIGGER = re.compile(r"[@\d]|://|[Ww]\.|\.[A-Za-z]{2}|[Dd][Oo][Tt]\b|\bu/|[Ss][Ee][Rr][Ss][/\\]|/[Hh][Oo][Mm][Ee]/")
_SPELT_OUT = re.compile(rf"\bdot\b|[(\[{{<]at[)\]}}>]|\(a\)|\bat (?:{_MAIL_HOSTS})\b", re.IGNORECASE)
_USER_PATH = re.compile(r"\bu/|/home/|[/\\]users[/\\]", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_BIRTH = re.compile(r"born|birth|b[\s.]?day|d\.?o\.?b", re.IGNORECASE)
_PHONE_COUNTRIES = ("US", "GB", "DE", "FR", "ES", "IN", "AU", "BR", "MX", "CN", "JP", "KR", "NG", "TR", "IT", "NL")


Rewrite = Callable[[re.Match[str]], str | None]  # what a match becomes; None leaves it as it is


class Masked:
    """A text under replacement, with how many patterns of each kind were found in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: Counter[str] = Counter()
        self._passes: list[list[tuple[int, int]]] = []  # per pass: where a match ended, and how much longer it became

    def replace(self, kind: str, pattern: re.Pattern[str], rewrite: Rewrite | None = None) -> None:
        moves: list[tuple[int, int]] = []

        def one(match: re.Match[str]) -> str:
            new = f"[{kind}]" if rewrite is None else rewrite(match)
            if new is None:
                return match[0]
            self.found[kind] += 1
            moves.append((match.end(), len(new) - len(match[0])))
            return new

        self.text = pattern.sub(one, self.text)
        if moves:
            self._passes.append(moves)

    def moved(self, position: int) -> int:
        """Where a position of the original text (outside every match) stands now."""
        for moves in self._passes:
            position += sum(longer for end, longer in moves if end <= position)
        return position


def mask(text: str, *, numbers: Numbers = "identifying") -> Masked:
    """The text with everything that follows a pattern replaced."""
    work = Masked(text)
    if not _TRIGGER.search(text):
        return work
    if "@" in text or _SPELT_OUT.search(text):
        work.replace("EMAIL", EMAIL)
    work.replace("URL", URL, _url)
    if "@" in work.text or _USER_PATH.search(work.text):
        in_code = _silent_places(work.text)
        work.replace(
            "HANDLE", HANDLE, lambda match: None if match[0][0] == "@" and in_code(match.start()) else "[HANDLE]"
        )
    if _DIGIT.search(work.text):
        _mask_digits(work, numbers)
    return work


def _mask_digits(work: Masked, numbers: Numbers) -> None:
    digits = len(_DIGIT.findall(work.text))  # most posts have so few that no long number can be in them
    if work.text.count(".") >= 3 or work.text.count(":") >= 4 or work.text.count("-") >= 5:
        work.replace("IP", IP)
    _mask_addresses(work)
    if digits >= 4 or _BIRTH.search(work.text):
        work.replace("DATE", DATE, lambda match: _date(match, numbers))
    if digits >= 9:
        work.replace("SSN", SSN)
    if digits >= 6:
        work.replace("ID", ENROLMENT)
    if digits >= 7:
        work.replace("PHONE", PHONE, lambda match: "[PHONE]" if _is_phone(match[0]) else None)
    if digits >= 2:
        work.replace("ID", NAMED_ID, lambda match: match[0].removesuffix(match["id"] or match["short"]) + "[ID]")
        work.replace("ID", PREFIXED_ID, lambda match: (match["before"] or "") + "[ID]")
    if digits >= ACCOUNT_DIGITS:
        work.replace("ID", ACCOUNT, _account)
    if digits >= LONG_DIGITS:
        work.replace("ID", ID)
    in_code = _silent_places(work.text)
    items = {match.end() for match in _LIST_ITEM.finditer(work.text)}
    in_address = beside_address(work.text)

    def number(match: re.Match[str]) -> str | None:
        short = sum(character.isdigit() for character in match[0]) < LONG_DIGITS
        means = numbers == "identifying" and (short or bool(_QUANTITY.fullmatch(match[0])))
        stays = (means and not in_address(match)) or (short and (match.end() in items or in_code(match.start())))
        return None if stays else "[NUMBER]"

    work.replace("NUMBER", NUMBER, number)
    work.replace("NUMBER", RUN)


def _mask_addresses(work: Masked) -> None:
    for pattern, rewrite in (
        (ADDRESS, None),
        (CODE_ALONE, None),
        (BETWEEN_NUMBERS, lambda match: "[ADDRESS]" if is_street(match) else None),
        (LIVES, _kept),
        (POSTAL_CODE, _kept),
        (IN_TOWN, lambda match: _kept(match) if is_street(match) else None),
    ):
        work.replace("ADDRESS", pattern, rewrite)
    lowered = work.text.lower()
    if any(word in lowered for word in BOX_WORDS):
        work.replace("ADDRESS", BOX)
    if "corner" in lowered:
        work.replace("ADDRESS", CORNER, _kept)
    if work.found["ADDRESS"]:
        in_country = under_address(work.text)
        work.replace("ADDRESS", CAPITALISED_WORD, lambda match: "[ADDRESS]" if in_country(match) else None)
        work.replace("ADDRESS", BETWEEN_ADDRESSES, lambda match: "[ADDRESS] ")


def _kept(match: re.Match[str]) -> str:
    return match["kept"] + "[ADDRESS]"


def _url(match: re.Match[str]) -> str:
    """The stop after an address ends the sentence, not the address."""
    stops = len(match[0]) - len(match[0].rstrip(".,;:!?"))
    return "[URL]" + match[0][len(match[0]) - stops :]


def _date(match: re.Match[str], numbers: Numbers) -> str | None:
    """Dates of birth always go; other dates go with the numbers."""
    if match["born"]:
        return f"{match['born']}[DATE]"
    years = [int(year) for year in re.findall(r"\d{4}", match[0])]
    may_be_birth = not years or any(OLDEST <= year <= YOUNGEST for year in years)
    return "[DATE]" if numbers == "all" or may_be_birth else None


def _account(match: re.Match[str]) -> str | None:
    """ "CS10 this term some" is written like an account number, but has hardly a digit."""
    return "[ID]" if sum(map(str.isdigit, match[0])) >= ACCOUNT_DIGITS else None


def _is_phone(written: str) -> bool:
    """Whether the digits make a phone number somewhere in the world."""
    import phonenumbers

    if _WHOLE_DATE.fullmatch(written):
        return False
    if not any(character in written for character in "+ ()-./–") and not written.startswith("00"):
        return False
    text = "+" + written[2:] if written.startswith("00") else written
    for country in (None,) if "+" in text else _PHONE_COUNTRIES:
        try:
            if phonenumbers.is_possible_number(phonenumbers.parse(text, country)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _silent_places(text: str) -> Callable[[int], bool]:
    """Return a test whether a position lies in code, a formula or a tag."""
    spans = list(regions(text))

    def is_silent(position: int) -> bool:
        kind = PROSE
        for start, end, part in spans:
            if start <= position < end:
                kind = part
        return kind != PROSE

    return is_silent
