"""What passes between a kind of data and the rest of the house; nobody downstream guesses a meaning from a word.

A kind declares its measures once (`Measure`), opens a file once (`Kind.open` → `Study`) and answers the four questions
with `Risk`, `Protected` and `Utility`. Report, terminal, gate and datasheet read unit, direction and words from there.
Results draw themselves in a notebook, and `.plot()` gives a plotly figure; what draws is loaded when it is used.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast

from sharewell.errors import InputError

if TYPE_CHECKING:
    from ibis.expr.types import Table
    from plotly.graph_objects import Figure

    from sharewell.data.keyed import Keyed
    from sharewell.plan.claims import Claim
    from sharewell.plan.sections import Section
    from sharewell.synthetic.invented_students import PracticeFile

Better = Literal["lower", "higher"]
Unit = Literal["share", "auc", "count", "number"]
Question = Literal["singling out", "linkability", "inference"]  # what a review board asks of each file
Action = Literal[
    "dropped",  # the column is not in the release
    "pseudonymised",  # ids replaced by keyed pseudonyms
    "coarsened",  # values became ranges, groups, bands or wider windows
    "merged",  # rare values became one
    "suppressed",  # cells, points or rows left out or starred
    "redacted",  # words replaced by placeholders or surrogates
    "moved",  # times shifted or drawn again
    "reordered",  # rows stand in another order
    "invented",  # drawn from a model: no row of a student is left
    "untouched",  # left as it was, and worth saying so
]


LINES, PRINTED = 3, 20  # that a result is shown in, and is printed in


class Count(int):
    """A number of students, rows or cells: published only from five on (see `disclosure`)."""


class Share(float):
    """A share measured on students: rounded so that one of them cannot change the last digit (`disclosure`)."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a number means, declared once by the kind that measures it.

    `unit`: a share of cases (said as a percentage), an area under a curve (worth nothing at one half), a count, or a
    plain number. `counts` says that the value, times n where it is a share, is a whole number of students or cells, so
    that a small one would point at somebody. `of_one` marks a chance about the one student who is easiest to find.
    `unbounded` marks measures of usefulness that no share of the original says much about. `promise` marks a bound that
    no attacker can exceed, checked on the finished file: the `story` of such a risk is its sentence on page one.
    """

    id: str
    title: str
    unit: Unit = "share"
    better: Better = "lower"
    counts: bool = False
    of_one: bool = False
    unbounded: bool = False
    promise: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Risk:
    """How well one named attacker does.

    `gate` names the limit of the plan that this risk must meet and `limit` is its number; both are None for a
    risk that is only reported. A limit without a gate is advice: to miss it refuses nothing, but is said aloud.
    `bound` says which end of the measurement the gate looks at: "low" is for a second measurement with draws of its
    own, which contradicts the first only where its whole interval does. `disclosure` alone sets `withheld`, the words
    that stand for numbers too small to publish, and `met`, whether the limit was met by them.
    """

    measure: Measure
    attacker: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    seed: int | None = None
    setting: Mapping[str, Any] = field(default_factory=dict)
    story: str = ""
    gate: str | None = None
    limit: float | None = None
    bound: Literal["low", "value", "high"] = "value"
    withheld: str = ""
    met: bool | None = None

    @property
    def name(self) -> str:
        return self.measure.id

    @property
    def better(self) -> Better:
        return self.measure.better

    @property
    def seen(self) -> float | None:
        """The number that the gate looks at."""
        return {"low": self.low, "value": self.value, "high": self.high}[self.bound]

    @property
    def holds(self) -> bool | None:
        """Return whether the limit is met: None without a limit, no without a number."""
        if self.limit is None or self.withheld:
            return self.met
        seen = self.seen
        if seen is None or not math.isfinite(seen):
            return False
        return bool(seen <= self.limit if self.better == "lower" else seen >= self.limit)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, with its measure and whether it meets its limit."""
        return {**_told(self), "name": self.name, "better": self.better, "holds": self.holds}

    def plot(self) -> "Figure":
        """A plotly figure: the value with its interval, chance and limit."""
        return Results([self]).plot()

    def _repr_html_(self) -> str:
        return Results([self])._repr_html_()

    def __str__(self) -> str:
        return _sentence(self.name, self.attacker, self)

    __repr__ = __str__


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility:
    """What an analyst can still learn; `baseline` is the same measure on the original."""

    measure: Measure
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    seed: int | None = None
    setting: Mapping[str, Any] = field(default_factory=dict)
    story: str = ""
    withheld: str = ""

    @property
    def name(self) -> str:
        return self.measure.id

    @property
    def better(self) -> Better:
        return self.measure.better

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, with its measure."""
        return {**_told(self), "name": self.name, "better": self.better}

    def plot(self) -> "Figure":
        """A plotly figure: the value with its interval, beside the original."""
        return Results([self]).plot()

    def _repr_html_(self) -> str:
        return Results([self])._repr_html_()

    def __str__(self) -> str:
        return _sentence(self.name, None, self)

    __repr__ = __str__


Result = TypeVar("Result", Risk, Utility)
Answer = TypeVar("Answer")


class Results(list[Result]):
    """A list of risks or of measures of usefulness: three lines where it is shown, twenty where it is printed."""

    def __repr__(self) -> str:
        return self._lines(LINES)

    def __str__(self) -> str:
        return self._lines(PRINTED)

    def _lines(self, most: int) -> str:
        room = most if len(self) <= most else most - 1
        lines: list[str] = [str(result) for result in self[:room]]
        if room < len(self):
            lines.append(f"… and {len(self) - room} more")
        return "\n".join(lines) or "none"

    def to_frame(self, package: str = "pandas") -> Any:
        """Return a data frame, one row per result and a column per setting."""
        if package not in ("pandas", "polars"):
            raise InputError(f"package: '{package}' is not known; use pandas or polars")
        rows = [{"name": result.name, **result.to_dict()} for result in self]
        flat = [{**row, **row.get("setting", {})} for row in rows]
        columns = dict.fromkeys(name for row in flat for name, cell in row.items() if not isinstance(cell, Mapping))
        return import_module(package).DataFrame({name: [row.get(name) for row in flat] for name in columns})

    def plot(self) -> "Figure":
        """Draw one row per result, with its interval and what to compare it with."""
        return _notebook().results_figure(self)

    def _repr_html_(self) -> str:
        return cast(str, _notebook().results_html(self))


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that was done to columns, and why. Never carries a value that few students share.

    `detail` says more about the action in plain words ("to bands of ten years"); `cells` is how many it touched.
    """

    columns: tuple[str, ...]
    action: Action
    reason: str
    cells: Count | None = None
    detail: str = ""
    withheld: str = ""  # set by `disclosure`: the words that stand for a count too small to publish

    @property
    def what(self) -> str:
        return self.detail or self.action

    def to_dict(self) -> dict[str, Any]:
        """The change as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        count = f" ({self.cells:,} cells)" if self.cells is not None else ""
        return f"{', '.join(self.columns)}: {self.what}{count} — {self.reason}"


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """One setting that was tried: its strength, the risk left and the utility kept.

    `disclosure` alone sets `withheld`: a number that is missing here is a count too small to publish.
    """

    label: str
    strength: float
    risk: float
    utility: float
    meets: bool
    chosen: bool = False
    low: float | None = None
    high: float | None = None
    withheld: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Risk against utility over the strength of protection, and the point chosen on it.

    `n` is the number of cases behind its shares, for a measure that counts: `disclosure` hides small counts with it.
    """

    strength: str
    risk: Measure
    utility: Measure
    limit: float | None
    points: tuple[CurvePoint, ...]
    note: str = ""
    n: int | None = None

    @property
    def better(self) -> Better:
        return self.risk.better

    @property
    def chosen(self) -> CurvePoint | None:
        return next((point for point in self.points if point.chosen), None)

    def plot(self) -> "Figure":
        """A plotly figure: risk against usefulness, one mark per setting."""
        return _notebook().curve_figure(self)

    def _repr_html_(self) -> str:
        return cast(str, _notebook().curve_html(self))

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain data, point by point."""
        return {**asdict(self), "points": [point.to_dict() for point in self.points]}


@dataclass(frozen=True, kw_only=True, repr=False)
class Protected:
    """A protected table with what was done to it.

    `table` still carries the original student ids when it comes out of a study: the pipeline replaces them last.
    `methods` sets the release beside what other methods would make, a point each.
    `synthetic` says that the ids are invented already. `order` names the columns that rows of one student are
    sorted by, and `helpers` the columns that serve this order only and are not written. `facts` is what a recipient may
    know and needs for re-checking the release; `private` holds tables for the private folder, those of very many
    students as tables of the engine; `made_with` names models and word lists with their versions, for the manifest.
    `made` names columns that the file did not have; `aggregate` says that no row is a student's, so that there is
    nobody to name.
    """

    table: Any
    changes: tuple[Change, ...] = ()
    curve: Curve | None = None
    methods: Curve | None = None
    synthetic: bool = False
    order: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict)
    made_with: Mapping[str, str] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    aggregate: bool = False

    def __repr__(self) -> str:
        """Three lines: what came out, the setting that was chosen, and what was done; a weaker promise in one more."""
        columns = list(getattr(self.table, "column_names", None) or self.table.columns)
        chosen = self.curve.chosen if self.curve else None
        setting = "no curve" if self.curve is None else f"{len(self.curve.points)} settings tried"
        if chosen is not None and self.curve is not None:
            setting += f", chosen: {chosen.label} (risk {chosen.risk:.4g}, usefulness {chosen.utility:.4g})"
        done = ", ".join(dict.fromkeys(f"{change.action} {' '.join(change.columns)}" for change in self.changes))
        lines = [f"Protected: {', '.join(map(str, columns))}", setting, done[:200] or "nothing changed"]
        return "\n".join([*lines, *filter(None, [self.facts.get("not covered")])])


class Memory(Protocol):
    """What was measured in earlier tries on the same inputs with the same key, for searches that measure settings."""

    def recall(self, what: str, setting: Mapping[str, Any], work: Callable[[], Answer]) -> Answer:
        """What `work` gave earlier, or gives now. `setting` names all that it depends on, limits of the plan among it:
        the inputs, the key, the code and the rest of the section are known to be the same."""


class NoMemory:
    """Every question is asked anew."""

    def recall(self, what: str, setting: Mapping[str, Any], work: Callable[[], Answer]) -> Answer:
        return work()


@dataclass(frozen=True, kw_only=True)
class Job:
    """One section of a plan at work.

    `source` holds the original rows without the excluded students; cells of text files are text (missing ones are
    null), typed files keep their types. `extras` are the further tables that the section names. `seed` is for
    measurements and is published; `keyed` is secret randomness for everything that protects. `review` is what people
    decided earlier and left in the private folder (empty at the first run). `people` are the cells of every roster
    that the plan names: who is on the course, for kinds that hold text beside what they protect. `memory` spares a
    search what an earlier try measured.
    """

    section: Any  # the kind's own Section
    source: "Table"
    seed: int
    keyed: "Keyed"
    extras: Mapping[str, "Table"] = field(default_factory=dict)
    review: Mapping[str, "Table"] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    memory: Memory = field(default_factory=NoMemory)


class Study(Protocol):
    """One file under study: prepared once by `open`, then asked the four questions. Nothing is kept anywhere else."""

    def before(self) -> Sequence[Risk]:
        """The risk of the data as it stands, direct identifiers gone."""

    def protect(self) -> Protected:
        """The least change that brings the risk under the limits of the section."""

    def attack(self, protected: Protected) -> Sequence[Risk]:
        """Measure the gated risk of the release to attackers who know the original."""

    def utility(self, protected: Protected) -> Sequence[Utility]:
        """What an analyst can still learn from what is released."""


Ask = Callable[["Curve", "CurvePoint"], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """All that the rest of the house knows of a kind of data; each kind's `kind.py` declares one as KIND.

    `title`, `rows`, `danger` and `caveats` are words for a reader who never saw such data; `roles` says what a column
    of each role holds, and `notation` what a cell of a released file may look like and means. `question` is what the
    attacks of this kind ask (can somebody be singled out, linked to other data, or can something be inferred?), and
    `questions` names the measures, by their ids, that ask another. `remedies` says, by the name of a limit, what to do
    next where it was missed; {plan} stands for the plan. `claim` looks at the columns of an unknown file and
    says which roles they have if the file is of this kind (`first_plan`). `ask` says what a plan writes in the
    section to get a point of the curve, by key; a key of a table has a dot in it (`limit.k`). `engines` are those that
    all of its steps are tested on (see `data.engine`). The package holds `study.py` with `open(job)` and `recheck.py`
    with `recheck(…)`.
    """

    name: str
    package: str
    section: "type[Section]"
    title: str
    rows: str
    danger: str = ""
    caveats: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    notation: Mapping[str, str] = field(default_factory=dict)
    question: Question = "singling out"
    questions: Mapping[str, Question] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    remedies: Mapping[str, str] = field(default_factory=dict)
    claim: "Claim | None" = None
    ask: "Ask | None" = None
    engines: tuple[str, ...] = ("duckdb",)  # where it can be computed

    def asks(self, measure: Measure) -> Question:
        """What an attack of this measure would let somebody do."""
        return self.questions.get(measure.id, self.question)

    def open(self, job: Job) -> Study:
        """The file prepared once, ready for the four questions."""
        return cast(Study, import_module(f"{self.package}.study").open(job))

    def practice(self, job: Job, fewest: int) -> "PracticeFile":
        """The file as a practice copy learns from it; `fewest` students share every value that is listed.

        A kind without `practice.py` has its columns counted as they are.
        """
        own = f"{self.package}.practice"
        module = own if find_spec(own) is not None else "sharewell.synthetic.practice"
        return cast("PracticeFile", import_module(module).open(job, fewest))

    def recheck(self, released: "Table", facts: Mapping[str, Any]) -> Sequence[Risk]:
        """Measure what the released file alone can show, by code of its own."""
        measured: Callable[..., Sequence[Risk]] = import_module(f"{self.package}.recheck").recheck
        return measured(released, facts)


def _told(result: Risk | Utility) -> dict[str, Any]:
    return {**asdict(result), "measure": asdict(result.measure), "setting": dict(result.setting)}


def _notebook() -> Any:
    """What draws is looked up by name when somebody looks: the contract knows nobody downstream."""
    return import_module("sharewell.show.notebook")


def _sentence(name: str, attacker: str | None, result: Risk | Utility) -> str:
    words = [f"{name} ({attacker})" if attacker else name, f"{result.value:.4g}"]
    if result.low is not None and result.high is not None:
        words.append(f"[{result.low:.4g}, {result.high:.4g}]")
    if isinstance(result, Risk) and result.chance is not None:
        words.append(f"chance {result.chance:.4g}")
    if isinstance(result, Utility) and result.baseline is not None:
        words.append(f"original {result.baseline:.4g}")
    setting = ", ".join(f"{key}={value}" for key, value in result.setting.items())
    words.append(f"n={result.n:,}" + (f", {setting}" if setting else ""))
    return "  ".join(words)
