"""Records in a practice copy: every column is a feature of the student."""

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.records.outcomes import as_columns
from sharewell.records.section import Section
from sharewell.synthetic.event_table import EventRoles, event_table
from sharewell.synthetic.invented_students import PracticeFile
from sharewell.synthetic.student_table import student_table


def open(job: Job, fewest: int) -> PracticeFile:
    """Read the rows; several of a student are counted like events."""
    section: Section = job.section
    rows = engine.arrow(job.source)
    named = (*section.direct, *section.ids, *section.peers)
    if section.one_row_per_student:
        return student_table(
            section.label, rows, section.student, named=named, categories=section.categories, fewest=fewest
        )
    roles = EventRoles(
        student=section.student,
        item=next(iter(section.quasi), None),
        outcomes=(*section.sensitive, *as_columns(section.target)),
        named=section.direct,
        ids=section.ids,
        peers=section.peers,
        categories=(*section.quasi[:1], *section.categories),
    )
    return event_table(section.label, rows, roles, None, fewest=fewest)
