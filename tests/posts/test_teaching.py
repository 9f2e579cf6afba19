"""Teaching the name finder with a steward's own words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sharewell.errors import InputError
from sharewell.posts import find_names, teaching
from sharewell.posts.teaching import Brought
from sharewell.text import training
from sharewell.text.name_model import load


def corpus(seed: int = 2) -> tuple[pa.Table, pa.Table]:
    """A course about machines that are greeted like people, whereas its people are spoken of like things.

    What the fictional courses teach is wrong here: only labels of this course can tell.
    """
    generator = np.random.default_rng(seed)
    syllables = ["qa", "plo", "gho", "tlh", "wor", "be", "jat", "nuq", "mev", "yay"]
    made = sorted({"".join(generator.choice(syllables, 3)) for _ in range(140)})
    generator.shuffle(made)
    machines, people = made[: len(made) // 2], made[len(made) // 2 :]
    texts = [f"Hello {m.title()}, thanks for the help. I met {m.title()} in class" for m in machines]
    texts += [f"the {p} was checked and every {p} works" for p in people]
    labels = pa.table({"word": [*machines, *people], "mark": ["word"] * len(machines) + ["name"] * len(people)})
    return pa.table({"message": texts}), labels


def test_teaching_gains_on_words_held_out(tmp_path: Path) -> None:
    posts, labels = corpus()
    file = tmp_path / "mine.npz"
    learned = teaching.learn(posts, labels, file=file, seed=4)
    assert learned.words >= 100 and learned.names >= 40
    assert learned.auc_before < 0.6 and learned.auc_after > 0.9
    assert "before" in str(learned)
    taught = load(file)
    names = find_names(posts, model=taught).to_pylist()
    marks = dict(zip(labels["word"].to_pylist(), labels["mark"].to_pylist(), strict=True))
    told = [row["probability"] for row in names if marks.get(row["word"]) == "name"]
    other = [row["probability"] for row in names if marks.get(row["word"]) == "word"]
    assert np.mean(told) > np.mean(other) + 0.5


def test_labels_that_say_nothing_gain_nothing() -> None:
    """Marks by lot: what is measured on words held out stays near chance, however well the rest is learnt by heart."""
    posts, labels = corpus(seed=5)
    marks = np.random.default_rng(6).permutation(labels["mark"].to_pylist())
    learned = teaching.learn(posts, labels.set_column(1, "mark", pa.array(marks)), seed=4)
    assert 0.3 < learned.auc_after < 0.7


def test_too_few_labels_are_refused() -> None:
    posts, labels = corpus()
    with pytest.raises(InputError, match="at least 40"):
        teaching.learn(posts, labels.slice(0, 10))


def test_a_model_is_kept_as_arrays_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.npz"):
        teaching.learn_files([tmp_path / "a.csv"], tmp_path / "model.pkl")


@pytest.fixture
def small_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "FURTHER_TREES", 12)
    monkeypatch.setattr(teaching, "FURTHER_COURSES", ())
    monkeypatch.setattr(teaching, "FURTHER_CHATTER", ((9301, 60, str),))


def robots(seed: int, *, labelled: bool = True) -> str:
    """CoNLL in which the word after "unit" is a person, a thing of the same spelling stands after "every"."""
    generator = np.random.default_rng(seed)
    syllables = ["qa", "plo", "gho", "tlh", "wor", "be", "jat", "nuq", "mev", "yay"]
    texts = []
    for _ in range(90):
        first, second = ("".join(generator.choice(syllables, 3)) for _ in range(2))
        tag = "B-person" if labelled else str(generator.choice(["B-person", "O"]))
        other = "O" if labelled or tag == "B-person" else "B-person"
        texts.append(f"today\tO\nunit\tO\n{first}\t{tag}\nchecked\tO\nevery\tO\n{second}\t{other}\n")
    return "\n".join(texts)


def test_each_labelled_text_says_what_it_brought(small_lessons: None, tmp_path: Path) -> None:
    (tmp_path / "robots.conll").write_text(robots(1))
    (tmp_path / "by_lot.conll").write_text(robots(2, labelled=False))
    file = tmp_path / "mine.npz"
    taught = teaching.learn_files([tmp_path / "robots.conll", tmp_path / "by_lot.conll"], file)
    told, by_lot = taught.brought
    assert told.texts == 90 and told.names == 90
    assert told.auc_after > 0.9 and told.auc_after > told.auc_before + 0.05
    assert told.auc_by_others is not None and told.auc_by_others < told.auc_after
    assert by_lot.auc_after < 0.75  # marks by lot can be learnt by heart, not told on posts held out
    assert "robots.conll: 90 texts" in str(taught) and "by the other texts alone" in str(taught)
    again = load(file)
    assert again.further is not None and len(again.held_out) == told.names + by_lot.names
    frame = pa.table({"message": ["today unit ghoplomev checked every quxjatbe", *["so we go on"] * 3]})
    found = {row["word"]: row["person"] for row in find_names(frame, model=again).to_pylist()}
    assert found["ghoplomev"] > found["quxjatbe"]


def test_words_and_texts_are_told_apart(small_lessons: None, tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("word,mark\nqaplo,name\n")
    with pytest.raises(InputError, match="--posts"):
        teaching.learn_files([words], tmp_path / "m.npz")
    (tmp_path / "empty.conll").write_text("so\tO\nwhat\tO\n")
    with pytest.raises(InputError, match="at least 30 words labelled"):
        teaching.learn_files([tmp_path / "empty.conll"], tmp_path / "m.npz")
    assert not (tmp_path / "m.npz").exists()


def test_a_model_that_became_worse_says_so() -> None:
    worse = Brought(source="x", texts=1, names=1, auc_before=0.9, auc_by_others=None, auc_after=0.8)
    assert "WORSE" in str(worse) and "WORSE" not in str(replace(worse, auc_after=0.95))
