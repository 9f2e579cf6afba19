"""Every attack on plain and on protected releases of ASSISTments 2009: over skills, over items, and over small samples.

plain      the paper's chain and Rasch outcomes (m = 1), nothing protects
protected  what `sharewell release` would take under the limits of an audience: the least noise that keeps the upper end
           of the strongest attack, and members found at 1 % false alarms, within them; chosen on some splits of the
           students, judged on others. Where nothing passes, the strongest setting is shown and called refused.

Each figure is a mean over splits with the upper end of its interval; attackers know the population, the method and the
settings, and learn from releases of their own. Below each table: what an analyst loses, beside the original. The plain
release of the first split under its own ids, and an unrelated log, are the controls that every attack must pass.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table

from sharewell.contract import Risk
from sharewell.data.keyed import Keyed
from sharewell.lab.membership import AUC, TPR, measured, risks_of
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.attackers import ATTACKS, LogTarget
from sharewell.responses.protection import strength_search
from sharewell.responses.protection.strength_search import Level, Search
from sharewell.responses.section import Section
from sharewell.responses.settings import Settings
from sharewell.responses.utility.learning_curves import learning_curve
from sharewell.responses.utility.usefulness import usefulness

PLAIN = Level(0.0, 1)


@dataclass(frozen=True)
class Sample:
    """One log: over skills or items, of all students or of some."""

    name: str
    over: str
    students: int | None
    seed: int = 0


SAMPLES = (
    Sample("skills", "skill_id", None),
    Sample("items", "item_id", None),
    Sample("300 students, skills", "skill_id", 300),
    Sample("300 students, items", "item_id", 300),
)


def load(data: Path, sample: Sample) -> tuple[Log, Columns]:
    rows = csv.read_csv(data / "assistments2009" / "assistments09_full.csv.gz")
    skill = "skill_id" if sample.over == "item_id" else None
    columns = Columns(student="user_id", item=sample.over, correct="correct", skill=skill)
    log = read(rows, columns)
    if sample.students is None:
        return log, columns
    drawn = np.random.default_rng(sample.seed).permutation(log.lengths.size)[: sample.students]
    return log.only(np.isin(np.arange(log.lengths.size), drawn)), columns


def asked(log: Log, columns: Columns, *, limits: dict[str, float], seed: int, noise: float | None) -> Search:
    """What the plan of an audience asks for, with the settings that a plan has where it says nothing."""
    control = Section.__dataclass_fields__["control"].default
    return Search(
        log=log,
        columns=columns,
        settings=Settings(),
        levels=strength_search.levels_for(log, control, m=None, noise=noise),
        students=log.lengths.size,
        control=control,
        repeats=strength_search.splits_to_judge(log.lengths.size, control),
        limits=limits,
        keyed=Keyed(seed.to_bytes(32, "big"), "benchmark"),
        seed=seed,
    )


def attacked(search: Search, level: Level) -> tuple[list[Risk], Log]:
    """A release at one level, and every attack on it and on other splits."""
    made = search.candidate(level).log(search.log)
    return search.judged(level, made), made


def plain(search: Search) -> tuple[list[Risk], Log]:
    return attacked(replace(search, settings=Settings(m=1, outcomes="rasch")), PLAIN)


def by_attack(risks: list[Risk]) -> dict[tuple[str, str], Risk]:
    return {(risk.attacker, risk.name): risk for risk in risks}


def controls(search: Search) -> str:
    """The tracing attack on the members themselves, and on students who have nothing to do with them."""
    found = []
    member = search.members()
    shuffled = np.random.default_rng(search.seed + 1).permutation(member)
    for released, truth in ((search.log.only(member), member), (search.log.only(shuffled), member)):
        pair = LogTarget(search.population, released, truth)
        risks = risks_of(measured("tracing", ATTACKS["tracing"].score(pair), truth, search.seed))
        found.append(next(risk.value for risk in risks if risk.measure == AUC))
    return f"tracing the members' own rows: AUC {found[0]:.3f}; another random half: {found[1]:.3f}"


def shown(sample: Sample, search: Search, *, skip_plain: bool) -> list[object]:
    begun = time.perf_counter()
    _, level, curve, _ = strength_search.search(search)
    judged, fake = attacked(search, level)
    before, plainly = ({}, None) if skip_plain else _plain_parts(search)
    after = by_attack(judged)
    met = all(
        (risk.high or 1.0) <= search.limits[gate]
        for gate, risk in (("membership", after["strongest", AUC.id]), ("tpr", after["strongest", TPR.id]))
    )
    title = f"{sample.name}: {search.log.lengths.size:,} students, {search.log.rows:,} rows; {level}; "
    table = Table(title=title + ("met" if met else "REFUSED"))
    for head in ("attack", "plain AUC", "TPR 1 %", "protected AUC", "upper end", "TPR 1 %", "upper end"):
        table.add_column(head)
    for name in (*ATTACKS, "strongest"):
        cells = [_cell(before.get((name, measure.id))) for measure in (AUC, TPR)]
        for measure in (AUC, TPR):
            risk = after.get((name, measure.id))
            cells += [_cell(risk), "–" if risk is None or risk.high is None else f"{risk.high:.3f}"]
        table.add_row(name, *cells)
    parts: list[object] = [table]
    for word, made in (("plain", plainly), ("protected", fake)):
        if made is not None:
            parts.append(f"{word}: {_uses(search, made)}")
    parts += [f"  {point.label}: {point.risk:.3f} (up to {point.high:.3f}), wRMSE {-point.utility:.3f}"
              + (" ← taken" if point.chosen else "") for point in curve.points]  # fmt: skip
    return [*parts, controls(search), f"{time.perf_counter() - begun:.0f} s"]


def _plain_parts(search: Search) -> tuple[dict[tuple[str, str], Risk], Log]:
    risks, made = plain(search)
    return by_attack(risks), made


def _cell(risk: Risk | None) -> str:
    return "–" if risk is None else f"{risk.value:.3f}"


def _uses(search: Search, made: Log) -> str:
    original = replace(search.log, items=made.items)
    uses = {use.name: use for use in usefulness(search.log, made)}
    traced = uses["knowledge tracing AUC"]
    ours, theirs = learning_curve(original), learning_curve(made)
    worst = float(np.nanmax(np.abs(ours - theirs)))
    return (
        f"wRMSE {uses['difficulty error, weighted'].value:.3f}, "
        f"rank r {uses['difficulty rank correlation'].value:.3f}, knowledge tracing {traced.value:.3f} "
        f"(original {traced.baseline:.3f}), learning curve off by {uses['learning curve off by'].value:.3f} "
        f"(worst attempt {worst:.3f}), steps off by {uses['step frequencies off by'].value:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--only", nargs="+", choices=[sample.name for sample in SAMPLES])
    parser.add_argument("--audience", choices=["public", "agreement", "enclave"], default="agreement")
    parser.add_argument("--noise", type=float, help="standard errors; by default the least that passes is searched")
    parser.add_argument("--splits", type=int, help="by default as many as make the mean steady")
    parser.add_argument("--skip-plain", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    limits = dict(Section.audience_limits[given.audience])
    for sample in SAMPLES:
        if given.only is None or sample.name in given.only:
            search = asked(*load(given.data, sample), limits=limits, seed=given.seed, noise=given.noise)
            search = replace(search, repeats=given.splits or search.repeats)
            for part in shown(sample, search, skip_plain=given.skip_plain):
                Console(width=130).print(part)


if __name__ == "__main__":
    main()
