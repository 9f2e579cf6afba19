"""Parts of a post that are not prose: code, formulas, and the inside of HTML tags.

Words in them say nothing about how a word is used, so that they do not enter the features; a word that is known to
be a name from elsewhere is still redacted there. Comments and strings inside code are prose again: "# by Maria".
"""

import re
from collections.abc import Iterator

PROSE, SILENT, BREAK = 0, 1, 2  # counted; not counted; not counted and ends a sentence

_CODE = (
    r"(?P<fence>^[ \t]*(?P<ticks>`{3,}|~{3,})[\s\S]*?(?:^[ \t]*(?P=ticks)|\Z))"
    r"|(?P<inline>(?P<tick>`{1,2})(?!`)[^\n`]+?(?P=tick)(?!`))"
    r"|(?P<html><(?P<tag>pre|code|script|style)\b[^>]{0,300}>)"
)
_MATH = r"(?P<display>\$\$|\\\[|\\\()|(?P<math>(?<![\\$\w])\$(?=[^\s$])[^\n$]*?(?<=[^\s\\$])\$(?![\d\w]))"
_COMMAND = r"(?P<command>\\[a-zA-Z]+)"
_BLOCK = r"(?P<block></?(?:br|p|div|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|hr|section|article)\b[^<>]*>)"
_TAG = r"(?P<comment><!--)|(?P<plain></?[a-zA-Z][\w:-]*(?:\s[^<>]*)?/?>|&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[\da-fA-F]{1,6});)"
_PARTS = re.compile("|".join((_CODE, _MATH, _COMMAND, _BLOCK, _TAG)), re.MULTILINE | re.IGNORECASE)
_CLOSED_BY = {"$$": r"\$\$", "\\[": r"\\\]", "\\(": r"\\\)", "<!--": "-->"}
_LONGEST = {"html": 20_000, "display": 4_000, "comment": 4_000}  # what closes farther away than this belongs elsewhere
_HINT = re.compile(r"[`<$\\~&]")
_PROSE_IN_CODE = re.compile(
    r"(?:(?<=#)|(?<=//)|(?<=--\s)|(?<=%\s))[^\n]*|(?<=/\*)[\s\S]*?(?=\*/)|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'"
)
_VALUE_IN_TAG = re.compile(
    r"(?<=\s)(?:alt|title|name|author)\s*=\s*(?P<prose>\"[^\"]*\"|'[^']*')|(?P<comment>(?<=!--)[\s\S]*?(?=--))",
    re.IGNORECASE,
)
_TEXT_IN_MATH = re.compile(r"\\(?:text|mbox|textrm|textit|textbf|mathrm)\{(?P<prose>[^{}]*)\}")
_NAME_IN_TICKS = re.compile(r"(?<=`)[^\W\d_a-z][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,2}(?=`)")
_WORDS_IN_TAG = re.compile(r"<[^\W\d_a-z][\w'’-]*(?: [^\W\d_][\w'’.-]*){1,3}>")  # <First Last> is no tag
_PROSE_IN = {
    **dict.fromkeys(("fence", "inline", "html"), (_PROSE_IN_CODE, _NAME_IN_TICKS)),
    **dict.fromkeys(("math", "display"), (_TEXT_IN_MATH,)),
    **dict.fromkeys(("plain", "block", "comment"), (_VALUE_IN_TAG,)),
}


def regions(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, kind) of every part that is not prose, later ones overriding earlier ones."""
    if not _HINT.search(text):
        return
    closings = _Closings(text)
    position = 0
    while match := _PARTS.search(text, position):
        start, position = match.span()
        part = match.lastgroup or ""
        if part in _LONGEST:
            end = closings.after(match, part)
            if end is None and part != "html":
                continue
            part, position = (part, end) if end is not None else ("plain", position)
        if part == "plain" and _WORDS_IN_TAG.fullmatch(match[0]):
            continue
        yield start, position, BREAK if part in ("fence", "html", "block") else SILENT
        for pattern in _PROSE_IN.get(part, ()):
            yield from _inner(pattern, text, start, position)


class _Closings:
    """Where what was opened is closed. The next place of each closing mark is kept, so that no text is read twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.next: dict[str, re.Match[str] | None] = {}

    def after(self, opened: re.Match[str], part: str) -> int | None:
        """The end of what `opened` opens; None where nothing closes it."""
        mark = f"</{opened['tag']}>".lower() if part == "html" else _CLOSED_BY[opened[0]]
        first = opened.end() + (part == "display")  # an empty formula is none
        closing = self.next.get(mark)
        if mark not in self.next or (closing and closing.start() < first):
            closing = self.next[mark] = re.compile(mark, re.IGNORECASE).search(self.text, first)
        return closing.end() if closing and closing.start() - opened.end() <= _LONGEST[part] else None


def _inner(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    for match in pattern.finditer(text, start, end):
        group = "prose" if match.groupdict().get("prose") else 0
        yield match.start(group), match.end(group), PROSE
