"""Identifiers that follow a pattern, and nothing else."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine
from sharewell.posts.recheck import patterns_left
from sharewell.text.patterns import PLACEHOLDERS, mask
from sharewell.text.tokens import tokenize
from sharewell.text.unseen import without_unseen

FOUND = {
    "write to jo.long+x@uni-bonn.de now": "write to [EMAIL] now",
    "jo (at) uni (dot) edu": "[EMAIL]",
    "see https://a.example/x?y=1. Then": "see [URL]. Then",
    "on www.example.org/page, ok": "on [URL], ok",
    "my page is maria.github.io": "my page is [URL]",
    "my page is Www.Maria.example or HTTPS://maria.example": "my page is [URL] or [URL]",
    "seehttp://maria.example/me and //maria.github.io/me": "see[URL] and [URL]",
    "matric1234567 of #7654321": "matric[NUMBER] of #[NUMBER]",
    "ask @maria_92!": "ask [HANDLE]!",
    "C:\\Users\\maria\\notes": "C:\\Users\\[HANDLE]\\notes",
    "call +49 171 1234567": "call [PHONE]",
    "call (217) 333-1234.\n2. next": "call [PHONE].\n2. next",
    "call 06 12 34 56 78 or +44 (0)20 7946 0958": "call [PHONE] or [PHONE]",
    "+81-90-1234-5678 and 020 7946 0958": "[PHONE] and [PHONE]",
    "my ssn 123-45-6789": "my ssn [SSN]",
    "my student number is 20231234": "my student number is [ID]",
    "it is s1234567": "it is [ID]",
    "from 10.0.12.1": "from [IP]",
    "I live at 12 Main Street, Apt 4": "I live at [ADDRESS]",
    "wohne Hauptstraße 12b": "wohne [ADDRESS]",
    "12 rue de la Paix": "[ADDRESS]",
    "London SW1A 1AA": "London [ADDRESS]",
    "the office is on Villacher Strasse 89": "the office is on [ADDRESS]",
    "am Hersnapvej 18, wohl": "am [ADDRESS], wohl",
    "we meet at 641 Dašická 688": "we meet at [ADDRESS]",
    "eva lives at 255 hersnapvej 18, ok": "eva lives at [ADDRESS], ok",
    "Calle de Alcalá 12, Madrid": "[ADDRESS], Madrid",
    "my zip code is 880": "my zip code is [ADDRESS]",
    "ZIP: 7412 SL": "ZIP: [ADDRESS]",
    "an office in Bjert 6091 now": "an office in Bjert [ADDRESS] now",
    "Mellemvej 32\nAalborg\nDK 9100": "[ADDRESS]\nAalborg\nDK [NUMBER]",
    "450 Mellemvej 32": "[NUMBER] [ADDRESS]",
    "5 Kerk Road\nSuite 3\nSouth Africa": "[ADDRESS]\n[ADDRESS] [ADDRESS]",
    "12 Main Street, Hibbertown, Belgium": "[ADDRESS], [ADDRESS]",
    "to the corner of Rosenweg 7 and Hill Court, please": "to the corner of [ADDRESS], please",
    "the corner of 35 Pentelis Str. and Elm Lane": "the corner of [ADDRESS]",
    "5 Elm Road Hibbertown Belgium": "[ADDRESS] [ADDRESS]",
    "I was born on May 5th, 1999": "I was born on [DATE]",
    "born 12.03.1999": "born [DATE]",
    "born in August 1999": "born in [DATE]",
    "page 12, x = 3 and 1,000,000": "page [NUMBER], x = [NUMBER] and [NUMBER]",
    "the code is 123456789": "the code is [NUMBER]",
}
LEFT = [
    "1. first\n2) second",  # list items
    "`x = 12` and $y_2 = 3$",  # code and formulas
    "&#39;quoted&#39;",  # HTML entities
    "2nd try of lab2 in python3",
    "```\nfor i in range(10): pass\n```",
    "Dear all, thanks!",
]


@pytest.mark.parametrize(("text", "wanted"), FOUND.items())
def test_patterns_become_placeholders(text: str, wanted: str) -> None:
    assert mask(text, numbers="all").text == wanted


@pytest.mark.parametrize("text", LEFT)
def test_layout_and_code_stay(text: str) -> None:
    assert mask(text).text == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("page 12, x = 3, in 2024", "page 12, x = 3, in 2024"),
        ("due 2024-05-05", "due 2024-05-05"),
        ("see 2 Section 3, Brigade 5 and post 12", "see 2 Section 3, Brigade 5 and post 12"),
        ("in Chapter 1404, in Room 4312, in Bern 1998", "in Chapter 1404, in Room 4312, in Bern 1998"),
        ("the matrix U 3, a gate 2, Logic gate 3, via Zoom 5", "the matrix U 3, a gate 2, Logic gate 3, via Zoom 5"),
        ("born 1999-05-05, code 123456", "born [DATE], code [NUMBER]"),
        ("call 212-555-0123", "call [PHONE]"),
    ],
)
def test_short_numbers_can_be_kept(text: str, wanted: str) -> None:
    assert mask(text, numbers="identifying").text == wanted


PIECES = st.sampled_from(
    [*FOUND, *LEFT, "Maria", "\n", " - ", "12", "@x", "a.b", "[NAME]", "é", "(at)", "$5 and $6", "<b>1</b>"]
)


@given(st.lists(PIECES, max_size=8).map(" ".join))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    once = mask(text)
    assert mask(once.text).text == once.text
    assert set(once.found) <= set(PLACEHOLDERS)


SEARCHED = st.sampled_from(
    [*FOUND, *"@./-+#&()\u200d, 7", "1234", "12.5", "www.", "https://", "a", "ب", "`", "me@", "uni.example"]
)


@given(st.lists(SEARCHED, max_size=12).map("".join))
def test_the_searches_of_a_finished_file_find_nothing_after_masking(text: str) -> None:
    """A release is held to finding nothing: whatever the searches see, masking must have taken out."""
    masked = mask(without_unseen(text)).text
    left = patterns_left(engine.table(pa.table({"message": [masked]})), ["message"])
    assert {risk.name: risk.value for risk in left if risk.value} == {}


@given(st.lists(PIECES, max_size=6).map(" ".join), st.lists(PIECES, max_size=4).map(" ".join))
def test_positions_follow_the_replacements(before: str, after: str) -> None:
    text = f"{before} QQMARKQQ {after}"
    masked = mask(text)
    if "QQMARKQQ" in masked.text:
        assert masked.text[masked.moved(text.index("QQMARKQQ")) :].startswith("QQMARKQQ")


@pytest.mark.parametrize(
    "unit",
    [
        "@.",
        "a.",
        "1-",
        "AA1-",
        "Calle De ",
        "\\(",
        "\\[",
        "<!--",
        "<pre>",
        "a b@",
        "1 A ",
        "12 Abcde 1 ",
        "in Ab 12\n",
        "Via A 1\n234\n",
        "zip 1",
    ],
)
def test_no_text_takes_more_than_its_share_of_time(unit: str) -> None:
    """Twice the text takes about twice the time, whatever stands in it; a square would take four times as long."""

    def seconds(text: str) -> float:
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            mask(text, numbers="all")
            tokenize([text])
            best = min(best, time.process_time() - started)
        return best

    short = unit * (100_000 // len(unit))
    seconds(short[:1000])
    assert seconds(short + short) < 3 * seconds(short) + 0.02


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to ana@uni.example", (1, 0, 0)),
        ("write to ana @ uni.example", (1, 0, 0)),
        ("an\u200ba\u200b@\u200buni.example", (1, 0, 0)),
        ("see https://uni.example/ana", (0, 1, 0)),
        ("see h\u2060ttps://uni.example/ana", (0, 1, 0)),
        ("see www.uni.example", (0, 1, 0)),
        ("my number is 12345678", (0, 0, 1)),
        ("my number is s1234567x", (0, 0, 1)),
        ("my number is 1234\u200b5678", (0, 0, 1)),
        ("call 06 12 34 56 78", (0, 0, 1)),
        ("call 555-123-4567", (0, 0, 1)),
        ("page 12, 3.14 and 2024", (0, 0, 0)),
    ],
)
def test_the_second_look_finds_what_the_first_one_left(text: str, found: tuple[int, int, int]) -> None:
    """Signs that nobody sees are no hiding place, and digits between letters are digits."""
    left = patterns_left(engine.table(pa.table({"message": [text]})), ["message"])
    assert tuple(risk.value for risk in left) == found


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("17BCS1023 and 1MS17CS001 here", "[ID] and [ID] here"),
        ("ENG19CS0201, CB.EN.U4CSE17045", "[ID], [ID]"),
        ("roll no. 45, my id: 0123, ID#7781", "roll no. [ID], my id: [ID], ID#[ID]"),
        ("ORCID 0000-0002-1825-0097", "ORCID [ID]"),
        ("wolf99@gmail or wolf99 @ gmail . com", "[EMAIL] or [EMAIL]"),
        ("wolf99[@]gmail[.]com, wolf99 (a) uni.de", "[EMAIL], [EMAIL]"),
        ("wolf99-at-uni-dot-edu; ssh wolf@login01", "[EMAIL]; ssh [EMAIL]"),
        ("bit.ly/3abc or wolf.edu.tr/~x", "[URL] or [URL]"),
        ("STM32F103, RTX3090, MI6, X@W and look at numpy", "STM32F103, RTX3090, MI6, X@W and look at numpy"),
    ],
)
def test_identifiers_of_further_kinds(text: str, masked: str) -> None:
    assert mask(text).text == masked
