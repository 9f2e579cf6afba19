"""All that the rest of the house knows of records: words, roles, measures and how such a file is recognised."""

from collections.abc import Iterator, Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks
from sharewell.records.section import Section

K = Measure(id="k", title="Smallest group of students who look alike (k)", unit="count", better="higher")
K_IF_UNKNOWN_MATCHES = Measure(
    id="k, unknown cells match",
    title="Candidates for a student if missing cells match any value",
    unit="count",
    better="higher",
)
L = Measure(id="l", title="Fewest different values within a group (l)", unit="count", better="higher")
L_ENTROPY = Measure(id="l, entropy", title="Variety within a group (entropy l)", unit="number", better="higher")
C_RECURSIVE = Measure(
    id="c, recursive with l = 2",
    title="Commonest value against the others in a group (recursive c)",
    unit="number",
)
T = Measure(id="t", title="Distance of a group from everyone (t)", unit="number")
T_EQUAL = Measure(
    id="t, equal distance", title="Distance of a group from everyone, values without an order (t)", unit="number"
)
T_TREE = Measure(
    id="t, hierarchical distance", title="Distance of a group from everyone, values in a hierarchy (t)", unit="number"
)
ALONE = Measure(id="alone", title="Students whom nobody else looks like", counts=True)
PROSECUTOR = Measure(id="prosecutor", title="Student who is easiest to find", of_one=True)
JOURNALIST = Measure(id="journalist", title="Student who is easiest to find in the population", of_one=True)
K_MAP = Measure(
    id="k-map", title="Smallest group of look-alikes in the population (k-map)", unit="count", better="higher"
)
PRESENCE = Measure(id="presence", title="How surely somebody of the population is in the table", of_one=True)
MARKETER = Measure(id="marketer", title="Students matched with a full list")
ONE_OUTCOME = Measure(id="one outcome", title="Students in a group that shares one outcome", counts=True)
MINIMAL_UNIQUE = Measure(id="minimal unique", title="Students whom these few facts single out", counts=True)
ALONE_BY_KEPT = Measure(
    id="alone by what is kept", title="Students with a value of their own in a kept column", counts=True
)
KEPT = Measure(id="kept", title="Students whom their group and kept columns single out", counts=True)
DIFFERENCED = Measure(id="differenced", title="Hidden counts that two tables give back", counts=True)
PREDICATE = Measure(id="predicate", title="Students whom a description chosen from the release singles out")
OUTCOME_KNOWN = Measure(id="outcome known", title="Students whose outcome their group gives away", counts=True)
GUESSED_SENSITIVE = Measure(id="inference, sensitive", title="Sensitive values guessed from the group", counts=True)
GUESSED_COARSENED = Measure(id="inference, coarsened", title="Coarsened values guessed back", counts=True)

LOSS = Measure(id="loss", title="Detail lost in the cells", unit="share")
DISCERNIBILITY = Measure(
    id="discernibility", title="Students who cannot be told from a given one", unit="number", unbounded=True
)
AVERAGE_CLASS = Measure(
    id="average class", title="Average group of students who look alike", unit="number", unbounded=True
)
DISTRIBUTION_KEPT = Measure(id="distribution kept", title="Distribution of a column kept", better="higher")
ASSOCIATIONS_MOVED = Measure(id="associations moved", title="How far associations between columns moved", unit="number")
AUC = Measure(id="AUC", title="Prediction of the outcome (AUC)", unit="auc", better="higher")
R_SQUARED = Measure(id="R²", title="Prediction of the outcome (R²)", unit="number", better="higher")
SUPPRESSED_GROUP = Measure(id="suppressed, most affected group", title="Suppressed rows in the group that pays most")
DETAIL_KEPT = Measure(id="detail kept", title="Detail kept in the cells (1 − loss)", better="higher")
OUTCOME_KEPT = Measure(id="outcome kept", title="Predictable part of the outcome that is kept", better="higher")

MEASURES: tuple[Measure, ...] = (
    K,
    K_IF_UNKNOWN_MATCHES,
    L,
    L_ENTROPY,
    C_RECURSIVE,
    T,
    T_EQUAL,
    T_TREE,
    ALONE,
    PROSECUTOR,
    JOURNALIST,
    K_MAP,
    PRESENCE,
    MARKETER,
    ONE_OUTCOME,
    MINIMAL_UNIQUE,
    ALONE_BY_KEPT,
    KEPT,
    PREDICATE,
    DIFFERENCED,
    OUTCOME_KNOWN,
    GUESSED_SENSITIVE,
    GUESSED_COARSENED,
    LOSS,
    DISCERNIBILITY,
    AVERAGE_CLASS,
    DISTRIBUTION_KEPT,
    ASSOCIATIONS_MOVED,
    AUC,
    R_SQUARED,
    SUPPRESSED_GROUP,
    DETAIL_KEPT,
    OUTCOME_KEPT,
)


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess:
    """Any table may be one: the least sure of all guesses."""
    why = "each student has one row"
    if student is None:
        why = "no column names a student; add one that differs in each row"
    needs = {"quasi": "move here what others may know of a student, such as a mark"}
    if student is not None and student.spread < 1:
        why = "a student has several rows, one per course or attempt: students must look alike in all of them together"
        several = {"rows": "several"}
        return Guess(file, "records", why, surety=0, settings=several, needs=needs, places=_known_of_several_rows)
    return Guess(file, "records", why, surety=0, needs=needs, places=_known_of_a_student)


def _known_of_several_rows(column: Looks) -> Iterator[tuple[str, str]]:
    """Nothing is kept as it is where a student has several rows: all of them together would tell."""
    for role, reason in _known_of_a_student(column):
        yield ("sensitive", "an outcome; make it quasi if others may know it") if role == "keep" else (role, reason)


def _known_of_a_student(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("sensitive"):
        yield "sensitive", "nobody should learn this"
    if column.date > 0.9:
        yield "drop", "dates can single a student out; coarsen them first"
    counted = column.number > 0.9 and column.distinct > 20  # views of a course, not the course
    if column.named("demographic") or (column.named("course") and not counted):
        yield "quasi", f"others may know this of a student ({column.distinct} different values)"
    outcome = column.named("outcome") and not column.named("id", "student")
    if outcome and column.spread > 0.2 and column.distinct > 10:
        reason = f"an outcome of which few have the same ({column.distinct} different values): it comes out in ranges"
        yield "quasi", reason
    if outcome:
        yield "keep", "an outcome; move it to sensitive if it must not be learned"


KIND = Kind(
    name="records",
    package="sharewell.records",
    section=Section,
    title="Student records",
    rows="one row per student",
    danger="Someone who knows a few ordinary facts about a student (age, home town, programme) looks for the row "
    "that fits. If only one row fits, everything else in that row is theirs to read.",
    caveats=(
        "Groups of look-alikes are formed by the columns that the plan calls quasi-identifiers. What a kept column "
        "adds to the group is measured for one and two of them together, not for more.",
        "A group of look-alikes hides who is who. It does not hide what the whole group has in common.",
    ),
    roles={
        "quasi": "something others may know of a student",
        "sensitive": "something a student may want to keep to themselves",
    },
    notation={
        "*": "hidden: the value was left out, in this cell or in the whole row",
        "[20, 24]": "a range; both ends belong to it",
        "[20, 25)": "a range; the first end belongs to it, the second does not",
        "{a, b}": "one of these values",
        "other": "a value that few students share; such values became one",
        "or missing": "the original cell may also have been empty",
    },
    questions={
        measure.id: "inference"
        for measure in (
            L,
            L_ENTROPY,
            C_RECURSIVE,
            T,
            T_EQUAL,
            T_TREE,
            ONE_OUTCOME,
            GUESSED_SENSITIVE,
            GUESSED_COARSENED,
        )
    },
    measures=MEASURES,
    claim=claim,
)
