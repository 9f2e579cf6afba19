"""Late opt-outs: which releases hold a student, a next version without them, and a notice to whoever has the old one.

Whoever knows who opted out must not find their earlier pseudonym by looking which ones are gone. So at least k
pseudonyms go at a time from every file that holds one of them: where fewer students opted out, others leave with them,
chosen by the key of the release. Among those who left somebody may look for one whom they know: so those who leave with
a student are taken from those who look the same in a file, where there are k of them. They stay out of every later
version: who came back would show that the others did not.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharewell.data import engine, formats, ids
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.release import place, write
from sharewell.release.composition import COMPANY, past
from sharewell.release.look_alikes import look_alikes
from sharewell.release.office import ASKED, WITHDRAWN, YES, Office, out
from sharewell.release.place import Place
from sharewell.release.register import Earlier

NOTICE = """\
# A new version of "{name}"

Release {old} is replaced by release {new}. Some students are no longer in it.

Please, within 30 days:

1. delete every copy of release {old}, and of files made from its rows;
2. use release {new} from now on; its pseudonyms are the same, so that work in progress can go on;
3. do not compare the two releases to find out who left. The agreement under which you hold the data forbids it;
4. tell {contact} that it is done.

Results that are published already stay as they are.
"""


@dataclass(frozen=True, kw_only=True)
class Withdrawal:
    """Who leaves and with whom, and which releases hold them."""

    students: tuple[str, ...]
    decoys: tuple[str, ...]
    holding: tuple[Earlier, ...]
    unknown: int  # ids that no release holds

    @property
    def everyone(self) -> tuple[str, ...]:
        return (*self.students, *self.decoys)


def named(given: Path) -> list[str]:
    """The ids in a file: its only column, or the one that is called student or id."""
    table = formats.read(given).table
    known = [name for name in table.columns if name.lower() in ("student", "student_id", "id")]
    if len(table.columns) != 1 and len(known) != 1:
        raise InputError("cannot tell which column holds the ids; leave one column", file=given)
    column = known[0] if known else table.columns[0]
    cells = engine.arrow(table.select(id=table[column].cast("string")))["id"].to_pylist()
    return sorted({cell.strip() for cell in cells if cell and cell.strip()})


def prepared(office: Office, students: Sequence[str], everyone: Sequence[str]) -> Withdrawal:
    """Which releases hold the students, and who leaves with them. `everyone` are the ids of the plan's files."""
    tokens = office.register.tokens(students)
    inside = {one.id: _tokens(office, one) for one in office.earlier}
    leaving = tuple(who for who in students if any(tokens[who] in held for held in inside.values()))
    holding = tuple(one for one in office.earlier if any(tokens[who] in inside[one.id] for who in leaving))
    if not leaving:
        return Withdrawal(students=(), decoys=(), holding=(), unknown=len(students))
    decoys = _decoys(office, holding, leaving, everyone)
    return Withdrawal(students=leaving, decoys=decoys, holding=holding, unknown=len(students) - len(leaving))


def _tokens(office: Office, earlier: Earlier) -> set[str]:
    """The students of a release, by token; of invented students those who taught the model."""
    return set.union(*(_in_copy(office, told) for told in earlier.body["files"].values()))


def _decoys(
    office: Office, holding: Sequence[Earlier], leaving: Sequence[str], everyone: Sequence[str]
) -> tuple[str, ...]:
    """Who leaves with them: look-alikes in every file, then as many others as it takes, all drawn by the key."""
    gone = {ids.normal(who) for who in (*leaving, *out(office.home))}
    tokens = office.register.tokens(everyone)
    free = {tokens[who]: who for who in sorted(everyone) if ids.normal(who) not in gone}
    asked = set(office.register.tokens(leaving).values())
    key = write.read_key(office.home.private / f"key-{holding[-1].body['key']}")
    draw = Keyed(key, "withdraw").generator(",".join(sorted(leaving)))
    taken = set(asked)
    for one in holding:
        for file in past(one, office.register.folder).files:
            taken |= _company(asked, look_alikes(file), taken, set(free), COMPANY[one.audience], draw)
    missing = max(_missing(office, one, taken) for one in holding)
    if missing > 0:
        inside = set.intersection(*(_in_every_file(office, one) for one in holding))
        others = sorted((inside & set(free)) - taken)
        if len(others) < missing:
            raise InputError(
                "too few students are left to hide who opted out: recall the release instead of replacing it"
            )
        taken |= {others[place] for place in draw.choice(len(others), missing, replace=False)}
    return tuple(sorted(free[token] for token in taken - asked))


def _company(
    asked: set[str], alike: Mapping[str, frozenset[str]], taken: set[str], free: set[str], size: int, draw: Any
) -> set[str]:
    """Look-alikes of everybody who asked to leave, so many that nobody tells among those who left whom they know.

    Whoever looked like fewer than that in the file was told apart by it already, and company there hides nothing.
    """
    chosen: set[str] = set()
    for token in sorted(asked & alike.keys()):
        others = alike[token]
        here = sorted((others & free) - taken - chosen)
        wanted = min(size - len(others & (taken | chosen)), len(here)) if len(others) >= size else 0
        if wanted > 0:
            chosen |= {here[place] for place in draw.choice(len(here), wanted, replace=False)}
    return chosen


def _missing(office: Office, earlier: Earlier, leaving: set[str]) -> int:
    """How many must leave with them, so that enough go from every file that holds one of them."""
    inside = [len(leaving & held) for held in _by_file(office, earlier)]
    return COMPANY[earlier.audience] - min((count for count in inside if count), default=COMPANY[earlier.audience])


def _in_every_file(office: Office, earlier: Earlier) -> set[str]:
    """Who is in all files of a release: one who is missing from a file would be no company there."""
    held = _by_file(office, earlier)
    return set.intersection(*held) if held else _tokens(office, earlier)


def _by_file(office: Office, earlier: Earlier) -> list[set[str]]:
    """The tokens in each file of real students."""
    return [_in_copy(office, told) for told in earlier.body["files"].values() if told["linkable"]]


def _in_copy(office: Office, told: Mapping[str, Any]) -> set[str]:
    table = engine.read(office.register.folder / told["copy"])
    column = told["linkable"]["student"] if told["linkable"] else "student"
    cells = table.select(who=table[column]).distinct()
    return set(engine.arrow(cells.filter(cells.who.notnull()))["who"].to_pylist())


def keep_out(where: Place, leaving: Withdrawal) -> Path:
    """The list that every later release of this place honours."""
    listed = {**out(where), **dict.fromkeys(leaving.decoys, False), **dict.fromkeys(leaving.students, True)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", ASKED])
    writer.writerows([who, YES if asked else "no"] for who, asked in sorted(listed.items()))
    return place.write_private(where, WITHDRAWN, text.getvalue().encode())


def written_down(office: Office, done: Withdrawal, new: str | None) -> list[Path]:
    """The register's entries and a notice to the recipients of every release concerned."""
    tokens = sorted(office.register.tokens(done.everyone).values())
    notices = []
    for one in done.holding:
        office.register.append("withdrawal", one.id, {"tokens": tokens, "next": new})
        if new is not None:
            told = NOTICE.format(name=one.body["name"], old=one.id, new=new, contact=office.plan.header.contact or "us")
            notices.append(place.write_private(office.home, f"notices/{one.id}.md", told.encode()))
            if one.superseded_by is None and one.id != office.there:
                office.register.append("superseded", one.id, {"by": new})
    return notices
