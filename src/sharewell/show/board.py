"""What a review board asks: can somebody be singled out, linked or inferred, and which further questions are answered?

The three questions are those of the Article 29 Working Party's opinion on anonymisation techniques (WP 216, 2014),
which the UK's Information Commissioner asks as well. The items of the frameworks are in our own words; read the
document itself if you are bound by it. Software answers some items. The others are named as not answered.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from sharewell.contract import Question, Risk
from sharewell.disclosure import Disclosed
from sharewell.show.view import FileView, Pair, beyond_guessing

NOT_ANSWERED = "not answered by this software"
QUESTIONS: tuple[Question, ...] = get_args(Question)
ASKED = {
    "singling out": "Can somebody be picked out of the file?",
    "linkability": "Can rows be joined with other data about the same person?",
    "inference": "Can something about a person be concluded from the file?",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One question asked of one file: the attack that answers it, or that none did."""

    place: str
    anchor: str
    question: Question
    asked: str
    pair: Pair | None


@dataclass(frozen=True, kw_only=True)
class Item:
    """One item of a framework, and the part of this report that answers it."""

    number: str
    title: str
    answer: str = NOT_ANSWERED
    anchor: str = ""  # a part of the page; with a file's own parts, the first file


@dataclass(frozen=True, kw_only=True)
class Framework:
    name: str
    items: tuple[Item, ...]

    @property
    def answered(self) -> int:
        return sum(item.answer != NOT_ANSWERED for item in self.items)


def answers(disclosed: Disclosed) -> Iterator[Answer]:
    """The three questions of every file, and the one of all files together."""
    for view in map(FileView, disclosed.files):
        for question in QUESTIONS:
            asked = [pair for pair in view.pairs if pair.after and view.kind.asks(pair.after.measure) == question]
            yield from _answers(f"{view.kind.title} ({view.file.file})", view.anchor, question, asked)
    if len(disclosed.files) > 1:
        together = [Pair(after=risk) for risk in disclosed.linkage]
        yield from _answers("The files together", "linkage", "linkability", together)


def _answers(place: str, anchor: str, question: Question, pairs: Sequence[Pair]) -> Iterator[Answer]:
    """The risk that uses most of its limit; and, if a risk that no promise bounds gets further, that one as well."""
    gated = max((pair for pair in pairs if pair.risk.gate), key=lambda pair: pair.strain, default=None)
    free = max((pair for pair in pairs if not pair.risk.gate), key=lambda pair: _reach(pair.risk), default=None)
    shown: list[Pair | None] = [pair for pair in (gated, free) if pair is not None]
    bounded = question != "inference" and any(pair.risk.measure.promise and pair.status == "met" for pair in pairs)
    if gated is not None and free is not None and (bounded or _reach(free.risk) <= _reach(gated.risk)):
        shown = [gated]
    for pair in shown or [None]:
        yield Answer(place=place, anchor=anchor, question=question, asked=ASKED[question], pair=pair)


def unasked(answers: Iterable[Answer]) -> dict[Question, list[str]]:
    """Each question that no attack asked, with the files it was not asked of."""
    found: dict[Question, list[str]] = {}
    for answer in answers:
        if answer.pair is None:
            found.setdefault(answer.question, []).append(answer.place)
    return found


def _reach(risk: Risk) -> float:
    """How far an attack gets beyond guessing; only a share of cases says so."""
    if risk.measure.unit != "share" or risk.better == "higher":
        return 0.0
    reached = beyond_guessing(risk)
    return reached if reached == reached else 0.0


FILES, LIMITS, BOTH = "board", "provenance", "linkage"
FRAMEWORKS = (
    Framework(
        name="ISO/IEC 27559:2022, de-identification framework",
        items=(
            Item(number="6.2.2", title="Security and privacy practices of the recipient"),
            Item(number="6.2.3", title="Motives and capacity to re-identify", anchor=FILES,
                 answer="in part: each attack says what its attacker knows and can do; motives are not judged"),
            Item(number="6.3.2", title="Transparency and engagement of those concerned", anchor=LIMITS,
                 answer="in part: this report and the datasheet can be shown to them; talking to them is yours"),
            Item(number="6.3.3", title="Privacy-related harms"),
            Item(number="7.2", title="Features of the data: persons, types, attributes, properties", anchor="columns",
                 answer="the role of every column, and the kind and size of every file"),
            Item(number="7.3.2", title="Maximum or average risk", anchor="exposed",
                 answer="shares over all students, and the most exposed where a measure says so"),
            Item(number="7.3.3", title="Attack on a population or on a sample", anchor=FILES,
                 answer="each attack says against whom it is measured"),
            Item(number="7.3.4", title="Privacy models", anchor=LIMITS, answer="the limits of the plan"),
            Item(number="8.2.2", title="Quantifying identifiability", anchor=FILES,
                 answer="every figure with its interval, and what guessing would reach"),
            Item(number="8.2.3", title="Adversarial testing", anchor=FILES,
                 answer="named attacks on the files as released; attacks that nobody thought of are not made"),
            Item(number="8.3.2", title="Reconfiguring the environment", anchor=LIMITS,
                 answer="in part: the audience sets the limits; the environment itself is yours"),
            Item(number="8.3.3", title="Transforming the data", anchor="changes",
                 answer="every change with its reason and what it costs"),
            Item(number="8.3.4", title="Re-evaluation", anchor=LIMITS,
                 answer="in part: sharewell verify measures a finished release again; when to do it is yours"),
            Item(number="9.2", title="Governance before release: roles, policies, communication", anchor="glance",
                 answer="in part: how many people must approve, where the plan asks for it; policies are yours"),
            Item(number="9.3", title="Governance after release: monitoring, incidents"),
        ),
    ),
    Framework(
        name="NIST SP 800-188, de-identifying government datasets",
        items=(
            Item(number="goals", title="Why the data is released, and for whom", anchor="glance",
                 answer="purpose and audience, as far as the plan states them"),
            Item(number="risk", title="Risk of disclosure, before and after", anchor=FILES,
                 answer="every attack before and after protection"),
            Item(number="model", title="The model of sharing: open, agreement, enclave", anchor=LIMITS,
                 answer="the audience of the plan"),
            Item(number="direct", title="Direct identifiers removed", anchor="changes",
                 answer="columns that were dropped or replaced"),
            Item(number="quasi", title="Quasi-identifiers found and treated", anchor="columns",
                 answer="in part: what the plan calls quasi; whether the plan found all of them is yours"),
            Item(number="linked", title="Other data that may be joined", anchor=BOTH,
                 answer="in part: the files of this release; data of others is not measured"),
            Item(number="utility", title="What the data is still good for", anchor="changes",
                 answer="measures of usefulness beside the original"),
            Item(number="test", title="Re-identification studies", anchor=FILES,
                 answer="in part: attacks by programs; no persons tried"),
            Item(number="board", title="A disclosure review board"),
            Item(number="life", title="The life of the data after its release"),
            Item(number="staff", title="Training and oversight of staff"),
        ),
    ),
    Framework(
        name="The Five Safes",
        items=(
            Item(number="1", title="Safe projects: is this use appropriate?", anchor="glance",
                 answer="in part: the purpose that the plan states; whether it is appropriate is yours"),
            Item(number="2", title="Safe people: can the users be trusted?"),
            Item(number="3", title="Safe settings: does the place of use prevent misuse?"),
            Item(number="4", title="Safe data: what can be learned of persons?", anchor=FILES, answer="this report"),
            Item(number="5", title="Safe outputs: what leaves the place of use?"),
        ),
    ),
    Framework(
        name="FERPA, 34 CFR 99.31(b)",
        items=(
            Item(number="(b)(1)", title="All personally identifiable information removed", anchor="changes",
                 answer="in part: what the plan names; attacks measure what is left"),
            Item(number="(b)(1)", title="A reasonable determination that no student is identifiable", anchor=FILES,
                 answer="in part: figures for the person who determines it; the determination is theirs"),
            Item(number="(b)(1)", title="Through single or multiple releases", anchor=BOTH,
                 answer="in part: the files of this release together, and earlier releases where they are on record"),
            Item(number="(b)(1)", title="Taking other reasonably available information into account", anchor=FILES,
                 answer="in part: what each attacker is taken to know; what else is available is yours to say"),
            Item(number="(b)(2)", title="A record code that is not based on personal information and is kept secret",
                 anchor=LIMITS, answer="keyed pseudonyms; the key stays in the private folder"),
        ),
    ),
)  # fmt: skip
