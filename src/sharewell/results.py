"""What a measurement says: a value, how sure it is, and what it is to be compared with.

Results draw themselves in a notebook, and `.plot()` gives a plotly figure; what draws is loaded when it is used.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FEWEST = 5  # counts under five stay private: they can point at persons

Better = Literal["lower", "higher"]


@dataclass(frozen=True, kw_only=True)
class Risk:
    """How well one named attacker does.

    `gate` names the limit of the plan that this risk is held to and `limit` is its number; both are None for a
    risk that is only reported. A limit without a gate is advice: to miss it refuses nothing, but is said aloud.
    `bound` says which end of the measurement the gate looks at: "low" is for a second measurement with draws of its
    own, which contradicts the first only where its whole interval does.
    """

    name: str
    attacker: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    seed: int | None = None
    setting: Mapping[str, Any] = field(default_factory=dict)
    story: str = ""
    better: Better = "lower"
    gate: str | None = None
    limit: float | None = None
    bound: Literal["low", "value", "high"] = "value"

    @property
    def seen(self) -> float | None:
        """The number that the gate looks at."""
        return {"low": self.low, "value": self.value, "high": self.high}[self.bound]

    @property
    def holds(self) -> bool | None:
        """Whether the limit is met; None where there is none. No number is never a pass."""
        if self.limit is None:
            return None
        seen = self.seen
        if seen is None or not math.isfinite(seen):
            return False
        return bool(seen <= self.limit if self.better == "lower" else seen >= self.limit)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "setting": dict(self.setting), "holds": self.holds}

    def plot(self) -> "Figure":
        return Results([self]).plot()

    def _repr_html_(self) -> str:
        return Results([self])._repr_html_()

    def __str__(self) -> str:
        return _sentence(self.name, self.attacker, self)


@dataclass(frozen=True, kw_only=True)
class Utility:
    """What an analyst can still learn; `baseline` is the same measure on the original."""

    name: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    seed: int | None = None
    setting: Mapping[str, Any] = field(default_factory=dict)
    story: str = ""
    better: Better = "higher"

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "setting": dict(self.setting)}

    def plot(self) -> "Figure":
        return Results([self]).plot()

    def _repr_html_(self) -> str:
        return Results([self])._repr_html_()

    def __str__(self) -> str:
        return _sentence(self.name, None, self)


Result = TypeVar("Result", Risk, Utility)


class Results(list[Result]):
    """A list of risks or of measures of usefulness that draws itself."""

    def plot(self) -> "Figure":
        """A plotly figure: one row per result, with its interval and what to compare it with."""
        from sharewell import drawing

        return drawing.results_figure(self)

    def _repr_html_(self) -> str:
        from sharewell import drawing

        return drawing.results_html(self)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that was done to the data, and why. Never carries a value that few students share."""

    column: str
    what: str
    reason: str
    cells: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        count = f" ({self.cells:,} cells)" if self.cells is not None else ""
        return f"{self.column}: {self.what}{count} — {self.reason}"


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """One setting that was tried: its strength, the risk left and the utility kept."""

    label: str
    strength: float
    risk: float
    utility: float
    meets: bool
    chosen: bool = False
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Risk against utility over the strength of protection, and the point chosen on it."""

    strength: str
    risk: str
    utility: str
    limit: float | None
    points: tuple[CurvePoint, ...]
    better: Better = "lower"
    note: str = ""

    @property
    def chosen(self) -> CurvePoint | None:
        return next((point for point in self.points if point.chosen), None)

    def plot(self) -> "Figure":
        """A plotly figure: risk against usefulness, one mark per setting."""
        from sharewell import drawing

        return drawing.curve_figure(self)

    def _repr_html_(self) -> str:
        from sharewell import drawing

        return drawing.curve_html(self)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "points": [point.to_dict() for point in self.points]}


@dataclass(frozen=True, kw_only=True)
class Protected:
    """A protected table with what was done to it.

    `table` still carries the original student ids when it comes out of a kind's pipeline step: the pipeline replaces
    them last. `synthetic` says that the ids are invented already. `order` names the columns that rows of one
    student are sorted by; names that start with two underscores are helpers and are not written. `facts` is
    what a recipient may know and needs for re-checking the release; `private` holds tables for the private folder.
    """

    table: Any
    changes: tuple[Change, ...] = ()
    curve: Curve | None = None
    synthetic: bool = False
    order: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict)


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
