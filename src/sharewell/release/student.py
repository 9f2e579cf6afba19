"""A private page for one student: what each release discloses about them, and who could find them in it.

It names nobody else, and no number of a group: only how many students look the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial, reduce
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
from sharewell.show import words

MOST_ROWS = 20  # of a student's own rows that are shown
SEED = 0


def page(office: Office, student: str) -> Path | None:
    """The page in the private folder; nothing where no release holds the student."""
    token = office.register.tokens([student])[student]
    lines = ["# What has been released about one student", "", "For this student and the steward alone.", ""]
    lines_of_releases = [line for one in office.earlier for line in _release(office, one, token)]
    if not lines_of_releases:
        return None
    return place.write_private(
        office.home, f"students/{token}.md", "\n".join([*lines, *lines_of_releases, ""]).encode()
    )


def _release(office: Office, earlier: Earlier, token: str) -> Iterator[str]:
    files = {label: file for label, file in earlier.body["files"].items() if _holds(office, file, token)}
    if not files:
        return
    state = "replaced by a later release since" if earlier.superseded_by else "in use"
    yield f"## {earlier.body['name']}"
    yield ""
    made = datetime.fromisoformat(earlier.at)
    yield f"Made on {made.day} {made:%B %Y} for {words.reader(earlier.audience)}; {state}. Release {earlier.id}."
    yield ""
    past = composition.past(earlier, office.register.folder)
    linked = dict(_linked(past, token))
    for label, file in files.items():
        yield f"### {label}"
        yield ""
        yield from _file(office, label, file, past, token, linked)
        yield ""


def _holds(office: Office, file: Mapping[str, Any], token: str) -> bool:
    column = file["linkable"]["student"] if file["linkable"] else "student"
    table = _copy(office, file)
    return bool(engine.value(table.filter(table[column] == token).count()))


def _copy(office: Office, file: Mapping[str, Any]) -> Table:
    return engine.read(office.register.folder / file["copy"])


def _file(
    office: Office, label: str, entry: Mapping[str, Any], past: Past, token: str, linked: Mapping[str, list[str]]
) -> Iterator[str]:
    if entry["linkable"] is None:
        yield f"The rows are invented. This student is one of {entry['students']:,} whom the model learned from."
        return
    file = next(one for one in past.files if one.label == label)
    own = file.table.filter(file.table[file.student] == token)
    column = next(name for name in reversed(own.columns) if name.strip("_") == PSEUDONYM)
    rows = engine.arrow(own.limit(MOST_ROWS)).to_pylist()
    count = int(engine.value(own.count()))
    are = "is" if count == 1 else "are"
    yield f"- {words.plural(count, 'row')} of this file {are} theirs, under the pseudonym `{rows[0][column]}`."
    yield from (f"- {sentence}" for sentence in (*_company(file, token), *linked.get(label, [])))
    yield ""
    yield "All that the file says of them:"
    yield ""
    yield from _rows(rows, {file.student, column}, count)


def _company(file: File, token: str) -> Iterator[str]:
    """How many students fit what somebody knows of one, the student among them; kept columns count in the last."""
    published = [name for name in file.table.columns if name not in file.opaque and name.strip("_") != PSEUDONYM]
    known = _listed(file.known) if file.known else "how many rows there are of each student"
    n, together, fewest = _who_fit(file, token)
    every = "" if fewest is None else " of every row of theirs"
    yield f"Anyone who knows {known}{every} is left with {together:,} of the {n:,} students in the file."
    if fewest is not None:
        yield f"Anyone who knows that of a single row is left with at least {fewest:,}."
    if set(published) > set(file.known):
        fit = _who_fit(replace(file, known=tuple(published)), token)[1]
        yield f"Anyone who knows everything that the file says of them is left with {fit:,}."


def _who_fit(file: File, token: str) -> tuple[int, int, int | None]:
    """Students in the file; those who fit all rows of one; where there are several, the fewest who fit one of them."""
    facts = joint.facts_of(file)
    at = int(np.searchsorted(facts.students, token))
    own = facts.fact_of[facts.starts[at] : facts.starts[at + 1]]
    holders = [facts.holders[facts.held[fact] : facts.held[fact + 1]] for fact in own]
    together = reduce(partial(np.intersect1d, assume_unique=True), holders)
    return facts.students.size, together.size, min(map(len, holders)) if own.size > 1 else None


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


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
                right = f"is right in {words.percent(chance)} of cases"
                sentence = f"Anyone who looks for the same student in {other} by what they do {right}."
                found.setdefault(mine, []).append(sentence)
    yield from found.items()


def _rows(rows: list[dict[str, Any]], hidden: set[str], count: int) -> Iterator[str]:
    names = [name for name in rows[0] if name not in hidden]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(row[name]).replace("|", "\\|").replace("\n", " ") for name in names) + " |"
    if count > len(rows):
        yield ""
        yield f"… and {count - len(rows):,} more rows."
