"""Plain words and readable numbers: what a report says of each kind of data, and how it writes what was measured."""

from collections.abc import Iterable
from dataclasses import dataclass

from sharewell.contract import FEWEST, Curve, CurvePoint, Risk, Utility

AUDIENCES = {
    "public": "anyone at all",
    "agreement": "researchers who signed an agreement",
    "enclave": "researchers inside a secure enclave",
}

PERCENT = "\u00a0%"  # not to be broken off at the end of a line
COUNTS = ("silent",)  # settings that count students: never told when few

NAMES = {
    "k": "Smallest group of students who look alike (k)",
    "l": "Fewest different values within a group (l)",
    "t": "Distance of a group from everyone (t)",
    "alone": "Students whom nobody else looks like",
    "prosecutor": "Student who is easiest to find",
    "marketer": "Students matched with a full list",
    "unicity": "Students whom a few known points single out",
    "auc": "Members told from others (AUC)",
    "tpr_at_1pct_fpr": "Members found at 1 % false alarms",
    "near_copies": "Near copies of a student",
    "residual": "Names left per word",
    "roster words left": "Roster entries left",
    "journalist": "Student who is easiest to find in the population",
    "minimal unique": "Students whom these few facts single out",
    "one outcome": "Students in a group that shares one outcome",
    "alone by what is kept": "Students with a value of their own in a kept column",
    "l, entropy": "Variety within a group (entropy l)",
    "c, recursive with l = 2": "Commonest value against the others in a group (recursive c)",
    "k, unknown cells match": "Candidates for a student if missing cells match any value",
    "inference, sensitive": "Sensitive values guessed from the group",
    "inference, coarsened": "Coarsened values guessed back",
    "unicity with original points": "Students singled out by points of the original log",
    "unicity within a group": "Students singled out within their course",
    "unicity, most exposed tenth": "The tenth of the students who are most exposed",
    "tpr_at_01pct_fpr": "Members found at 0.1 % false alarms",
    "joined": "Students whom facts from two files single out",
    "rejoined": "Students whose two files can be put together again",
    "strongest identification": "Typists found by the strongest attack",
}


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """What a reader who never saw this kind of data needs to know."""

    title: str
    rows: str
    danger: str
    caveats: tuple[str, ...]


KINDS = {
    "records": KindWords(
        title="Student records",
        rows="one row per student",
        danger="Someone who knows a few ordinary facts about a student (age, home town, programme) looks for the row "
        "that fits. If only one row fits, everything else in that row is theirs to read.",
        caveats=(
            "Only the columns that the plan calls quasi-identifiers are taken as known to an attacker. A column kept "
            "as harmless that someone can look up after all is not covered.",
            "A group of look-alikes hides who is who. It does not hide what the whole group has in common.",
        ),
    ),
    "traces": KindWords(
        title="Activity traces",
        rows="one row per event",
        danger="Someone saw a student at work a few times, in class or on a shared screen, and looks for the one log "
        "that holds all of those moments.",
        caveats=(
            "The attacker knows the stated number of points of the original log. More points, or points of another "
            "kind, single out more students.",
            "Being the only match is not yet being named; it is what makes naming possible.",
        ),
    ),
    "responses": KindWords(
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
    ),
    "posts": KindWords(
        title="Written posts",
        rows="one row per post",
        danger="Someone reads the posts and meets a name, an address or a number that leads to a person.",
        caveats=(
            "Names left behind are estimated from a sample. What a student tells of their life in other words than "
            "names is not counted.",
            "Style alone can give a writer away to someone with other texts by the same hand.",
        ),
    ),
    "keystrokes": KindWords(
        title="Typing rhythms",
        rows="one row per key event",
        danger="Someone who has recorded how a student types elsewhere looks for the same rhythm in the release.",
        caveats=(
            "Attackers are those named here. A longer recording of the same student makes each of them stronger.",
            "What was typed is a matter of its own: code and comments can carry names.",
        ),
    ),
}


def kind_words(kind: str) -> KindWords:
    """A kind that nobody wrote words for is described by its name; its risks tell their own stories."""
    plain = KindWords(title=kind.capitalize(), rows="rows of student data", danger="", caveats=())
    return KINDS.get(kind, plain)


def risk_name(name: str) -> str:
    plain = NAMES.get(name, name.replace("_", " "))
    return plain[:1].upper() + plain[1:]


def setting(result: Risk | Utility) -> str:
    """What the measurement was made with, as `known 4, window 1 day`."""
    told = {key: value for key, value in result.setting.items() if not (key in COUNTS and value == 0)}
    return ", ".join(f"{key.replace('_', ' ')} {_plain(key, value)}" for key, value in told.items())


def _plain(key: str, value: object) -> str:
    if key in COUNTS and isinstance(value, int) and 0 < value < FEWEST:
        return f"under {FEWEST}"
    if isinstance(value, list | tuple):
        return " and ".join(str(part) for part in value)
    return number(value) if isinstance(value, float) else str(value)


def number(value: float | None) -> str:
    """Three digits; no number is said in words."""
    if value is None or value != value:
        return "not measured"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 1 else f"{value:.3g}"


def percent(value: float | None) -> str:
    """A share as people say it; what is not nothing never reads as nothing, and what is not all never as all."""
    if value is None or value != value:
        return "not measured"
    if 0 < value < 1e-5:
        return f"{1e6 * value:.2g} in a million"
    if 0.9995 <= value < 1:
        return f"over 99.9{PERCENT}"
    return f"{100 * value:.{3 if value >= 0.1 else 2}g}{PERCENT}"


def amount(value: float | None, share: bool) -> str:
    return percent(value) if share else number(value)


def is_share(risk: Risk) -> bool:
    """Whether the number is a share of cases, so that a percentage says it best."""
    numbers = [number for number in (risk.value, risk.low, risk.high, risk.chance, risk.limit) if number is not None]
    counted = risk.better == "higher" or risk.limit == 0 or risk.name in ("k", "l", "t") or is_auc(risk.name)
    return not counted and _within_one(numbers)


def is_auc(name: str) -> bool:
    """An area under a curve lies between 0 and 1 like a share, is said as a number, and is worth nothing at 0.5."""
    return "auc" in name.lower()


def curve_risk_is_share(curve: Curve) -> bool:
    numbers = [point.risk for point in curve.points] + ([] if curve.limit is None else [curve.limit])
    return curve.better == "lower" and not is_auc(curve.risk) and _within_one(numbers)


def curve_utility_is_share(curve: Curve) -> bool:
    said = any(word in curve.utility.lower() for word in ("kept", "share", "overlap"))
    return said and _within_one([point.utility for point in curve.points])


def _within_one(numbers: Iterable[float]) -> bool:
    return all(0 <= value <= 1 for value in numbers if value == value)


def interval(result: Risk | Utility | CurvePoint | None, share: bool = False) -> str:
    if result is None or result.low is None or result.high is None:
        return ""
    low, high = amount(result.low, share), amount(result.high, share)
    return (
        f"{low.removesuffix(PERCENT)} to {high}"
        if low.endswith(PERCENT) and high.endswith(PERCENT)
        else f"{low} to {high}"
    )


def held(risk: Risk | None, share: bool = False) -> str:
    """What the limit asks, in words."""
    if risk is None or risk.limit is None:
        return ""
    side = "at most" if risk.better == "lower" else "at least"
    return f"{side} {amount(risk.limit, share)}"


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
