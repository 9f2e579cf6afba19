"""Names in scripts that put no space around them: Chinese, Japanese, Korean and Thai, found inside running text.

Found are a given name of at least two letters from the lists (Faker, MIT), with the family name before it; and, where
it stands alone, before a form of address or after "I am", a family name with one or two letters more.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from sharewell.text.patterns import NAME

_ANY = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ADDRESS = "同学|老师|先生|女士|教授|さん|君|くん|ちゃん|先生|様|씨|님|군|양|선생"
_INTRODUCES = ("我是", "我叫", "名叫", "私は", "名前は", "저는", "나는")
_EDGE = rf"(?:{_ADDRESS})|です|と申|입니다|이라고|\s|$|[,.!?:;，。！？：；、)]"
_HAN, _HANGUL = "\u3400-\u4dbf\u4e00-\u9fff", "\uac00-\ud7af"


def without_names(text: str) -> tuple[str, int]:
    """The text with placeholders for such names, and how many there were."""
    if not _ANY.search(text):
        return text, 0
    return _pattern().subn(NAME, text)


@cache
def _pattern() -> re.Pattern[str]:
    lists = _lists()
    listed = [_listed(lists[script]) for script in sorted(lists)]
    families = {script: _any_of(lists[script]["family"]) for script in ("han", "japanese", "korean")}
    alone = [
        _alone(families["han"], _HAN, "{1,2}", group=1),
        _alone(families["japanese"], _HAN, "{1,2}", group=2),
        _alone(families["korean"], _HANGUL, "{2}", group=3),
    ]
    return re.compile("|".join([*listed, *alone]))


def _listed(names: Mapping[str, list[str]]) -> str:
    """A given name of the list, after a family name or by itself."""
    given = _any_of(name for name in names["given"] if len(name) > 1)
    family, single = _any_of(names["family"]), _any_of(name for name in names["given"] if len(name) == 1)
    short = rf"|(?:{family})(?:{single})(?={_EDGE})" if single else ""
    return rf"(?:(?:{family})[ ·]?)?(?:{given}){short}"


def _alone(families: str, letters: str, more: str, *, group: int) -> str:
    """A family name and a letter or two, between edges, after "I am" or before a form of address; none is doubled."""
    before = "|".join(rf"(?<={words})" for words in _INTRODUCES)
    return rf"(?:(?<![{letters}\]])|{before})(?!(.)\{group})(?:{families})[{letters}]{more}(?={_EDGE})"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def _lists() -> Mapping[str, Mapping[str, list[str]]]:
    text = resources.files("sharewell.text").joinpath("tables", "unspaced.json").read_text(encoding="utf-8")
    lists: Mapping[str, Mapping[str, list[str]]] = json.loads(text)
    return lists
