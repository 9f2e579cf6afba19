"""Writes what a release consists of: the data, the papers that go with it, and what stays private."""

import codecs
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sharewell.data import formats
from sharewell.data.files import to_json
from sharewell.data.keyed import KEY_BYTES, Keyed
from sharewell.disclosure import Told
from sharewell.errors import InputError
from sharewell.findings import Findings, Verdict
from sharewell.plan.document import Plan
from sharewell.release import manifest
from sharewell.release.place import Place, write_private
from sharewell.show import datasheet, report


def identifier(keyed: Keyed) -> str:
    """A short name of this release that tells nothing about its key."""
    return keyed.secret("identifier").hex()[:12]


def key(where: Place, secret: bytes) -> bytes:
    """The key is on disk before anything is drawn from it."""
    write_private(where, f"key-{identifier(Keyed(secret, 'release'))}", secret.hex().encode() + b"\n")
    return secret


def read_key(path: Path) -> bytes:
    try:
        secret = bytes.fromhex(path.read_text().strip())
    except (ValueError, UnicodeDecodeError):
        secret = b""
    if len(secret) != KEY_BYTES:
        raise InputError(f"not a key: expected {KEY_BYTES} bytes in hexadecimal", file=path)
    return secret


def private_tables(where: Place, keyed: Keyed, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Review lists, hierarchies, per-student risks: for the steward's eyes, one folder per release."""
    for label, named in tables.items():
        for stem, table in named.items():
            write_private(where, f"{identifier(keyed)}/{label}/{stem}.csv", _csv(table))


def review_table(where: Place, label: str, stem: str, table: Any) -> Path:
    """A list that people mark; the next run reads it from here."""
    return write_private(where, f"review/{label}/{stem}.csv", _csv(table))


def _csv(table: Any) -> bytes:
    from pyarrow import BufferOutputStream
    from pyarrow.csv import write_csv

    sink = BufferOutputStream()
    sink.write(codecs.BOM_UTF8)  # tells Excel that names of other scripts are in UTF-8
    write_csv(table, sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def copy_review(source: Place, target: Place) -> None:
    review = source.private / "review"
    if review.is_dir():
        shutil.copytree(review, target.private / "review")


def data(built: Path, tables: Iterable[tuple[str, formats.Source, Any]]) -> None:
    """The protected files, in the format they came in."""
    (built / "data").mkdir()
    for name, source, table in tables:
        formats.write(table, built / "data" / name, source)


def papers(built: Path, plan: Plan, told: Told, verdict: Verdict, keyed: Keyed) -> None:
    """Report, summary, datasheet with its twin and, last, the manifest with the hashes of all of them."""
    (built / "summary.json").write_bytes(to_json(manifest.summary(told, verdict)))
    datasheet.write(built, plan, told, identifier=identifier(keyed))
    (built / "report.html").write_text(report.render(told, verdict), encoding="utf-8")
    listed = manifest.manifest(
        built, identifier=identifier(keyed), plan=plan.source, key=keyed.secret("plan"), told=told
    )
    (built / "manifest.json").write_bytes(to_json(listed))


def private_findings(where: Place, keyed: Keyed, findings: Findings) -> None:
    """Everything that was measured, small counts and all: for the steward's eyes."""
    write_private(where, f"{identifier(keyed)}/findings.json", to_json(asdict(findings)))


def refusal(where: Place, keyed: Keyed, told: Told, verdict: Verdict) -> Path:
    """Why there is no release: a report for the steward, in the private folder."""
    folder = identifier(keyed)
    write_private(where, f"{folder}/summary.json", to_json(manifest.summary(told, verdict)))
    return write_private(where, f"{folder}/report.html", report.render(told, verdict).encode())
