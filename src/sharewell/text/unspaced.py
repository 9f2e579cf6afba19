"""Names in scripts that put no space around them: Chinese, Japanese, Korean and Thai, found inside running text.

Found are a given name of at least two letters from the lists (Faker, MIT), with the family name before it; and, where
it stands alone, before a form of address or after "I am", a family name with one or two letters more. Korean puts
blanks between words, so that many a word of three letters begins like a family name: without an address or "I am" the
other two must be letters that given names are made of. A common Chinese family name may stand before an address alone.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from sharewell.text.listed_words import table
from sharewell.text.patterns import NAME

_ANY = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ADDRESS = "同学|老师|先生|女士|教授|さん|君|くん|ちゃん|先生|様|씨|님|군|양|선생"
_INTRODUCES = ("我是", "我叫", "名叫", "私は", "名前は", "저는", "나는")
_EDGE = rf"(?:{_ADDRESS})|です|と申|입니다|이라고|\s|$|[,.!?:;，。！？：；、)]"
_KOREAN_GIVEN = (
    "건경광길남도동람름명미민병보빈상서석선성수숙순승시식아연영예옥우웅원유윤은일자재정종주준중지진채철춘하혁현혜호환후훈희"
    "강결규균근금기덕라란린림문범봉빛새샘설세솔슬애언엽완용욱율인찬창태택필학한해향헌형홍화효흥"
)
_COMMON_CHINESE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡蒋杜叶程苏魏吕丁沈姚卢姜崔钟谭陆汪范廖贾夏"
    "韦邹孟熊秦邱尹薛闫段雷侯陶黎贺顾毛郝龚邵钱严覃武戴莫孔汤張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧葉蘇魏呂盧鐘譚陸賈鄒錢嚴"
)
_CHINESE_ADDRESS, _KOREAN_ADDRESS = (
    "老师|老師|教授|同学|同學|先生|女士|小姐|学长|学姐",
    "씨|님|군|양|선생|입니다|이라고|교수",
)
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
        _korean(families["korean"]),
        rf"(?:(?<![{_HAN}])|(?<=请问)|(?<=谢谢)|(?<=感谢))[{_COMMON_CHINESE}](?={_CHINESE_ADDRESS})",
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


def _korean(families: str) -> str:
    before, after = "|".join(rf"(?<={words})" for words in ("저는 ", "나는 ", "저는", "나는")), rf"(?={_EDGE})"
    edge = rf"(?<![{_HANGUL}\]])"
    made = rf"{edge}(?:{families})[{_KOREAN_GIVEN}]{{2}}{after}"
    addressed = rf"{edge}(?:{families})[{_HANGUL}]{{2}}(?={_KOREAN_ADDRESS})"
    return rf"{made}|{addressed}|(?:{before})(?:{families})[{_HANGUL}]{{2}}{after}"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def _lists() -> Mapping[str, Mapping[str, list[str]]]:
    lists: Mapping[str, Mapping[str, list[str]]] = table("unspaced")
    return lists
