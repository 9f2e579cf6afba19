"""What a plan may say about a log of responses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.sections import Audience, Columns, column, columns, limit, setting

MODELS = ("markov", "gru")
OUTCOMES = ("rasch", "2pl", "pfa")
ABILITIES = ("normal", "kernel")


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What the strongest attacker may reach."""

    membership: float | None = limit(low=0.5, high=1)  # AUC of telling who trained the generator
    tpr: float | None = limit(low=0, high=1)  # share of members found when one outsider in a hundred is accused


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """Student, item, right or wrong; the released rows belong to students who do not exist."""

    kind: ClassVar[str] = "responses"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = {
        "public": {"membership": 0.53, "tpr": 0.02},
        "agreement": {"membership": 0.55, "tpr": 0.03},
        "enclave": {"membership": 0.60, "tpr": 0.05},
    }

    item: str = column("item")
    correct: str = column("correct")
    skill: str | None = column("skill", default=None)
    time: str | None = column("time", default=None)  # when; gaps are sampled, the weekly rhythm stays
    attempt: str | None = column("attempt", default=None)  # running number per student and item: counted anew
    duration: str | None = column("duration", default=None)  # response time: sampled given the item
    further: Columns = columns("further")  # categories, drawn given the item

    model: str = setting("markov", one_of=MODELS)
    outcomes: str = setting("rasch", one_of=OUTCOMES)
    ability: str = setting("normal", one_of=ABILITIES)
    order: int = setting(1, low=1, high=3)
    m: int | None = setting(low=1)  # students that every step needs; None: the least that meets the limits
    smoothing: float = setting(0.0, low=0, high=0.9)
    students: int | None = setting(low=1)  # invented students; None: as many as the log has
    control: float = setting(0.5, low=0.1, high=0.5)  # share of students kept aside: never trained on, only compared
    longest: int | None = setting(low=1)  # rows per invented student at most
    epsilon: float | None = setting(low=0.001, high=1000)  # differential privacy per student
    items: tuple[str, ...] = setting(())  # the public list of items that epsilon needs
    max_rows: int | None = setting(low=1)  # rows that one student contributes at most, which epsilon needs
    repeats: int | None = setting(low=1, high=100)  # fits and attacks averaged; None: enough for a steady number

    limit: Limit = field(default_factory=Limit)

    def problems(self) -> list[str]:
        problems = []
        if self.peers:
            problems.append("peers: invented students have no peers; give those columns the role 'drop'")
        if self.model == "gru" and self.order != 1:
            problems.append("order: only the Markov chain has an order; leave it out with model = 'gru'")
        if self.epsilon is not None and not (self.items and self.max_rows):
            problems.append("epsilon: needs items = […], a public list, and max_rows, a bound per student")
        if self.epsilon is None and (self.items or self.max_rows):
            problems.append("items, max_rows: only epsilon uses them; leave them out or set epsilon")
        return problems
