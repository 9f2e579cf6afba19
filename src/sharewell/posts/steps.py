"""The five steps of posts for the pipeline."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.contract import Change, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.kinds import Job
from sharewell.posts import check, risk, sample
from sharewell.posts import utility as measures
from sharewell.posts.finder import Names
from sharewell.posts.masked import MaskedPosts
from sharewell.posts.protect import Finder, decide, open_model, redacted_batches, with_surrogates
from sharewell.posts.redaction import Decisions
from sharewell.posts.review import marks_of, review_table, sample_table
from sharewell.posts.roster import Roster, read_roster
from sharewell.posts.section import Section

_WHAT = {
    "NAME": "names of people, towns, employers and pets", "EMAIL": "e-mail addresses", "URL": "web addresses",
    "HANDLE": "user names", "IP": "network addresses", "ADDRESS": "postal addresses", "DATE": "dates",
    "SSN": "social security numbers", "PHONE": "phone numbers", "ID": "student numbers", "NUMBER": "numbers",
}  # fmt: skip


@dataclass(frozen=True)
class _Search:
    """What one search through the posts of a job found, shared by its steps."""

    finder: Finder
    masked: MaskedPosts
    names: Names
    left: sample.Left
    decisions: Decisions


def assess(job: Job) -> list[Risk]:
    section: Section = job.section
    search = _search(job)
    return [
        *check.leaks(job.source, section.text),
        *_roster_left(job, job.source),
        risk.names_per_word(search.names),
        *risk.rare_words(job.source, section.text, section.student),
    ]


def protect(job: Job) -> Protected:
    section: Section = job.section
    search = _search(job)
    decisions = search.decisions
    if section.replace_by != "placeholder":
        generator = job.keyed.generator("surrogates")
        decisions = with_surrogates(decisions, search.names, search.finder, generator, section.replace_by)
    found: Counter[str] = Counter()
    table = _written(redacted_batches(search.masked, decisions, found))
    drawn = sample.draw(search.left, seed=job.seed)
    return Protected(
        table=table,
        changes=tuple(_changes(found, section)),
        facts={"text": list(section.text), "replaced": {what: found[what] for what in _WHAT if found[what] >= 5}},
        private={"names": review_table(search.names), "sample": sample_table(drawn, search.names)},
    )


def attack(job: Job, released: Table) -> list[Risk]:
    section: Section = job.section
    search = _search(job)
    drawn = sample.draw(search.left, seed=job.seed)
    return [
        risk.residual(drawn, _labels(job), section.limit.residual, seed=job.seed, label=section.label),
        *check.leaks(released, section.text),
        *(replace(left, gate="roster", limit=0.0) for left in _roster_left(job, released)),
        *risk.rare_words(released, section.text, section.student),
        *risk.authorship(job.source, released, section.text, section.student, seed=job.seed),
    ]


def utility(job: Job, released: Table) -> list[Utility]:
    section: Section = job.section
    return measures.kept(job.source, released, section.text, _search(job).finder.lists, seed=job.seed)


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    return check.leaks(released, facts["text"])


def _search(job: Job) -> _Search:
    """One search per job: the steps of a run share it."""
    if not _SEARCHES or _SEARCHES[-1][0] is not job:
        _SEARCHES[:] = [(job, _searched(job))]
    return _SEARCHES[-1][1]


_SEARCHES: list[tuple[Job, _Search]] = []


def _searched(job: Job) -> _Search:
    section: Section = job.section
    model = open_model(section.folder / section.model if section.model else None)
    finder = Finder(
        columns=section.text,
        model=model,
        roster=_roster(job),
        numbers="long" if section.numbers == "long" else "all",
        recall=section.recall,
    )
    masked = finder.masked(job.source.drop(*section.direct, *section.drop))
    names = finder.names(masked)
    marks = marks_of(engine.arrow(job.review["names"])) if "names" in job.review else {}
    unlabelled = decide(names, finder, marks=marks)
    labelled = {word for word, share in _labels(job).items() if sample.is_taken_out(word, share)}
    left = risk.left_words(masked, unlabelled)
    return _Search(finder, masked, names, left, replace(unlabelled, always=unlabelled.always | labelled))


def _labels(job: Job) -> dict[str, float]:
    """What people labelled: the sample that was drawn for them, and any other list of labels beside it."""
    found: dict[str, float] = {}
    for stem in ("labels", "sample"):
        if stem in job.review:
            found |= sample.from_table(engine.arrow(job.review[stem]))
    return found


def _roster_cells(job: Job) -> list[str]:
    section: Section = job.section
    if section.roster is None or "roster" not in job.extras:
        return []
    table = engine.arrow(job.extras["roster"].select(*section.roster.columns))
    return [cell for name in table.column_names for cell in table[name].to_pylist() if cell]


def _roster_left(job: Job, posts: Table) -> list[Risk]:
    return check.roster_left(posts, job.section.text, _roster_cells(job), _search(job).finder.lists.is_ordinary)


def _roster(job: Job) -> Roster | None:
    cells = _roster_cells(job)
    return read_roster(cells) if cells else None


def _written(batches: Iterator[pa.RecordBatch]) -> Table:
    """Batches as a table on disk: a million posts never stand in memory at once."""
    path = engine.scratch() / f"posts-{next(_NUMBERS)}.parquet"
    first = next(batches)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return engine.connection().read_parquet(path)


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


_NUMBERS = _numbers()


def _changes(found: Counter[str], section: Section) -> Iterator[Change]:
    columns = ", ".join(section.text)
    for what, words in _WHAT.items():
        if found[what]:
            by = "invented words" if what == "NAME" and section.replace_by != "placeholder" else f"[{what}]"
            cells = found[what] if found[what] >= 5 else None
            yield Change(
                column=columns,
                what=f"{words} replaced by {by}",
                reason="they tell who wrote or is written about",
                cells=cells,
            )
