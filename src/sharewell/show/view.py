"""What a page shows, worked out before any template is filled: promises, audits, choices, what is left."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sharewell import kinds
from sharewell.contract import Curve, CurvePoint, Kind, Risk, Utility
from sharewell.disclosure import Disclosed, is_nearly_all
from sharewell.findings import Failure, FileFindings, Verdict
from sharewell.show import words

NOTHING = 0.01  # an original that is worth less than this has nothing to keep
AS_BEFORE, WITH_CARE = 0.9, 0.6  # how near a measure must come to the original to be called so


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The same risk before and after, or one of them alone. `strongest` says that before is the worst of several."""

    before: Risk | None = None
    after: Risk | None = None
    strongest: bool = False

    @property
    def risk(self) -> Risk:
        chosen = self.after or self.before
        assert chosen is not None
        return chosen

    @property
    def title(self) -> str:
        return self.risk.measure.title

    @property
    def status(self) -> str:
        if self.after is None or self.after.holds is None:
            return ""
        if not self.after.gate:
            return "" if self.after.holds else "care"
        return "met" if self.after.holds else "missed"

    @property
    def strain(self) -> float:
        """Return the share of the limit that is used up; no number is infinite."""
        limit, seen = self.risk.limit, self.risk.seen
        if self.risk.withheld:
            return 0.0 if self.risk.holds else math.inf
        if limit is None or seen is None or not math.isfinite(seen):
            return math.inf
        over, under = (seen, limit) if self.risk.better == "lower" else (limit, seen)
        if under == 0:
            return 0.0 if over == 0 else math.inf
        return over / under


def level(result: Risk | Utility) -> float:
    """Return what results are ordered by; a withheld number stands at its end."""
    if result.withheld:
        return 1.0 if is_nearly_all(result) else 0.0
    return result.value


def beyond_guessing(risk: Risk) -> float:
    """Return how much further an attack gets than blind guessing."""
    return level(risk) - (risk.chance or 0.0)


def sort_key(result: Risk | Utility | None) -> str:
    """What a table sorts by; says no more than the cell itself."""
    if result is None or (not result.withheld and not math.isfinite(result.value)):
        return ""
    return str(level(result))


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One measure of usefulness, and how near it comes to the same measure on the original."""

    utility: Utility
    near: float | None

    @property
    def group(self) -> str:
        if self.near is None:
            return "alone"
        if self.near >= AS_BEFORE:
            return "still"
        return "care" if self.near >= WITH_CARE else "lost"


@dataclass(frozen=True)
class FileView:
    """One file of the release as the page shows it."""

    file: FileFindings

    @property
    def anchor(self) -> str:
        return self.file.label.replace(".", "-")

    @property
    def kind(self) -> Kind:
        return kinds.load(self.file.kind)

    @cached_property
    def pairs(self) -> list[Pair]:
        return pairs(self.file)

    @property
    def gated(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.after is not None and pair.after.gate]

    @property
    def promises(self) -> list[Pair]:
        """Return the bounds that no attacker can exceed and the finished file bears out."""
        return [pair for pair in self.gated if pair.risk.measure.promise and pair.status == "met"]

    @property
    def not_covered(self) -> str:
        """Return what a weaker promise leaves open, in the file's own words."""
        return str(self.file.facts.get("not covered", ""))

    @property
    def audits(self) -> list[Pair]:
        """The limits that no promise covers."""
        return [pair for pair in self.gated if pair not in self.promises]

    @property
    def shown(self) -> list[Pair]:
        """Return the risks with a limit, or the first of all where there is none.

        A count that must be nothing and is nothing needs no picture: the table says so.
        """
        drawn = [pair for pair in self.gated if pair.status == "missed" or pair.risk.limit != 0]
        return drawn or self.gated or self.pairs[:4]

    @property
    def rest(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair not in self.shown]

    @property
    def headline(self) -> Pair | None:
        """Return the limit missed most; without promises the audit nearest its limit."""
        missed = [pair for pair in self.shown if pair.status == "missed"]
        audits = [] if self.promises else self.shown
        return max(missed or audits, key=lambda pair: pair.strain, default=None)

    @property
    def charted(self) -> list[Pair]:
        """Return what the file's part draws: nothing that page one has already."""
        return [pair for pair in self.shown if pair not in (self.headline, *self.promises)]

    @property
    def advice(self) -> list[Pair]:
        """What refuses nothing and a steward should look at all the same."""
        return [pair for pair in self.pairs if pair.status == "care"]

    @property
    def unmeasured(self) -> list[str]:
        measured = {risk.gate for risk in self.file.after}
        return [name for name in self.file.limits if name not in measured]

    @property
    def passed(self) -> bool:
        met = all(pair.status == "met" for pair in self.gated)
        return met and not self.file.failures and not self.unmeasured

    @property
    def stories(self) -> list[tuple[str, str]]:
        """Each attacker of a risk in front, with their story, once."""
        return stories(pair.risk for pair in self.shown if pair not in self.promises)

    @cached_property
    def kept(self) -> list[Kept]:
        return [Kept(utility=utility, near=nearness(utility)) for utility in self.file.utility]

    def kept_in(self, group: str) -> list[Kept]:
        return [kept for kept in self.kept if kept.group == group]

    @property
    def gone(self) -> list[str]:
        """Columns that are in the original and not in the release."""
        dropped = (change.columns for change in self.file.changes if change.action == "dropped")
        return list(dict.fromkeys(name for columns in dropped for name in columns))

    @property
    def best_and_worst(self) -> list[tuple[str, Kept]]:
        """What analysts keep best and worst, measured on the released table."""
        compared = [kept for kept in self.kept if kept.near is not None]
        best = max(compared, key=_near, default=None)
        worst = min(compared, key=_near, default=None)
        if best is None or worst is None:
            return []
        return [("Kept best", best), ("Kept worst", worst)] if worst is not best else [("For analysts", best)]

    @property
    def done(self) -> list[tuple[str, list[str]]]:
        """What was done, with the columns, action by action."""
        columns: dict[str, list[str]] = {}
        for change in self.file.changes:
            if change.action != "untouched":
                columns.setdefault(change.action, []).extend(change.columns)
        return [(action, list(dict.fromkeys(names))) for action, names in columns.items()]

    @property
    def silent(self) -> str:
        """What is missing, where all that was measured is fine."""
        if self.file.failures:
            return f"{self.file.failures[0].stage} gave no number"
        return f"nothing measured the limit “{self.unmeasured[0]}”" if self.unmeasured else ""

    @property
    def exposed(self) -> tuple[Pair, str] | None:
        """Return the attack that gets furthest beyond guessing, with how many it finds.

        What a promise bounds is left out, and what is advice: they stand there already.
        """
        bound = {self.kind.asks(pair.risk.measure) for pair in self.promises} - {"inference"}
        shares = [
            pair
            for pair in self.pairs
            if pair.after
            and _is_found(pair.after)
            and not (pair.after.gate is None and pair.after.limit is not None)
            and (pair.after.gate or self.kind.asks(pair.after.measure) not in bound)
        ]
        worst = max(shares, key=lambda pair: beyond_guessing(pair.risk), default=None)
        return None if worst is None else (worst, _found(worst.risk))

    @property
    def is_open(self) -> bool:
        """Whether an attack without a limit surely gets further than guessing."""
        if self.exposed is None or self.exposed[0].risk.limit is not None:
            return False
        risk = self.exposed[0].risk
        return bool(risk.withheld) or (risk.value if risk.low is None else risk.low) > (risk.chance or 0.0)

    @property
    def kinds_exposed(self) -> list[Pair]:
        """Risks that say which kind of student they find (`who` in their setting)."""
        return [pair for pair in self.pairs if pair.after and "who" in pair.after.setting]


def most_exposed(views: Sequence[FileView]) -> tuple[FileView, Pair, str] | None:
    """The attack that gets furthest beyond guessing in any file."""
    found = [(view, *view.exposed) for view in views if view.exposed is not None]
    return max(found, key=lambda one: beyond_guessing(one[1].risk), default=None)


def _near(kept: Kept) -> float:
    assert kept.near is not None
    return kept.near


@dataclass(frozen=True, kw_only=True)
class Missed:
    """One reason for a refusal: what was measured, by how much it misses, and what would pass."""

    place: str
    anchor: str | None
    pair: Pair | None = None
    failure: Failure | None = None
    help: str = ""


def stories(risks: Iterable[Risk]) -> list[tuple[str, str]]:
    """Each attacker once, with what they know and do."""
    found: dict[str, str] = {}
    for risk in risks:
        if risk.story and risk.story not in found.values():
            found.setdefault(risk.attacker, risk.story)
    return list(found.items())


def pairs(file: FileFindings) -> list[Pair]:
    """Pair each risk after with the same risk before; lone ones come last."""
    exact = {_identity(risk): risk for risk in file.before}
    found = [_partner(risk, file.before, exact) for risk in file.after]
    used = {id(pair.before) for pair in found}
    return found + [Pair(before=risk) for risk in file.before if id(risk) not in used]


def _partner(risk: Risk, before: Sequence[Risk], exact: dict[tuple[Any, ...], Risk]) -> Pair:
    """The same measurement of the original; for a gate also the nearest to it, the strongest of several.

    Where the original has a measure once, it is that of whichever attacker gets furthest.
    """
    if _identity(risk) in exact:
        return Pair(before=exact[_identity(risk)], after=risk)
    comparable = [other for other in before if _comparable(risk, other)]
    by_attacker = [other for other in comparable if other.attacker == risk.attacker]
    same = [other for other in comparable if other.name == risk.name]
    alike = [other for other in same if other.attacker == risk.attacker]
    if not alike and risk.gate:
        once = same if len(same) == 1 else []
        alike = once or by_attacker or [other for other in comparable if _agreement(risk, other)]
    most = max((_agreement(risk, other) for other in alike), default=0)
    nearest = [other for other in alike if _agreement(risk, other) == most]
    if not nearest or (len(nearest) > 1 and not risk.gate):
        return Pair(after=risk)
    pick = max if risk.better == "lower" else min
    return Pair(before=pick(nearest, key=level), after=risk, strongest=len(nearest) > 1)


def _comparable(risk: Risk, other: Risk) -> bool:
    same = other.better == risk.better and other.measure.unit == risk.measure.unit
    return same and (bool(other.withheld) or math.isfinite(other.value))


def _agreement(risk: Risk, other: Risk) -> int:
    return sum(risk.setting.get(key) == value for key, value in other.setting.items())


def _identity(risk: Risk) -> tuple[Any, ...]:
    return risk.name, risk.attacker, tuple(sorted((key, str(value)) for key, value in risk.setting.items()))


def nearness(utility: Utility) -> float | None:
    """Return 1 where a release equals the original, 0 where it is off by all of it."""
    value, original, measure = utility.value, utility.baseline, utility.measure
    if is_nearly_all(utility):
        value = 1.0
    if original is None or not (math.isfinite(value) and math.isfinite(original)):
        return None
    if value == 0 and original > NOTHING and measure.better == "higher":
        return 0.0  # gone, however little shares of the original say
    if measure.unbounded:
        return None
    if measure.better == "lower" and value <= original:
        return 1.0
    if original == 0 or (measure.unit == "share" and measure.better == "lower"):
        return max(0.0, 1 - value + original) if value <= 1 or measure.unit == "share" else None
    worth = original - 0.5 if measure.unit == "auc" else abs(original)
    return max(0.0, 1 - abs(value - original) / worth) if worth >= NOTHING else None


def nearest_point(curve: Curve | None) -> CurvePoint | None:
    """Return the most useful setting that met the limit, or the closest one."""
    if curve is None or not curve.points:
        return None
    passing = [point for point in curve.points if point.meets]
    if passing:
        return max(passing, key=lambda point: _or_least(point.utility))
    sign = -1 if curve.better == "lower" else 1
    return max(curve.points, key=lambda point: _or_least(sign * point.risk))


def _or_least(value: float) -> float:
    return value if math.isfinite(value) else -math.inf


def _is_found(risk: Risk) -> bool:
    """Whether the number is a share of students who are found: not the chance about one, and more than guessing."""
    if risk.measure.unit != "share" or risk.measure.of_one or risk.measure.better == "higher":
        return False
    return bool(risk.withheld) or (math.isfinite(risk.value) and risk.value > (risk.chance or 0.0))


def _found(risk: Risk) -> str:
    """How many are found: a number of students where the measure counts them, a share of the cases where not."""
    if risk.withheld:
        return risk.withheld
    if not risk.measure.counts:
        return f"{words.said(risk)} of {risk.n:,}" if risk.n else words.said(risk)
    count = round(risk.value * risk.n)
    return f"{count:,} of {risk.n:,}" if count else f"none of {risk.n:,}"


def verdict_sentence(findings: Disclosed, verdict: Verdict) -> str:
    """The first thing to read, and for some the last."""
    gated = list(findings.gated())
    files = words.plural(len(findings.files), "file")
    promises = sum(risk.measure.promise for _, risk in gated)
    limits = words.plural(len(gated), "limit")
    if verdict.passed:
        reader = words.reader(findings.audience)
        audits = words.plural(len(gated) - promises, "measured limit")
        both = f"{words.plural(promises, 'promise')} and {audits}" if promises else audits
        return f"Every limit is met: {both} over {files}, for a release to {reader}."
    missed = sum(not risk.holds for _, risk in gated)
    said = [f"{missed} of {limits} missed"] if missed else []
    if len(verdict.reasons) > missed:
        said.append(f"{words.plural(len(verdict.reasons) - missed, 'measure')} without a number")
    return f"Refused, with {' and '.join(said)}. Nothing was released."


def missed(findings: Disclosed) -> Iterator[Missed]:
    """Every reason for a refusal, the furthest from its limit first within a file."""
    for view in map(FileView, findings.files):
        failing = [pair for pair in view.gated if pair.status == "missed"]
        for pair in sorted(failing, key=lambda pair: -pair.strain):
            yield Missed(place=view.kind.title, anchor=view.anchor, pair=pair, help=_help(view, pair))
        for failure in view.file.failures:
            yield Missed(place=view.kind.title, anchor=view.anchor, failure=failure)
        if not view.file.failures:
            for name in view.unmeasured:
                nothing = Failure(stage=f"limit '{name}'", reason="nothing measured it, so it cannot be met")
                yield Missed(place=view.kind.title, anchor=view.anchor, failure=nothing)
    for risk in findings.linkage:
        if risk.gate and not risk.holds:
            help = risk.story
            yield Missed(place="Files joined", anchor="linkage", pair=Pair(after=risk), help=help)
    for failure in findings.failures:
        yield Missed(place="The release as a whole", anchor=None, failure=failure)


def _help(view: FileView, pair: Pair) -> str:
    """The nearest setting that would pass, as far as it was tried; and the limit that would let this through."""
    risk = pair.risk
    if not risk.withheld and not math.isfinite(risk.value):
        return f"It could not be measured, so it counts as missed. {risk.story}"
    said = []
    curve, point = view.file.curve, nearest_point(view.file.curve)
    if curve is not None and point is not None:
        level = f"{words.inline(curve.risk.title)}: {words.point_risk(curve, point)}"
        count = words.plural(len(curve.points), "setting")
        if point.meets:
            said.append(f"Nearest setting that met its limit when tried: {point.label} ({level}).")
        else:
            said.append(f"Of {count} tried none met every limit; {point.label} came nearest ({level}).")
    if words.is_known(risk.seen):
        said.append(f"As it stands it would pass only under a limit of {words.amount(risk.measure, risk.seen)}.")
    return " ".join(said)
