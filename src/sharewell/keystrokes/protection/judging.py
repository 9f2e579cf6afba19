"""How many typists every attack finds in draws of one setting: the mean over draws, and its interval.

The interval covers what the key draws (classes by lot, times, exchanged keys) and how sessions are parted, for the
students of the file: not other students. A setting is chosen on some draws and judged on others. A release that is
drawn again until its own attack fails has fitted the attack; here no draw is ever thrown away.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from sharewell.contract import Risk
from sharewell.keystrokes import eventlog, splits
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.measure import measuring
from sharewell.keystrokes.measure.identification import ATTACKS, Attack
from sharewell.keystrokes.measure.known_amounts import known_amounts
from sharewell.keystrokes.measure.known_text import KnownTexts, known_text, known_texts
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.protection.draft import Material, Setting, draw
from sharewell.keystrokes.splits import WAYS, SampleHalves, Way
from sharewell.lab.threads import one_thread

FIRST_LOOK = 12  # draws after which a judgement is looked at first
MISSED, EARLY = 0.05, 0.005  # of all samples an interval misses: over all looks, and at a look before the last
VARIES = ("sessions", "candidates")  # settings that differ from draw to draw, or from part to part, of one attack


@dataclass(frozen=True, kw_only=True)
class Original:
    """The events as they were, and what attackers know of them."""

    events: Events
    targets: dict[Way, Array]
    raw: dict[Way, SampleHalves]
    known: KnownTexts


@dataclass(frozen=True, kw_only=True)
class AttackPanel:
    """Who attacks a draw, and with which references; texts are known to the last of them."""

    attacks: tuple[Attack, ...]
    within: tuple[int, ...]
    references: tuple[str, ...] = ("raw", "protected")
    fused: bool = True
    texts: bool = True
    amounts: tuple[str, ...] = ("keys", "time")  # of a session that are known

    def of(self, some: Collection[tuple[Any, ...]]) -> "AttackPanel":
        """Keep some attacks (see `attack_of`), and all that fusion weighs if it is one."""
        names = {attacker for _, attacker, *_ in some}
        values = {pair for _, _, *settings in some for pair in settings}
        fused = self.fused and "fusion" in names
        return replace(
            self,
            attacks=self.attacks if fused else tuple(one for one in self.attacks if one in names),
            fused=fused,
            texts=self.texts and "text" in names,
            references=tuple(one for one in self.references if ("reference", one) in values),
            amounts=tuple(one for one in self.amounts if ("of", one) in values),
        )


def everyone(within: Iterable[int]) -> AttackPanel:
    return AttackPanel(attacks=ATTACKS, within=tuple(within))


def without_texts(within: Iterable[int]) -> AttackPanel:
    """All but known texts, which do not depend on times."""
    return AttackPanel(attacks=ATTACKS, within=tuple(within), texts=False)


def keys_alone(within: Iterable[int]) -> AttackPanel:
    """What depends on keys alone: times have not been drawn yet."""
    return AttackPanel(attacks=("keys",), within=tuple(within), fused=False, amounts=("keys",))


def original(events: Events, seed: int) -> Original:
    targets = splits.targets(events, seed)
    raw = {way: splits.halves(events.typing, events.students, target) for way, target in targets.items()}
    return Original(events=events, targets=targets, raw=raw, known=known_texts(events.typing, seed))


def attacked(
    source: Original,
    typing: TypedEvents | None,
    panel: AttackPanel,
    ways: Sequence[Way],
    seed: int,
) -> list[Risk]:
    """Every attack of the panel on one release, or on the original where there is none, by some ways of parting."""
    attackers = Attackers(
        within=panel.within, seed=seed, attacks=panel.attacks, fused=panel.fused, references=panel.references
    )
    risks: list[Risk] = []
    for way in ways:
        raw = source.raw[way]
        seen = raw
        if typing is not None:
            seen = splits.halves(typing, source.events.students, source.targets[way])
        found = measuring.measure(None if typing is None else raw, seen, attackers)
        risks += [replace(one, setting={**one.setting, "sessions": way}) for one in found]
    seen_typing = source.events.typing if typing is None else typing
    risks += known_amounts(source.events.typing, seen_typing, attackers, panel.amounts)
    return [*risks, *known_text(source.known, seen_typing, attackers)] if panel.texts else risks


def drawn_risks(
    source: Original,
    material: Material,
    setting: Setting,
    generators: Sequence[np.random.Generator],
    panel: AttackPanel,
    *,
    first: int = 0,
) -> list[list[Risk]]:
    """The attacks on one draw by each generator from the first on; they take turns in how sessions are parted."""
    risks = []
    for place, generator in list(enumerate(generators))[first:]:
        with one_thread():
            typing = eventlog.as_written(source.events, draw(material, setting, generator).typing)
            risks.append(attacked(source, typing, panel, [WAYS[place % len(WAYS)]], place))
    return risks


def averaged(draws: Iterable[Sequence[Risk]], ends: Sequence[int] = ()) -> list[Risk]:
    """One risk for each attack and reference: the mean over draws and ways of parting, with its interval.

    `ends` are the looks at which a judgement may have left an attack alone (see `looks`).
    """
    grouped: dict[tuple[Any, ...], list[Risk]] = {}
    for risk in (one for risks in draws for one in risks):
        setting = {key: value for key, value in risk.setting.items() if key != "sessions"}
        grouped.setdefault(attack_of(risk), []).append(replace(risk, setting=setting))
    return [_mean(risks, missed(len(risks), ends)) for risks in grouped.values()]


def attack_of(risk: Risk) -> tuple[Any, ...]:
    """What is the same in all draws and parts: the attack and its settings, however many students are in a part."""
    settings = sorted((key, str(value)) for key, value in risk.setting.items() if key not in VARIES)
    return (risk.name, risk.attacker, *settings)


def looks(draws: int) -> list[int]:
    """After how many draws a judgement is looked at; the last look is at all of them."""
    early = [FIRST_LOOK * 2**step for step in range(draws.bit_length()) if 3 * FIRST_LOOK * 2**step <= 2 * draws]
    return [*early, draws]


def missed(draws: int, ends: Sequence[int]) -> float:
    """The share of samples whose interval after so many draws may miss, so that over all looks 5 % do.

    Stopping as soon as an interval suits takes the chance of every look. The early ones get a tenth of it each,
    the last what is left (the sum bounds them all, however the looks go with each other).
    """
    return EARLY if draws in ends[:-1] else MISSED - EARLY * max(0, len(ends) - 1)


def settled(limit: float, risks: Sequence[Risk]) -> bool:
    """Whether no more draws are needed: all intervals are within the limit, or one is beyond."""
    return all(is_within(limit, one) for one in risks) or any(_end(one.low) > limit for one in risks)


def is_within(limit: float, risk: Risk) -> bool:
    """Whether the whole interval is."""
    return _end(risk.high) <= limit


def _end(value: float | None) -> float:
    assert value is not None
    return value


def half_width(scatter: float, draws: int, miss: float) -> float:
    """Compute half of a Student interval for a mean over draws that misses so often."""
    return float(stdtrit(draws - 1, 1 - miss / 2)) * scatter / math.sqrt(draws)


def _mean(risks: Sequence[Risk], miss: float) -> Risk:
    """Told with the candidates and the chance of the largest part: what is guessed there is the least of all."""
    values = np.array([one.value for one in risks])
    largest = min(risks, key=lambda one: 1.0 if one.chance is None else one.chance)
    setting = {**largest.setting, "draws": len(values)}
    if len(values) == 1:
        return replace(largest, setting=setting)
    half = half_width(float(values.std(ddof=1)), len(values), miss)
    mean, students = float(values.mean()), int(np.mean([one.n for one in risks]))
    low, high = max(0.0, mean - half), min(1.0, mean + half)
    return replace(largest, value=mean, low=low, high=high, n=students, setting=setting)


def strongest(risks: Iterable[Risk], within: int) -> Risk:
    """The attack that finds most on a list of this length, among those that a limit can hold."""
    return max(on_a_list_of(within, risks), key=lambda one: one.value)


def on_a_list_of(within: int, risks: Iterable[Risk]) -> list[Risk]:
    """All attacks on a list of this length but the one by numbers of sessions, which no limit holds."""
    shares = [one for one in risks if one.setting["within"] == within]
    return [one for one in shares if one.setting.get("held to the limit") != "no"]
