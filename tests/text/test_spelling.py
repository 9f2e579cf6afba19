"""Slips of common words are told from names."""

import numpy as np
import pytest

from sharewell.text.evidence import OOV, look_up
from sharewell.text.spelling import COLUMNS, UNUSUAL, is_two_words, respelled
from sharewell.text.word_lists import english


def described(word: str) -> dict[str, float]:
    row = respelled([word], look_up([word])[:, 0])[0]
    return dict(zip(COLUMNS, row.tolist(), strict=True))


@pytest.mark.parametrize("word", ["soooooooooooo", "pleeease", "gradesss"])
def test_a_stretched_word_is_the_word_behind_it(word: str) -> None:
    assert described(word)["squeezed"] > UNUSUAL and described(word)["longest_run"] >= 3


@pytest.mark.parametrize("word", ["agaiin", "expllaining", "questoins", "gradse"])
def test_a_slip_is_near_a_common_word(word: str) -> None:
    assert described(word)["slip"] > UNUSUAL


def test_a_usual_word_stands_for_nothing_else() -> None:
    assert described("the") == {"longest_run": 1.0, "squeezed": OOV, "slip": OOV}


def test_no_words_give_no_rows() -> None:
    assert respelled([], np.zeros(0)).shape == (0, len(COLUMNS))


def test_words_written_together_are_told() -> None:
    lists = english()
    assert is_two_words("reallymeans", lists) and is_two_words("playground", lists) is False
    assert not is_two_words("okafor", lists)
