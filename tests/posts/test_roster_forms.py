"""Names of a roster in the forms that people and programs give them: none stays, and the re-check sees each before."""

import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.data import engine
from sharewell.posts.measure.roster_left import words_left
from sharewell.text.name_model import NameModel
from sharewell.text.unseen import as_read
from sharewell.text.word_lists import english

ROSTER = ["María López", "Jürgen Schröder", "Lars Berg", "Siobhán O'Brien", "Tomasz Nowak", "Mikko Virtanen", "Li Wang"]
FORMS = {
    "entities": "thanks J&uuml;rgen and &#76;opez for that",
    "escapes": "thanks J\\u00fcrgen and J%C3%BCrgen for that",
    "unseen characters": "thanks L\u200bars and Lo\u00adpez for that",
    "lookalike letters": "thanks Lореz and Lаrs for that",
    "styled letters": "thanks Ｌａｒｓ and 𝐋𝐨𝐩𝐞𝐳 for that",
    "end of a line": "that was said by Ló-\npez and Schrö-\n  der",
    "letter by letter": "that was l o p e z, no, S-c-h-r-o-d-e-r",
    "tags": "it was <b>L</b>opez who said it",
    "code": "```\nint maria_score = get_lopez();\n```\nand `lars.berg`",
    "escaped line": 'print("hi\\nmaria\\tlopez\\n")',
    "login": "my login mlopez is locked, and lopezm3 too",
    "file": "D:\\Lopez\\hw2 and lars-berg-essay.pdf",
    "figures": "thanks l0p3z and m4r1a for that",
    "drawn out": "thanks Mariaaaaa for that",
    "rare words of the dictionary": "we asked #teamlars, wang and DrSchroder",
    "cases": "Tomaszem, nowakowi, schrödersche, mariaji, larsin",
    "joined": "obrien and #AskOBrien know it",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_a_name_goes_and_the_recheck_sees_it_before(form: str, model: NameModel) -> None:
    frame = pa.table({"message": [FORMS[form]]})
    clean = posts.redact(frame, roster=ROSTER, model=model)
    before, after = (words_left(engine.table(one), ["message"], ROSTER, english()) for one in (frame, clean))
    assert sum(before.values()) >= 1
    assert not after, clean["message"].to_pylist()


def test_stars_in_a_name_hide_it_from_nobody(model: NameModel) -> None:
    frame = pa.table({"message": ["thanks L*pez, 2*3 and a*b stay"]})
    clean = posts.redact(frame, roster=ROSTER, model=model)["message"].to_pylist()
    assert clean == ["thanks [NAME], 2*3 and a*b stay"]


def test_two_words_of_one_name_go_together(model: NameModel) -> None:
    frame = pa.table({"message": ["write to minjun.park, we met in the park"]})
    clean = posts.redact(frame, roster=["Minjun Park"], model=model)["message"].to_pylist()
    assert clean == ["write to [NAME].[NAME], we met in the park"]


@pytest.mark.parametrize("word", ["martini", "marking", "rosebud", "canada", "marvel", "li-ion", "kleinen"])
def test_words_that_begin_like_a_name_are_no_case_of_it(word: str) -> None:
    frame = pa.table({"message": [f"it was about {word} and more"]})
    assert not words_left(engine.table(frame), ["message"], ["Martin Klein", "Rose Can", "Mark Mar"], english())


@pytest.mark.parametrize(
    "text", ["привет Димa", "Δx and μm", "a &lt; b &amp; c&nbsp;d", "ESPAÑA «AÑO»", "\\usepackage, \\u12", "50%off"]
)
def test_what_stands_for_no_letter_stays(text: str) -> None:
    assert as_read(text) == text
