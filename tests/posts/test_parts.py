"""Posts in parts, worked on wherever there is room: what comes out does not depend on where, nor on the parts."""

import gc
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.data.scratch import scratch
from sharewell.fiction import make_course
from sharewell.posts import cells, study
from sharewell.posts.measure.decoding import decoding
from sharewell.posts.measure.names_left import left_words, undecided_places
from sharewell.posts.protection.redaction import Finder, Redaction, redacted_batches, surrogates_for
from sharewell.posts.section import Section
from sharewell.text.candidates import COUNTED, counted, counted_rows
from sharewell.text.decisions import decide
from sharewell.text.marks import Marks
from sharewell.text.name_model import NameModel
from sharewell.text.roster import read_roster
from sharewell.text.tokens import tokenize
from sharewell.text.word_lists import WordLists, english

KEY = b"a key of thirty-two bytes, no more"[:32]


class Elsewhere:
    """Does with work what Spark does: it is sent as bytes, and what is made of it comes in another order."""

    name = "elsewhere"

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        self.sent.append(pickle.dumps((work, tasks)))
        again, given = pickle.loads(self.sent[-1])
        yield pa.concat_tables([again(task).cast(like) for task in reversed(given)])


@pytest.fixture(scope="module")
def forum() -> pa.Table:
    course = make_course(students=80, seed=31, parts=("students", "posts"))
    return engine.arrow(course.posts).select(["author", "subject", "message"])


def found_by(model: NameModel, forum: pa.Table, *, where: Any, rows: int) -> dict[str, Any]:
    """All that passes over the posts come to."""
    finder = Finder(columns=("subject", "message"), model=model, roster=read_roster(["Will Rose", "欧阳娜"]))
    with patch.object(cells, "BATCH", rows):
        masked = finder.masked(forum, cast(engine.Engine, where))
    names = finder.names(masked)
    decisions = decide(names, marks=Marks(words={"will": "both", "thanks": "both"}))
    surrogates = surrogates_for(decisions, names, finder, bytes(32), "surrogate", "post")
    counts: Counter[str] = Counter()
    redaction = Redaction(decisions=decisions, surrogates=surrogates, indirect=("age",), plain=True)
    table = pa.Table.from_batches(list(redacted_batches(masked, redaction, counts)))
    return {
        "masked": masked.found,
        "names": names.table().to_pydict(),
        "unknown": (names.unknown.tolist(), names.unknown_posts),
        "words": (names.counts.words, names.counts.posts, names.counts.tokens),
        "pairs": [part.tolist() for part in names.counts.pairs()],
        "left": left_words(masked, decisions, names),
        "places": undecided_places(masked, decisions, frozenset(("will", "thanks"))),
        "counts": counts,
        "texts": table.to_pydict(),
        "decoded": decoding(masked, redaction),
    }


def test_workers_come_to_what_this_process_comes_to(model: NameModel, forum: pa.Table) -> None:
    here = found_by(model, forum, where=engine.DUCKDB, rows=40)
    assert found_by(model, forum, where=Elsewhere(), rows=40) == here
    assert here["places"]
    assert here["counts"]["NAME"] and here["left"].words


def test_parts_do_not_change_what_is_found(model: NameModel, forum: pa.Table) -> None:
    whole = found_by(model, forum, where=engine.DUCKDB, rows=len(forum))
    parts = found_by(model, forum, where=engine.DUCKDB, rows=len(forum) // 3)
    assert {name: whole[name] for name in ("masked", "unknown", "counts", "texts", "decoded")} == {
        name: parts[name] for name in ("masked", "unknown", "counts", "texts", "decoded")
    }


def test_neither_the_key_nor_the_shipped_lists_are_sent(forum: pa.Table) -> None:
    elsewhere = Elsewhere()
    section = Section(
        name="forum", folder=Path(), file="forum.csv", student="author", text=("message",), replace_by="surrogate"
    )
    job = Job(section=section, source=engine.table(forum), seed=1, keyed=Keyed(KEY, "release"))
    opened = study.open(job)
    away = replace(opened, masked=opened.finder.masked(forum, cast(engine.Engine, elsewhere)))
    assert engine.arrow(away.protect().table)["message"].equals(engine.arrow(opened.protect().table)["message"])
    secrets = [KEY, *(Keyed(KEY, "release").secret(purpose) for purpose in ("surrogates", "order"))]
    sent = b"".join(elsewhere.sent)
    assert [secret for secret in secrets if secret in sent or secret.hex().encode() in sent] == []
    unused = next(word for word in sorted(english().dictionary) if len(word) > 12)
    assert unused.encode() not in sent


def test_lists_of_another_language_are_sent() -> None:
    lists = WordLists(
        dictionary=frozenset({"huis"}), first={"sanne": 0.1}, last={}, cities=frozenset({"gouda"}),
        regions=frozenset(), countries=frozenset(),
    )  # fmt: skip
    again = pickle.loads(pickle.dumps(lists))
    assert (again.dictionary, again.first, again.cities) == (lists.dictionary, lists.first, lists.cities)
    assert again.is_word("huis") and not again.is_word("house")
    assert pickle.loads(pickle.dumps(english())) is english()


def test_counts_come_back_as_they_were() -> None:
    once = counted(tokenize(["Ana met Ben. Ben left, `x = Ana`", "", "ben's hat"]))
    (again,) = counted_rows(once.table().cast(COUNTED))
    assert again.words == once.words == ["ana", "met", "ben", "left", "x", "hat"]
    assert again.measures["count"].tolist() == once.measures["count"].tolist() == [1, 1, 3, 1, 0, 1]
    assert {name: values.tolist() for name, values in again.first.items()} == {
        name: values.tolist() for name, values in once.first.items()
    }
    assert (again.pairs == once.pairs).all() and (again.weights == once.weights).all()
    assert (again.posts, again.tokens) == (once.posts, once.tokens) == (3, 7)


def test_no_text_stays_on_disk(forum: pa.Table) -> None:
    gc.collect()
    before = set(scratch().iterdir())
    posts.redact(forum.slice(0, 5), text="message")
    gc.collect()
    assert set(scratch().iterdir()) == before
