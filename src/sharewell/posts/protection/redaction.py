"""Finding and redacting names, for notebooks and for the pipeline."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar, cast

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.errors import InputError
from sharewell.posts import cells
from sharewell.posts.masked import FOUND, MaskedPosts, Part, added_up, store, stored, tallied
from sharewell.posts.protection.plain_style import plain
from sharewell.posts.protection.surrogates import Surrogates, make_pools, make_surrogates
from sharewell.posts.section import SurrogatePer
from sharewell.text import indirect, name_model
from sharewell.text.decisions import Decisions, Invent, decide, placeholders, replace_names
from sharewell.text.finder import Names, find
from sharewell.text.marks import Mark, as_mark
from sharewell.text.name_model import RECALL, NameModel, default_model
from sharewell.text.patterns import Numbers
from sharewell.text.roster import Roster, read_roster
from sharewell.text.word_lists import WordLists, english

Frame = TypeVar("Frame")
ReplaceBy = Literal["placeholder", "surrogate", "surrogate-of-same-origin"]
SECRET_BYTES = 32


@dataclass(frozen=True, kw_only=True)
class Finder:
    """What a search for names works with."""

    columns: tuple[str, ...]
    model: NameModel
    roster: Roster | None = None
    numbers: Numbers = "identifying"
    recall: float = RECALL
    lists: WordLists = field(default_factory=english)
    plain: bool = False  # the posts leave in a plainer way of writing

    def masked(self, posts: Any, where: engine.Engine = engine.DUCKDB) -> MaskedPosts:
        """The posts with their patterns masked: what every later step reads, by workers of the engine."""
        return MaskedPosts(posts, self.columns, numbers=self.numbers, roster=self.roster, plain=self.plain, where=where)

    def names(self, masked: MaskedPosts) -> Names:
        return find(masked, self.model, lists=self.lists, roster=self.roster, recall=self.recall)


@dataclass(frozen=True, kw_only=True)
class Redaction:
    """What is done to every masked post: names go, then indirect identifiers, then habits of writing.

    `thread`: the columns that say which thread a post belongs to.
    """

    decisions: Decisions
    surrogates: Surrogates | None = None
    thread: tuple[str, ...] = ()
    indirect: tuple[str, ...] = ()
    plain: bool = False


def find_names(
    posts: Frame,
    *,
    text: str | Sequence[str] = "message",
    roster: Sequence[str] | Roster | None = None,
    model: NameModel | str | Path | None = None,
    recall: float = RECALL,
    numbers: Numbers = "identifying",
    lists: WordLists | None = None,
) -> Frame:
    """Find every possible name in the posts, the most frequent first.

    Each with probability, occurrences, and whether it is taken for a name.

    Strike out rows (or set `name` to False and `mark` to "word") before handing the list to `redact`.

    Args:
        posts: A pandas, polars or pyarrow table, or the path of a file, with one post per row.
        text: The column or columns that hold what was written.
        roster: Names and e-mail addresses of the people of the course; written nowhere.
        model: A model taught with `learn`, or its file; None takes the default model.
        recall: Share of the names to be found on fictional posts: it moves the threshold, and says nothing certain
            about a real course.
        numbers: "identifying" takes out only those that can identify, "all" every number.
        lists: Word lists of another language; None takes the English ones.

    Returns:
        A table of the kind that came in, with one row per possible name.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> posts = pa.table({"message": ["Hi Tomasz, see page 3.", "Thanks, Tomasz!"]})
        >>> sw.posts.find_names(posts, roster=["Tomasz Nowak"])["word"].to_pylist()[0]
        'tomasz'
    """
    finder = _finder(text, roster, model, recall, numbers, lists)
    names = finder.names(finder.masked(posts))
    return cast(Frame, engine.like(names.table(), posts))


def redact(
    posts: Frame,
    *,
    text: str | Sequence[str] = "message",
    names: Any = None,
    roster: Sequence[str] | Roster | None = None,
    model: NameModel | str | Path | None = None,
    recall: float = RECALL,
    numbers: Numbers = "identifying",
    replace_by: ReplaceBy = "placeholder",
    surrogate_per: SurrogatePer = "post",
    thread: str | Sequence[str] = (),
    seed: int = 0,
    lists: WordLists | None = None,
) -> Frame:
    """Replace names, e-mail addresses, URLs, telephone and other numbers in posts.

    Args:
        posts: A pandas, polars or pyarrow table, or the path of a file, with one post per row.
        text: The column or columns that hold what was written.
        names: A table from `find_names`, as it is or corrected by a person, or any table or list with the words to
            redact; without it the names are found first.
        roster: Names and e-mail addresses of the people of the course; written nowhere.
        model: A model taught with `learn`, or its file; None takes the default model.
        recall: Share of the names to be found on fictional posts; it moves the threshold.
        numbers: "identifying" takes out only those that can identify, "all" every number.
        replace_by: "placeholder" writes [NAME]; "surrogate" an invented name; "surrogate-of-same-origin" one that
            tells the origin of the real name.
        surrogate_per: How far one name keeps one invented name: in a "post", in a "thread", or in the whole "file",
            where who remembers one mention has decoded them all.
        thread: The column or columns that say which thread a post belongs to, for "thread".
        seed: Draws the surrogates here; a release draws them from its key.
        lists: Word lists of another language; None takes the English ones.

    Returns:
        The posts in the kind of frame that came in, other columns untouched.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> posts = pa.table({"message": ["Hi Tomasz, write to me@uni.example"]})
        >>> sw.posts.redact(posts, names=["tomasz"])["message"].to_pylist()
        ['Hi [NAME], write to [EMAIL]']
    """
    threads = (thread,) if isinstance(thread, str) else tuple(thread)
    if surrogate_per == "thread" and not threads:
        raise InputError("one invented name per thread needs to know the threads: give their columns in `thread`")
    finder = _finder(text, roster, model, recall, numbers, lists)
    masked = finder.masked(posts)
    found = finder.names(masked)
    decisions = decide(found, None if names is None else _words_of(names))
    surrogates = None
    if replace_by != "placeholder":
        secret = np.random.default_rng(seed).bytes(SECRET_BYTES)
        surrogates = surrogates_for(decisions, found, finder, secret, replace_by, surrogate_per)
    redaction = Redaction(decisions=decisions, surrogates=surrogates, thread=threads)
    table = pa.Table.from_batches(list(redacted_batches(masked, redaction, Counter())))
    return cast(Frame, engine.like(table, posts))


def surrogates_for(
    decisions: Decisions, names: Names, finder: Finder, secret: bytes, replace_by: str, per: SurrogatePer
) -> Surrogates:
    """Invented words for every word that may go."""
    roots = dict(zip(names.words, names.same_as, strict=True))
    words = {word: roots.get(word, word) for word in {*decisions.always, *decisions.possible}}
    taken = {*names.counts.words, *(finder.roster.words if finder.roster else ())}
    same_origin = replace_by == "surrogate-of-same-origin"
    pools = make_pools(finder.lists, taken)
    return make_surrogates(words, pools, finder.lists, secret, per=per, same_origin=same_origin)


def redacted_batches(masked: MaskedPosts, redaction: Redaction, found: Counter[str]) -> Iterator[pa.RecordBatch]:
    """The posts batch by batch, redacted; `found` gathers what was replaced, by kind."""
    with TemporaryDirectory(dir=scratch()) as folder:
        work = partial(_redacted, redaction, Path(folder))
        found.update(masked.found + added_up(masked.each_part(work, FOUND)))
        for part in masked.parts:
            yield stored(Path(folder) / part.path.name)


def _redacted(redaction: Redaction, folder: Path, part: Part) -> pa.Table:
    """One part as it may be released, written down; how much of each kind went."""
    done = replace_names(part.tokens(), redaction.decisions, inventing(redaction, part))
    parted = [indirect.taken_out(text, redaction.indirect) for text in done.texts]
    texts = [plain(text) if redaction.plain else text for text, _ in parted]
    store(cells.rewritten(part.batch(), part.columns, texts), folder / part.path.name)
    return tallied({"NAME": done.names, "INDIRECT": sum(count for _, count in parted)})


def inventing(redaction: Redaction, part: Part) -> Invent:
    """What stands for a name in each text of a part: every draw is a post, a thread or the file."""
    surrogates = redaction.surrogates
    if surrogates is None:
        return placeholders
    rows, draws = part.rows, [""] * part.rows
    if surrogates.per == "post":
        draws = [str(part.first + row) for row in range(rows)]
    elif surrogates.per == "thread":
        draws = [json.dumps(row, default=str) for row in part.batch().select(redaction.thread).to_pylist()]
    return lambda text, word: surrogates.invented(word, draws[text % rows])


def open_model(model: NameModel | str | Path | None) -> NameModel:
    if model is None:
        return default_model()
    return name_model.load_taught(Path(model)) if isinstance(model, str | Path) else model


def _finder(
    text: str | Sequence[str],
    roster: Sequence[str] | Roster | None,
    model: NameModel | str | Path | None,
    recall: float,
    numbers: Numbers,
    lists: WordLists | None,
) -> Finder:
    columns = (text,) if isinstance(text, str) else tuple(text)
    known = roster if isinstance(roster, Roster) or roster is None else read_roster(roster)
    return Finder(
        columns=columns, model=open_model(model), roster=known, recall=recall, numbers=numbers, lists=lists or english()
    )


def _words_of(names: Any) -> dict[str, bool]:
    """Word → whether it goes everywhere (False: as the model says), from a list of words or a table."""
    if isinstance(names, Sequence | set | frozenset) and not isinstance(names, str):
        return dict.fromkeys((word.lower() for word in names), True)
    table = engine.arrow(names)
    if "word" not in table.column_names:
        raise InputError("the list of names needs a column 'word'", column="word")
    found = {}
    for word, asked in zip(table["word"].to_pylist(), _asked(table), strict=True):
        if asked is not None:
            found[word.lower()] = asked
    return found


def _asked(table: pa.Table) -> list[bool | None]:
    """Per row: goes everywhere, as the model says, or stays (None).

    A person's mark decides; a table that the finder made speaks for the finder; any other listed word is a name.
    """
    rows = len(table)
    marks = [as_mark(mark) for mark in table["mark"].to_pylist()] if "mark" in table.column_names else [None] * rows
    made = "probability" in table.column_names
    said: dict[Mark | None, bool | None] = {"name": True, "word": None, "both": False, None: not made}
    return [said[mark] for mark in marks]
