"""All that the rest of the house knows of responses: words, roles, measures and how such a file is recognised."""

from collections.abc import Sequence
from typing import Any

from sharewell.contract import Curve, CurvePoint, Kind, Measure
from sharewell.lab.least import ACCEPTED
from sharewell.lab.membership import MEMBERSHIP, NEAR_COPIES
from sharewell.plan.claims import Guess, Looks, first, time_of
from sharewell.responses.section import Section

# What a recipient, and a second program beside the original, count in a finished file
NOT_INVENTED = Measure(id="ids that were not invented", title="Ids that were not invented", unit="count")
LONGEST_LOG = Measure(id="rows of the longest log", title="Rows of the longest log", unit="count")
STUDENTS_OFF = Measure(
    id="students more or fewer than generated", title="Students more or fewer than generated", unit="count"
)
CELLS_MISSING = Measure(id="missing students or items", title="Missing students or items", unit="count")
ODD_OUTCOMES = Measure(id="outcomes other than 0 and 1", title="Outcomes other than 0 and 1", unit="count")
TIMES_BACKWARDS = Measure(id="times that run backwards", title="Times that run backwards", unit="count")
ATTEMPTS_OFF = Measure(id="attempts out of count", title="Attempts out of count", unit="count")
TWO_SKILLS = Measure(id="items with two skills", title="Items with two skills", unit="count")
REAL_IDS = Measure(id="real ids among the released", title="Real ids among the released", unit="count", counts=True)
SCARCE_ITEMS = Measure(
    id="items that too few students did", title="Released items that too few students did", unit="count"
)
ROWS_BEYOND = Measure(
    id="rows beyond what several students reached", title="Rows beyond what several students reached", unit="count"
)
RARE_STEPS_AGAIN = Measure(
    id="rare steps: lower end of the AUC", title="Rare steps once more: lower end of the AUC", unit="auc"
)

DIFFICULTY_ERROR = Measure(id="difficulty error", title="Error of item difficulty", unit="number", unbounded=True)
DIFFICULTY_ERROR_WEIGHTED = Measure(
    id="difficulty error, weighted",
    title="Error of item difficulty, weighted by how often an item occurs",
    unit="number",
    unbounded=True,
)
DIFFICULTY_RANKS = Measure(
    id="difficulty rank correlation", title="Rank correlation of item difficulty", unit="number", better="higher"
)
DIFFICULTY_WITHIN = Measure(
    id="difficulties within their intervals",
    title="Items whose difficulty is the same within both intervals",
    better="higher",
)
ITEMS_OFF = Measure(id="item frequencies off by", title="How often items come: off by")
LENGTHS_OFF = Measure(id="log lengths off by", title="How long logs are: off by")
REPEATS_OFF = Measure(id="repeats of an item off by", title="How often an item is repeated: off by")
STEPS_OFF = Measure(id="step frequencies off by", title="Steps from item to item: off by")
LEARNING_OFF = Measure(id="learning curve off by", title="Learning curve: off by")
LEARNING_WORST = Measure(id="learning curve, worst attempt", title="Learning curve: the attempt that is off the most")
TRACING_AUC = Measure(
    id="knowledge tracing AUC", title="Knowledge tracing learnt from the release (AUC)", unit="auc", better="higher"
)
BAYESIAN_AUC = Measure(
    id="bayesian knowledge tracing AUC",
    title="Bayesian knowledge tracing learnt from the release (AUC)",
    unit="auc",
    better="higher",
)
TOGETHER_OFF = Measure(id="items done together off by", title="Which items the same students do: off by")
STEP_OVERLAP = Measure(id="overlap of step frequencies", title="Overlap of step frequencies", better="higher")
DIFFICULTY_KEPT = Measure(
    id="reliability of item difficulties", title="Reliability of item difficulties", better="higher"
)

SIMPLER = Measure(
    id="uses that a simpler release would serve better",
    title="Uses that a simpler release would serve better",
    unit="count",
)

MEASURES = (
    *MEMBERSHIP,
    NEAR_COPIES,
    NOT_INVENTED,
    LONGEST_LOG,
    STUDENTS_OFF,
    CELLS_MISSING,
    ODD_OUTCOMES,
    TIMES_BACKWARDS,
    ATTEMPTS_OFF,
    TWO_SKILLS,
    REAL_IDS,
    SCARCE_ITEMS,
    ROWS_BEYOND,
    RARE_STEPS_AGAIN,
    ACCEPTED,
    SIMPLER,
    DIFFICULTY_ERROR,
    DIFFICULTY_ERROR_WEIGHTED,
    DIFFICULTY_RANKS,
    DIFFICULTY_WITHIN,
    ITEMS_OFF,
    LENGTHS_OFF,
    REPEATS_OFF,
    STEPS_OFF,
    LEARNING_OFF,
    LEARNING_WORST,
    TRACING_AUC,
    BAYESIAN_AUC,
    TOGETHER_OFF,
    STEP_OVERLAP,
    DIFFICULTY_KEPT,
)


MANY_ITEMS, RARE = 200, 20  # different ones, and rows of each below which a few students stand behind an item


def _too_rare(item: Looks, skill: Looks) -> bool:
    """Whether which single items come would disclose who was learnt from, and skills would not."""
    rare = item.distinct > MANY_ITEMS and item.filled < RARE * item.distinct
    return rare and skill.filled >= RARE * skill.distinct


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """Students, items, and whether the answer was right."""
    free = [column for column in columns if column is not student]
    item = first(free, "item") or first(free, "skill")
    said = [column for column in free if column.named("correct") and column.distinct <= 4]
    correct = max(said, key=lambda column: bool(column.parts & {"correct", "iscorrect", "outcome"}), default=None)
    if student is None or item is None or correct is None or item is correct:
        return None
    found = Guess(file, "responses", "there are students, items and whether the answer was right", surety=4)
    skill, time = first(free, "skill"), time_of(free)
    if skill is not None and skill is not item and skill is not correct and _too_rare(item, skill):
        each = item.filled / item.distinct
        why = f"single items are too rare to hide whose they are: {each:.1f} rows each; the walk is over skills"
        found.give("drop", item, why)
        item = skill
    found.give("item", item, "the name says so")
    found.give("correct", correct, f"the name says so; {correct.distinct} different values")
    if skill is not None and not found.has(skill):
        found.give("skill", skill, "the name says so")
    if time is not None and not found.has(time):
        found.give("time", time, "the name or the cells say when")
    return found


def ask(curve: Curve, point: CurvePoint) -> dict[str, Any]:
    """Every point of the curve is an amount of noise."""
    return {"noise": round(point.strength, 6)}


KIND = Kind(
    name="responses",
    package="sharewell.responses",
    section=Section,
    title="Answers to exercises",
    rows="one row per answer",
    danger="Someone holds the answers of one student and asks whether that student was among those from whom "
    "the invented logs were learned.",
    caveats=(
        "An attack that fails is no proof that none succeeds. Rare steps are attacked as well as whole sequences; "
        "an attack nobody has thought of yet is not.",
        "Students kept aside as a control group come from the same course; an attacker with another control "
        "group may do better or worse.",
    ),
    roles={
        "item": "what was answered",
        "correct": "whether the answer was right",
        "time": "when it happened",
        "skill": "what the item trains",
    },
    notation={"an id": "an invented student: no row belongs to a real one"},
    question="inference",
    questions={NEAR_COPIES.id: "singling out"},
    measures=MEASURES,
    remedies={
        **dict.fromkeys(
            ("membership", "tpr"),
            "use skills as items, leave out rare items, or join courses: more students share each step then; what each "
            "strength costs: sharewell explore {plan}",
        ),
        **dict.fromkeys(
            ("ranks", "jump"),
            "the noise that hides students leaves too little to learn: join courses, take a narrower audience, or say "
            "with limit = { ranks = -1, jump = 1 } that such rows will do; what each strength leaves: "
            "sharewell explore {plan}",
        ),
    },
    claim=claim,
    ask=ask,
)
