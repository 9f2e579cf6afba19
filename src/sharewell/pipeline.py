"""The whole flow: read → risk before → protect → risk after → utility → gate → write."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sharewell import kinds, sources
from sharewell.errors import SharewellError
from sharewell.findings import Failure, FileFindings, Findings
from sharewell.plan import Plan
from sharewell.pseudonyms import Draws, new_key
from sharewell.release import gate, place, write
from sharewell.release.gate import Verdict
from sharewell.release.place import Place
from sharewell.results import Protected
from sharewell.sections import Section

if TYPE_CHECKING:
    from ibis.expr.types import Table

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to: the findings, the verdict, and where things were written."""

    findings: Findings
    verdict: Verdict
    report: Path | None = None
    notes: tuple[str, ...] = ()


def release(plan: Plan, *, root: Path | None = None, replace: bool = False, dry_run: bool = False) -> Outcome:
    """Protect, check, write — or refuse. Nothing appears under release/ before everything is there and checked."""
    where = Place(root or plan.folder)
    with _workplace(where, replace=replace, dry_run=dry_run):
        key = _key(plan)
        if not dry_run:
            write.key(where, key)  # first of all: without it nothing can be explained later
        data = sources.read(plan, review=where.private / "review")
        examined = [_examine(plan, section, data, key) for section in plan.sections]
        findings = _findings(plan, examined)
        verdict = gate.judge(findings)
        report = None
        if not dry_run:
            report = write.outcome(where, plan, findings, verdict, key=key, files=_files(examined, data))
    return Outcome(findings=findings, verdict=verdict, report=report, notes=data.notes)
