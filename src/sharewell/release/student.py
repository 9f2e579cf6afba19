"""Is this student exposed? What each release tells about one student, and their own risk by attack: a private page."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.release import composition, place
from sharewell.release.composition import Past
from sharewell.release.linkage import File, joint, rejoined, tells
from sharewell.release.office import Office
from sharewell.release.recorded import PSEUDONYM
from sharewell.release.register import Earlier

MOST_ROWS = 20  # of a student's own rows that are shown
SEED = 0


def page(office: Office, student: str) -> Path | None:
    """The page in the private folder; nothing where no release holds the student."""
    token = office.register.tokens([student])[student]
    lines = ["# What has been released about one student", "", "Private: for the student and the steward alone.", ""]
    told = [line for one in office.earlier for line in _release(office, one, token, student)]
    if not told:
        return None
    return place.write_private(office.home, f"students/{token}.md", "\n".join([*lines, *told, ""]).encode())


def _release(office: Office, earlier: Earlier, token: str, student: str) -> Iterator[str]:
    files = {label: told for label, told in earlier.body["files"].items() if _holds(office, told, token)}
    if not files:
        return
    state = f"replaced by {earlier.superseded_by}" if earlier.superseded_by else "in use"
    yield f"## Release {earlier.id}: {earlier.body['name']}"
    yield ""
    yield f"Made {earlier.at} for the audience “{earlier.audience}”; {state}."
    yield ""
    past = composition.past(earlier, office.register.folder)
    linked = dict(_linked(past, token))
    for label, told in files.items():
        yield f"### {label}"
        yield ""
        yield from _file(office, label, told, past, token, linked)
        yield from _measured(office, earlier.id, label, student)
        yield ""


def _holds(office: Office, told: Mapping[str, Any], token: str) -> bool:
    column = told["linkable"]["student"] if told["linkable"] else "student"
    table = _copy(office, told)
    return bool(engine.value(table.filter(table[column] == token).count()))


def _copy(office: Office, told: Mapping[str, Any]) -> Table:
    return engine.read(office.register.folder / told["copy"])


def _file(
    office: Office, label: str, told: Mapping[str, Any], past: Past, token: str, linked: Mapping[str, list[str]]
) -> Iterator[str]:
    if told["linkable"] is None:
        yield f"The rows are invented. This student is one of {told['students']:,} whom the model learned from."
        return
    file = next(one for one in past.files if one.label == label)
    own = file.table.filter(file.table[file.student] == token)
    column = next(name for name in reversed(own.columns) if name.strip("_") == PSEUDONYM)
    rows = engine.arrow(own.limit(MOST_ROWS)).to_pylist()
    count = int(engine.value(own.count()))
    yield f"- Pseudonym: `{rows[0][column]}`; {count:,} row{'s' if count != 1 else ''}."
    yield f"- {_company(file, token)}"
    yield from (f"- {sentence}" for sentence in linked.get(label, []))
    yield ""
    yield from _rows(rows, {file.student, column}, count)


def _company(file: File, token: str) -> str:
    """With how many others the student shares what may be known of them."""
    facts = joint.facts_of(file)
    at = int(np.searchsorted(facts.students, token))
    own = facts.fact_of[facts.starts[at] : facts.starts[at + 1]]
    fewest = min(facts.holders[fact].size for fact in own)
    together = facts.holders[own[0]]
    for fact in own[1:]:
        together = np.intersect1d(together, facts.holders[fact], assume_unique=True)
    what = " and ".join(file.known) if file.known else "how much there is of them"
    return (
        f"Somebody who knows {what} of one row is left with at least {fewest:,} candidates; who knows it of all rows, "
        f"with {together.size:,}."
    )


def _linked(past: Past, token: str) -> Iterator[tuple[str, list[str]]]:
    """Whether the best attack on each pair of files puts this student's rows together."""
    if past.join or len(past.files) < 2:
        return
    found: dict[str, list[str]] = {}
    for pair in rejoined.attacked([tells.told(file) for file in past.files], SEED):
        places = np.flatnonzero(pair.one.students[: pair.common] == token)
        if places.size:
            chance = float(pair.best.right[places[0]])
            for mine, other in ((pair.one.label, pair.other.label), (pair.other.label, pair.one.label)):
                sentence = f"Somebody who holds {other} too finds this student's rows there with chance {chance:.2g}."
                found.setdefault(mine, []).append(sentence)
    yield from found.items()


def _measured(office: Office, release: str, label: str, student: str) -> Iterator[str]:
    """What the kind measured for each student and left in the private folder."""
    folder = office.home.private / release / label
    for path in sorted(folder.glob("*.csv")) if folder.is_dir() else ():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if student in row.values():
                    told = ", ".join(f"{name} {value}" for name, value in row.items() if value != student)
                    yield f"- {path.stem.replace('_', ' ')}: {told}"


def _rows(rows: list[dict[str, Any]], hidden: set[str], count: int) -> Iterator[str]:
    names = [name for name in rows[0] if name not in hidden]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(row[name]).replace("|", "\\|").replace("\n", " ") for name in names) + " |"
    if count > len(rows):
        yield ""
        yield f"… and {count - len(rows):,} more rows."
