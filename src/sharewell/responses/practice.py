"""Answers in a practice copy: by the ease of the item and the student's share of right answers."""

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.responses.section import Section
from sharewell.synthetic.event_table import EventRoles, event_table
from sharewell.synthetic.event_times import with_seconds
from sharewell.synthetic.invented_students import PracticeFile


def open(job: Job, fewest: int) -> PracticeFile:
    """Read the answers, with their times where the plan names them."""
    section: Section = job.section
    if section.time is None:
        rows, seconds = engine.arrow(job.source), None
    else:
        layout = section.dates.get(section.time)
        rows, seconds = with_seconds(job.source, section.time, layout=layout, file=section.file)
    roles = EventRoles(
        student=section.student,
        item=section.item,
        time=section.time,
        outcomes=(section.correct,),
        named=section.direct,
        ids=section.ids,
        peers=section.peers,
        running=section.attempt,
        categories=tuple(name for name in (section.item, section.skill, *section.further) if name is not None),
    )
    return event_table(section.label, rows, roles, seconds, fewest=fewest)
