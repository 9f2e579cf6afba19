"""Text as a reader sees it: without characters nobody sees, and with letters for what stands for letters.

Blanks of no width, soft hyphens and marks of direction come along when text is copied. Letters of scripts that join
them, and emoji, are joined or parted by such characters: there they are part of what is read, and stay. Letters
are also written as entities ("&uuml;"), escapes ("\\u00fc", "%C3%BC", "=C3=BC"), in a wrong encoding ("Ã¼"), in wide or
styled letters, and with letters of another script that look alike (Unicode Technical Standard 39).
"""

import html
import re
import unicodedata

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_CONTINUES = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xC0))
_WRITTEN = re.compile(
    r"(?P<entity>&(?:#\d{1,6}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8});)"
    r"|\\u(?P<escape>[\da-fA-F]{4})"
    r"|(?P<bytes>(?:%[C-Fc-f][\da-fA-F](?:%[89ABab][\da-fA-F]){1,3})+|(?:=[C-F][\dA-F](?:=[89AB][\dA-F]){1,3})+)"
    rf"|(?P<wrong>(?<=[A-Za-z])[ÃÄÅ][{re.escape(_CONTINUES)}]|[ÃÄÅ][{re.escape(_CONTINUES)}](?=[A-Za-z])"
    rf"|á[º»][{re.escape(_CONTINUES)}])"
    r"|(?P<wide>[０-９Ａ-Ｚａ-ｚ＠][０-９Ａ-Ｚａ-ｚ＠．－＿]*|[\U0001d400-\U0001d7ff\u24b6-\u24e9]+)"
)
_MIXED, _WORD = re.compile("[A-Za-z][\u0370-\u0556]|[\u0370-\u0556][A-Za-z]"), re.compile(r"[^\W\d_]{3,}")
_ASCII, _OTHER = re.compile("[A-Za-z]"), re.compile("[\u0370-\u0556]")
_LATIN, _ALIKE = "aceijopsxydhABCEHIJKMOPSTXYavoABEZHIKMNOPTYX", "асеіјорѕхуԁһАВСЕНІЈКМОРЅТХУаνοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
_TO_LATIN = str.maketrans(_ALIKE, _LATIN)
_OF_ADDRESSES = re.compile(r"[\w@.:/+%-]")
_KEYCAP = "\u20e3"


def as_read(text: str) -> str:
    """The text without what nobody sees, and with plain letters for entities, escapes, styled and lookalike letters."""
    text = without_unseen(text)
    if _WRITTEN.search(text):
        text = _WRITTEN.sub(_letters, text)
    return _WORD.sub(_of_one_script, text) if _MIXED.search(text) else text


def _letters(written: re.Match[str]) -> str:
    """The letters that a match stands for, or the match itself where it stands for something else."""
    raw = written[0]
    if written["entity"]:
        read = html.unescape(raw)
    elif written["escape"]:
        read = chr(int(written["escape"], 16))
    elif written["bytes"]:
        read = bytes.fromhex(re.sub("[%=]", "", raw)).decode("utf-8", "ignore")
    elif written["wrong"]:
        read = bytes(byte for one in raw for byte in _byte(one)).decode("utf-8", "ignore")
    else:
        return unicodedata.normalize("NFKC", raw)
    return read if read in ("'", "’") or read.isalpha() else raw


def _byte(character: str) -> bytes:
    return character.encode("latin-1") if character < "\u0100" else character.encode("cp1252")


def _of_one_script(word: re.Match[str]) -> str:
    """The word in Latin letters, where it mixes them with letters of another script that all look alike."""
    latin = word[0].translate(_TO_LATIN)
    return word[0] if _OTHER.search(latin) or not _ASCII.search(word[0]) else latin


def without_unseen(text: str) -> str:
    """The text as it is read: what nobody sees is gone, but for where it belongs to a script or an emoji."""
    if text.isascii():
        return text
    return _UNSEEN.sub(lambda run: run[0] if _is_read(run) else "", text)


def _is_read(run: re.Match[str]) -> bool:
    """After a letter or sign that may be joined, and not before what an address or a number goes on with."""
    before, after = run.string[run.start() - 1 : run.start()], run.string[run.end() : run.end() + 1]
    return after == _KEYCAP or (_joins(before) and (_joins(after) or not _OF_ADDRESSES.match(after)))


def _joins(character: str) -> bool:
    """Of a script east of the Greek, or a symbol; digits are digits everywhere."""
    european = character < "\u0590" or "\u1e00" <= character < "\u2190"
    return not european and not character.isdecimal()
