"""The gate: every limit met and every measure there, or no release."""

from collections.abc import Iterator
from dataclasses import dataclass

from sharewell.contract import Risk
from sharewell.findings import FileFindings, Findings


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Passed, or the reasons why not: one sentence each, with what would help."""

    passed: bool
    reasons: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if self.passed:
            return "Every limit is met."
        count = len(self.reasons)
        return f"Refused for {count} reason{'s' if count > 1 else ''}. Nothing was released."


def judge(findings: Findings) -> Verdict:
    """No number is never a pass: a failed measure or a limit without a measure refuses like a missed one."""
    reasons = [reason for file in findings.files for reason in _reasons(file)]
    reasons += [f"{failure.stage}: {failure.reason}" for failure in findings.failures]
    reasons += [_missed("linkage", risk) for risk in findings.linkage if risk.gate and not risk.holds]
    return Verdict(passed=not reasons, reasons=tuple(reasons))


def _reasons(file: FileFindings) -> Iterator[str]:
    for failure in file.failures:
        yield f"{file.label}: {failure.stage} gave no number ({failure.reason}), and no number is never a pass."
    measured = {risk.gate for risk in file.after}
    for name in file.limits:
        if name not in measured and not file.failures:
            yield f"{file.label}: nothing measured the limit '{name}', so it cannot be met."
    yield from (_missed(file.label, risk, file) for risk in file.after if risk.gate and not risk.holds)


def _missed(label: str, risk: Risk, file: FileFindings | None = None) -> str:
    seen = risk.seen
    side = "at most" if risk.better == "lower" else "at least"
    if seen is None or seen != seen:
        return f"{label}: {risk.name} ({risk.attacker}) could not be measured. {risk.story}".strip()
    assert risk.limit is not None
    return (
        f"{label}: {risk.name} ({risk.attacker}) is {seen:.4g}, the limit is {side} {risk.limit:.4g}."
        f"{_what_would_help(risk, file)}"
    )


def _what_would_help(risk: Risk, file: FileFindings | None) -> str:
    """The nearest setting that was tried and passes, or the nearest that does not."""
    if "least without" in risk.setting:
        without, then = risk.setting["least without"], risk.setting["then"]
        return f" Without {without} it would be {then:.4g}: drop or coarsen that first."
    if file is None or file.curve is None or not file.curve.points:
        return " Drop columns, coarsen further, or release to a narrower audience."
    points = file.curve.points
    passing = [point for point in points if point.meets]
    if passing:
        best = max(passing, key=lambda point: point.utility)
        return f" The nearest setting that met the limit when tried: {best.label}."
    nearest = (min if file.curve.better == "lower" else max)(points, key=lambda point: point.risk)
    return (
        f" Of {len(points)} settings tried none met the limit; the nearest was {nearest.label} "
        f"with {nearest.risk:.4g}. Drop columns or release to a narrower audience."
    )
