"""What would help, tried before it is said: a refusal proposes a change of the plan only with what it then measured."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sharewell import disclosure
from sharewell.contract import Risk
from sharewell.errors import SharewellError
from sharewell.findings import Findings
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section
from sharewell.release import gate
from sharewell.release.linkage import File, joint
from sharewell.show import words

LEAST_SECONDS = 5  # for trying, however quick the run was that was refused
BY_TWO = {
    "linked to an earlier release", "joined with an earlier release", "certain by two releases",
    "company by two releases",
}  # fmt: skip
MOST_COLUMNS = 3  # of a file that are left out one by one


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A change of the plan in words, the plan with it, and the files that it touches."""

    words: str
    plan: Plan
    changed: frozenset[str]


Again = Callable[[Proposal], Findings]


def tried(proposals: Iterable[Proposal], again: Again, *, seconds: float) -> tuple[str, ...]:
    """Return the first change that passes, or all that were tried."""
    until = time.monotonic() + max(seconds, LEAST_SECONDS)
    failed: list[str] = []
    for proposal in proposals:
        if failed and time.monotonic() > until:
            failed.append("There was no time to try more.")
            break
        try:
            findings = again(proposal)
        except SharewellError as error:
            failed.append(f"Tried: {proposal.words}. That cannot be done: {error}")
            continue
        if gate.judge(findings).passed:
            return (*failed, f"Tried: {proposal.words}. Every limit is met then; {_binding(findings)}.")
        failed.append(f"Tried: {proposal.words}. Still refused: {gate.judge(findings).reasons[0]}")
    return (*failed, "Nothing that was tried passes.") if failed else ()


def _binding(findings: Findings) -> str:
    """The limit that is nearest to being missed, with the number that the gate saw."""
    gated = [(label, risk) for label, risk in disclosure.disclose(findings).gated() if risk.limit]
    if not gated:
        return "no limit applies"
    label, risk = max(gated, key=lambda one: _strain(one[1]))
    end = ", the upper end of its interval" if risk.bound == "high" and not risk.withheld else ""
    return (
        f"nearest to its limit is {label}: {words.inline(risk.measure.title)} ({risk.attacker}) with "
        f"{words.seen(risk)}{end}, where the limit is {words.limit(risk)}"
    )


def _strain(risk: Risk) -> float:
    seen, limit = risk.seen, risk.limit
    if seen is None or limit is None or seen != seen:
        return 0.0
    return seen / limit if risk.better == "lower" else limit / max(seen, 1e-12)


@dataclass(frozen=True, kw_only=True)
class Within:
    """What of earlier releases is within reach, as a plan would name it: keys, and recodings by file."""

    keys: tuple[str, ...] = ()
    recodings: Mapping[str, str] = field(default_factory=dict)


def proposals(plan: Plan, findings: Findings, linkable: Sequence[File], earlier: Within) -> Iterator[Proposal]:
    """Changes that bear on what was missed, the mildest first."""
    missed = [(label, risk) for label, risk in findings.gated() if not risk.holds]
    names = {risk.name for _, risk in missed}
    if "linked to an earlier release" in names:
        yield from (_with_key(plan, key) for key in earlier.keys)
    if names & BY_TWO and earlier.keys:
        yield from _as_before(plan, earlier)
    if "joined" in names:
        yield _apart(plan)
        yield from _without_telling(plan, linkable, findings.seed)
    involved = {label for label, _ in missed} | {file.label for file in findings.files if file.failures}
    for section in plan.sections:
        if section.label in involved:
            yield from _without_columns(plan, section)
    concerned = [
        section
        for section in plan.sections
        if section.label in involved or any(section.label in risk.attacker for _, risk in missed)
    ]
    if len(plan.sections) > 1:
        yield from (_held_back(plan, section) for section in reversed(concerned))


def _with_key(plan: Plan, key: str) -> Proposal:
    return Proposal(
        words=f'the key of the earlier release is used again (key = "{key}")',
        plan=replace(plan, header=replace(plan.header, key=key)),
        changed=frozenset(section.label for section in plan.sections),
    )


def _as_before(plan: Plan, earlier: Within) -> Iterator[Proposal]:
    """New rows join the groups of the release before, in the files whose sections may ask for that."""
    again = _with_key(plan, earlier.keys[0])
    asked = {one.label: one.as_before(earlier.recodings[one.label]) for one in plan.sections
             if one.label in earlier.recodings}  # fmt: skip
    asked = {label: section for label, section in asked.items() if not section.problems()}
    if not asked:
        return
    sections = [asked.get(section.label, section) for section in plan.sections]
    again_with = ", ".join(f'recoding = "{earlier.recodings[label]}" in [{label}]' for label in asked)
    yield Proposal(
        words=f"{again.words} and what it was made with ({again_with})",
        plan=replace(again.plan, sections=tuple(sections)),
        changed=again.changed,
    )


def as_in_earlier(plan: Plan, findings: Findings, earlier: Within) -> Plan | None:
    """Reuse the recodings of earlier releases in files refused together with them.

    None where no such file has an earlier recoding, or where the plan names these recodings already.
    """
    missed = [risk for risk in findings.linkage if risk.gate and not risk.holds and risk.name in BY_TWO]
    asked = {one.label: one.as_before(earlier.recodings[one.label]) for one in plan.sections
             if one.label in earlier.recodings and any(one.label in risk.attacker for risk in missed)}  # fmt: skip
    if not asked or asked == {one.label: one for one in plan.sections if one.label in asked}:
        return None
    return replace(plan, sections=tuple(asked.get(one.label, one) for one in plan.sections))


def _apart(plan: Plan) -> Proposal:
    header = replace(plan.header, join=False)
    return Proposal(
        words="files under different pseudonyms (join = false)", plan=replace(plan, header=header), changed=frozenset()
    )


def _without_telling(plan: Plan, linkable: Sequence[File], seed: int) -> Iterator[Proposal]:
    """Without the columns that disclose most when facts are added up."""
    sections = {section.label: section for section in plan.sections}
    for file, column, _ in joint.telling_columns(linkable, seed=seed)[:MOST_COLUMNS]:
        less = _without(plan, sections[file.label], column)
        if less is not None:
            yield less


def _without_columns(plan: Plan, section: Section) -> Iterator[Proposal]:
    quasi: tuple[str, ...] = getattr(section, "quasi", ())
    for column in quasi[:MOST_COLUMNS] if len(quasi) > 1 else ():
        less = _without(plan, section, column)
        if less is not None:
            yield less


def _without(plan: Plan, section: Section, column: str) -> Proposal | None:
    """The column dropped, where the section still makes sense without it."""
    given: Any = section
    quasi = getattr(given, "quasi", ())
    if column not in quasi or any(name == column for _, name in section.mentioned()):
        return None
    less = replace(given, quasi=tuple(name for name in quasi if name != column), drop=(*section.drop, column))
    if less.problems():
        return None
    sections = tuple(less if other is section else other for other in plan.sections)
    return Proposal(
        words=f"without '{column}' of {section.label} (role drop)",
        plan=replace(plan, sections=sections),
        changed=frozenset({section.label}),
    )


def _held_back(plan: Plan, section: Section) -> Proposal:
    rest = tuple(other for other in plan.sections if other is not section)
    return Proposal(
        words=f"{section.label} not released, the other files released",
        plan=replace(plan, sections=rest),
        changed=frozenset(),
    )
