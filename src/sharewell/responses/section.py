"""What a plan may say about a log of responses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.audience_limits import Audience, limits_of
from sharewell.plan.sections import Columns, column, columns, limit, setting, table

MODELS = ("markov", "gru")
OUTCOMES = ("rasch", "2pl", "pfa")
ABILITIES = ("normal", "kernel")


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What the strongest attacker may reach, and what must be left for an analyst."""

    membership: float | None = limit(
        low=0.5, high=1, says="AUC of the strongest membership attack at most (0.5 is guessing)."
    )
    tpr: float | None = limit(
        low=0, high=1, says="The share of members that may be found when one outsider in a hundred is accused."
    )
    ranks: float | None = limit(
        low=-1,
        high=1,
        says="The rank correlation that difficulties keep at least; near 0 nothing is left of them.",
    )
    jump: float | None = limit(
        low=0, high=1, says="How far the share of right answers at one of the first ten attempts may be off."
    )


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """Student, item, right or wrong; the released rows belong to students who do not exist."""

    kind: ClassVar[str] = "responses"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = limits_of("responses")

    item: str = column("item", says="What was answered: an exercise, a question, a skill.")
    correct: str = column("correct", says="Whether the answer was right: 0 or 1, true or false, CORRECT or INCORRECT.")
    skill: str | None = column("skill", default=None, says="What the item trains; every item gets its commonest one.")
    time: str | None = column(
        "time", default=None, says="When the answer was given; gaps are drawn, the weekly rhythm stays."
    )
    attempt: str | None = column(
        "attempt", default=None, says="The running number per student and item; it is counted anew."
    )
    duration: str | None = column("duration", default=None, says="The response time; it is drawn given the item.")
    further: Columns = columns("further", says="More columns of categories, drawn given the item or the student.")

    model: str = setting("markov", one_of=MODELS, says="What walks from item to item: a Markov chain or a network.")
    outcomes: str | None = setting(
        None,
        one_of=OUTCOMES,
        says="What says right or wrong: pfa, growth with practice (taken where nothing is said), rasch or 2pl.",
    )
    ability: str = setting("normal", one_of=ABILITIES, says="How abilities of invented students are spread.")
    order: int = setting(1, low=1, high=3, says="How many items back the chain looks.")
    m: int | None = setting(
        low=1, says="Students that every step and item needs; left out, five to twelve, as many as the items have."
    )
    noise: float | None = setting(
        low=0,
        high=100,
        says="Noise on every number that is learnt, in standard errors; left out, the least that meets the limits.",
    )
    smoothing: float = setting(
        0.0, low=0, high=0.9, says="The share of every row of the chain spread over coarser steps."
    )
    students: int | None = setting(
        low=1,
        says="How many students to invent; left out, as many as are learnt from or kept aside: usually all.",
    )
    control: float = setting(
        0.2, low=0.1, high=0.5, says="The share of students kept aside: never learnt from, only compared with."
    )
    longest: int | None = setting(low=1, says="Rows that an invented student has at most.")
    epsilon: float | None = setting(low=0.001, high=1000, says="A differential-privacy budget per student.")
    items: tuple[str, ...] = setting((), says="The public list of items; epsilon needs it.")
    max_rows: int | None = setting(low=1, says="Rows that one student contributes at most; epsilon needs it.")
    repeats: int | None = setting(
        low=1, high=100, says="Fits and attacks that are averaged; left out, enough for a steady number."
    )

    limit: Limit = table(default_factory=Limit, says="What the strongest attacker may reach, and what must be left.")

    def problems(self) -> list[str]:
        problems = []
        if self.peers:
            problems.append("peers: invented students have no peers; give those columns the role 'drop'")
        if self.model == "gru" and self.order != 1:
            problems.append("order: only the Markov chain has an order; leave it out with model = 'gru'")
        if self.noise is not None and (self.model == "gru" or self.epsilon is not None):
            problems.append("noise: only the Markov chain without epsilon takes it; leave it out")
        if self.epsilon is not None and not (self.items and self.max_rows):
            problems.append("epsilon: needs items = […], a public list, and max_rows, a bound per student")
        if self.epsilon is None and (self.items or self.max_rows):
            problems.append("items, max_rows: only epsilon uses them; leave them out or set epsilon")
        return problems
