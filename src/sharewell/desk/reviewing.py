"""The review of one file: who marked what, what holds, what is left, and how many names a release would leave now.

Raters are blind to each other. A mark of one alone holds; where two differ nobody's holds until they have talked
(`review_lists.merge` says the same of two files). A decision, made together or in the lists themselves, stands over
earlier marks. What holds is written to the review lists that `sharewell posts review` writes and a release reads.
"""

import csv
import io
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sharewell.desk.store import Mark, Note, Store
from sharewell.errors import InputError
from sharewell.posts.measure.labelled_sample import Residual
from sharewell.posts.measure.names_left import Place as WordPlace
from sharewell.posts.review_lists import Merged, merge
from sharewell.posts.review_queue import Asked, Queue
from sharewell.release import write
from sharewell.release.place import Place
from sharewell.text.marks import MARKS, Marks, as_mark, as_share

DECISION = "="  # before the name of the person who wrote a decision down; no rater is called so
LISTS = f"{DECISION}the lists"
ORDER = ("place", "word", "count", "probability", "why", "mark", "before", "after")
Show = Literal["open", "marked", "all"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How far one rater is, and where the file stands for all of them."""

    left: int
    total: int
    risk_left: float  # share of the names that the finder may have left which unmarked words carry
    places_left: int
    differing: int  # words that raters marked differently and have not talked about
    residual: Residual
    limit: float | None

    @property
    def open(self) -> list[str]:
        """What stands between this rater and a release, in words."""
        counted = ((self.left, "word"), (self.places_left, "place"), (self.differing, "disagreement"))
        return [f"{count:,} {what}{'s' if count > 1 else ''}" for count, what in counted if count]

    @property
    def met(self) -> bool:
        return (
            not self.differing
            and self.limit is not None
            and self.residual.unmarked == 0
            and self.residual.high <= self.limit
        )


@dataclass(frozen=True, kw_only=True)
class Differing:
    """A word that two raters marked differently."""

    asked: Asked
    said: Mapping[str, str]
    notes: tuple[Note, ...]


class _Open:
    """Words that a rater has not marked, by place in the queue, with their risk; and words that they marked `both`."""

    def __init__(self, words: int) -> None:
        self.words = np.zeros(words, bool)
        self.both: set[str] = set()
        self.risk = 0.0

    def put(self, place: int, one: Asked, *, open_: bool, both: bool) -> None:
        if open_ != self.words[place]:
            self.risk += one.risk if open_ else -one.risk
        self.words[place] = open_
        (self.both.add if both else self.both.discard)(one.word)


class Reviewing:
    """One queue with everything that was said about it; safe for several tabs and raters at once."""

    def __init__(self, label: str, queue: Queue, lists: Mapping[str, Mapping[str, list[Any]]], store: Store) -> None:
        self.label, self.queue, self.lists = label, queue, lists
        self._store = store
        self._lock = threading.RLock()
        self._index = {one.word: place for place, one in enumerate(queue.asked)}
        self._risk = sum(one.risk for one in queue.asked)
        self._keys = {place.key: place for places in queue.places.values() for place in places}
        self._said: dict[str, dict[str, Mark]] = {}
        self._by: dict[str, dict[str, Any]] = {}  # rater → word → mark
        self._holds: dict[str, str] = {}
        self._words: dict[str, Any] = {}
        self._shares: dict[str, float] = {}
        self._places: dict[str, bool] = {}
        self._open: dict[str, _Open] = {}
        self._residual: Residual | None = None  # until the next mark
        self._notes = store.notes(label)
        for mark in store.marks(label):
            self._heard(mark)

    def mark(self, rater: str, word: str, mark: str) -> None:
        if word not in self._index or mark not in MARKS:
            raise InputError("there is no such word on the list, or no such mark")
        self._say(f"word:{word}", rater, mark)

    def mark_place(self, rater: str, key: str, mark: str) -> None:
        if key not in self._keys or mark not in ("name", "word"):
            raise InputError("there is no such place on the list, or no such mark")
        self._say(f"place:{key}", rater, mark)

    def decide(self, by: str, word: str, mark: str) -> None:
        """What raters agreed on after they talked."""
        if word not in self._index or mark not in MARKS:
            raise InputError("there is no such word on the list, or no such mark")
        self._say(f"word:{word}", f"{DECISION}{by}", mark)

    def undo(self, rater: str) -> str | None:
        """The rater's last mark taken back; what it was about."""
        with self._lock:
            own = [mark for mark in self._store.marks(self.label) if mark.rater == rater]
            undone = {mark.undoes for mark in own if mark.undoes is not None}
            standing = [mark for mark in own if mark.undoes is None and mark.number not in undone]
            if not standing:
                return None
            last = standing[-1]
            before = [mark for mark in standing[:-1] if mark.about == last.about]
            again = before[-1].mark if before else ""
            self._heard(self._store.mark(self.label, last.about, rater, again, undoes=last.number))
            return last.about

    def note(self, rater: str, word: str, text: str) -> None:
        if word not in self._index:
            raise InputError("there is no such word on the list")
        with self._lock:
            self._store.note(self.label, f"word:{word}", rater, text)
            self._notes = self._store.notes(self.label)

    def _say(self, about: str, rater: str, mark: str) -> None:
        with self._lock:
            self._heard(self._store.mark(self.label, about, rater, mark))

    def _heard(self, mark: Mark) -> None:
        said = self._said.setdefault(mark.about, {})
        if mark.rater.startswith(DECISION):
            for rater in [rater for rater in said if rater.startswith(DECISION)]:
                del said[rater]
        said[mark.rater] = mark
        kind, _, name = mark.about.partition(":")
        if kind == "word" and not mark.rater.startswith(DECISION):
            own = self._by.setdefault(mark.rater, {})
            own.pop(name, None)
            if mark.mark:
                own[name] = mark.mark
        self._holds[mark.about] = _holding(said)
        self._note_what_holds(mark.about)

    def _note_what_holds(self, about: str) -> None:
        kind, _, name = about.partition(":")
        mark, share = as_mark(self._holds[about]), as_share(self._holds[about])
        for known in (self._words, self._shares) if kind == "word" else (self._places,):
            known.pop(name, None)
        if kind == "place" and mark is not None:
            self._places[name] = mark == "name"
        elif mark is not None:
            self._words[name] = mark
        elif share is not None:
            self._shares[name] = share
        word = name if kind == "word" else self._keys[name].word if name in self._keys else ""
        self._residual = None
        for rater, found in self._open.items():
            if word in self._index:
                self._put(found, rater, self._index[word])

    def _open_for(self, rater: str) -> "_Open":
        """What a rater has still to look at; counted once, then kept up with every mark."""
        with self._lock:
            if rater not in self._open:
                found = _Open(len(self.queue.asked))
                for place in range(len(self.queue.asked)):
                    self._put(found, rater, place)
                self._open[rater] = found
            return self._open[rater]

    def _put(self, found: "_Open", rater: str, place: int) -> None:
        one = self.queue.asked[place]
        found.put(place, one, open_=self._is_open(rater, one.word), both=self.own(rater, one.word) == "both")

    def own(self, rater: str, word: str) -> str:
        """What this rater sees beside a word: their own mark, or what was decided."""
        said = self._said.get(f"word:{word}", {})
        decision = _decision(said)
        mine = said.get(rater)
        if mine is not None and mine.mark and (decision is None or mine.number > decision.number):
            return mine.mark
        return decision.mark if decision is not None else ""

    def open_places(self, rater: str, word: str) -> list[WordPlace]:
        """Places of a word marked `both` that this rater has not marked yet."""
        return [place for place in self.queue.places.get(word, ()) if not self.own_place(rater, place.key)]

    def own_place(self, rater: str, key: str) -> str:
        said = self._said.get(f"place:{key}", {})
        decision, mine = _decision(said), said.get(rater)
        return mine.mark if mine is not None and mine.mark else decision.mark if decision is not None else ""

    def next_after(self, rater: str, word: str | None, *, step: int = 1, open_only: bool = True) -> Asked | None:
        """Return the next word of the queue, or the one before; unmarked ones alone."""
        asked = self.queue.asked
        places = np.flatnonzero(self._open_for(rater).words) if open_only else np.arange(len(asked))
        if not len(places):
            return None
        start = self._index.get(word, -1) if word is not None else (-1 if step > 0 else 0)
        side = np.searchsorted(places, start, "right") if step > 0 else np.searchsorted(places, start, "left") - 1
        return asked[int(places[side % len(places)])]

    def _is_open(self, rater: str, word: str) -> bool:
        mark = self.own(rater, word)
        return not mark or (mark == "both" and self.queue.context and bool(self.open_places(rater, word)))

    def one(self, word: str) -> Asked | None:
        place = self._index.get(word)
        return None if place is None else self.queue.asked[place]

    def word_of(self, key: str) -> str:
        """The word that stands at a place."""
        return self._keys[key].word if key in self._keys else ""

    def listed(self, rater: str, show: Show, *, start: int, many: int) -> tuple[list[Asked], int]:
        """A page of the list, and how many words it has in all."""
        words = self._open_for(rater).words
        found = np.arange(len(words)) if show == "all" else np.flatnonzero(words == (show == "open"))
        return [self.queue.asked[int(place)] for place in found[start : start + many]], len(found)

    def marks(self) -> Marks:
        """What holds for the release."""
        words = {key: place.word for key, place in self._keys.items()}
        places = {key: mark for key, mark in self._places.items() if self._words.get(words.get(key, "")) == "both"}
        return Marks(words=self._words, shares=self._shares, places=places)

    def standing(self, rater: str) -> Standing:
        with self._lock:
            found = self._open_for(rater)
            if self._residual is None:
                self._residual = self.queue.residual(self.marks())
            return Standing(
                left=int(found.words.sum()),
                total=len(self.queue.asked),
                risk_left=max(found.risk, 0.0) / self._risk if self._risk else 0.0,
                places_left=sum(len(self.open_places(rater, word)) for word in found.both),
                differing=len(self.differing()),
                residual=self._residual,
                limit=self.queue.limit,
            )

    def raters(self) -> list[str]:
        return sorted(rater for rater, words in self._by.items() if words)

    def agreement(self) -> Iterator[tuple[str, str, Merged]]:
        """Every pair of raters: how far they agree on the words that both have marked."""
        for one, other in combinations(self.raters(), 2):
            yield one, other, merge(self._by[one], self._by[other], listed=len(self.queue.asked))

    def differing(self) -> list[Differing]:
        """Return words that raters marked differently and did not decide together."""
        found = []
        for one in self.queue.asked:
            about = f"word:{one.word}"
            said = {r: m.mark for r, m in self._said.get(about, {}).items() if m.mark and not r.startswith(DECISION)}
            if len(set(said.values())) > 1 and not self._holds.get(about):
                found.append(Differing(asked=one, said=said, notes=tuple(self.notes(one.word))))
        return found

    def notes(self, word: str, rater: str | None = None) -> list[Note]:
        about = f"word:{word}"
        return [note for note in self._notes if note.about == about and rater in (None, note.rater)]

    def write_lists(self, where: Place) -> None:
        """What holds, into the lists that the command line writes and a release reads."""
        with self._lock:
            holds = dict(self._holds)
            marked = json.dumps({about: mark for about, mark in holds.items() if mark})
            self._store.keep(f"writing:{self.label}", marked)
            for stem, columns in self.lists.items():
                if stem != "places":
                    marks = [holds.get(f"word:{word}") or "" for word in columns["word"]]
                    write.review_table(where, self.label, stem, _table({**columns, "mark": marks}))
            if (places := self._places_to_write(holds))["place"] or "places" in self.lists:
                write.review_table(where, self.label, "places", _table(places))
            self._store.keep(f"written:{self.label}", marked)

    def _places_to_write(self, holds: Mapping[str, str]) -> dict[str, list[str]]:
        both = [one.word for one in self.queue.asked if holds.get(f"word:{one.word}") == "both"]
        rows = [place for word in both for place in self.queue.places.get(word, ())]
        columns = {
            "place": [place.key for place in rows],
            "word": [place.word for place in rows],
            "mark": [holds.get(f"place:{place.key}") or "" for place in rows],
        }
        if self.queue.context:
            columns |= {"before": [place.before for place in rows], "after": [place.after for place in rows]}
        return columns

    def take(self, found: Mapping[str, str]) -> None:
        """What somebody wrote into the lists since the desk last did is a decision.

        A desk that was killed while it wrote left what it had written before or what it was about to write: both
        are its own.
        """
        before, after = (
            json.loads(self._store.kept(f"{what}:{self.label}") or "{}") for what in ("written", "writing")
        )
        with self._lock:
            for about, mark in found.items():
                known = about.removeprefix("word:") in self._index or about.startswith("place:")
                ours = (before.get(about, ""), after.get(about, ""), self._holds.get(about, ""))
                if known and mark not in ours:
                    self._say(about, LISTS, mark)


def listed_marks(lists: Mapping[str, Mapping[str, list[Any]]]) -> dict[str, str]:
    """What lists say of words and places; a word may stand in several."""
    found: dict[str, str] = {}
    for stem, columns in lists.items():
        kind = "place" if stem == "places" else "word"
        for name, mark in zip(columns[kind], columns["mark"], strict=True):
            found[f"{kind}:{name}"] = str(mark or "").strip() or found.get(f"{kind}:{name}", "")
    return found


def lists_on_disk(where: Place, label: str) -> dict[str, str]:
    """Read the lists as they are now, but for those in a form of a spreadsheet."""
    lists = {}
    for path in sorted((where.private / "review" / label).glob("*.csv")):
        try:
            text = path.read_text(encoding="utf-8-sig")
            header = text.partition("\n")[0]
            with io.StringIO(text, newline="") as file:
                rows = list(csv.DictReader(file, delimiter=max(",;\t", key=header.count)))
        except (OSError, UnicodeDecodeError, csv.Error):
            continue
        key = "place" if path.stem == "places" else "word"
        if rows and key in rows[0] and "mark" in rows[0]:
            lists[path.stem] = {name: [row[name] for row in rows] for name in (key, "mark")}
    return listed_marks(lists)


def _decision(said: Mapping[str, Mark]) -> Mark | None:
    return next((mark for rater, mark in said.items() if rater.startswith(DECISION)), None)


def _holding(said: Mapping[str, Mark]) -> str:
    """What holds of all that was said about one word or place; nothing where raters differ."""
    decision = _decision(said)
    raters = {rater: mark for rater, mark in said.items() if not rater.startswith(DECISION) and mark.mark}
    newer = {rater: mark for rater, mark in raters.items() if decision is None or mark.number > decision.number}
    if not newer:
        return decision.mark if decision is not None else ""
    marks = {mark.mark for mark in newer.values()}
    if decision is not None and marks == {decision.mark}:
        return decision.mark
    everyone = decision is None or len(newer) == len(raters)
    return marks.pop() if everyone and len(marks) == 1 else ""


def _table(columns: Mapping[str, list[Any]]) -> pa.Table:
    """Columns in the order in which the command line writes them."""
    kinds = {"count": pa.int64(), "probability": pa.float64()}
    ranked = sorted(columns, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    texts = {name: [None if cell in (None, "") else str(cell) for cell in columns[name]] for name in ranked}
    cells = {name: pa.array(values, pa.string()) for name, values in texts.items()}
    return pa.table(
        {name: one.cast(kinds[name]) if name in kinds else one.fill_null("") for name, one in cells.items()}
    )
