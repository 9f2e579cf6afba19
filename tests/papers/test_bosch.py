"""Bosch, Crues, Shaik and Paquette: the paper's own classifier."""

import pytest

from sharewell import papers
from sharewell.errors import InputError
from sharewell.fiction import make_course
from sharewell.text.training import labelled
from sharewell.text.word_lists import english

bosch = papers.bosch


@pytest.fixture(scope="module")
def training() -> tuple[papers.bosch.PossibleNames, dict[str, bool]]:
    made = make_course(students=40, seed=1, parts=("students", "posts"))
    possible = bosch.extract_possible_names(made.posts, text=["subject", "message"])
    named, unclear = labelled(made.posts, made.truth.mentions).words(english())
    return possible, {word: word in named for word in possible.words if word not in unclear}


def test_there_are_95_features(training: tuple[papers.bosch.PossibleNames, dict[str, bool]]) -> None:
    table = bosch.feature_table(training[0])
    assert (
        table.num_columns == 96 and table["occurrences"].to_pylist() == sorted(table["occurrences"].to_pylist())[::-1]
    )


def test_the_classifier_tells_names_from_words(training: tuple[papers.bosch.PossibleNames, dict[str, bool]]) -> None:
    made = bosch.table_2(training, {"holdout 1": training}, grid="none")
    found = {(r["dataset"], r["model"], r["metric"]): r["measured"] for r in made.rows.to_pylist()}
    assert found["training", "Fusion", "AUC"] > 0.9 and found["holdout 1", "Fusion", "AUC"] > 0.95
    assert found["training", "Extra-Trees", "N"] == len(training[1])


def test_a_dearer_miss_is_missed_less(training: tuple[papers.bosch.PossibleNames, dict[str, bool]]) -> None:
    cheap, dear = (
        bosch.cross_validated(*training, grid="none", missed_name_weight=cost)[0]["Fusion"].sum() for cost in (0.2, 20)
    )
    assert dear > cheap


def test_raters_are_compared_both_ways() -> None:
    one = {"ann": True, "will": True, "hope": False, "tree": False}
    other = {"ann": True, "will": False, "hope": False, "tree": False, "oak": True}
    found = {(r["ground truth"], r["metric"]): r["measured"] for r in bosch.table_1(one, other).rows.to_pylist()}
    assert found["Rater 1", "Recall"] == found["Rater 2", "Precision"] == 0.5 and found["Rater 1", "FN"] == 1
    assert found["Rater 1", "kappa"] == pytest.approx(0.5) and found["Rater 1", "N"] == 4
    with pytest.raises(InputError, match="no word in common"):
        bosch.table_1({"a": True}, {"b": True})


def test_too_few_labels_are_refused(training: tuple[papers.bosch.PossibleNames, dict[str, bool]]) -> None:
    with pytest.raises(InputError, match="at least 4 names"):
        bosch.train(training[0], {})
