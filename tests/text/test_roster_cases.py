"""Names of a roster in the cases that German and Turkish put them into; ordinary words are nobody's."""

import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.text.roster import read_roster

ROSTER = read_roster(["Ayşe Yılmaz", "Mehmet Öztürk", "Jürgen Schröder", "Anna Weiß", "Ali Can", "Mark Lange"])
FORMS = (
    "ayşe'nin ayşe'ye ayşe'den ayşe'yle ayşenin ayseye mehmet'in mehmetin mehmet'e mehmet'ten mehmetten mehmetler "
    "yılmaz'ın yılmazlar öztürk'le ozturkun ali'nin ali'de can'a jürgens annas schröders schroeders"
)


@pytest.mark.parametrize("form", FORMS.split())
def test_a_case_of_a_name_is_the_name(form: str) -> None:
    assert ROSTER.named_by(form) is not None


@pytest.mark.parametrize("word", ["marke", "alin", "cana", "canada", "mehm", "lang", "anna'mal", "annaberg", "yıl"])
def test_another_word_is_nobodys(word: str) -> None:
    assert ROSTER.named_by(word) is None


def test_cases_go_out_of_the_text() -> None:
    said = ["Ben mehmetten sordum, Ayşe'nin notu nerede", "das hat jürgens Gruppe gelöst und annas Idee war es"]
    roster = ["Ayşe Yılmaz", "Mehmet Öztürk", "Jürgen Schröder", "Anna Weiß"]
    names = posts.find_names(pa.table({"message": said}), text="message", roster=roster)
    clean = posts.redact(pa.table({"message": said}), text="message", names=names)["message"].to_pylist()
    assert not [name for name in ("mehmet", "ayşe", "jürgen", "anna") if name in " ".join(clean).lower()]
    assert "notu nerede" in clean[0] and "Gruppe gelöst" in clean[1]
