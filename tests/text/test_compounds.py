"""Names written into other words: hashtags, file names, run-together names."""

import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.data import engine
from sharewell.posts.measure.roster_left import words_left
from sharewell.text.compounds import Compounds, pieces
from sharewell.text.name_model import NameModel
from sharewell.text.word_lists import english

ROSTER = ["Maria Lopez", "Lauren Bacall", "Rose Baker", "Ken McDonald"]


@pytest.mark.parametrize(
    ("surface", "wanted"),
    [
        ("HWMariaLopez99", ["HW", "Maria", "Lopez"]),
        ("maria", ["maria"]),
        ("hwMARIALopez", ["hw", "MARIA", "Lopez"]),
        ("ÉlodieÖz", ["Élodie", "Öz"]),
    ],
)
def test_a_word_is_cut_at_capitals_and_digits(surface: str, wanted: list[str]) -> None:
    assert list(pieces(surface)) == wanted


def test_a_name_inside_a_word_counts_where_the_rest_is_words() -> None:
    found = Compounds.among({"askmaria", "xqmaria", "marketing", "teamtrump", "trumpetish"}, (), english())
    assert found.holding(frozenset({"maria", "mark", "trump"})) == {"askmaria": "maria", "teamtrump": "trump"}


def test_names_of_the_roster_go_and_the_recheck_says_so(model: NameModel) -> None:
    written = (
        "#LaurenBacall", "#laurenbacall", "#TEAMMARIA", "maria99", "MariaLopez_hw1.pdf", "thxlopez", "#McDonaldFan",
        "#rosebaker", "askMaria()",
    )  # fmt: skip
    texts = [f"I saw {one} there, a rose and the baker" for one in written]
    clean = posts.redact(pa.table({"message": texts}), roster=ROSTER, model=model)["message"].to_pylist()
    for before, after in zip(texts, clean, strict=True):
        found = [
            words_left(engine.table(pa.table({"m": [text]})), ["m"], ROSTER, english()) for text in (before, after)
        ]
        assert sum(found[0].values()) >= 1 and sum(found[1].values()) == 0
        assert after.endswith("there, a rose and the baker")


def test_a_word_that_a_person_calls_a_name_goes_inside_others_too(model: NameModel) -> None:
    frame = pa.table({"message": ["vote #DumpTrump or #teamtrump", "a trumpet, DataFrame and ArrayList"]})
    clean = posts.redact(frame, names=["trump"], model=model)["message"].to_pylist()
    assert clean == ["vote #[NAME] or #[NAME]", "a trumpet, DataFrame and ArrayList"]


def test_whole_names_by_the_lists_need_no_roster(model: NameModel) -> None:
    frame = pa.table({"message": ["#ShaniaTwain and #BobMarley, #selenagomez; a NullPointerException"]})
    clean = posts.redact(frame, model=model)["message"].to_pylist()
    assert clean == ["#[NAME] and #[NAME], #[NAME]; a NullPointerException"]
