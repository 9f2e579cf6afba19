"""Teaching the name finder with a steward's own words."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sharewell.errors import InputError
from sharewell.posts import find_names, teaching
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
        teaching.learn_files(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "model.pkl", text=["message"])
