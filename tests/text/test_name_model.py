"""The model that comes with Sharewell: how it is kept, and what it says."""

import zipfile
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from sharewell.errors import InputError
from sharewell.text import boosted, name_model
from sharewell.text.identity import identity
from sharewell.text.name_model import NameModel

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(600, 7)).round(1).astype(np.float32)
LABELS = ROWS[:, 0] + ROWS[:, 3] > 0.3


def test_the_arrays_say_what_scikit_learn_says() -> None:
    weights = np.where(LABELS, 2.0, 1.0)
    ours = boosted.grow(ROWS, LABELS, weights, trees=30)
    theirs = HistGradientBoostingClassifier(
        max_iter=30, learning_rate=boosted.RATE, max_leaf_nodes=boosted.LEAVES, min_samples_leaf=20,
        l2_regularization=5.0, max_features=boosted.SHARE, early_stopping=False, random_state=0,
    ).fit(ROWS, LABELS, sample_weight=weights)  # fmt: skip
    seen = RNG.permuted(ROWS, axis=0)  # a split of ours stands on a value, one of scikit-learn's between two
    assert ours.predict(seen) == pytest.approx(theirs.predict_proba(seen)[:, 1], abs=1e-5)


def test_features_of_many_values_are_split_at_values() -> None:
    rows = RNG.normal(size=(3000, 2)).astype(np.float32)
    grown = boosted.grow(rows, rows[:, 0] > 0.3, np.ones(len(rows)), trees=20)
    splits = grown.threshold[grown.feature == 0]
    assert np.isin(splits, rows[:, 0]).all()
    assert ((grown.predict(rows) > 0.5) == (rows[:, 0] > 0.3)).mean() > 0.98


def test_a_kept_model_says_the_same_and_holds_no_pickle(model: NameModel, tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    name_model.save(model, file)
    with zipfile.ZipFile(file) as packed:
        for name in packed.namelist():
            head = packed.read(name)[:200]
            assert head.startswith(b"\x93NUMPY") and b"'|O'" not in head
    again = name_model.load(file)
    rows = RNG.normal(size=(20, 200))
    assert np.array_equal(model.persons.predict(rows), again.persons.predict(rows))
    assert again.threshold(0.9) == model.threshold(0.9) and again.facts == model.facts


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    file.write_bytes(b"no model")
    with pytest.raises(InputError, match="not a name model"):
        name_model.load(file)


def test_a_model_of_another_version_is_refused(model: NameModel, tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    name_model.save(replace(model, facts={**model.facts, "features": "of another version"}), file)
    with pytest.raises(InputError, match="teach it again"):
        name_model.load_taught(file)
    name_model.save(model, file)
    assert name_model.load_taught(file).facts == model.facts


def test_more_recall_is_a_lower_threshold(model: NameModel) -> None:
    thresholds = [model.threshold(recall) for recall in (0.5, 0.9, 0.99, 1.0)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert (model.held_out >= model.threshold(0.9)).mean() >= 0.9
    assert model.threshold(1.0) == model.held_out.min()


def test_the_shipped_model_is_small_and_names_its_sources(model: NameModel) -> None:
    folder = resources.files("sharewell.text").joinpath("tables")
    assert len(folder.joinpath("names.npz").read_bytes()) < 1_000_000
    assert any("WNUT 2017" in name and "CC BY" in name for name in model.facts["labelled text"])
    tables = {"names.npz", "evidence.npz", "languages.npz"}
    assert set(identity()) >= {*tables, "names", "english-words", "phonenumberslite"}
