"""All that the rest of the house knows of traces: words, roles, measures and how such a file is recognised."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sharewell.contract import Curve, CurvePoint, Kind, Measure
from sharewell.lab.inference import INFERENCE
from sharewell.lab.least import ACCEPTED
from sharewell.lab.membership import MEMBERSHIP, NEAR_COPIES
from sharewell.plan.claims import Guess, Looks, row_numbers, time_of
from sharewell.traces.section import Section

COMPANY = Measure(
    id="company", title="Fewest students with identical released rows", unit="count", better="higher", promise=True
)
UNICITY = Measure(id="unicity", title="Students whom a few known points single out")
GUESS = Measure(id="guess", title="Chance of naming a student correctly")
EXPOSED = Measure(id="guess, most exposed", title="Chance of naming the most exposed student correctly", of_one=True)
OVER_ALL_SHIFTS = Measure(id="unicity over all shifts", title="Students singled out when every shift is tried")
WITH_ANCHORS = Measure(
    id="unicity with deadlines as anchors", title="Students singled out once deadlines have given the shift away"
)
WITHIN_A_GROUP = Measure(id="unicity within a group", title="Students singled out within their course")

# What a recipient, and a second program beside the original, count in a file of invented students
NOT_INVENTED = Measure(id="ids that were not invented", title="Ids that were not invented", unit="count")
STUDENTS_OVER = Measure(id="students more than invented", title="Students more than invented", unit="count")
EVENTS_OVER = Measure(
    id="events beyond what several did", title="Events beyond what several students did", unit="count"
)
TIMES_OFF = Measure(id="times off the resolution", title="Times finer than the release says", unit="count")
REAL_IDS = Measure(id="real ids among the released", title="Real ids among the released", unit="count", counts=True)
SCARCE_VALUES = Measure(
    id="values that too few students had", title="Released values that too few students had", unit="count"
)
SCARCE_STEPS = Measure(
    id="steps that too few students took", title="Released steps that too few students took", unit="count"
)
SCARCE_SESSIONS = Measure(
    id="sessions larger than several had", title="Sessions larger than several students had", unit="count"
)
RARE_POINTS_AGAIN = Measure(
    id="rare points: lower end of the AUC", title="Rare points once more: lower end of the AUC", unit="auc"
)

DETAIL_KEPT = Measure(id="detail kept", title="Detail kept", better="higher")
USES_KEPT = Measure(id="uses kept", title="What analysts keep", better="higher")
OWN_EVENTS = Measure(id="own events", title="Events that stand with their own student", better="higher")
EVENTS_KEPT = Measure(id="events kept", title="Events kept", better="higher", counts=True)
STUDENTS_KEPT = Measure(id="students kept", title="Students kept", better="higher", counts=True)
SESSIONS = Measure(
    id="sessions per student", title="Sessions per student", unit="number", better="higher", unbounded=True
)
SESSION_MINUTES = Measure(
    id="minutes per session", title="Minutes per session", unit="number", better="higher", unbounded=True
)
HOURS = Measure(id="activity per hour", title="Activity over the hours of the day: overlap", better="higher")
REGULARITY = Measure(
    id="regularity", title="Regularity: entropy of the hours", unit="number", better="higher", unbounded=True
)
GAPS = Measure(id="gaps between events", title="Time between events: overlap of the distributions", better="higher")
VERB_ORDER = Measure(id="order of events", title="Which event follows which: overlap", better="higher")
EARLY_OUTCOME = Measure(
    id="outcome predicted early", title="Early warning: AUC found in the file", unit="auc", better="higher"
)
EARLY_FOR_ORIGINAL = Measure(
    id="outcome predicted early, for the original", title="Early warning learned here, for the original students",
    unit="auc", better="higher",
)  # fmt: skip
DROP_OUT = Measure(id="drop-out curve, difference", title="Drop-out curve: largest difference")
DIFFICULTY = Measure(
    id="item difficulty, correlation", title="Item difficulty: correlation", unit="number", better="higher"
)
MARK_SLOPE = Measure(
    id="activity and marks, slope", title="Activity and marks: standardised slope", unit="number", better="higher",
    unbounded=True,
)  # fmt: skip


def _activity(per: str) -> tuple[Measure, Measure]:
    """Events of the whole course per day or week: how well the curve is kept, and how much of it is wrong."""
    return (
        Measure(
            id=f"activity per {per}, correlation",
            title=f"Activity per {per}: correlation",
            unit="number",
            better="higher",
        ),
        Measure(id=f"activity per {per}, error", title=f"Events missing or in the wrong {per}"),
    )


ACTIVITY = {per: _activity(per) for per in ("day", "week")}

MEASURES: tuple[Measure, ...] = (
    ACCEPTED,
    COMPANY,
    INFERENCE,
    UNICITY,
    GUESS,
    EXPOSED,
    OVER_ALL_SHIFTS,
    WITH_ANCHORS,
    WITHIN_A_GROUP,
    *MEMBERSHIP,
    NEAR_COPIES,
    NOT_INVENTED,
    STUDENTS_OVER,
    EVENTS_OVER,
    TIMES_OFF,
    REAL_IDS,
    SCARCE_VALUES,
    SCARCE_STEPS,
    SCARCE_SESSIONS,
    RARE_POINTS_AGAIN,
    DETAIL_KEPT,
    USES_KEPT,
    EVENTS_KEPT,
    OWN_EVENTS,
    STUDENTS_KEPT,
    *ACTIVITY["day"],
    *ACTIVITY["week"],
    SESSIONS,
    SESSION_MINUTES,
    HOURS,
    REGULARITY,
    GAPS,
    VERB_ORDER,
    EARLY_OUTCOME,
    EARLY_FOR_ORIGINAL,
    DROP_OUT,
    DIFFICULTY,
    MARK_SLOPE,
)


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """Students repeat, and each row has a time."""
    free = [column for column in columns if column is not student]
    time = time_of(free)
    if student is None or time is None or student.filled < 2 * student.distinct:
        return None
    logged = sum(column.named("verb") for column in free) >= 2
    why = "students repeat, and each row has a time"
    found = Guess(file, "traces", why, surety=3 if logged else 1, places=_known_of_an_event)
    found.give("at", time, "the name or the cells say when")
    return found


def _known_of_an_event(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("item") and column.spread < REPEATS and column.distinct <= 2000:
        yield "quasi", f"what an event was about: several students share it ({column.distinct} different values)"
    yield from row_numbers(column)
    if column.named("verb") and column.distinct <= 2000:
        yield "quasi", f"what else one may know of an event ({column.distinct} different values)"


def company_promised(k: float, unknowable: Sequence[str]) -> str:
    """The promise of company in words: k students with the same rows are the student and k − 1 others."""
    promised = (
        f"No student can be told from fewer than {k - 1:g} others, whatever somebody knows of what they did; checked "
        "on the finished file."
    )
    if not unknowable:
        return promised
    return (
        f"{promised} Outside this promise: {', '.join(unknowable)}, which the plan calls unknowable and which stays "
        "each student's own. Whoever knows it after all finds the student."
    )


REPEATS = 0.2  # different values per row: numbers of rows do not repeat, numbers of exercises do
WAYS = {
    "search": "search",
    "groups": "groups",
    "features": "features",
    "invented": "synthetic",
}  # first word of a point's label → method


def ask(curve: Curve, point: CurvePoint) -> dict[str, Any]:
    """The way of a point; where it misses the limit, the limit that it would just meet."""
    method = WAYS.get(point.label.split()[0].rstrip(":"), "search")
    asked: dict[str, Any] = {"method": method}
    if method == "synthetic":
        asked["noise"] = round(point.strength, 6)
    elif not point.meets:
        asked["limit.unicity"] = math.ceil(1000 * max(point.risk, point.high or 0.0)) / 1000
    return asked


KIND = Kind(
    name="traces",
    package="sharewell.traces",
    section=Section,
    engines=("duckdb", "spark", "sail"),
    title="Activity traces",
    rows="one row per event",
    danger="Someone saw a student at work a few times, in class or on a shared screen, and looks for the one log "
    "that holds all of those moments.",
    caveats=(
        "Students with identical rows cannot be told apart, but all that their rows show is known of each of them.",
        "A column that the plan calls unknowable stays each student's own: who knows it after all finds the student.",
        "Where students were invented, nobody's rows are in the file; what can be asked is who was learnt from.",
        "Where features are released, a row is a student and shared by a group: its cells are those of the group.",
        "Where students leave in groups, all members have the same rows: they tell what the group did, not who did it.",
    ),
    roles={
        "at": "when it happened",
        "time": "when it happened",
        "quasi": "something others may know of a student",
    },
    notation={
        "a time": "the start of the window in which the event fell; windows are as wide as section 4 says",
        "fake-0000001": "an invented student: no row belongs to a real one",
        "other": "a value that few students share; such values became one",
    },
    questions={measure.id: "inference" for measure in (*MEMBERSHIP, INFERENCE)},
    measures=MEASURES,
    remedies={
        **dict.fromkeys(
            ("k", "unicity", "guess", "exposed"),
            'drop a quasi column, name a wider window (window = "1w"), or keep fewer columns; what each costs: '
            "sharewell explore {plan}",
        ),
        "inference": "keep fewer columns, or say in the plan which are sensitive (sensitive = [] for none of them)",
    },
    claim=claim,
    ask=ask,
)
