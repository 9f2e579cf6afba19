"""Which pattern a few cells fit, for `sharewell init` and for messages; and the form of a cell without what it says."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from sharewell.data.formats.date_words import LANGUAGES, MONTHS, WEEKDAYS, plain
from sharewell.plan.date_layouts import needs_year

LONGEST_FORM = 40
_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+(?:-feira)?\.?|\s+|.", re.S)
_CLOCK = re.compile(
    r"(?P<H>[0-9]{1,2}):(?P<M>[0-9]{1,2})(?::(?P<S>[0-9]{1,2})(?:\.(?P<f>[0-9]{1,6}))?)?"
    r"(?P<gap>\s?)(?P<p>[AaPp]\.?\s?[Mm]\.?(?![^\W\d_]))?"
)
WRITTEN_OUT = {plain(word) for one in LANGUAGES.values() for word in one.months} - {
    plain(word) for one in LANGUAGES.values() for word in one.short_months
}
_ORDERS = (("d", "m", "y"), ("m", "d", "y"), ("y", "m", "d"))


def form(cell: str) -> str:
    """`dd Mon, hh:mm` of a cell: digits, words and signs by what they are, so that nothing in it is told."""
    clock = _CLOCK.search(cell)
    head, tail = (cell[: clock.start()], cell[clock.end() :]) if clock else (cell, "")
    told = "".join(_told(head))
    if clock:
        told += "hh:mm" + (":ss" if clock["S"] else "") + ("." + "f" * len(clock["f"]) if clock["f"] else "")
        told += clock["gap"] + "am" if clock["p"] else clock["gap"]
    told += "".join(_told(tail))
    return told if len(told) <= LONGEST_FORM else told[:LONGEST_FORM] + "…"


def _told(part: str) -> Iterator[str]:
    tokens = _TOKEN.findall(part)
    named = any(plain(token) in MONTHS for token in tokens)
    for token in tokens:
        if token.isdigit():
            yield "yyyy" if len(token) == 4 else "dd" if named and len(token) <= 2 else "n" * len(token)
        elif plain(token) and token[0].isalpha():
            yield "Mon" if plain(token) in MONTHS else "Day" if plain(token) in WEEKDAYS else "word"
        else:
            yield token if token in "/.-:, +" else " " if token.isspace() else "?"


def patterns(cells: Sequence[str]) -> list[str]:
    """Every pattern that all cells fit, as narrow as the cells allow; the likelier first."""
    found: list[str] = []
    for candidate in _candidates(cells[0]) if cells else ():
        narrowed = _narrowed(candidate, cells)
        if narrowed is not None and narrowed not in found:
            found.append(narrowed)
    return sorted(found, key=lambda pattern: _days(pattern, cells))


def _candidates(cell: str) -> Iterator[list[tuple[str, str]]]:
    """Readings of one cell: pieces as ("", literal) or (letter, ""), the clock's among them."""
    clock = _CLOCK.search(cell)
    if clock is None:
        yield from _dates(cell)
        return
    time = [("I" if clock["p"] else "H", ""), ("", ":"), ("M", "")]
    if clock["S"]:
        time += [("", ":"), ("S", "")]
    if clock["f"]:
        time += [("", "."), ("f", "")]
    if clock["p"]:
        time += [("", clock["gap"]), ("p", "")]
    rest = cell[clock.end() :] if clock["p"] else clock["gap"] + cell[clock.end() :]
    for before in _dates(cell[: clock.start()]):
        yield [*before, *time, ("", rest)]
    if not cell[: clock.start()].strip():
        for after in _dates(rest):
            yield [*time, *after]


def _dates(part: str) -> Iterator[list[tuple[str, str]]]:
    tokens = _TOKEN.findall(part)
    numbers = [place for place, token in enumerate(tokens) if token.isdigit()]
    words = {place: letter for place, token in enumerate(tokens) if (letter := _word(token))}
    if len(numbers) == 1 and len(tokens[numbers[0]]) == 8 and not words:
        yield _pieces(tokens, {numbers[0]: "Ymd"})
    named = [place for place, letter in words.items() if letter in "bB"]
    if len(named) > 1:  # "mar" may be a Tuesday: the month stands next to the day
        named = [place for place in named if place > min(numbers, default=0)] or named
    if named:
        days = {place: ("a" if len(plain(tokens[place])) <= 3 else "A") for place in words if place not in named[:1]}
        month = {named[0]: "b" if len(plain(tokens[named[0]])) <= 4 else "B"}
        first_is_year = bool(numbers) and len(tokens[numbers[0]]) == 4
        for letters in (("d",), ("y", "d") if first_is_year else ("d", "y")):
            if len(numbers) == len(letters):
                yield _pieces(tokens, dict(zip(numbers, letters, strict=True)) | days | month)
    elif len(numbers) == 3:
        dashed = "-" in tokens or len(tokens[numbers[0]]) == 4
        for order in _ORDERS if dashed else _ORDERS[:2]:
            yield _pieces(tokens, dict(zip(numbers, order, strict=True)))
    elif len(numbers) == 2:
        for pair in (("d", "m"), ("m", "d")):
            yield _pieces(tokens, dict(zip(numbers, pair, strict=True)))


def _word(token: str) -> str | None:
    if plain(token) in MONTHS:
        return "b"
    return "a" if plain(token) in WEEKDAYS else None


def _pieces(tokens: Sequence[str], letters: dict[int, str]) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    for place, token in enumerate(tokens):
        letter = letters.get(place)
        if letter == "Ymd":
            pieces += [("Y", ""), ("m", ""), ("d", "")]
        elif letter is not None:
            pieces.append(("Y" if letter == "y" and len(token) == 4 else letter, ""))
        else:
            pieces.append(("", token))
    return pieces


_FITS = {"Y": r"\d{4}", "y": r"\d{2}", "f": r"\d{1,6}", "b": r"[^\W\d_]+\.?", "B": r"[^\W\d_]+\.?",
         "a": r"[^\W\d_]+(?:-feira)?\.?", "A": r"[^\W\d_]+(?:-feira)?\.?", "p": r"[AaPp]\.?\s?[Mm]\.?"}  # fmt: skip
_RANGES = {"d": (1, 31), "m": (1, 12), "H": (0, 23), "I": (1, 12), "M": (0, 59), "S": (0, 59)}


def _narrowed(pieces: list[tuple[str, str]], cells: Sequence[str]) -> str | None:
    """The pattern of a reading if every cell fits it: one digit where a cell has one, short names where all are."""
    regex = re.compile(
        "".join(f"({_FITS.get(letter, r'[0-9]{1,2}')})" if letter else _spaced(text) for letter, text in pieces)
    )
    letters = [letter for letter, _ in pieces if letter]
    seen: dict[str, list[str]] = {letter: [] for letter in letters}
    for cell in cells:
        found = regex.fullmatch(cell)
        if found is None or not all(
            _possible(letter, part) for letter, part in zip(letters, found.groups(), strict=True)
        ):
            return None
        for letter, part in zip(letters, found.groups(), strict=True):
            seen[letter].append(part)
    return "".join(_directive(letter, seen[letter]) if letter else text.replace("%", "%%") for letter, text in pieces)


def _spaced(text: str) -> str:
    return "".join(r"\s+" if part.isspace() else re.escape(part) for part in re.split(r"(\s+)", text) if part)


def _possible(letter: str, part: str) -> bool:
    if letter in _RANGES:
        low, high = _RANGES[letter]
        return low <= int(part) <= high
    if letter in "bB":
        return plain(part) in MONTHS
    return plain(part) in WEEKDAYS if letter in "aA" else True


def _directive(letter: str, parts: Sequence[str]) -> str:
    if letter in _RANGES and any(len(part) == 1 for part in parts):
        return f"%-{letter}"
    if letter in "bB":
        return "%B" if any(plain(part) in WRITTEN_OUT for part in parts) else "%b"
    return f"%{letter}"


def _days(pattern: str, cells: Sequence[str]) -> tuple[bool, int]:
    """How long a time the cells would span: of two readings the one that leaves them closer together is likelier."""
    plain_ = pattern.replace("%-", "%")
    if any(f"%{letter}" in plain_ for letter in "bBaA"):
        return needs_year(pattern), 0
    moments = [_moment(cell, plain_) for cell in cells]
    known = [moment for moment in moments if moment is not None]
    span = (max(known) - min(known)).days if known else 10**6
    return len(known) < len(cells), span


def exists(cell: str, pattern: str) -> bool:
    """Whether there is such a day; names of months are not looked into."""
    plain_ = pattern.replace("%-", "%")
    return any(f"%{letter}" in plain_ for letter in "bBaA") or _moment(cell, plain_) is not None


def _moment(cell: str, pattern: str) -> datetime | None:
    try:
        if needs_year(pattern):
            return datetime.strptime(f"2000 {cell}", f"%Y {pattern}")
        return datetime.strptime(" ".join(cell.split()), " ".join(pattern.split()))
    except ValueError:
        return None
