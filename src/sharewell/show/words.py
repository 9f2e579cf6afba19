"""Plain words and readable numbers: how what was measured is written. What a number means, its `Measure` says."""

import math

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility
from sharewell.disclosure import point_words
from sharewell.plan.audience_limits import LIMITS

GLOSSARY = {
    "Promise": "A bound that no attacker can exceed, whatever they know, checked on the finished file.",
    "Measured limit": "A limit on how well the strongest of the attacks that were made may do.",
    "Pseudonym": "An id that replaces a student's own. Only the private key leads back.",
    "Quasi-identifier": "A column that others may know of a student, such as age or home town.",
    "Group of look-alikes, k": "Students with the same quasi-identifiers; k is the size of the smallest such group.",
    "Diversity l, closeness t": "Fewest values of a sensitive column in a group; how far it may differ from everyone.",
    "Coarsened, suppressed": "A value became a range or a group of values; a value was left out.",
    "Singling out": "Picking one student's rows out of a file.",
    "Linkability": "Finding which rows in two places belong to the same student.",
    "Inference": "Concluding something about a student that the file does not say outright.",
    "Membership inference": "Concluding that a student was among those from whom invented data was learned.",
    "AUC": "How well an attack separates two groups: 0.5 is guessing, 1 is always right.",
    "True positives at 1 % false positives": "Students whom an attack finds while it wrongly names one in a hundred.",
    "Invented students": "Rows drawn from a model. No row of a real student is in the file.",
}

PERCENT = "\u00a0%"  # not to be broken off at the end of a line
NOTHING_MEASURED = "not measured"


def reader(audience: str) -> str:
    return LIMITS[audience].reader if audience in LIMITS else audience


def inline(title: str) -> str:
    """Put a title in mid-sentence; letters that stand for themselves (k) stay."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def label(risk: Risk) -> str:
    """Name the measure with its attacker: `Membership inference, strongest attack`."""
    title, bracket, unit = risk.measure.title.partition(" (")
    if risk.attacker == "strongest":
        return f"{title}, strongest attack{bracket}{unit}"
    return f"{risk.measure.title} ({risk.attacker})"


def setting(result: Risk | Utility) -> str:
    """Write settings as `known 4, window 1 day`; a count of none needs no words."""
    shown = {key: value for key, value in result.setting.items() if not (isinstance(value, Count) and value == 0)}
    return ", ".join(f"{key.replace('_', ' ')} {_plain(value)}" for key, value in shown.items())


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " and ".join(str(part) for part in value)
    return number(value) if isinstance(value, float) else str(value)


def number(value: float | None) -> str:
    """Three digits; a missing number is said in words."""
    if value is None or value != value:
        return NOTHING_MEASURED
    written = f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 1 else f"{value:.3g}"
    return written.replace("-", "−", 1) if value < 0 else written


def percent(value: float | None) -> str:
    """Write a share; what is not nothing never reads as nothing, nor as all."""
    if value is None or value != value:
        return NOTHING_MEASURED
    if 0 < value < 1e-5:
        return f"{1e6 * value:.2g} in a million"
    if 0.9995 <= value < 1:
        return f"over 99.9{PERCENT}"
    return f"{100 * value:.{3 if value >= 0.1 else 2}g}{PERCENT}"


def amount(measure: Measure, value: float | None) -> str:
    """A number of this measure: a share as a percentage, anything else as a number."""
    return percent(value) if measure.unit == "share" else number(value)


def said(result: Risk | Utility | None) -> str:
    """The value of a result, or the words that stand for it."""
    return "" if result is None else result.withheld or amount(result.measure, result.value)


def seen(risk: Risk) -> str:
    """The number that the gate looked at, with the end of the interval that it is."""
    end = end_seen(risk)
    return f"{end[1]} ({end[0]} of its interval)" if end else said(risk)


def end_seen(risk: Risk) -> tuple[str, str] | None:
    """Name the end of the interval that the gate looked at, if it was not the value."""
    if risk.withheld or risk.bound == "value" or risk.seen is None or risk.seen == risk.value:
        return None
    return "upper end" if risk.bound == "high" else "lower end", amount(risk.measure, risk.seen)


def original(utility: Utility) -> str:
    """The same measure on the original; nothing where it is withheld."""
    return "" if utility.baseline is None else amount(utility.measure, utility.baseline)


def chance(risk: Risk) -> str:
    return "" if risk.chance is None else amount(risk.measure, risk.chance)


def limit(risk: Risk | None) -> str:
    """What the limit asks, in words."""
    if risk is None or risk.limit is None:
        return ""
    side = "at most" if risk.better == "lower" else "at least"
    return f"{side} {amount(risk.measure, risk.limit)}"


def interval(result: Risk | Utility | None) -> str:
    return "" if result is None else span(result.measure, result.low, result.high)


def span(measure: Measure, low: float | None, high: float | None) -> str:
    """From one end to the other; nothing where an end is missing."""
    if low is None or high is None:
        return ""
    first, last = amount(measure, low), amount(measure, high)
    return f"{first.removesuffix(PERCENT) if last.endswith(PERCENT) else first} to {last}"


def cells(change: Change) -> str:
    """How many cells a change touched, or in words where few."""
    return change.withheld or ("" if change.cells is None else f"{change.cells:,}")


def point_risk(curve: Curve, point: CurvePoint) -> str:
    return point_words(point, point.risk) or amount(curve.risk, point.risk)


def point_utility(curve: Curve, point: CurvePoint) -> str:
    return point_words(point, point.utility) or amount(curve.utility, point.utility)


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def is_known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
