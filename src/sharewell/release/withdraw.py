"""Late opt-outs: which releases hold a student, a next version without them, and a notice to whoever has the old one.

Whoever knows who opted out must not find their earlier pseudonym by looking which ones are gone. So at least k
pseudonyms go at a time from every file that holds one of them: where fewer students opted out, others leave with them,
chosen by the key of the release. Among those who left somebody may look for one whom they know: so those who leave with
a student are taken from those who look the same in a file, where there are k of them. They stay out of every later
version: who came back would show that the others did not.

Where pseudonyms differ from file to file, somebody with copies of two originals sees who is missing from both. So k − 1
others leave all files with each student who asked to: a guess among those missing from all is right once in k. Further
ones leave from each file alone, as many as left all, up to k: of the pseudonyms that are gone from two files not all
are those of the same students, and few can be linked.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sharewell.data import engine, formats, ids
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.plan.audience_limits import LIMITS
from sharewell.release import place, write
from sharewell.release.composition import past
from sharewell.release.linkage import File
from sharewell.release.look_alikes import look_alikes
from sharewell.release.office import ASKED, FILE, WITHDRAWN, YES, Office, listed, out
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
    company: Mapping[str, tuple[str, ...]]  # by the file that they leave; by nothing where they leave all files
    holding: tuple[Earlier, ...]
    unknown: int  # ids that no release holds

    @property
    def decoys(self) -> tuple[str, ...]:
        return tuple(sorted({who for some in self.company.values() for who in some}))

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
    leaving = tuple(who for who in students if any(tokens[who] in entry for entry in inside.values()))
    holding = tuple(one for one in office.earlier if any(tokens[who] in inside[one.id] for who in leaving))
    if not leaving:
        return Withdrawal(students=(), company={}, holding=(), unknown=len(students))
    company = _company(office, holding, leaving, everyone)
    return Withdrawal(students=leaving, company=company, holding=holding, unknown=len(students) - len(leaving))


def _tokens(office: Office, earlier: Earlier) -> set[str]:
    """The students of a release, by token; of invented students those who taught the model."""
    return set.union(*(_in_copy(office, told) for told in earlier.body["files"].values()))


def _company(
    office: Office, holding: Sequence[Earlier], leaving: Sequence[str], everyone: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Who leaves with them: look-alikes in every file, then as many others as it takes, all drawn by the key."""
    gone = {ids.normal(who) for who in (*leaving, *out(office.home))}
    tokens = office.register.tokens(everyone)
    free = {tokens[who]: who for who in sorted(everyone) if ids.normal(who) not in gone}
    key = write.read_key(office.home.private / f"key-{holding[-1].body['key']}")
    draw = _Draw(
        asked=frozenset(office.register.tokens(leaving).values()),
        free=frozenset(free),
        generator=Keyed(key, "withdraw").generator(",".join(sorted(leaving))),
    )
    files = [_FileOfRelease(one, file, _in_copy(office, one.body["files"][file.label]))
             for one in holding for file in past(one, office.register.folder).files]  # fmt: skip
    company: dict[str, tuple[str, ...]] = {}
    named_alike = _under_one_name(files)
    apart = len(named_alike) > 1
    beside = draw.leaving_all(files) if apart else frozenset[str]()
    for label, some in named_alike.items():
        chosen = draw.company(some, beside, apart=apart)
        company[label] = tuple(sorted(free[token] for token in chosen))
        draw = replace(draw, used=draw.used | chosen)
    return company


@dataclass(frozen=True)
class _FileOfRelease:
    """A file of a release: who is in it."""

    release: Earlier
    file: File
    students: set[str]

    @property
    def size(self) -> int:
        return LIMITS[self.release.audience].company


def _under_one_name(files: Sequence[_FileOfRelease]) -> dict[str, list[_FileOfRelease]]:
    """Files in which the same others leave: all of them where students have one pseudonym, else each by itself.

    Under one pseudonym, who left one file and not the other would be company for sure.
    """
    joined = any(entry.release.body["join"] for entry in files)
    found: dict[str, list[_FileOfRelease]] = {}
    for entry in files:
        found.setdefault("" if joined else entry.file.label, []).append(entry)
    return found


@dataclass(frozen=True, kw_only=True)
class _Draw:
    """Who may leave with those who asked to; `used` leave another file already, and this one only where it must be."""

    asked: frozenset[str]
    free: frozenset[str]
    generator: Any
    used: frozenset[str] = frozenset()

    def leaving_all(self, files: Sequence[_FileOfRelease]) -> frozenset[str]:
        """Draw who leaves all files: k − 1 others for each who asked to and is in all of them."""
        everywhere = set.intersection(*(entry.students for entry in files))
        size = max(entry.size for entry in files)
        return frozenset(self._of(everywhere & self.free, (size - 1) * len(self.asked & everywhere)))

    def company(self, files: Sequence[_FileOfRelease], beside: frozenset[str], *, apart: bool) -> frozenset[str]:
        """Add to those who leave all files look-alikes in each of these, and others until enough leave."""
        taken = {*self.asked, *beside}
        for entry in files:
            taken |= self._look_alikes(entry, taken)
        missing = max(self._missing(entry, beside, taken, apart) for entry in files)
        if missing > 0:
            others = set.intersection(*(entry.students for entry in files)) & self.free - taken
            taken |= self._of(others, missing)
        for entry in files:
            taken |= self._left_alone(entry, taken)
        return frozenset(taken - self.asked)

    def _left_alone(self, entry: _FileOfRelease, taken: set[str]) -> set[str]:
        """Find whom the others leave behind with fewer than k look-alikes in a file: they leave it as well."""
        found = set[str]()
        for others in set(look_alikes(entry.file).values()):
            stay = others - taken
            if len(others) >= entry.size > len(stay):
                found |= stay & self.free
        return found

    def _of(self, others: set[str], wanted: int) -> set[str]:
        if len(others) < wanted:
            raise InputError(
                "too few students are left to hide who opted out: recall the release instead of replacing it"
            )
        return self._drawn(others, wanted)

    def _look_alikes(self, entry: _FileOfRelease, taken: set[str]) -> set[str]:
        """Of everybody who asked to leave, so many that nobody tells among those who left whom they know.

        Whoever looked like fewer than that in the file was told apart by it already, and company there hides nothing.
        """
        alike, chosen = look_alikes(entry.file), set[str]()
        for token in sorted(self.asked & alike.keys()):
            others = alike[token]
            here = (others & self.free) - taken - chosen
            if len(others) >= entry.size:
                chosen |= self._drawn(here, _enough(entry.size, len(others & (taken | chosen)), len(here)))
        return chosen

    def _missing(self, entry: _FileOfRelease, beside: frozenset[str], taken: set[str], apart: bool) -> int:
        """Count who must leave with them, so that enough go from a file that holds one of them."""
        everywhere, leave = len((self.asked | beside) & entry.students), len(taken & entry.students)
        wanted = max(entry.size, everywhere + min(everywhere, entry.size) * apart)
        return wanted - leave if self.asked & entry.students else 0

    def _drawn(self, some: set[str] | frozenset[str], count: int) -> set[str]:
        fresh, rest = sorted(some - self.used), sorted(some & self.used)
        places = self.generator.permutation(len(fresh)).tolist()
        ordered = [fresh[place] for place in places] + rest
        return set(ordered[:count])


def _enough(size: int, leaving: int, here: int) -> int:
    """How many leave with those who do: so few that enough stay to hide each other, or all of them."""
    wanted = min(max(size - leaving, 0), here)
    return wanted if here - wanted >= size else here


def _in_copy(office: Office, told: Mapping[str, Any]) -> set[str]:
    table = engine.read(office.register.folder / told["copy"])
    column = told["linkable"]["student"] if told["linkable"] else "student"
    cells = table.select(who=table[column]).distinct()
    return set(engine.arrow(cells.filter(cells.who.notnull()))["who"].to_pylist())


def keep_out(where: Place, leaving: Withdrawal) -> Path:
    """The list that every later release of this place honours."""
    rows = {(row.student, row.file): row.asked for row in listed(where)}
    rows |= {(who, label): False for label, some in leaving.company.items() for who in some}
    rows |= {(who, ""): True for who in leaving.students}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", ASKED, FILE])
    writer.writerows([who, YES if asked else "no", label] for (who, label), asked in sorted(rows.items()))
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
