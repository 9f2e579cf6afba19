"""The default model: the same from the same seeds, trained once per version, and what it is not trained on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharewell.text import training
from sharewell.text.arrays import Array
from sharewell.text.chatter import make_chatter
from sharewell.text.name_model import NameModel, Settings
from sharewell.text.word_lists import english

FEW = {"courses": ((71, 40, str),), "chatter": ((74, 60, str), (75, 40, str.lower)), "settings": Settings(trees=8)}


def arrays(model: NameModel) -> dict[str, Array]:
    parts = {"forest": model.forest, "network": model.network, "places": model.places}
    found = {f"{part}.{name}": values for part, of in parts.items() for name, values in of.to_arrays().items()}
    return {**found, "held_out": model.held_out}


def test_the_same_seeds_give_the_same_model_to_the_bit() -> None:
    first = arrays(training.train(**FEW))
    training.lessons_of.cache_clear()
    again = arrays(training.train(**FEW))
    assert first.keys() == again.keys()
    assert all(first[name].tobytes() == again[name].tobytes() for name in first)
    other = arrays(training.train(**{**FEW, "settings": Settings(trees=8, seed=1)}))
    assert first["forest.threshold"].tobytes() != other["forest.threshold"].tobytes()


@pytest.fixture
def trained(model: NameModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A cache of its own, and a record of how often a model was trained."""
    calls: list[str] = []

    def train() -> NameModel:
        calls.append("trained")
        return model

    monkeypatch.setenv("SHAREWELL_CACHE", str(tmp_path))
    monkeypatch.setattr(training, "train", train)
    training.default_model.cache_clear()
    yield calls
    training.default_model.cache_clear()


def test_the_default_model_is_trained_once_per_identity(trained: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = training.default_model()
    training.default_model.cache_clear()
    assert arrays(training.default_model()).keys() == arrays(first).keys() and len(trained) == 1
    training.default_model.cache_clear()
    monkeypatch.setattr(training, "_key", lambda: "0" * 64)
    training.default_model()
    assert len(trained) == 2


def test_without_a_place_for_the_cache_it_works_all_the_same(
    trained: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SHAREWELL_CACHE", str(tmp_path / "file"))
    assert training.default_model().context and trained == ["trained"]


def test_chatter_says_where_its_names_stand() -> None:
    posts, mentions = make_chatter(5, 200, english())
    texts, kinds = posts["message"].to_pylist(), set()
    for row in mentions.to_pylist():
        assert texts[row["row"]][row["start"] : row["end"]] == row["text"] != ""
        kinds.add(row["type"])
    assert kinds == {"person-name", "town"}
