"""One file of posts under study: its names are searched once, then the four questions are answered from that."""

import re
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.posts.masked import MaskedPosts
from sharewell.posts.measure import labelled_sample, names_left
from sharewell.posts.measure.authorship import same_writer
from sharewell.posts.measure.decoding import decoding
from sharewell.posts.measure.indirect import indirect_identifiers
from sharewell.posts.measure.labelled_sample import BothWord, Left, Residual, Sample
from sharewell.posts.measure.names_left import Place
from sharewell.posts.measure.rare_words import rare_words
from sharewell.posts.measure.remembered_post import remembered_post
from sharewell.posts.measure.roster_left import roster_left, words_left
from sharewell.posts.protection.redaction import (
    SECRET_BYTES,
    Finder,
    Redaction,
    open_model,
    redacted_batches,
    surrogates_for,
)
from sharewell.posts.recheck import no_pattern_left, patterns_left
from sharewell.posts.review_lists import features_table, names_table, places_table, read_marks, sample_table
from sharewell.posts.section import Section, SurrogatePer
from sharewell.posts.utility.words_kept import words_kept
from sharewell.text.decisions import Decisions, decide
from sharewell.text.finder import Names
from sharewell.text.identity import identity
from sharewell.text.marks import Marks
from sharewell.text.roster import read_roster

_WHAT = {
    "NAME": "names of people, towns, employers and pets", "EMAIL": "e-mail addresses", "URL": "web addresses",
    "HANDLE": "user names", "IP": "network addresses", "ADDRESS": "postal addresses", "DATE": "dates",
    "SSN": "social security numbers", "PHONE": "phone numbers", "ID": "student numbers", "NUMBER": "numbers",
    "INDIRECT": "indirect identifiers",
}  # fmt: skip
_NAMED = re.compile(r"[^\W\d_]{2,}(?:[ .,'’_-]+[^\W\d_]+)+")  # at least two words of letters
AT_FAULT = pa.schema([("word", pa.string()), ("places_left", pa.float64()), ("why", pa.string())])


@dataclass(frozen=True, kw_only=True)
class PostsStudy:
    """What one search through the posts found, shared by the four questions."""

    job: Job
    finder: Finder
    masked: MaskedPosts
    names: Names
    decisions: Decisions
    people: tuple[str, ...]  # cells of the roster
    marks: Marks
    left: Left
    sample: Sample  # drawn from what the finder leaves, whatever people marked
    places: tuple[Place, ...]  # of words marked `both`, before single places were marked

    @property
    def section(self) -> Section:
        section: Section = self.job.section
        return section

    def before(self) -> list[Risk]:
        section, source = self.section, self.job.source
        return [
            *patterns_left(source, section.text),
            *self._roster_left(source),
            names_left.names_per_word(self.names),
            names_left.in_unknown_language(self.names),
            *indirect_identifiers(source, section.text),
            *rare_words(source, section.text, section.student),
        ]

    def protect(self) -> Protected:
        section, found = self.section, Counter[str]()
        table = _written(redacted_batches(self.masked, self.redaction, found))
        return Protected(
            table=table,
            changes=tuple(_changes(found, section)),
            facts={"text": list(section.text), "replaced": {what: Count(found[what]) for what in _WHAT if found[what]}},
            private=self._private(table),
            made_with=identity(),
        )

    def _private(self, released: Table) -> dict[str, pa.Table]:
        """The lists that people mark, the features behind them, and the words that stand in the way of a release."""
        both = self._both()
        roster = words_left(released, self.section.text, self.people, self.finder.lists)
        fault = names_left.words_at_fault(self._residual(both), roster)
        lists = {
            "names": names_table(self.names, self.marks),
            "sample": sample_table(self.sample, self.names, self.marks),
            "features": features_table(self.names),
            "at_fault": pa.table(fault, schema=AT_FAULT),
        }
        if both:
            context = self.section.review_context
            lists["places"] = places_table(list(self.places), both, self.marks, context=context)
        return lists

    @cached_property
    def redaction(self) -> Redaction:
        section, surrogates = self.section, None
        if section.replace_by != "placeholder":
            secret = self.job.keyed.generator("surrogates").bytes(SECRET_BYTES)
            per: SurrogatePer = section.surrogate_per
            surrogates = surrogates_for(self.decisions, self.names, self.finder, secret, section.replace_by, per)
        return Redaction(
            decisions=self.decisions,
            surrogates=surrogates,
            thread=section.thread,
            indirect=tuple(section.indirect),
            plain=self.finder.plain,
        )

    def attack(self, protected: Protected) -> list[Risk]:
        section, released, seed = self.section, engine.here(protected.table), self.job.seed
        both = self._both()
        asked = len(self.sample.to_mark()) + sum(len(word.asked) for word in both.values())
        found, limit = self._residual(both), section.limit.residual
        return [
            names_left.residual(
                found,
                asked,
                limit,
                choices=labelled_sample.choices(self.left, len(self.sample.asked)),
                further=self._further(),
                seed=seed,
                label=section.label,
            ),
            names_left.in_unknown_language(self.names),
            *no_pattern_left(released, section.text),
            *(replace(left, gate="roster", limit=0.0) for left in self._roster_left(released)),
            *rare_words(released, section.text, section.student),
            *indirect_identifiers(released, section.text),
            *same_writer(released, section.text, section.student, seed=seed),
            *decoding(self.masked, self.redaction),
            *remembered_post(self.job.source, released, section.text, section.keep, section.student, seed=seed),
        ]

    def utility(self, protected: Protected) -> list[Utility]:
        return words_kept(self.job.source, engine.here(protected.table), self.section.text, self.finder.lists)

    def _both(self) -> dict[str, BothWord]:
        return names_left.both_words(list(self.places), self.marks, seed=self.job.seed)

    def _residual(self, both: dict[str, BothWord]) -> Residual:
        return labelled_sample.estimate(self.sample, self.marks, both)

    def _further(self) -> int:
        """The size of a larger sample that may meet the limit, now that people marked what they did."""
        marked = {word: 0.0 for word in self.sample.asked if word in self.marks.words}
        left = replace(self.left, likely={**self.left.likely, **marked})
        twice = 2 * max(len(self.sample.certain) + len(self.sample.drawn), labelled_sample.WORDS)
        return labelled_sample.words_needed(left, self.section.limit.residual, least=min(twice, len(left.places)))

    def _roster_left(self, posts: Table) -> list[Risk]:
        return roster_left(posts, self.section.text, self.people, self.finder.lists)


def open(job: Job) -> PostsStudy:
    """Search the posts for names, once, by workers of their engine; all else is asked of a copy on DuckDB."""
    section: Section = job.section
    where, job = engine.of(job.source), replace(job, source=engine.here(job.source))
    people = (*_roster_cells(job), *job.people, *_authors(job))
    finder = Finder(
        columns=section.text,
        model=open_model(section.folder / section.model if section.model else None),
        roster=read_roster(people) if people else None,
        numbers="all" if section.numbers == "all" else "identifying",
        recall=section.recall,
        plain=section.style == "plain",
    )
    masked = finder.masked(job.source.drop(*section.direct, *section.drop), where)
    names = finder.names(masked)
    marks = read_marks(job.review)
    marks = replace(marks, words={**{word.lower(): "word" for word in section.ordinary}, **marks.words})
    decisions = decide(names, marks=marks)
    left = names_left.left_words(masked, decide(names), names)
    undecided = names_left.undecided_places(masked, replace(decisions, settled={}), marks.of("both"))
    return PostsStudy(
        job=job,
        finder=finder,
        masked=masked,
        names=names,
        decisions=decisions,
        people=people,
        marks=marks,
        left=left,
        sample=labelled_sample.draw(left, seed=job.seed, limit=section.limit.residual, size=section.review_words),
        places=tuple(undecided),
    )


def _roster_cells(job: Job) -> tuple[str, ...]:
    section: Section = job.section
    if section.roster is None or "roster" not in job.extras:
        return ()
    table = engine.arrow(job.extras["roster"].select(*section.roster.columns))
    return tuple(cell for name in table.column_names for cell in table[name].to_pylist() if cell)


def _authors(job: Job) -> tuple[str, ...]:
    """Writers under their names or addresses: they are a roster; numbers and codes are none."""
    posts = job.source.select(author=job.source[job.section.student].cast("string"))
    cells = engine.arrow(engine.distinct(posts, ["author"]).order_by("author"))["author"].to_pylist()
    return tuple(cell for cell in cells if cell and _NAMED.fullmatch(cell.split("@")[0]))


def _written(batches: Iterator[pa.RecordBatch]) -> Table:
    """Batches as a table on disk: a million posts never stand in memory at once."""
    path = scratch() / f"posts-{uuid.uuid4().hex}.parquet"
    first = next(batches)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return engine.read(path)


def _changes(found: Counter[str], section: Section) -> Iterator[Change]:
    if section.style == "plain":
        reason = "habits of case and punctuation tell who wrote"
        detail = "written in lower case with plain punctuation"
        yield Change(columns=tuple(section.text), action="coarsened", detail=detail, reason=reason)
    for what, words in _WHAT.items():
        if found[what]:
            by = "placeholders of their kind" if what == "INDIRECT" else f"[{what}]"
            if what == "NAME" and section.replace_by != "placeholder":
                by = "invented words"
            yield Change(
                columns=tuple(section.text),
                action="redacted",
                detail=f"{words} replaced by {by}",
                reason="they tell who wrote or is written about",
                cells=Count(found[what]),
            )
