"""Teaching the name finder with a steward's own words."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sharewell.errors import InputError
from sharewell.posts import learning, training
from sharewell.posts.classifier import NameModel, Settings, load


@pytest.fixture
def small(model: NameModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Teach on top of the small model instead of the default one."""
    few = training.lessons_of(courses=((71, 60, str),), chatter=((74, 100, str),))
    monkeypatch.setattr(learning, "lessons_of", lambda: few)
    monkeypatch.setattr(learning, "open_model", lambda _: model)
    monkeypatch.setattr(learning, "Settings", lambda **given: Settings(trees=20, seed=given.get("seed", 0)))


def corpus() -> tuple[pa.Table, pa.Table]:
    """A course about Klingon: its words look like names and are none; its people have odd names."""
    generator = np.random.default_rng(2)
    syllables = ["qa", "plo", "gho", "tlh", "wor", "be", "jat", "nuq", "mev", "yay"]
    made = sorted({"".join(generator.choice(syllables, 3)) for _ in range(120)})
    words, people = made[: len(made) // 2], made[len(made) // 2 :]
    texts = [f"the word {w} means {v}" for w, v in zip(words, reversed(words), strict=True)]
    texts += [
        f"Hi {p.title()}, thanks for the help. {q.title()} said so too"
        for p, q in zip(people, reversed(people), strict=True)
    ]
    labels = pa.table({"word": made, "mark": ["word"] * len(words) + ["name"] * len(people)})
    return pa.table({"message": texts}), labels


def test_teaching_is_measured_on_words_held_out(small: None, tmp_path: Path) -> None:
    posts, labels = corpus()
    file = tmp_path / "mine.npz"
    learned = learning.learn(posts, labels, file=file)
    assert learned.words >= 40 and learned.auc_after >= 0.9
    assert "before" in str(learned)
    assert load(file).context == learned.model.context


def test_too_few_labels_are_refused(small: None) -> None:
    posts, labels = corpus()
    with pytest.raises(InputError, match="at least 40"):
        learning.learn(posts, labels.slice(0, 10))


def test_a_model_is_kept_as_arrays_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.npz"):
        learning.learn_files(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "model.pkl", text=["message"])
