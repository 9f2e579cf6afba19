"""A file of any kind in a practice copy, from the roles that all kinds share."""

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.plan.sections import Section
from sharewell.synthetic.event_table import EventRoles, event_table
from sharewell.synthetic.event_times import time_column, with_seconds
from sharewell.synthetic.invented_students import PracticeFile
from sharewell.synthetic.student_table import student_table


def open(job: Job, fewest: int) -> PracticeFile:
    """Read the rows: one per student where the kind says so, and else like events."""
    section: Section = job.section
    named = (*section.direct, *section.ids, *section.peers)
    if section.one_row_per_student:
        return student_table(
            section.label, engine.arrow(job.source), section.student, named=named, categories=(), fewest=fewest
        )
    others = {section.student, *named}
    at = time_column(job.source, [name for name in job.source.columns if name not in others])
    if at is None:
        rows, seconds = engine.arrow(job.source), None
    else:
        rows, seconds = with_seconds(job.source, at, layout=section.dates.get(at), file=section.file)
    roles = EventRoles(student=section.student, time=at, named=section.direct, ids=section.ids, peers=section.peers)
    return event_table(section.label, rows, roles, seconds, fewest=fewest)
