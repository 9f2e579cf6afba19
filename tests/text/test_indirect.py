"""What tells about a person without a name: schools, student numbers with letters, ages, illnesses."""

import pytest

from sharewell.text import indirect
from sharewell.text.patterns import mask


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("I am at [NAME] Institute of Technology now", "I am at [SCHOOL] now"),
        ("the [NAME] and Sons College, founded", "the [SCHOOL], founded"),
        ("the University of [NAME], where", "the [SCHOOL], where"),
        ("in the Universidade de São Paulo we", "in the [SCHOOL] we"),
        ("I am a student at [NAME] [NAME] of Technology.", "I am a student at [SCHOOL]."),
        ("I went to Lincoln High School", "I went to [SCHOOL]"),
        ("our school and my college", "our school and my college"),
    ],
)
def test_schools_go_whole_beside_masked_names(text: str, clean: str) -> None:
    assert indirect.taken_out(text, ("school",))[0] == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("I am an MDI-191 student", "I am an [ID] student"),
        ("Roll no. 17BCS1023 here", "Roll no. [ID] here"),
        ("Reg. No: RA-1911.", "Reg. No: [ID]."),
        ("student ID: MDI-191", "student ID: [ID]"),
        ("the matric is A0123456X", "the matric is [ID]"),
        ("CS101 students read RFC-2616, page 12", "CS101 students read RFC-2616, page 12"),
        ("the roll number of dice is 6", "the roll number of dice is 6"),
    ],
)
def test_student_numbers_with_letters_go(text: str, clean: str) -> None:
    assert mask(text).text == clean


def test_every_kind_is_counted_in_any_case() -> None:
    told = {
        "age": "I am 19 years old", "school": "I GO nowhere; Kings College", "employer": "I work at Acme",
        "relative": "MY Brother said", "illness": "after ChemoTherapy, a TUMOR, crohns, Panic attack and hearing aid",
        "date": "on May 3rd",
    }  # fmt: skip
    counts = {kind: indirect.count(text)[kind] for kind, text in told.items()}
    assert counts == dict.fromkeys(told, 1) | {"illness": 5}
    assert indirect.count("nothing to see") == dict.fromkeys(told, 0)
