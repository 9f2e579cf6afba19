"""What the pipeline learned about a release: the one thing that gate, report and manifest look at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sharewell.contract import Change, Curve, Risk, Utility


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A measure that gave no number. `reason` is safe to show: it never carries a value out of the data."""

    stage: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class FileFindings:
    """One file of the release: risk before and after, what was done, what is left."""

    kind: str
    name: str
    file: str
    format: str
    limits: Mapping[str, float]
    rows_before: int
    students: int | None = None  # whom the original speaks of: figures are rounded to this number (`disclosure`)
    rows_after: int | None = None
    before: tuple[Risk, ...] = ()
    after: tuple[Risk, ...] = ()
    utility: tuple[Utility, ...] = ()
    changes: tuple[Change, ...] = ()
    curve: Curve | None = None
    methods: Curve | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    synthetic: bool = False
    made_with: Mapping[str, str] = field(default_factory=dict)
    engine: str | None = None  # where it was computed
    dates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # how times are written, by column
    linkable: Mapping[str, Any] | None = None  # what the attack on several files compares; invented students have none

    @property
    def label(self) -> str:
        return f"{self.kind}.{self.name}"


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The whole release as measured, before anything is decided."""

    release: str
    audience: str
    join: bool
    seed: int
    files: tuple[FileFindings, ...]
    linkage: tuple[Risk, ...] = ()
    failures: tuple[Failure, ...] = ()

    def gated(self) -> Iterator[tuple[str, Risk]]:
        """Every risk that has a limit, with the place it belongs to."""
        for file in self.files:
            yield from ((file.label, risk) for risk in file.after if risk.gate)
        yield from (("linkage", risk) for risk in self.linkage if risk.gate)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the gate decided: passed, or the reasons why not, one sentence each; and what was tried to help."""

    passed: bool
    reasons: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    next: tuple[str, ...] = ()  # what a person can do, a command each

    @property
    def sentence(self) -> str:
        if self.passed:
            return "Every limit is met."
        count = len(self.reasons)
        return f"Refused for {count} reason{'s' if count > 1 else ''}. Nothing was released."
