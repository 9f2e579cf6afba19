"""Writes what a release consists of: the data, the papers that go with it, and what stays private."""

import codecs
import json
import platform
import shutil
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sharewell.data import engine, formats, versions
from sharewell.data.files import file_digest, to_json
from sharewell.data.keyed import KEY_BYTES, Keyed
from sharewell.data.scratch import scratch
from sharewell.disclosure import Disclosed
from sharewell.errors import InputError
from sharewell.findings import Findings, Verdict
from sharewell.plan.document import Plan
from sharewell.release import summary
from sharewell.release.place import Place, copy_private, write_private
from sharewell.show import datasheet, report

UNLISTED = {"manifest.json", "signature.json", "signoff.html"}  # the list itself, and what comes after it
LAST_TRY = "last-try"  # which key a run began with; the next one goes on with it unless something was released


def identifier(keyed: Keyed) -> str:
    """A short name of this release that says nothing about its key."""
    return keyed.secret("identifier").hex()[:12]


def key(where: Place, secret: bytes) -> bytes:
    """The key is on disk before anything is drawn from it."""
    name = identifier(Keyed(secret, "release"))
    write_private(where, f"key-{name}", secret.hex().encode() + b"\n")
    write_private(where, LAST_TRY, name.encode() + b"\n")
    return secret


def read_key(path: Path) -> bytes:
    formats.check_regular(path)
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (ValueError, UnicodeDecodeError):
        secret = b""
    if len(secret) != KEY_BYTES:
        raise InputError(f"not a key: expected {KEY_BYTES} bytes in hexadecimal", file=path)
    return secret


def private_tables(where: Place, release: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Write review lists and hierarchies for the steward, a folder per release."""
    for label, named in tables.items():
        for stem, table in named.items():
            copy_private(where, f"{release}/{label}/{stem}.csv", _csv(table))


def review_table(where: Place, label: str, stem: str, table: Any) -> Path:
    """A list that people mark; the next run reads it from here."""
    return copy_private(where, f"review/{label}/{stem}.csv", _csv(table))


def _csv(table: Any) -> Path:
    """For a spreadsheet, and so without a cell that it would run (see `formats.formulas`).

    A list of the engine may be of more students than fit into memory: it passes a batch at a time.
    """
    from ibis.expr.types import Table
    from pyarrow.csv import CSVWriter

    from sharewell.data.formats.formulas import arrow_without_formulas

    path, long = scratch() / f"{uuid.uuid4().hex}.csv", isinstance(table, Table)
    schema = table.schema().to_pyarrow() if long else table.schema
    with path.open("wb") as file:
        file.write(codecs.BOM_UTF8)  # lets Excel know that names of other scripts are in UTF-8
        with CSVWriter(file, arrow_without_formulas(schema.empty_table()).schema) as writer:
            for batch in engine.batches(table) if long else table.to_batches():
                writer.write_table(arrow_without_formulas(batch))
    return path


def copy_review(source: Place, target: Place) -> None:
    review = source.private / "review"
    if review.is_dir():
        shutil.copytree(review, target.private / "review")


def data(built: Path, tables: Iterable[tuple[str, formats.Source, Any]]) -> None:
    """The protected files, in the format they came in."""
    (built / "data").mkdir()
    for name, source, table in tables:
        formats.write(table, built / "data" / name, source)


def papers(
    built: Path, plan: Plan, disclosed: Disclosed, verdict: Verdict, *, identifier: str, binds: Mapping[str, Any]
) -> None:
    """Write summary, report and datasheet and, last, the manifest."""
    content = to_json({**summary.summary(disclosed, verdict), "plan": summary.stated_plan(plan)})
    (built / "summary.json").write_bytes(content)
    again = json.loads(content)  # written from what the summary says, so that a recipient can write them again
    write_papers(built, again, identifier=identifier, seed=disclosed.seed)
    (built / "manifest.json").write_bytes(to_json(manifest(built, plan, disclosed, identifier=identifier, binds=binds)))


def manifest(
    folder: Path, plan: Plan, disclosed: Disclosed, *, identifier: str, binds: Mapping[str, Any]
) -> dict[str, Any]:
    """Hash every file; what it binds is keyed against guesses."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in UNLISTED]
    return {
        "id": identifier,
        "files": {path.relative_to(folder).as_posix(): file_digest(path) for path in files},
        "engine": engine.chosen(),
        "computed_on": {file.label: file.engine for file in disclosed.files},
        "versions": {"python": platform.python_version(), **versions.installed()},
        "made_with": {file.label: dict(file.made_with) for file in disclosed.files if file.made_with},
        "measurement_seed": disclosed.seed,
        "binds": dict(binds),
        "approvals": plan.header.approve,
    }


def write_papers(built: Path, stated: Mapping[str, Any], *, identifier: str, seed: int) -> None:
    """Report and datasheet, from nothing but the summary and the data."""
    disclosed, plan = summary.findings(stated, seed=seed), summary.plan(stated)
    datasheet.write(built, plan, disclosed, identifier=identifier)
    page = report.render(disclosed, summary.verdict(stated), plan=plan, identifier=identifier)
    (built / "report.html").write_text(page, encoding="utf-8")


def private_findings(where: Place, release: str, findings: Findings, *, left_out: Mapping[str, int]) -> Path:
    """Write everything that was measured, for the steward alone."""
    everything = {**asdict(findings), "students_left_out": dict(left_out)}
    return write_private(where, f"{release}/findings.json", to_json(everything))


def refusal(where: Place, release: str, plan: Plan, disclosed: Disclosed, verdict: Verdict) -> Path:
    """Why there is no release: a report for the steward, in the private folder."""
    write_private(where, f"{release}/summary.json", to_json(summary.summary(disclosed, verdict)))
    page = report.render(disclosed, verdict, plan=plan, identifier=release)
    return write_private(where, f"{release}/report.html", page.encode())
