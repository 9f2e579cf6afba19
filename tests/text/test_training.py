"""How a name model is made: the same from the same texts, from fiction that says where its names stand."""

from pathlib import Path
from typing import Any

import pytest

from sharewell.errors import InputError
from sharewell.stats.arrays import Array
from sharewell.text import labelled_text, training
from sharewell.text.chatter import make_chatter
from sharewell.text.name_model import NameModel, default_model
from sharewell.text.word_lists import english

FEW: dict[str, Any] = {"courses": ((71, 30, str),), "chatter": ((74, 60, str), (75, 40, str.lower))}


def arrays(model: NameModel) -> dict[str, Array]:
    parts = {"persons": model.persons, "others": model.others, "again": model.again}
    found = {f"{part}.{name}": values for part, of in parts.items() for name, values in of.to_arrays().items()}
    return {**found, "held_out": model.held_out}


def test_the_same_texts_give_the_same_model_to_the_bit() -> None:
    lessons = list(training.fictional_lessons(**FEW))
    first = arrays(training.train(lessons[:1], lessons[1:], {}, trees=8))
    again = arrays(training.train(lessons[:1], lessons[1:], {}, trees=8))
    assert all(first[name].tobytes() == again[name].tobytes() for name in first)
    other = arrays(training.train(lessons[1:2], lessons[:1], {}, trees=8))
    assert first["persons.threshold"].tobytes() != other["persons.threshold"].tobytes()


def test_the_shipped_model_was_made_from_what_is_here() -> None:
    """Tokens, features or fiction that changed since ask for `python train/train_names.py`."""
    assert default_model().facts["features"] == training.fingerprint()


def test_chatter_says_where_its_names_stand() -> None:
    posts, mentions = make_chatter(5, 200, english())
    texts, kinds = posts["message"].to_pylist(), set()
    for row in mentions.to_pylist():
        assert texts[row["row"]][row["start"] : row["end"]] == row["text"] != ""
        kinds.add(row["type"])
    assert kinds == {"person-name", "town"}


CONLL = "Hi\tO\nMaria\tB-person\nLopez\tI-person\n\nin\tO\nBern\tB-location\n"
ESSAY = """[{"tokens": ["By", "Maria", "Lopez", "."], "trailing_whitespace": [true, true, false, true],
             "labels": ["O", "B-NAME_STUDENT", "I-NAME_STUDENT", "O"]}]"""
PRESIDIO = """[{"full_text": "Maria lives", "spans":
                [{"entity_type": "PERSON", "start_position": 0, "end_position": 5, "entity_value": "Maria"}]}]"""


@pytest.mark.parametrize(
    ("content", "wanted"),
    [(CONLL, ["Maria", "Lopez", "Bern"]), (ESSAY, ["Maria", "Lopez"]), (PRESIDIO, ["Maria"])],
)
def test_labelled_text_of_three_formats_is_read(content: str, wanted: list[str], tmp_path: Path) -> None:
    file = tmp_path / "labelled"
    file.write_text(content)
    posts, mentions = labelled_text.read(file)
    texts = posts["message"].to_pylist()
    assert [texts[row["row"]][row["start"] : row["end"]] for row in mentions.to_pylist()] == wanted


def test_what_is_no_labelled_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text('[{"a": 1}]')
    with pytest.raises(InputError, match="labelled text"):
        labelled_text.read(tmp_path / "file.json")
