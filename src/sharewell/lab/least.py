"""The least strength under which every attack is expected to stay within its limit on draws that chose nothing.

What an attack reaches scatters from one set of draws to the next, and falls smoothly with strength: one curve through
all that was tried says more than each look (see `lab.strength_curve`). A look far from where it is needed counts
less, for curves bend. The search races: a few draws say where the least strength lies, and only where it is expected
are all draws made; it ends when a strength that was looked at in full meets every limit and hardly lies above what the
curves expect. No strength is accepted that was not looked at so; where none is, the greatest is named as not accepted.

The interval of a choice need not be right: what is chosen is judged on other draws (see `lab.judges`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.lab.splits import SIDES, room_for
from sharewell.lab.strength_curve import Along, Tried, fitted, left_by

NEAR = 1.15  # strengths of this ratio are alike
FAR = 2.0  # a strength so far from all that were tried gets a first look
BEND = 0.05  # of an attack's value beyond a straight line, for each unit of what strengths leave that differs
MOST_TRIES = 10

Look = Callable[[float, int], Sequence[Risk]]  # every attack at a strength, on so many draws; limits are in the risks


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What every attack reached at one strength."""

    risks: tuple[Risk, ...]
    draws: int


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A strength, whether it was found to meet every limit, all that was tried, and what the curves say of each."""

    strength: float
    accepted: bool
    tried: Mapping[float, Seen]
    meets: Mapping[float, bool]

    def chose(self, strength: float) -> bool:
        """Whether this one was chosen for meeting every limit, and not for being the greatest."""
        return self.accepted and strength == self.strength


def scale(low: float, high: float, *, ratio: float = 1.05) -> tuple[float, ...]:
    """Strengths from the lowest to the highest, each so many times the one before, to three digits."""
    steps = math.ceil(math.log(high / low) / math.log(ratio))
    return tuple(float(f"{strength:.3g}") for strength in np.geomspace(low, high, steps + 1))


@dataclass(frozen=True, kw_only=True)
class Race:
    """Which strengths there are, in rising order, how many draws a look takes, and how many will judge.

    `chance` says what each measure comes to where no strength leaves anything, and how far that may be off; `rooms` how
    many standard errors of both draws there are between what is expected and a limit (one: five of six choices pass).
    """

    strengths: Sequence[float]
    first: int
    draws: int
    judged_on: int
    rooms: float
    chance: Mapping[Measure, tuple[float, float]]
    seen: dict[float, Seen] = field(default_factory=dict)

    def least(self, look: Look, *, start: float) -> Choice:
        """Look until a strength is accepted, or nothing is left to look at."""
        at = min(self.strengths, key=lambda strength: abs(strength - start))
        draws = self.first if len(self.strengths) > 1 else self.draws
        for _ in range(MOST_TRIES):
            self.seen[at] = Seen(risks=tuple(look(at, draws)), draws=draws)
            goal = next((strength for strength in self.strengths if self._expected(strength)), self.strengths[-1])
            if any(self.accepts(strength) for strength in self._full() if strength <= goal * NEAR):
                break
            at = self._next(goal)
            if at in self._full():
                break
            draws = self.first if self._far(at) else self.draws
        last = self.strengths[-1]
        if not any(map(self.accepts, self.seen)) and last not in self._full():
            self.seen[last] = Seen(risks=tuple(look(last, self.draws)), draws=self.draws)
        accepted = sorted(filter(self.accepts, self.seen))
        return Choice(
            strength=accepted[0] if accepted else last,
            accepted=bool(accepted),
            tried=self.seen,
            meets={strength: self._enough(strength) for strength in sorted(self.seen)},
        )

    def accepts(self, strength: float) -> bool:
        """Whether a strength was looked at in full, and other draws will see every attack within its limit."""
        return strength in self._full() and self._enough(strength)

    def _enough(self, strength: float) -> bool:
        return all(
            self._end(attack, strength, self._error(attack, strength)) <= limit for attack, limit in self._gated()
        )

    def expected(self, attacker: str, measure: Measure, strength: float) -> tuple[float, float]:
        """What an attack is expected to reach at a strength, and the standard error of that."""
        along = self._along((attacker, measure), strength)
        return along.at(left_by(strength))[0], self._error((attacker, measure), strength)

    def _expected(self, strength: float) -> bool:
        """The same for any strength, as sure as a look in full would make it."""
        return all(
            self._end(attack, strength, self._half(attack, strength, self.draws) / SIDES) <= limit
            for attack, limit in self._gated()
        )

    def _next(self, goal: float) -> float:
        """The least strength from the goal on that was not looked at in full; rather one nearby that was begun."""
        full = self._full()
        open_yet = [strength for strength in self.strengths if strength >= goal and strength not in full]
        begun = [strength for strength in open_yet if strength in self.seen and strength <= goal * NEAR]
        return min(begun or open_yet or [self.strengths[-1]])

    def _far(self, at: float) -> bool:
        """Whether a strength deserves no more than a first look."""
        return at not in self.seen and all(max(at, one) > FAR * min(at, one) for one in self.seen)

    def _full(self) -> list[float]:
        return [strength for strength, seen in self.seen.items() if seen.draws >= self.draws]

    def _end(self, attack: "Attack", strength: float, error: float) -> float:
        """The upper end on other draws: their own half width, and room for the scatter of both."""
        judged = self._half(attack, strength, self.judged_on)
        value = self._along(attack, strength).at(left_by(strength))[0]
        return value + judged + self.rooms * room_for(SIDES * error, judged)

    def _error(self, attack: "Attack", strength: float) -> float:
        """Of the curve; looks may share their draws, so that they are no surer together than the surest of them."""
        surest = min(half_width(risk) / SIDES for _, risk in self._of(attack))
        return max(self._along(attack, strength).at(left_by(strength))[1], surest)

    def _half(self, attack: "Attack", strength: float, draws: int) -> float:
        """Half an interval of so many draws, by the look nearest to a strength."""
        nearest, risk = min(self._of(attack), key=lambda seen: abs(left_by(seen[0]) - left_by(strength)))
        return half_width(risk) * math.sqrt(self.seen[nearest].draws / draws)

    def _along(self, attack: "Attack", strength: float) -> Along:
        """The curve as it is seen from one strength: what was tried far from it is the less certain."""
        chance, doubt = self.chance[attack[1]]
        here = left_by(strength)
        return fitted(
            [
                Tried(
                    left=left_by(one),
                    value=risk.value,
                    error=math.hypot(half_width(risk) / SIDES, BEND * (left_by(one) - here)),
                )
                for one, risk in self._of(attack)
            ],
            chance=chance,
            doubt=math.hypot(doubt, BEND * here),
        )

    def _of(self, attack: "Attack") -> list[tuple[float, Risk]]:
        return [
            (strength, risk)
            for strength, seen in self.seen.items()
            for risk in seen.risks
            if (risk.attacker, risk.measure) == attack
        ]

    def _gated(self) -> Iterable[tuple["Attack", float]]:
        """Every attack with a limit."""
        found = {
            (risk.attacker, risk.measure): risk.limit
            for seen in self.seen.values()
            for risk in seen.risks
            if risk.limit is not None
        }
        return found.items()


Attack = tuple[str, Measure]


def half_width(risk: Risk) -> float:
    """From a value to the upper end of its interval."""
    return (risk.value if risk.high is None else risk.high) - risk.value


ACCEPTED = Measure(
    id="strengths found to be enough",
    title="Strengths of protection that were found to be enough when the setting was chosen",
    unit="count",
    better="higher",
)


def not_accepted(strength: float) -> Risk:
    """Advice for the first page: what is released was not chosen for meeting its limits, but for being the greatest."""
    return Risk(
        measure=ACCEPTED,
        attacker="search for the least strength",
        value=0,
        limit=1,
        n=1,
        story=f"No strength that was tried was found to keep every attack within its limits on the draws made for "
        f"choosing; the greatest, {strength:g}, was taken, and may leave little to learn. Only the draws that judge it "
        "speak for it: more students, or a looser limit, would let less protection be enough.",
    )
