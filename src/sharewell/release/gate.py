"""The gate: every limit met and every measure there, or no release."""

from collections.abc import Iterator

from sharewell import disclosure, kinds
from sharewell.contract import Risk
from sharewell.findings import FileFindings, Findings, Verdict
from sharewell.release.composition import REMEDIES
from sharewell.show import words
from sharewell.show.view import nearest_point


def judge(findings: Findings) -> Verdict:
    """Judge what was measured; put the reasons into disclosed figures.

    A measure that failed and a limit that nothing measured refuse like a limit that was missed.
    """
    reasons = tuple(_reasons(disclosure.disclose(findings)))
    passed = not list(_reasons(findings))
    return Verdict(passed=passed, reasons=reasons, next=() if passed else tuple(_next(findings)))


def _next(findings: Findings) -> Iterator[str]:
    """What to do about the limits that were missed, once for each file and limit."""
    for file in findings.files:
        remedies = kinds.load(file.kind).remedies
        missed = [risk.gate for risk in file.after if risk.gate and not risk.holds]
        missed += list(file.limits)[:1] if file.failures else []
        yield from dict.fromkeys(f"{file.label}: {remedies[gate]}" for gate in missed if gate in remedies)
    together = [risk.name for risk in findings.linkage if risk.gate and not risk.holds]
    yield from dict.fromkeys(f"together: {REMEDIES[name]}" for name in together if name in REMEDIES)
    if any(name not in REMEDIES for name in together):
        yield "together: leave out a column that both files carry, or release one of them; sharewell explore {plan}"


def _reasons(findings: Findings) -> Iterator[str]:
    for file in findings.files:
        yield from _reasons_of(file)
    yield from (f"{failure.stage}: {failure.reason}" for failure in findings.failures)
    yield from (_missed("linkage", risk) for risk in findings.linkage if risk.gate and not risk.holds)


def _reasons_of(file: FileFindings) -> Iterator[str]:
    for failure in file.failures:
        yield f"{file.label}: {failure.stage} gave no number ({failure.reason}), so its limits count as missed."
    measured = {risk.gate for risk in file.after}
    for name in file.limits:
        if name not in measured and not file.failures:
            yield f"{file.label}: nothing measured the limit '{name}', so it cannot be met."
    yield from (_missed(file.label, risk, file) for risk in file.after if risk.gate and not risk.holds)


def _missed(label: str, risk: Risk, file: FileFindings | None = None) -> str:
    what = f"{label}: {words.inline(risk.measure.title)} ({risk.attacker})"
    if not risk.withheld and not words.is_known(risk.seen):
        return f"{what} could not be measured. {risk.story}".strip()
    return f"{what} is {words.seen(risk)}, the limit is {words.limit(risk)}.{_what_would_help(risk, file)}"


def _what_would_help(risk: Risk, file: FileFindings | None) -> str:
    """The nearest setting that was tried and passes, or the nearest that does not."""
    curve = file.curve if file else None
    nearest = nearest_point(curve)
    if curve is None or nearest is None:
        return ""
    if nearest.meets:
        return f" The nearest setting that met the limit when tried: {nearest.label}."
    return (
        f" Of {len(curve.points)} settings tried none met the limit; the nearest was {nearest.label} "
        f"with {words.point_risk(curve, nearest)}."
    )
