"""Which words a language uses, and which language a post is written in."""

import numpy as np
import pytest

from sharewell.text import languages
from sharewell.text.candidates import WordCounts, counted
from sharewell.text.place_features import WordFacts
from sharewell.text.places import looked_at
from sharewell.text.tokens import tokenize
from sharewell.text.word_lists import english

ENGLISH = "Does anyone know whether the second question is about the whole chapter?"
POSTS = {
    "de": "Ich bin mir nicht sicher, ob das wirklich richtig ist",
    "fr": "Je ne sais pas encore si tout cela marche maintenant",
    "nl": "Weet iemand of het vandaag nog een keer komt",
    "id": "Saya tidak tahu apakah ini sudah benar atau belum",
    "fil": "Hindi ko alam kung tama na ba ang mga sagot ko",
}


def facts(texts: list[str]) -> WordFacts:
    tokens, counts = tokenize(texts), WordCounts()
    counts.add(counted(tokens))
    return WordFacts(tokens, counts, english())


def test_a_word_is_known_in_its_languages_only() -> None:
    found = languages.look_up(["the", "nicht", "zzvorkx"])
    german = 1 + languages.ABROAD.index("de")
    assert found[0, 0] > 7 and found[1, german] > 6 and found[1, 0] < 5 and not found[2].any()


@pytest.mark.parametrize("language", POSTS)
def test_the_language_of_a_post_is_recognised(language: str) -> None:
    here, margin, gain = facts([POSTS[language]]).language
    column = 1 + languages.ABROAD.index(language)
    assert (gain > 4).all() and (margin > 0.5).all()
    words = facts([POSTS[language]])
    own = words.spoken[words.tokens.surface, column]
    assert np.mean(here == own) > 0.5  # neighbouring languages (Danish, Norwegian) may share the rest
    assert (facts([ENGLISH]).language[2] < 0).all()


def test_posts_are_judged_by_themselves() -> None:
    texts = [ENGLISH, "", *POSTS.values(), "ok"]
    together = np.column_stack(facts(texts).language)
    alone = np.vstack([np.column_stack(facts([text]).language) for text in texts if text])
    assert together == pytest.approx(alone, abs=1e-4)


def test_no_post_has_no_language() -> None:
    empty = facts([""])
    assert not len(empty.language[0]) and not len(looked_at(empty))
