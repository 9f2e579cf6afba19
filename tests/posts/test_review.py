"""What people decide: agreement, merging, and the labelled sample."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.errors import InputError
from sharewell.posts.measure import labelled_sample as sample
from sharewell.posts.measure.labelled_sample import BothWord, Left, Residual
from sharewell.posts.measure.names_left import residual
from sharewell.posts.review_lists import marks_of, merge, merge_files, read_marks
from sharewell.stats.agreement import cohen_kappa
from sharewell.text.marks import MOSTLY_NAME, Marks


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=60))
def test_kappa_against_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    ours = cohen_kappa(first, second)
    if len(set(first) | set(second)) == 1:
        assert math.isnan(ours.kappa)
    else:
        assert ours.kappa == pytest.approx(cohen_kappa_score(first, second))
        assert ours.low <= ours.kappa <= ours.high


@pytest.mark.parametrize("n", range(1, 50))
def test_one_category_throughout_has_no_kappa(n: int) -> None:
    agreed = cohen_kappa([False] * n, [False] * n)
    assert math.isnan(agreed.kappa) and agreed.share == 1


def test_kappa_of_the_paper() -> None:
    """The two raters of Bosch et al. (2020, table 1): 600 words, 30 and 7 disagreements, kappa .864 [.823, .907]."""
    first = [True] * 186 + [True] * 30 + [False] * 7 + [False] * 377
    second = [True] * 186 + [False] * 30 + [True] * 7 + [False] * 377
    agreed = cohen_kappa(first, second)
    assert agreed.share == pytest.approx(0.938, abs=0.001)
    assert agreed.kappa == pytest.approx(0.864, abs=0.003)
    assert agreed.low == pytest.approx(0.823, abs=0.005)
    assert agreed.high == pytest.approx(0.907, abs=0.005)


def test_disagreements_hold_for_nobody_and_reviews_can_resume() -> None:
    merged = merge({"a": "name", "b": "word", "c": "name"}, {"a": "name", "b": "both", "d": "word"}, listed=6)
    assert merged.marks == {"a": "name", "c": "name", "d": "word"}
    assert merged.disagreements == ("b",)
    assert merged.unmarked == 2
    assert merged.agreement.n == 2


def test_marks_are_checked() -> None:
    table = pa.table({"word": ["Ana", "so", "x"], "mark": ["Name", "", "maybe"]})
    with pytest.raises(InputError, match="row 4"):
        marks_of(table)
    assert marks_of(table.slice(0, 2)) == ({"ana": "name"}, {})
    with pytest.raises(InputError, match="'word' and 'mark'"):
        marks_of(pa.table({"word": ["a"]}))


def test_two_files_become_one(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("word,mark\nana,name\nso,word\nrose,name\n")
    (tmp_path / "two.csv").write_text("word,mark\nana,name\nso,\nrose,word\n")
    result = merge_files(tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "out")
    assert "so" in result.marks_file.read_text() and "rose" not in result.marks_file.read_text()
    assert result.disagreements_file is not None and "rose" in result.disagreements_file.read_text()
    assert result.marks_file.stat().st_mode & 0o077 == 0
    assert "1 to resolve" in str(result) and f"{result.marks_file}: the marks" in str(result)
    assert "private/review" in str(result) and str(result.disagreements_file) in str(result)


def population(seed: int, rate: float, outside: float = 0.0) -> tuple[Left, dict[str, float]]:
    """Words left in a text, of which some are names, here and there only in a part of their places."""
    generator = np.random.default_rng(seed)

    def words(prefix: str, many: int, share: float) -> tuple[dict[str, int], dict[str, float]]:
        places = {f"{prefix}{i}": int(count) for i, count in enumerate(generator.zipf(1.6, many).clip(1, 3000))}
        named = generator.random(many) < share
        part = np.where(generator.random(many) < 0.2, generator.random(many), 1.0)
        return places, dict(zip(places, np.where(named, part, 0.0).tolist(), strict=True))

    possible, labels = words("w", 2000, rate)
    others, more_labels = words("p", 800, outside)
    total = 3 * (sum(possible.values()) + sum(others.values()))
    return Left(places={**possible, **others}, likely={}, words=total), {**labels, **more_labels}


def asked(drawn: sample.Sample, labels: dict[str, float]) -> Marks:
    """What a reviewer knows in the end: the words of the sample and no others."""
    return Marks(shares={word: labels[word] for word in drawn.to_mark()})


def left_in_release(left: Left, labels: dict[str, float], drawn: sample.Sample) -> float:
    """The truth: names per word, once the release has taken out what people labelled as names."""
    seen = {word for word in drawn.to_mark() if labels[word] >= MOSTLY_NAME}
    return sum(count * labels[word] for word, count in left.places.items() if word not in seen) / left.words


@pytest.mark.parametrize(("rate", "outside"), [(0.05, 0.0), (0.02, 0.02), (0.2, 0.1)])
def test_the_interval_covers_the_truth(rate: float, outside: float) -> None:
    """Of 100 known truths a 95 % interval may miss 7."""
    missed = 0
    for seed in range(100):
        left, labels = population(seed, rate, outside)
        drawn = sample.draw(left, seed=seed)
        found = sample.estimate(drawn, asked(drawn, labels), {})
        missed += not found.low <= left_in_release(left, labels, drawn) <= found.high
        assert found.low <= found.value <= found.high
    assert missed <= 7


def test_names_among_ordinary_words_count_too() -> None:
    """The upper end doubts what was not labelled, whatever the finder says of it."""
    left, labels = population(3, rate=0.0)
    fewer = replace(left, places={word: count for word, count in left.places.items() if word[0] == "w"})
    without = sample.estimate(sample.draw(fewer, seed=0), Marks(shares=labels), {})
    assert sample.estimate(sample.draw(left, seed=0), Marks(shares=labels), {}).high > without.high > 0


def test_the_finder_says_which_words_are_marked_one_and_all() -> None:
    places = {f"w{i}": 1 + i % 3 for i in range(4000)} | {"common": 5000}
    drawn = sample.draw(Left(places=places, likely={"w7": 0.9, "w8": 0.6}, words=20_000), seed=0)
    assert {"w7", "w8", "common"} <= set(drawn.certain) and len(drawn.certain) + len(drawn.drawn) == sample.WORDS


def test_as_many_words_are_asked_as_the_limit_needs() -> None:
    left, _ = population(5, rate=0.0)
    limits = (0.001, 0.0002, 0.0001, 0.0)
    sizes = [sample.words_needed(left, limit) for limit in limits]
    assert sizes == sorted(sizes) and sizes[0] == sample.WORDS < sizes[1] and sizes[-1] == len(left.places) > 2400
    assert all(sample.expected(left, size) <= limit for size, limit in zip(sizes, limits, strict=True))
    doubted = replace(left, likely=dict.fromkeys(left.places, 0.1))
    assert sample.words_needed(doubted, 0.0002) > sizes[1]
    assert len(sample.draw(left, seed=0, limit=0.0, size=700).asked) <= 700
    assert list(sample.choices(left, 2000)) == [600, 1200]


def test_a_sample_too_small_for_its_limit_says_how_many_words_would_do() -> None:
    found = Residual(value=0.001, low=0.0, high=0.002, marked=600, unmarked=0)
    told = residual(found, 600, 0.0005, choices={}, further=2400, seed=0, label="posts.forum")
    assert told.holds is False and "review_words = 2400" in told.story
    at_fault = residual(replace(found, at_fault={"ana": 2.0}), 600, 0.0005, choices={}, further=0, seed=0, label="f")
    assert "at_fault.csv" in at_fault.story
    unmarked = residual(
        replace(found, unmarked=9), 600, 0.0005, choices={600: 0.0021}, further=0, seed=0, label="posts.forum"
    )
    assert "600 words about 0.0021" in unmarked.story


def test_where_all_words_are_labelled_nothing_is_in_doubt() -> None:
    left = Left(places={"ana": 3, "so": 5, "will": 4, "storm": 2}, likely={}, words=100)
    drawn = sample.draw(left, seed=0)
    found = sample.estimate(drawn, Marks(shares={"ana": 1.0, "so": 0.0, "will": 0.25, "storm": 0.0}), {})
    assert found.low == found.value == found.high == 0.01  # a quarter of "will"; "ana" goes


def test_a_clean_text_of_a_course_passes_the_strictest_limit() -> None:
    """Per word as in the fictional course: two in a hundred are possible names that stay, one in two hundred others."""
    left, labels = population(1, rate=0.0)
    found = sample.estimate(sample.draw(replace(left, words=40 * left.words), seed=0), Marks(shares=labels), {})
    assert found.value == 0 and 0 < found.high < 0.0005
    assert found.marked <= sample.WORDS


def test_without_labels_there_is_no_number() -> None:
    left, labels = population(2, rate=0.01)
    drawn = sample.draw(left, seed=0)
    assert drawn == sample.draw(left, seed=0)
    some = {word: labels[word] for word in drawn.to_mark()[1:]}
    found = sample.estimate(drawn, Marks(shares=some), {})
    assert math.isnan(found.value) and found.unmarked == 1


def test_a_share_is_read_from_a_table_too() -> None:
    table = pa.table({"word": ["Ana", "so", "will", "x"], "mark": ["name", "word", "0.25", ""]})
    assert marks_of(table) == ({"ana": "name", "so": "word"}, {"will": 0.25})


def test_a_mark_in_one_list_holds_for_all_and_the_stricter_one_wins() -> None:
    lists = {
        "names": pa.table({"word": ["will", "may", "so"], "mark": ["both", "word", ""]}),
        "sample": pa.table({"word": ["will", "may", "sky"], "mark": ["word", "name", "word"]}),
        "places": pa.table(
            {"place": ["a.1", "a.2", "b.0", "c.3"], "word": ["will", "will", "will", "may"],
             "mark": ["name", "word", "", "word"]}
        ),
    }  # fmt: skip
    marks = read_marks(lists)
    assert marks.words == {"will": "both", "may": "name", "sky": "word"}
    assert marks.places == {"a.1": True, "a.2": False}, "the place of a word that is now a name holds no more"


def test_a_name_that_somebody_saw_is_never_reported_as_nothing() -> None:
    """A word with one name left among its places keeps the estimate above zero, however few draws there are."""
    left, _ = population(4, rate=0.0)
    drawn = sample.draw(left, seed=0)
    marks = Marks(words=dict.fromkeys(drawn.to_mark(), "word"))
    word = drawn.drawn[0]
    marks = replace(marks, words={**marks.words, word: "both"})
    asked = BothWord(places=500, asked=tuple(f"p.{i}" for i in range(60)), names=1, words=59)
    found = sample.estimate(drawn, marks, {word: asked})
    assert 0 < found.value < found.high and word in found.at_fault
    unmarked = replace(asked, words=58)
    assert math.isnan(sample.estimate(drawn, marks, {word: unmarked}).value)


def test_marks_never_change_what_is_asked_next() -> None:
    """The draws know nothing of marks: whoever has marked a list is never sent another one for the same text."""
    left, _ = population(6, rate=0.05)
    assert sample.draw(left, seed=1, limit=0.0005).to_mark() == sample.draw(left, seed=1, limit=0.0005).to_mark()
    assert len(sample.draw(left, seed=1, limit=0.0).to_mark()) > len(sample.draw(left, seed=1).to_mark())
