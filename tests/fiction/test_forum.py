"""Forum posts: every planted identifier stands where the truth says, and the families are strangers."""

import re
from itertools import combinations, pairwise
from typing import Any

import pytest

from sharewell.fiction import Course, make_course
from sharewell.fiction.data import load
from sharewell.fiction.grammar import literal_words, slots
from sharewell.fiction.name_lists import NAMES
from sharewell.fiction.names import ALSO_WORDS, misspelling, name_tokens, nickname
from sharewell.fiction.scene import Scene

TYPES = {
    "person-name", "nickname", "misspelling", "initials", "famous", "email", "phone", "url", "handle",
    "student-number",
    "birth-date", "town", "employer", "pet", "address",
}  # fmt: skip


@pytest.fixture(scope="module", params=["a", "b", "c"])
def course(request: pytest.FixtureRequest) -> Course:
    return make_course(students=400, seed=21, parts=("posts",), style=request.param)


def test_spans_match_the_text(course: Course) -> None:
    rows = course.posts.to_pylist()
    mentions = course.truth.mentions.to_pylist()
    assert len(mentions) > 1_000
    for mention in mentions:
        assert rows[mention["row"]][mention["column"]][mention["start"] : mention["end"]] == mention["text"] != ""


def test_spans_do_not_overlap(course: Course) -> None:
    places: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for mention in course.truth.mentions.to_pylist():
        places.setdefault((mention["row"], mention["column"]), []).append((mention["start"], mention["end"]))
    for spans in places.values():
        ordered = sorted(spans)
        assert all(left[1] <= right[0] for left, right in pairwise(ordered))


def test_every_type_occurs_and_people_are_known(course: Course) -> None:
    mentions = course.truth.mentions.to_pylist()
    assert {mention["type"] for mention in mentions} == TYPES
    for mention in mentions:
        if mention["type"] in ("person-name", "nickname", "misspelling", "initials"):
            assert mention["whose"] in course.truth.names
            assert mention["origin"] in NAMES


def test_no_identifier_stands_outside_the_planted_places(course: Course) -> None:
    """What is left of the posts once the planted spans are cut out holds no identifier as a whole token."""
    cut = {(place, column): text for place, row in enumerate(course.posts.to_pylist())
           for column, text in (("subject", row["subject"]), ("message", row["message"]))}  # fmt: skip
    for mention in sorted(course.truth.mentions.to_pylist(), key=lambda m: -m["start"]):
        place = (mention["row"], mention["column"])
        cut[place] = cut[place][: mention["start"]] + " ¤ " + cut[place][mention["end"] :]
    words = {word for text in cut.values() for word in re.findall(r"[^\W\d_]+(?:[-'][^\W\d_]+)*", text.lower())}
    slips = {"misspelling", "nickname"}
    soft = {m["text"].lower() for m in course.truth.mentions.to_pylist() if m["type"] in slips}
    assert {word for word in words & course.truth.identifiers if word not in soft} == set()


@pytest.mark.parametrize("style", ["a", "b", "c"])
def test_templates_are_complete_and_hold_no_names(style: str) -> None:
    grammar = load(f"forum_{style}")["grammar"]
    assert {slot for slot in slots(grammar) if not hasattr(Scene, f"write_{slot}")} == set()
    for kind in grammar["kinds"]:
        assert {f"{role}_{kind}" for role in ("open", "subject", "reply", "staff")} <= set(grammar)
    listed = {token for names in NAMES.values() for name in (*names.girls, *names.boys, *names.families)
              for token in name_tokens(name)}  # fmt: skip
    assert {word for word in literal_words(grammar) & listed if len(word) > 2} <= ALSO_WORDS


def test_words_that_are_names_too_are_used_as_words() -> None:
    for style in ("a", "b"):
        assert {"will", "may", "hope", "rose"} <= literal_words(load(f"forum_{style}")["grammar"])


def test_families_share_few_sentences() -> None:
    sentences = []
    for style in ("a", "b", "c"):
        made = make_course(students=400, seed=21, parts=("posts",), style=style)
        text = "\n".join(made.posts["message"].to_pylist())
        sentences.append({s.strip() for s in re.split(r"[.!?\n]+", text) if len(s.split()) >= 4})
    for one, other in combinations(sentences, 2):
        assert len(one & other) < 0.02 * min(len(one), len(other))


def test_posts_seldom_repeat(course: Course) -> None:
    long = [text for text in course.posts["message"].to_pylist() if len(text.split()) > 8]
    assert len(set(long)) > 0.98 * len(long)


def test_replies_point_to_earlier_posts(course: Course) -> None:
    seen: dict[str, Any] = {}
    for row in course.posts.to_pylist():
        assert row["reply_to"] is None or row["reply_to"] in seen
        assert not seen or row["time"] >= max(seen.values())
        seen[row["post_id"]] = row["time"]
    replies = course.posts["reply_to"].null_count
    assert 0.2 < replies / course.posts.num_rows < 0.6


def test_identifiers_hold_what_was_planted(course: Course) -> None:
    truth = course.truth
    assert set(truth.student_ids) <= truth.identifiers
    assert {email.lower() for email in course.students["email"].to_pylist()} <= truth.identifiers
    assert set(course.students["birth_date"].to_pylist()) <= truth.identifiers
    for name in course.students["name"].to_pylist():
        assert name_tokens(name) <= truth.identifiers | truth.ambiguous_names
    assert truth.identifiers.isdisjoint(truth.ambiguous_names)
    for mention in truth.mentions.to_pylist():
        if mention["type"] in ("phone", "handle", "email", "student-number", "birth-date"):
            assert mention["text"].lower() in truth.identifiers


def test_nicknames_and_misspellings_differ_from_the_name() -> None:
    given = [name for names in NAMES.values() for name in (*names.girls, *names.boys)]
    assert all(nickname(name) != name for name in given)
    slips = [misspelling(name, kind / 10, place / 5) for name in given for kind in range(10) for place in range(5)]
    same = sum(slip == name for slip, name in zip(slips, (name for name in given for _ in range(50)), strict=True))
    assert same == 0
