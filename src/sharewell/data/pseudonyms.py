"""The last step before writing: pseudonyms for ids, and an order of rows that tells nothing about the original."""

from collections.abc import Sequence

from ibis.expr.types import Table

from sharewell.contract import Change, Protected
from sharewell.data import engine, id_mapping
from sharewell.data.keyed import DIGEST_LETTERS, PSEUDONYM_LETTERS, Keyed
from sharewell.plan.sections import Section


def of_students(table: Table, section: Section, keyed: Keyed, *, joined: bool) -> Table:
    """`made` for each `value`: everybody whose row it is or who is named. Joined releases draw from one stream."""
    named = _present(table, (section.student, *section.peers))
    return mapping(table, named, keyed if joined else keyed.within(section.label))


def pseudonymise(protected: Protected, section: Section, keyed: Keyed, *, students: Table | None) -> Table:
    """The table as recipients will see it; `students` are their pseudonyms, none where all of them are invented."""
    table = protected.table.drop(*_present(protected.table, (*section.direct, *section.drop)))
    if students is not None:
        table = id_mapping.replaced(table, _present(table, (section.student, *section.peers)), students)
    if ids := _present(table, section.ids):
        table = of_rows(table, ids, keyed.within(section.label))
    return _ordered(table, section, protected)


def changes(section: Section, *, named: bool) -> tuple[Change, ...]:
    """What happens to every file, whatever its kind; `named` says whether rows are those of students."""
    told = [_dropped(name, "it identifies a person by itself") for name in section.direct]
    told += [_dropped(name, "the plan does not ask for it") for name in section.drop]
    if named:
        reason = "keyed pseudonyms: nobody without the key can tell whose they are"
        told += [_replaced(name, reason) for name in (section.student, *section.peers)]
    reason = "numbers of rows can be looked up in the system they came from"
    return (*told, *(_replaced(name, reason) for name in section.ids))


def _dropped(name: str, reason: str) -> Change:
    return Change(columns=(name,), action="dropped", reason=reason)


def _replaced(name: str, reason: str) -> Change:
    return Change(columns=(name,), action="pseudonymised", reason=reason, detail="replaced")


def mapping(table: Table, columns: Sequence[str], keyed: Keyed, purpose: str = "student") -> Table:
    """A pseudonym for every value of some columns; a collision is drawn again at full length rather than merged."""
    ids, digest = id_mapping.values(table, columns), keyed.digest(purpose)
    short = id_mapping.mapped(ids, lambda value: digest(value)[:PSEUDONYM_LETTERS])
    return short if id_mapping.is_one_to_one(short) else id_mapping.mapped(ids, digest)


def of_rows(table: Table, columns: Sequence[str], keyed: Keyed, purpose: str = "row") -> Table:
    """The table with pseudonyms in these columns, as `mapping` would give them.

    There may be as many ids as rows: each is computed where it stands, and no list of them is joined.
    """
    short = engine.materialise(_digested(table, columns, keyed.pads(purpose), PSEUDONYM_LETTERS))
    if id_mapping.are_as_many(table, short, columns):
        return short
    return _digested(table, columns, keyed.pads(purpose), DIGEST_LETTERS)


def _digested(table: Table, columns: Sequence[str], pads: tuple[bytes, bytes], letters: int) -> Table:
    for name in columns:
        table = engine.keyed_digests(table, name, pads, letters)
    return table


def _present(table: Table, columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name in table.columns]


def _ordered(table: Table, section: Section, protected: Protected) -> Table:
    """Sorted by pseudonym, then as the kind asks, then by every column: no trace of the order of the input."""
    written = [name for name in table.columns if name not in protected.helpers]
    planned = {*(name for _, name in section.roles()), *protected.made}
    if extra := [name for name in written if name not in planned]:
        raise RuntimeError(f"{section.label}: {len(extra)} columns would leave that the plan does not name")
    first = [name for name in (section.student, *protected.order) if name in table.columns]
    rest = [name for name in written if name not in first]
    return table.order_by([*first, *rest]).select(*written)
