"""Posts in a practice copy: as many, as long and at such times as in the original, in sentences that nobody wrote."""

import numpy as np

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.fiction.grammar import Dice, Draft, Filler, Grammar, expand
from sharewell.posts.section import Section
from sharewell.stats.arrays import Array
from sharewell.synthetic.event_table import EventRoles, event_table
from sharewell.synthetic.event_times import time_column, with_seconds
from sharewell.synthetic.invented_students import PracticeFile

SENTENCES: Grammar = {
    "sentence": (
        "{^opening} {thing} {place}.", "{^doubt} {thing} {place}?", "{^thing} {state} {moment}.",
        "{^moment} {thing} {state}, {remark}.",
    ),
    "opening": ("this invented post is about", "a fictional student asks for", "here stands a sentence on"),
    "doubt": ("could an invented reader look at", "would a fictional tutor explain", "does this template speak of"),
    "thing": ("the placeholder exercise", "the imaginary reading", "the made-up example", "the pretended quiz"),
    "place": ("in the practice copy", "of the fictional unit", "on the invented page", "in the sample folder"),
    "state": ("remains unclear", "has been rewritten", "took much longer than planned", "turned out well"),
    "moment": ("after the imaginary lecture", "on some invented evening", "during the fictional week"),
    "remark": ("as templates go", "though nobody wrote this", "and no student said so"),
}  # fmt: skip


class NoSlots(Filler):
    """The sentences leave no slot to anybody."""

    def fill(self, slot: str, draft: Draft) -> None:
        raise KeyError(slot)


def invented_texts(words: Array, generator: np.random.Generator) -> list[str]:
    """Sentences until each text has so many words; the last one is cut."""
    dice, found = Dice(generator), []
    for many in words.tolist():
        text: list[str] = []
        while len(text) < many:
            draft = Draft(dice=dice)
            expand("sentence", SENTENCES, NoSlots(), draft)
            text += draft.text().split()
        found.append(" ".join(text[:many]))
    return found


def open(job: Job, fewest: int) -> PracticeFile:
    """Read the posts; any column of times will do, whatever its role."""
    section: Section = job.section
    others = {section.student, *section.text, *section.direct, *section.ids, *section.peers}
    at = time_column(job.source, [name for name in job.source.columns if name not in others])
    if at is None:
        rows, seconds = engine.arrow(job.source), None
    else:
        rows, seconds = with_seconds(job.source, at, layout=section.dates.get(at), file=section.file)
    roles = EventRoles(
        student=section.student,
        time=at,
        named=section.direct,
        ids=section.ids,
        peers=section.peers,
        texts=section.text,
        write=invented_texts,
    )
    return event_table(section.label, rows, roles, seconds, fewest=fewest)
