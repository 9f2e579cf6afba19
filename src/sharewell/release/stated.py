"""What the papers of a release state, set against each other, against the data and against the audience's limits."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from ibis.expr.types import Table

from sharewell import kinds
from sharewell.contract import Count, Risk
from sharewell.data import engine
from sharewell.plan.audience_limits import LIMITS
from sharewell.release import composition
from sharewell.stats.intervals import wilson

PSEUDONYM = r"^([0-9a-f]{16}|[0-9a-f]{64})$"
SAME = 1e-6  # numbers that were written down and read again
ABOUT = ("column", "columns")  # settings that say what a measurement is about, not how it is made
THOUSANDTH, THREE_DIGITS = 0.0005, 0.005  # how far a number may be rounded where it is published
BEFORE_2026_12 = {  # what releases made before December 2026 measured instead of company by two releases
    "less company by two releases": composition.LOOSEST_OF_LINKS,
    "least company by two releases": composition.LOOSEST_OF_COMPANY,
}
LUCKY = 12  # students whom a blind guess may find in the luckiest of releases: the limit of a small class


def limit_problems(label: str, measured: Iterable[Risk], limits: Mapping[str, float]) -> Iterator[str]:
    """A file that brings its own limits must bring those of the gate."""
    for risk in measured:
        if (
            risk.gate is not None
            and risk.gate in limits
            and risk.limit is not None
            and not _is_limit(risk.limit, risk, limits)
        ):
            yield (
                f"{label}: the facts limit {risk.name} to {risk.limit:.4g}, the summary to {limits[risk.gate]:.4g}; "
                "limits come from one place"
            )


def with_limit(risk: Risk, limits: Mapping[str, float]) -> Risk:
    """The risk with the limit of the summary, whatever its own facts say."""
    if risk.gate is None or risk.gate not in limits or risk.limit is None or _is_limit(risk.limit, risk, limits):
        return risk
    return replace(risk, limit=float(limits[risk.gate]))


def _is_limit(limit: float, risk: Risk, limits: Mapping[str, float]) -> bool:
    """A limit may also be given as so many times chance, or as so much beyond it."""
    assert risk.gate is not None
    return _may_be(limit, float(limits[risk.gate]), risk.chance)


def _may_be(limit: float, asked: float, chance: float | None) -> bool:
    beside_chance = [] if chance is None else [min(1.0, asked * chance), asked + chance]
    return any(math.isclose(limit, one, rel_tol=SAME) for one in (asked, *beside_chance))


def problems(
    summary: Mapping[str, Any], tables: Mapping[str, Table], risks: Sequence[tuple[str, Risk]]
) -> Iterator[str]:
    """What the summary states that cannot be, or that the data does not bear out."""
    if not summary["passed"] or summary["reasons"]:
        yield "summary.json: says that the release was refused"
    for file in summary["files"]:
        label = f"{file['kind']}.{file['name']}"
        yield from _file_problems(label, file)
        yield from _measured_otherwise(label, file, [risk for where, risk in risks if where == label])
        if label in tables:
            yield from _column_problems(label, file, tables[label])
    yield from _linkage_problems(summary)
    if not summary["join"]:
        yield from _shared_pseudonyms(summary, tables)


def _file_problems(label: str, file: Mapping[str, Any]) -> Iterator[str]:
    for failure in file["failures"]:
        yield f"{label}: {failure.get('stage')} gave no number"
    gates = {risk.get("gate") for risk in file["risk_after"]}
    yield from (f"{label}: nothing measured the limit '{name}'" for name in file["limits"] if name not in gates)
    for risk in file["risk_after"]:
        if risk.get("gate"):
            yield from _risk_problems(label, risk)
            yield from _stated_limit(label, risk, file["limits"])


def _risk_problems(label: str, risk: Mapping[str, Any]) -> Iterator[str]:
    """A stated risk must meet its limit by its own numbers."""
    if risk.get("withheld"):
        holds = risk.get("met") is True
    else:
        seen, limit = risk.get({"low": "low", "high": "high"}.get(str(risk.get("bound")), "value")), risk.get("limit")
        numbers = isinstance(seen, int | float) and isinstance(limit, int | float)
        better = (risk.get("measure") or {}).get("better")
        holds = numbers and (seen <= limit if better == "lower" else seen >= limit)  # type: ignore[operator]
    if not holds or risk.get("holds") is not True:
        yield f"{label}: {risk.get('name')} ({risk.get('attacker')}) does not meet its limit by what the summary states"


def _stated_limit(label: str, risk: Mapping[str, Any], limits: Mapping[str, float]) -> Iterator[str]:
    gate, limit, chance = risk["gate"], risk.get("limit"), risk.get("chance")
    if gate not in limits or not isinstance(limit, int | float):
        return
    if risk.get("withheld") and chance is None:
        return  # so few cases that chance is withheld as well: whether the limit is met stands there in words
    if not _may_be(limit, float(limits[gate]), float(chance) if isinstance(chance, int | float) else None):
        yield f"{label}: {risk.get('name')} has the limit {limit:.4g}, the limits say {limits[gate]:.4g}"


def _measured_otherwise(label: str, file: Mapping[str, Any], measured: Iterable[Risk]) -> Iterator[str]:
    """The same measure of the same columns by the same attacker: the same number, or intervals that meet."""
    for risk in measured:
        named = [one for one in file["risk_after"] if _is_named_as(one, risk)]
        stated = [one for one in named if _is_about_the_same(one, risk)]
        for one in stated:
            if _set_otherwise(one, risk):
                yield f"{label}: {risk.name} ({risk.attacker}) was measured with other settings than the facts name"
            elif not one.get("withheld") and _differ(one, risk):
                yield f"{label}: {risk.name} ({risk.attacker}) is {risk.value:.4g}, the summary states another number"
        if named and not stated:
            yield f"{label}: {risk.name} ({risk.attacker}) was measured with other settings than the facts name"
    yield from _promised_otherwise(label, file, list(measured))


def _promised_otherwise(label: str, file: Mapping[str, Any], measured: Sequence[Risk]) -> Iterator[str]:
    """A promise stands on page one in its own words: they must be those that the finished file bears out."""
    kept = [risk for risk in measured if risk.measure.promise]
    for one in file["risk_after"]:
        if one.get("gate") and (one.get("measure") or {}).get("promise"):
            same = [risk for risk in kept if _is_named_as(one, risk) and _is_about_the_same(one, risk)]
            if one.get("story") not in [risk.story for risk in same]:
                yield f"{label}: the promise of {one.get('name')} is not what the finished file shows"


def _is_named_as(published: Mapping[str, Any], risk: Risk) -> bool:
    return published.get("name") == risk.name and published.get("attacker") == risk.attacker


def _is_about_the_same(published: Mapping[str, Any], risk: Risk) -> bool:
    """Each sensitive column is measured by itself."""
    stated = published.get("setting") or {}
    return all(stated.get(name) == risk.setting.get(name) for name in ABOUT if name in stated and name in risk.setting)


def _set_otherwise(published: Mapping[str, Any], risk: Risk) -> bool:
    """What a measurement was made with must not be weaker when it is made again."""
    stated = published.get("setting") or {}
    shared = [name for name, value in risk.setting.items() if name in stated and not isinstance(value, Count)]
    return any(stated[name] != risk.setting[name] for name in shared if isinstance(stated[name], int | str))


def _differ(published: Mapping[str, Any], risk: Risk) -> bool:
    stated = [published.get("value") if published.get(end) is None else published.get(end) for end in ("low", "high")]
    found = [risk.value if end is None else end for end in (risk.low, risk.high)]
    if any(not isinstance(number, int | float) for number in stated):
        return True
    low, high = stated
    assert low is not None and high is not None
    rounded_to = {"share": THOUSANDTH, "auc": THOUSANDTH, "number": THREE_DIGITS * abs(high)}.get(
        risk.measure.unit, 0.0
    )
    slack = (
        rounded_to + SAME * max(1.0, abs(high)) + ((high - low) + (found[1] - found[0])) / 2
    )  # draws scatter: only a sure gap
    return bool(found[1] < low - slack or found[0] > high + slack)


def _column_problems(label: str, file: Mapping[str, Any], table: Table) -> Iterator[str]:
    """Columns that are said to be gone are gone, and pseudonyms look like pseudonyms."""
    for change in file["changes"]:
        for name in change.get("columns", []):
            if change.get("action") == "dropped" and name in table.columns:
                yield f"{label}: column '{name}' is said to be dropped and is there"
            if change.get("action") == "pseudonymised" and name in table.columns and not file["synthetic"]:
                cells = table[name].cast("string")
                odd = engine.value(table.filter(cells.notnull() & ~cells.re_search(PSEUDONYM)).count())
                if odd:
                    yield f"{label}: column '{name}' holds cells that are no pseudonyms"


def _linkage_problems(summary: Mapping[str, Any]) -> Iterator[str]:
    """Where several files of students leave, every pair was attacked and met a limit that the audience allows."""
    files = [f"{file['kind']}.{file['name']}" for file in summary["files"] if file.get("linkable")]
    name = "joined" if summary["join"] else "rejoined"
    made = [str(risk.get("attacker")) for risk in summary["linkage"] if risk.get("name") == name]
    for one, other in combinations(files, 2):
        if not any(one in attacker and other in attacker for attacker in made):
            yield f"together: nothing measured what {one} and {other} disclose together"
    for risk in summary["linkage"]:
        if risk.get("gate"):
            yield from _risk_problems("together", risk)
            yield from _allowed(risk, summary["audience"])


def _allowed(risk: Mapping[str, Any], audience: str) -> Iterator[str]:
    """The limit of the audience, beside earlier releases that of a narrower one; in a small class what a blind guess
    may reach."""
    limit, n = risk.get("limit"), risk.get("n")
    if (risk.get("measure") or {}).get("better") == "higher":
        if not isinstance(limit, int | float) or limit < composition.LOOSEST.get(str(risk.get("name")), limit):
            yield f"together: {risk.get('name')} has a limit that no audience allows"
        return
    most = {**BEFORE_2026_12, **composition.LOOSEST}.get(str(risk.get("name")), LIMITS[audience].linkage)
    lucky = wilson(min(LUCKY, n), n)[1] if isinstance(n, int) and n > 0 else 1.0
    if not isinstance(limit, int | float) or limit > max(most, lucky) + SAME:
        yield f"together: {risk.get('name')} has a limit that the audience '{audience}' does not allow"


def _shared_pseudonyms(summary: Mapping[str, Any], tables: Mapping[str, Table]) -> Iterator[str]:
    """Without `join` no pseudonym stands in two files."""
    columns = {}
    for file in summary["files"]:
        label = f"{file['kind']}.{file['name']}"
        student = (file.get("linkable") or {}).get("student")
        if label in tables and student in tables[label].columns:
            columns[label] = tables[label].select(who=tables[label][student].cast("string")).distinct()
    for one, other in combinations(columns, 2):
        if engine.value(columns[one].semi_join(columns[other], "who").count()):
            yield f"together: {one} and {other} share pseudonyms, and the summary says that files cannot be joined"


def looser_limits(summary: Mapping[str, Any]) -> list[str]:
    """Find limits of the plan that ask for less than the audience does."""
    found = []
    for file in summary["files"]:
        kind = kinds.load(file["kind"])
        usual = kind.section.audience_limits.get(summary["audience"], {})
        better = {measure.id: measure.better for measure in kind.measures}
        for name, limit in file["limits"].items():
            asked = usual.get(name)
            higher = better.get(name, "higher" if name in ("k", "l") else "lower") == "higher"
            if asked is not None and (limit < asked if higher else limit > asked):
                label = f"{file['kind']}.{file['name']}"
                found.append(
                    f"{label}: limited to {name} = {limit:g}, less than the {asked:g} usual for this audience."
                )
    return found
