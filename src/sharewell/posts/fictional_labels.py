"""A fictional course's planted truth as a reviewer's labels: what a careful person would write beside each word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.fiction import Course
from sharewell.posts.measure.names_left import doubtful_places
from sharewell.posts.protection.redaction import Finder
from sharewell.text.arrays import Array
from sharewell.text.decisions import decide, names_at
from sharewell.text.name_model import default_model
from sharewell.text.roster import read_roster
from sharewell.text.training import labelled


def truth_labels(posts: pa.Table, mentions: pa.Table, finder: Finder) -> pa.Table:
    """Labels for every word that is left in the posts: the share of the places left that are names.

    Of a word that stays in doubtful places only those count. `mentions` counts rows of `posts`; leave out of both
    what a release leaves out.
    """
    corpus = labelled(posts, mentions, columns=finder.columns)
    decisions = decide(finder.names(finder.masked(posts)))
    distinct, place = np.unique(corpus.words_at().astype(str), return_inverse=True)

    def counted(chosen: Array) -> Array:
        return np.bincount(place[chosen], minlength=len(distinct))

    doubtful, left = doubtful_places(corpus.tokens, decisions), ~names_at(corpus.tokens, decisions)
    chosen = np.where(counted(doubtful)[place] > 0, doubtful, left)
    places, names = counted(chosen), counted(chosen & corpus.is_name)
    there = places > 0
    words, share = distinct[there].tolist(), names[there] / places[there]
    return pa.table({"word": pa.array(words, pa.string()), "mark": [_mark(value) for value in share]})


def course_labels(
    course: Course, *, columns: Sequence[str] = ("subject", "message"), student: str = "author"
) -> pa.Table:
    """The labels for the fictional course as its own plan releases it: roster at hand, opted-out students gone."""
    if course.posts is None or course.truth.mentions is None:
        raise ValueError("this course has no posts")
    excluded = course.optouts["student_id"].to_pylist()
    posts, mentions = without(course.posts, course.truth.mentions, excluded, student)
    cells = [cell for name in ("name", "email") for cell in course.students[name].to_pylist()]
    finder = Finder(columns=tuple(columns), model=default_model(), roster=read_roster(cells))
    return truth_labels(posts, mentions, finder)


def without(posts: pa.Table, mentions: pa.Table, excluded: Any, student: str) -> tuple[pa.Table, pa.Table]:
    """Posts and mentions without the excluded students, the mentions' rows renumbered."""
    gone = {str(value).strip().lower() for value in excluded}
    kept = np.array([str(value).strip().lower() not in gone for value in posts[student].to_pylist()], dtype=bool)
    place = np.cumsum(kept) - 1
    rows = mentions["row"].to_numpy()
    stays = kept[rows]
    moved = pa.array(place[rows[stays]])
    fewer = mentions.filter(pa.array(stays))
    return posts.filter(pa.array(kept)), fewer.set_column(fewer.schema.get_field_index("row"), "row", moved)


def _mark(share: float) -> str:
    return "word" if share == 0 else "name" if share == 1 else f"{share:.6f}"
