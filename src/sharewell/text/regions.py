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
    r"|(?P<html><(?P<tag>pre|code|script|style)\b[^>]{0,300}>[\s\S]{0,20000}?</(?P=tag)>)"
)
_MATH = (
    r"(?P<math>\$\$[\s\S]{1,4000}?\$\$|\\\[[\s\S]{1,4000}?\\\]|\\\([\s\S]{1,4000}?\\\)"
    r"|(?<![\\$\w])\$(?=[^\s$])[^\n$]*?(?<=[^\s\\$])\$(?![\d\w]))"
)
_COMMAND = r"(?P<command>\\[a-zA-Z]+)"
_BLOCK = r"(?P<block></?(?:br|p|div|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|hr|section|article)\b[^<>]*>)"
_TAG = (
    r"(?P<plain><(?:/?[a-zA-Z][\w:-]*(?:\s[^<>]*)?/?|!--[\s\S]{0,4000}?--)>"
    r"|&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[\da-fA-F]{1,6});)"
)
_PARTS = re.compile("|".join((_CODE, _MATH, _COMMAND, _BLOCK, _TAG)), re.MULTILINE | re.IGNORECASE)
_HINT = re.compile(r"[`<$\\~&]")
_PROSE_IN_CODE = re.compile(
    r"(?:(?<=#)|(?<=//)|(?<=--\s)|(?<=%\s))[^\n]*|(?<=/\*)[\s\S]*?(?=\*/)|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'"
)
_VALUE_IN_TAG = re.compile(
    r"(?<=\s)(?:alt|title|name|author)\s*=\s*(?P<prose>\"[^\"]*\"|'[^']*')|(?P<comment>(?<=!--)[\s\S]*?(?=--))",
    re.IGNORECASE,
)
_TEXT_IN_MATH = re.compile(r"\\(?:text|mbox|textrm|textit|textbf|mathrm)\{(?P<prose>[^{}]*)\}")
_NAME_IN_TICKS = re.compile(r"(?<=`)[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,2}(?=`)")
_WORDS_IN_TAG = re.compile(r"<[^\W\d_a-z][\w'’-]*(?: [^\W\d_][\w'’.-]*){1,3}>")  # <First Last> is no tag


def regions(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, kind) of every part that is not prose, later ones overriding earlier ones."""
    if not _HINT.search(text):
        return
    for match in _PARTS.finditer(text):
        start, end = match.span()
        part = match.lastgroup
        if part == "plain" and _WORDS_IN_TAG.fullmatch(match[0]):
            continue
        yield start, end, BREAK if match["fence"] or match["html"] or match["block"] else SILENT
        if match["fence"] or match["inline"] or match["html"]:
            yield from _inner(_PROSE_IN_CODE, text, start, end)
            yield from _inner(_NAME_IN_TICKS, text, start, end)
        elif match["math"]:
            yield from _inner(_TEXT_IN_MATH, text, start, end)
        elif part in ("plain", "block"):
            yield from _inner(_VALUE_IN_TAG, text, start, end)


def _inner(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    for match in pattern.finditer(text, start, end):
        group = "prose" if match.groupdict().get("prose") else 0
        yield match.start(group), match.end(group), PROSE
