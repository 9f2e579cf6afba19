"""What of a release goes into the register, and what the register says about the next one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import ibis
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine, id_mapping, system
from sharewell.data.files import file_digest
from sharewell.errors import DiskError
from sharewell.release import composition
from sharewell.release.composition import Now, Past
from sharewell.release.linkage import File
from sharewell.release.register import Register

PSEUDONYM = "pseudonym"


@dataclass(frozen=True, kw_only=True)
class FileRecord:
    """One file of a release, before pseudonyms: whose rows it is made from, their pseudonyms, what can be compared."""

    label: str
    students: Table  # whose rows it is made from: a column `value`
    pseudonyms: Table | None  # `made` for each `value`; none where students are invented
    linkable: File | None


def measured(register: Register, records: Sequence[FileRecord], *, now: Now) -> list[Risk]:
    """Attack the new release together with every earlier one of the register."""
    earlier = earlier_releases(register)
    if not earlier:
        return []
    files = [composition.by_token(one.linkable, _tokens(register, one)) for one in records if one.linkable is not None]
    return composition.risks(replace(now, files=tuple(files)), earlier)


def earlier_releases(register: Register) -> list[Past]:
    """Return every release that may still be in use, superseded ones included."""
    return [composition.past(one, register.folder) for one in register.releases()]


def _tokens(register: Register, record: FileRecord) -> Table:
    """The token of everybody whose rows are in a file or who is named there."""
    named = [record.students] if record.pseudonyms is None else [record.students, record.pseudonyms.select("value")]
    return id_mapping.mapped(ibis.union(*named, distinct=True) if len(named) > 1 else named[0], register.token())


def release_id(register: Register, key: str) -> str:
    """The name that the key gives; with a number where the key was used before, if only for what was abandoned since:
    its copies are part of the register for ever."""
    used = {one.release for one in register.entries() if one.kind == "release" and one.body["key"] == key}
    names = (f"{key}-{number}" for number in count(2))
    return key if not used else next(name for name in names if name not in used)


def copies(register: Register, release: str, records: Sequence[FileRecord]) -> dict[str, dict[str, Any]]:
    """Write a copy of every file with the tokens of its students."""
    return {one.label: _copy(register, release, one) for one in records}


def _copy(register: Register, release: str, record: FileRecord) -> dict[str, Any]:
    folder = register.folder / "copies" / release
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{record.label}.parquet"
    if release in {entry.release for entry in register.entries()}:  # what a killed run left has no entry yet
        raise DiskError(f"{path}: another release has this name by now, and its copy stays; run again for a new name")
    _write(_by_token(record, _tokens(register, record)), path)
    described = record.linkable.described() if record.linkable is not None else None
    return {
        "copy": path.relative_to(register.folder).as_posix(),
        "copy_digest": file_digest(path),
        "students": int(engine.value(record.students.count())),
        "linkable": described,
    }


def _by_token(record: FileRecord, tokens: Table) -> Table:
    """Rows by token and pseudonym; of invented students only who taught the model."""
    if record.linkable is None or record.pseudonyms is None:
        return tokens.select(student="made")
    file = composition.by_token(record.linkable, tokens)
    names = id_mapping.replaced(record.pseudonyms, ["value"], tokens)  # a pseudonym beside the token of its owner
    column = engine.fresh(file.table.columns, PSEUDONYM)
    rows = file.table.mutate(**{column: file.table[file.student]})
    return id_mapping.replaced(rows, [column], names)


def _write(table: Table, path: Path) -> None:
    partial = path.with_suffix(".partial")
    engine.copy(table, partial, format="parquet")
    partial.chmod(0o600)
    system.sync(partial)
    partial.rename(path)
