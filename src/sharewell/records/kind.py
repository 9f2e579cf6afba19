"""All that the rest of the house knows of records: words, roles, measures and how such a file is recognised."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sharewell.contract import Curve, CurvePoint, Kind, Measure
from sharewell.lab.least import ACCEPTED
from sharewell.lab.membership import MEMBERSHIP
from sharewell.plan.claims import FEW_CODES, FEW_MARKS, Guess, Looks
from sharewell.plan.questions import ANY, Question
from sharewell.records.section import Section

MOST_KNOWN, FEW_KNOWN = 10, 4  # columns under quasi in a first plan; where none was recognised
MOST_CODES = 12  # different numbers of a column that may be codes
POSTCODES = {"postcode", "postal", "zip", "zipcode", "plz"}  # have a hierarchy of their own
FINAL = {"total", "final", "overall", "passed", "result", "gesamt", "totale"}  # marks that others hear of first

K = Measure(id="k", title="Smallest group of students who look alike (k)", unit="count", better="higher", promise=True)
K_IF_UNKNOWN_MATCHES = Measure(
    id="k, unknown cells match",
    title="Candidates for a student if missing cells match any value",
    unit="count",
    better="higher",
)
L = Measure(id="l", title="Fewest different values within a group (l)", unit="count", better="higher", promise=True)
L_ENTROPY = Measure(id="l, entropy", title="Variety within a group (entropy l)", unit="number", better="higher")
C_RECURSIVE = Measure(
    id="c, recursive with l = 2",
    title="Commonest value against the others in a group (recursive c)",
    unit="number",
)
T = Measure(id="t", title="Distance of a group from everyone (t)", unit="number", promise=True)
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
EXPOSED_KIND = Measure(
    id="marketer, most exposed kind",
    title="Chance of naming a student correctly, for the most exposed kind of student",
)
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
DISCERNIBILITY = Measure(id="discernibility", title="Students who look like a given one", unit="number", unbounded=True)
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

# Of invented rows
EPSILON = Measure(
    id="epsilon", title="How much the released rows may depend on one student (ε)", unit="number", promise=True
)
MATCHED = Measure(
    id="unique matches", title="Students with a row of their own whose row is among the released", counts=True
)
MATCHED_MEAN = Measure(
    id="unique matches, mean", title="Students with a row of their own whose row is released, mean of several draws"
)
NOT_INVENTED = Measure(id="invented ids", title="Ids that were not invented", unit="count")
UNLISTED = Measure(id="unlisted cells", title="Cells beyond the lists and ranges that are public", unit="count")
IMPOSSIBLE = Measure(id="impossible rows", title="Rows that a rule of the plan forbids", unit="count")
K_MARGINAL = Measure(
    id="k-marginal", title="Pairs of columns as in the original (of 1,000)", unit="number", better="higher"
)
PROPENSITY = Measure(id="propensity", title="How well a model separates released from original rows (AUC)", unit="auc")
TSTR = Measure(
    id="trained on the release", title="Prediction learnt from the release, tested on the original (AUC)",
    unit="auc", better="higher",
)  # fmt: skip
INTERVALS = Measure(id="coefficients", title="Overlap of the intervals of regression coefficients", better="higher")

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
    EXPOSED_KIND,
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
    EPSILON,
    MATCHED,
    MATCHED_MEAN,
    NOT_INVENTED,
    UNLISTED,
    IMPOSSIBLE,
    K_MARGINAL,
    PROPENSITY,
    TSTR,
    INTERVALS,
    ACCEPTED,
    *MEMBERSHIP,
)


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess:
    """Any table may be one: the least sure of all guesses."""
    why = "each student has one row"
    if student is None:
        why = "no column names a student: each row is taken for one"
    elif student.spread < 1:
        why = "students repeat without a time: they are to look alike in all their rows"
    return Guess(file, "records", why, surety=0, places=_known_of_a_student, settle=_settled)


def _settled(found: Guess, columns: Sequence[Looks]) -> None:
    """The rows that a student has, and something that others may know: without it there is nothing to measure."""
    looks = {column.name: column for column in columns}
    _ask_for_categories(found, looks)
    student = looks.get(found.roles.get("student", ""))
    if student is None:
        found.roles["student"] = _new_name(looks)
        found.reasons[found.roles["student"]] = "a new column; put the one that names students here if there is one"
        found.settings["rows"] = ('"numbered"', "no column names a student, so each row counts as one")
        text = "Is each row one student? If a column names them, it is the student's, and rows = … is taken out"
        found.decide.append(Question(text=text, key="student", answers=(found.roles["student"], ANY)))
    elif student.spread < 1:
        found.settings["rows"] = ('"several"', "a student has several rows, such as one per enrolment")
        for name in list(found.lists["keep"]):  # nothing leaves as it is: all rows of a student together single out
            if looks[name].distinct > 1:
                found.move("keep", name, "sensitive", "an outcome; make it quasi if others may know it")
            else:
                found.move("keep", name, "drop", "the same in every row: it says nothing")
    _with_something_known(found, looks)


def _ask_for_categories(found: Guess, looks: Mapping[str, Looks]) -> None:
    """Ask whether columns of few numbers, marks apart, hold codes; until then they are taken for quantities."""
    used = [name for role in ("quasi", "sensitive", "keep") for name in found.lists[role]]
    codes = [name for name in used if looks[name].number > 0.9 and 2 < looks[name].distinct <= MOST_CODES]
    codes = [
        name
        for name in codes
        if not (looks[name].fractions or looks[name].named("outcome") or looks[name].parts & POSTCODES)
    ]
    for name in codes:
        text = f"Are the numbers of {name} codes of categories? If not, they are quantities and come out in ranges"
        found.decide.append(Question(text=text, key="categories", name=name, answers=("no", "yes")))


def _new_name(taken: Mapping[str, Looks]) -> str:
    name = "student"
    while name.lower() in {other.lower() for other in taken}:
        name += "_row"
    return name


def _with_something_known(found: Guess, looks: Mapping[str, Looks]) -> None:
    """Where nothing was recognised as known of a student, columns that few values fill are; marks first."""
    if len(found.lists["quasi"]) > MOST_KNOWN:
        for name in sorted(found.lists["quasi"], key=lambda name: looks[name].distinct)[MOST_KNOWN:]:
            found.move(
                "quasi", name, "drop", "too many for groups of look-alikes; exchange it for another if you need it"
            )
    if found.lists["quasi"]:
        return
    marks, others = list(found.lists["keep"]), list(found.lists["drop"])
    marks.sort(key=lambda name: not looks[name].parts & FINAL)
    usable = [
        name for name in (*marks, *others) if looks[name].words < 4 and looks[name].distinct > 1 and _told(looks[name])
    ]
    if not usable:
        _take_what_is_asked_about(found, looks)
    for name in usable[:FEW_KNOWN]:
        found.move(
            "keep" if name in marks else "drop", name, "quasi", "taken for known, since nothing else is; correct it"
        )
    if usable:
        text = "Which columns may others know of a student? No name says it, so the first few are under quasi"
        found.decide.append(Question(text=text))


def _take_what_is_asked_about(found: Guess, looks: Mapping[str, Looks]) -> None:
    """Where a table holds marks alone, the first of them are taken for known, and no longer asked about."""
    for question in [one for one in found.decide if one.key == "role"][:FEW_KNOWN]:
        found.decide.remove(question)
        found.give("quasi", looks[question.name], "taken for known, since nothing else is; correct it")


def _told(column: Looks) -> bool:
    """Whether values repeat, or are numbers that ranges can hold."""
    return column.spread < 0.7 or column.number > 0.9


def _known_of_a_student(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("sensitive"):
        yield "sensitive", "nobody should learn this"
    if column.date > 0.9:
        yield "drop", "dates can single a student out; coarsen them first"
    counted = column.number > 0.9 and column.distinct > 20  # views of a course, not the course
    coded = column.named("address") and column.distinct <= FEW_CODES  # town or country, not where a student lives
    if coded or column.named("demographic") or (column.named("course") and not counted):
        yield "quasi", f"others may know this of a student ({column.distinct} different values)"
    outcome = column.named("outcome") and not column.named("id", "student")
    if outcome and column.spread > 0.2 and column.distinct > FEW_MARKS:
        reason = f"an outcome of which few have the same ({column.distinct} different values): it comes out in ranges"
        yield "quasi", reason
    if outcome:
        yield "keep", "an outcome; move it to sensitive if it must not be learned"


def ask(curve: Curve, point: CurvePoint) -> dict[str, Any]:
    """Say what a plan writes to get a point: a k, an ε or a noise."""
    if curve.risk == EPSILON:
        return {"epsilon": point.strength}
    if curve.risk in MEMBERSHIP:
        return {"noise": point.strength}
    return {"limit.k": round(point.strength)}


KIND = Kind(
    name="records",
    package="sharewell.records",
    section=Section,
    engines=("duckdb", "spark", "sail"),
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
        "an id that begins with fake-": "an invented student: no row belongs to a real one",
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
            EPSILON,
            *MEMBERSHIP,
        )
    },
    measures=MEASURES,
    remedies={
        "k": "drop or coarsen a quasi column, or let more rows be starred (max_suppressed); what each costs: "
        "sharewell explore {plan}",
        "l": "drop the sensitive column, or coarsen a quasi column; what each costs: sharewell explore {plan}",
        "t": "drop the sensitive column, or allow a larger t; what each costs: sharewell explore {plan}",
        "kept": "move a kept column to quasi or drop; what each costs: sharewell explore {plan}",
        "epsilon": "ask for a smaller epsilon; what each costs: sharewell explore {plan}",
        "membership": "ask for more noise, or set epsilon; what each costs: sharewell explore {plan}",
        "tpr": "ask for more noise, or set epsilon; what each costs: sharewell explore {plan}",
        "predicate": "drop a column that leaves in detail, or ask for a larger k; sharewell explore {plan}",
    },
    claim=claim,
    ask=ask,
)
