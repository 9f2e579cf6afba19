"""Characters that nobody sees are gone where they hide something, and stay where they are part of what is read."""

import pytest

from sharewell.text.patterns import mask
from sharewell.text.redact import redact_texts
from sharewell.text.unseen import without_unseen


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("jane.doe@uni\u200b.example", "[EMAIL]"),
        ("jane.doe@\u00aduni.example", "[EMAIL]"),
        ("jane.doe\u200e@uni.example", "[EMAIL]"),
        ("ht\u2060tp://jane.example/x", "[URL]"),
        ("0664\u200b123\u200b4567", "[NUMBER]"),
        ("۰۶۶۴\u200c۱۲۳\u200c۴۵۶۷", "[NUMBER]"),
        ("مینا\u200c@uni.example", "[EMAIL]"),
        ("mina@کتاب\u200cخانه.example", "[EMAIL]"),
    ],
)
def test_an_address_is_found_whatever_hides_in_it(text: str, masked: str) -> None:
    assert mask(without_unseen(text)).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: the letters on either side are not joined
        "क\u094d\u200dष",  # Hindi: half a letter
        "👩\u200d🎓 and ❤\ufe0f, and 1\ufe0f\u20e3",  # emoji of several signs, and digits in boxes
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # a flag
        "Grüße, Ευχαριστώ, 谢谢",
    ],
)
def test_scripts_and_emoji_stay_as_they_are(text: str) -> None:
    assert without_unseen(text) == text


def test_a_name_of_the_roster_is_found_whatever_hides_in_it() -> None:
    texts = redact_texts(["Thanks Wulan\u00addari\u200b, that helped."], ["Wulandari Putri"])
    assert texts == ["Thanks [NAME], that helped."]
