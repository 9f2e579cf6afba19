"""Re-checks a finished release from its files alone: hashes, and every risk that needs no original.

A release comes from somewhere else: its papers are read as an attacker's (see `papers` and `opened`), and whatever a
re-check cannot cope with is a problem of the release, told in one sentence.
"""

import os
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell import kinds
from sharewell.contract import Risk
from sharewell.data import formats
from sharewell.data.fingerprint import Fingerprint
from sharewell.errors import InputError, SharewellError, VerificationFailed
from sharewell.release import linkage, papers
from sharewell.release.opened import Found, Opened, Unsafe, opened, told
from sharewell.release.papers import Malformed

PAPERS = ("report.html", "summary.json", "README.md")
SEED = 1  # of the draws of a second measurement
SECONDS = 3600  # for a release that somebody else made; the largest of ours takes minutes
MOST_PROBLEMS = 50


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was re-measured, and everything that does not hold."""

    folder: Path
    risks: tuple[tuple[str, Risk], ...]
    problems: tuple[str, ...]


def verify(folder: Path) -> Verification:
    """Every problem at once; a release that is not there or cannot be read is a problem as well."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no release here; name the folder that holds manifest.json", file=folder)
    with opened(folder, until=time.monotonic() + SECONDS) as release:
        try:
            found = release.found()
        except Unsafe as error:
            return Verification(folder=folder, risks=(), problems=(f"the folder {error}",))
        mark = Fingerprint.of(folder)
        summary, problems = _papers(release, found)
    if problems or summary is None:
        return Verification(folder=folder, risks=(), problems=_few(problems))
    tables: dict[str, Table] = {}
    risks: list[tuple[str, Risk]] = []
    for file in summary["files"]:
        risks += [(_label(file), risk) for risk in _recheck(folder, file, tables, problems)]
    risks += [("together", risk) for risk in _recheck_together(summary, tables, problems)]
    with _told_as_problem("the release", problems):
        mark.check()
    return Verification(folder=folder, risks=tuple(risks), problems=_few(problems))


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """For the command line: the process ends with a sentence when a hostile release would keep it busy for ever."""
    timer = threading.Timer(seconds, _give_up, args=(seconds,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(seconds: float) -> None:
    sentence = f"the release could not be checked within {seconds / 60:.0f} minutes; it does not count as verified\n"
    os.write(2, sentence.encode())
    os._exit(VerificationFailed.exit_code)


def _papers(release: Opened, found: Found) -> tuple[Mapping[str, Any] | None, list[str]]:
    """The summary once manifest, hashes and shape hold; and everything that does not."""
    try:
        manifest = papers.parse(release.content("manifest.json", papers.MOST_BYTES))
        papers.check_manifest(manifest)
    except (Unsafe, Malformed) as error:
        return None, [f"manifest.json: {error}"]
    problems = [f"{name}: missing" for name in PAPERS if name not in manifest["files"]]
    problems += _hash_problems(release, found, manifest["files"])
    if problems:
        return None, problems
    try:
        summary = papers.parse(release.content("summary.json", papers.MOST_BYTES))
        papers.check_summary(summary, manifest["files"])
    except (Unsafe, Malformed) as error:
        return None, [f"summary.json: {error}"]
    return summary, []


def _hash_problems(release: Opened, found: Found, stated: Mapping[str, str]) -> list[str]:
    """What differs between the files of a release and its manifest, one sentence each."""
    files = found.files - {"manifest.json"}
    used = {"/".join(parts[:depth]) for parts in (name.split("/") for name in stated) for depth in range(1, len(parts))}
    problems = [f"{told(name)}: {what}; a release holds files only" for name, what in sorted(found.others)]
    problems += [f"{told(name)}: listed in the manifest but missing" for name in sorted(stated.keys() - files)]
    problems += [f"{told(name)}: not listed in the manifest" for name in sorted(files - stated.keys())]
    problems += [f"{told(name)}: a folder that the manifest does not list" for name in sorted(found.folders - used)]
    return problems + [
        problem for name in sorted(stated.keys() & files) for problem in _changed(release, name, stated[name])
    ]


def _changed(release: Opened, name: str, stated: str) -> Iterator[str]:
    try:
        if release.digest(name) != stated:
            yield f"{told(name)}: its content is not what the manifest says"
    except Unsafe as error:
        yield f"{told(name)}: {error}"


def _label(file: Mapping[str, Any]) -> str:
    return told(f"{file['kind']}.{file['name']}")


def _recheck(folder: Path, file: Mapping[str, Any], tables: dict[str, Table], problems: list[str]) -> list[Risk]:
    label = _label(file)
    with _told_as_problem(label, problems):
        released = formats.read(folder / file["data"], format=file["format"]).table
        risks = list(kinds.load(file["kind"]).recheck(released, file["facts"]))
        rows = int(released.count().execute())
        if rows != file["rows"]:
            problems.append(f"{label}: {rows:,} rows, the summary says {file['rows']:,}")
        problems += _missed(label, risks)
        tables[label] = released
        return risks
    return []


@contextmanager
def _told_as_problem(label: str, problems: list[str]) -> Iterator[None]:
    """An error over what a release says of itself is the release's; its place is told, its message may carry values."""
    try:
        yield
    except SharewellError as error:
        problems.append(f"{label}: cannot be re-checked: {told(str(error), 400)}")
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        problems.append(f"{label}: cannot be re-checked from what the release says of itself ({where})")


def _recheck_together(summary: Mapping[str, Any], tables: Mapping[str, Table], problems: list[str]) -> list[Risk]:
    """Several files, where they share pseudonyms; without the key nobody can say which rows belong together."""
    if not summary["join"]:
        return []
    with _told_as_problem("together", problems):
        files = [file for file in summary["files"] if file["linkable"] and _label(file) in tables]
        linked = [linkage.described(_label(file), tables[_label(file)], file["linkable"]) for file in files]
        measured = linkage.attack(linked, joined=True, audience=summary["audience"], seed=SEED)
        risks = [replace(risk, bound="low") for risk in measured]
        problems += _missed("together", risks)
        return risks
    return []


def _missed(label: str, risks: Iterable[Risk]) -> Iterator[str]:
    for risk in risks:
        if risk.holds is False:
            yield f"{label}: {risk.name} ({told(risk.attacker)}) is {risk.value:.4g}, the limit is {risk.limit:.4g}"


def _few(problems: list[str]) -> tuple[str, ...]:
    """As many as a person reads."""
    if len(problems) <= MOST_PROBLEMS:
        return tuple(problems)
    return (*problems[:MOST_PROBLEMS], f"and {len(problems) - MOST_PROBLEMS:,} more")
