"""All uses of a log, each measured on the release and on the original, beside the original's own sampling error."""

from dataclasses import replace

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.utility.activity import activity
from sharewell.traces.utility.hours import hours
from sharewell.traces.utility.kept import kept
from sharewell.traces.utility.own_events import own_events
from sharewell.traces.utility.sessions import sessions
from sharewell.traces.utility.verb_order import verb_order

SAMPLING_ERROR = "sampling error"


def uses(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """Both tables with times as timestamps; the original ids in both."""
    measured = [*kept(original, released, columns), *own_events(original, released, columns)]
    return [*measured, *_compared(original, released, columns)]


def _compared(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """What an analyst of the whole course looks at, with what two halves of the original differ by."""
    if not released[columns.at].type().is_timestamp():
        return verb_order(original, released, columns)  # a recurring window: no day, no hour and no gap is left
    errors = _sampling_errors(original, columns)
    found = [each for use in (activity, hours, sessions, verb_order) for each in use(original, released, columns)]
    return [
        replace(each, setting={**each.setting, SAMPLING_ERROR: errors[each.name]}) if each.name in errors else each
        for each in found
    ]


def _sampling_errors(original: Table, columns: EventColumns) -> dict[str, float]:
    """How far one half of the students is from the other, by the same measures: less than this means nothing."""
    half = original[columns.student].cast("string").hash() % 2
    one, other = original.filter(half == 0), original.filter(half != 0)
    found = [each for use in (hours, sessions, verb_order) for each in use(one, other, columns)]
    found += activity(one, other, columns, as_shares=True)
    return {each.name: round(abs(each.value - (each.baseline or 0.0)), 4) for each in found}
