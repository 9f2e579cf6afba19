"""All uses of a log, each measured on the release and on the original."""

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.utility.activity import activity
from sharewell.traces.utility.kept import kept
from sharewell.traces.utility.sessions import sessions
from sharewell.traces.utility.verb_order import verb_order


def uses(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """Both tables with times as timestamps; the original ids in both."""
    return [found for use in (kept, activity, sessions, verb_order) for found in use(original, released, columns)]
