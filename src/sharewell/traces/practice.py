"""A log of events in a practice copy: bursts in the weeks of the course, verbs by period."""

from sharewell.contract import Job
from sharewell.synthetic.event_table import EventRoles, event_table
from sharewell.synthetic.event_times import with_seconds
from sharewell.synthetic.invented_students import PracticeFile
from sharewell.traces.section import Section


def open(job: Job, fewest: int) -> PracticeFile:
    """Read the events that have a time."""
    section: Section = job.section
    rows, seconds = with_seconds(job.source, section.at, layout=section.dates.get(section.at), file=section.file)
    roles = EventRoles(
        student=section.student,
        item=next(iter(section.quasi), None),
        time=section.at,
        outcomes=tuple(name for name in (section.target,) if name is not None),
        named=section.direct,
        ids=section.ids,
        peers=section.peers,
    )
    return event_table(section.label, rows, roles, seconds, fewest=fewest)
