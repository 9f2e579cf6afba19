"""All that the rest of the house knows of keystrokes: words, roles, measures and how such a file is recognised."""

import math
from collections.abc import Sequence
from typing import Any

from sharewell.contract import Curve, CurvePoint, Kind, Measure
from sharewell.keystrokes.section import Section
from sharewell.lab.least import ACCEPTED
from sharewell.lab.membership import AUC
from sharewell.plan.claims import Guess, Looks, first

STRONGEST = Measure(id="strongest identification", title="Typists found by the strongest attack")
RECHECKED = Measure(id="identification, lower end", title="Typists surely found in the released file")
DISORDER = Measure(id="events before the one above them", title="Events that stand after a later one", unit="count")
EARLY_RELEASES = Measure(
    id="keys let go before they were pressed", title="Keys let go before they were pressed", unit="count"
)
LATE_STARTS = Measure(id="sessions that do not begin at zero", title="Sessions that do not begin at zero", unit="count")
THIS_RELEASE = Measure(
    id="strongest identification, this draw", title="Typists found by the strongest attack on the released draw"
)
OVER_VERSIONS = Measure(
    id="strongest identification, several versions", title="Typists found by an attacker with five versions"
)
CORRECTIONS = Measure(
    id="corrections per 100 keys", title="Corrections per 100 keys", unit="number", better="higher", unbounded=True
)
CORRECTION_DIFFERENCES = Measure(
    id="differences in corrections kept",
    title="Differences in corrections kept (correlation)",
    unit="number",
    better="higher",
)
KEYS_KEPT = Measure(id="keys kept", title="Keys released where they were typed", better="higher")
TEXTS_KEPT = Measure(id="texts kept", title="Sessions that end with the student's own text", better="higher")
NAMED_SESSIONS = Measure(
    id="sessions that are not numbered", title="Sessions that carry a name instead of a number", unit="count"
)
SHARED = Measure(id="found in shared profiles", title="Typists found by an attacker who knows all typing", promise=True)
AVERAGES_KEPT = Measure(
    id="differences in averages kept",
    title="Differences in students' averages kept (correlation)",
    unit="number",
    better="higher",
)
MEANS_KEPT = Measure(
    id="averages of the course kept", title="Averages of the course kept (correlation)", unit="number", better="higher"
)
SPEED = Measure(id="mean speed kept", title="Students' mean speeds kept (correlation)", unit="number", better="higher")
SPEED_CURVE = Measure(
    id="correlation of mean speed", title="Correlation of students' mean speeds", unit="number", better="higher"
)
AVERAGES_CURVE = Measure(
    id="correlation of coarse with exact averages",
    title="Correlation of coarse with exact averages",
    unit="number",
    better="higher",
)
SESSION_LENGTHS = Measure(
    id="session lengths kept", title="Lengths of sessions kept (correlation)", unit="number", better="higher"
)
PAUSES = Measure(
    id="pauses over 10 s per 1,000 keys",
    title="Pauses over 10 s per 1,000 keys",
    unit="number",
    better="higher",
    unbounded=True,
)
BREAKS = Measure(
    id="breaks over 4 min per 1,000 keys",
    title="Breaks over 4 min per 1,000 keys",
    unit="number",
    better="higher",
    unbounded=True,
)


def shared_story(fewest: int, drawn: float, found: float, within: int) -> str:
    """The promise of profiles in one sentence."""
    lots = f", {drawn:.0%} of the rows by lot" if drawn else ""
    return (
        f"Every row is that of {fewest} students at least{lots}: an attacker who knows all of their typing has no more "
        f"than {found:.1%} of them on a list of {within}."
    )


def found_within(places: int) -> Measure:
    """The share of typists whom an attacker has on a list of so many."""
    return Measure(id=f"found within {places}", title=f"Typists found within {places}")


def found_by_strongest(places: int) -> Measure:
    name = f"found within {places} by the strongest attack"
    return Measure(id=name, title=name.capitalize())


def found_by_nearest(places: int) -> Measure:
    name = f"found within {places} by nearest profiles"
    return Measure(id=name, title=name.capitalize())


def found_rounded(places: int) -> Measure:
    title = f"Typists found within {places} had times been rounded"
    return Measure(id=f"found within {places}, times rounded", title=title)


def group_latency(group: str) -> Measure:
    name = f"mean latency of {group} digraphs"
    return Measure(id=name, title=f"Mean latency of {group} pairs of keys, ms", unit="number", unbounded=True)


def group_differences(group: str) -> Measure:
    title = f"Differences in {group} pairs of keys kept (correlation)"
    return Measure(id=f"differences in {group} digraphs kept", title=title, unit="number", better="higher")


def accuracy(classifier: str) -> Measure:
    return Measure(id=f"accuracy ({classifier})", title=f"Class told right ({classifier})", better="higher")


def matthews_correlation(classifier: str) -> Measure:
    name = f"Matthews correlation ({classifier})"
    return Measure(id=name, title=name, unit="number", better="higher")


_LISTS, _CLASSIFIERS = (1, 5, 10), ("bayes net", "random forest", "majority")
_GROUPS = ("alphabetic", "numeric", "control", "browsing", "other", "H", "edge")
MEASURES: tuple[Measure, ...] = (
    STRONGEST, THIS_RELEASE, OVER_VERSIONS, RECHECKED, DISORDER, EARLY_RELEASES,
    LATE_STARTS, NAMED_SESSIONS, CORRECTIONS, CORRECTION_DIFFERENCES, KEYS_KEPT, TEXTS_KEPT,
    SHARED, AVERAGES_KEPT, MEANS_KEPT, AUC, ACCEPTED,
    SPEED, SPEED_CURVE, AVERAGES_CURVE, SESSION_LENGTHS, PAUSES, BREAKS,
    *(make(places) for places in _LISTS
      for make in (found_within, found_by_strongest, found_by_nearest, found_rounded)),
    *(make(group) for group in _GROUPS for make in (group_latency, group_differences)),
    *(make(name) for name in _CLASSIFIERS for make in (accuracy, matthews_correlation)),
)  # fmt: skip


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """There are keys with press times."""
    free = [column for column in columns if column is not student]
    press, release, key = (first(free, meaning) for meaning in ("press", "release", "key"))
    if student is None or press is None or key is None:
        return None
    found = Guess(file, "keystrokes", "there are keys with press times", surety=5)
    session = next((column for column in free if column.named("session") and not column.named("key")), None)
    for role, column in (("session", session), ("key", key), ("press", press), ("release", release)):
        if column is not None and not found.has(column):
            found.give(role, column, "the name says so")
    return found


def ask(curve: Curve, point: CurvePoint) -> dict[str, Any]:
    """The limit that this point just meets: the most useful one that meets it is taken."""
    if curve.risk == AUC:
        return {"limit.membership": math.ceil(1000 * max(point.risk, point.high or 0.0)) / 1000}
    return {"limit.found": math.ceil(1000 * max(point.risk, point.high or 0.0)) / 1000}


KIND = Kind(
    name="keystrokes",
    package="sharewell.keystrokes",
    section=Section,
    title="Typing rhythms",
    rows="one row per key event",
    danger="Someone who has recorded how a student types elsewhere looks for the same rhythm in the release.",
    caveats=(
        "Attackers are those named here. A longer recording of the same student makes each of them stronger.",
        "How many sessions a student has is released as it is; the report says whom that finds, and no limit holds it.",
        "What was typed is a matter of its own: code and comments can carry names.",
    ),
    roles={
        "session": "which session of typing",
        "key": "which key",
        "press": "when the key went down",
        "release": "when the key came up",
    },
    notation={"a time": "counted from the start of its session, and drawn again: not as it was measured"},
    question="linkability",
    questions={AUC.id: "inference"},
    measures=MEASURES,
    remedies={
        **dict.fromkeys(
            ("found", "times_chance"),
            "release more students together, or fewer sessions of each; what each strength costs: "
            "sharewell explore {plan}",
        ),
        "membership": "release averages of more students together, or of fewer things (`about`, `digraphs`)",
    },
    claim=claim,
    ask=ask,
)
