"""The last look before writing: no id of the original stands in what leaves.

Columns of ids may hold no id of the original at all. Other columns are looked through for ids of students, peers and
rows: a login that stands once more under `keep` undoes every pseudonym. Plain numbers are left out there, since an age
of 19 is not student 19.
"""

from collections.abc import Sequence

from ibis.expr.types import Table

from sharewell.data import engine, id_mapping
from sharewell.plan.sections import Section

OWN_NAMES = ("student", "peers", "ids")
IDS = (*OWN_NAMES, "session")
PLAIN_NUMBER = r"^[-+]?[0-9.,]*$"
SHORTEST = 3  # letters and digits: what is shorter is as likely a word of its own, like a mark or a group


def columns_that_tell(source: Table, written: Table, section: Section, *, strictly: Sequence[str] = IDS) -> list[str]:
    """List columns about to be written in which ids of the original stand."""
    by_role = _columns_by_role(section)
    every = [name for role in strictly for name in by_role.get(role, []) if name in source.columns]
    names = [name for role in OWN_NAMES for name in by_role.get(role, []) if name in source.columns]
    anything = engine.materialise(id_mapping.values(source, every))
    distinctive = _distinctive(anything if names == every else id_mapping.values(source, names))
    strict = [name for name in every if name in written.columns]
    others = [name for name in written.columns if name not in strict and written[name].type().is_string()]
    return [*_sharing(written, strict, anything), *_sharing(written, others, distinctive)]


def sentence(section: Section, columns: Sequence[str]) -> str:
    """What a person does about it; no id is told."""
    named = ", ".join(f"'{name}'" for name in columns)
    return (
        f"{section.label}: ids of the original would leave in column {named}; "
        "give such a column the role 'ids', 'peers' or 'drop'"
    )


def _columns_by_role(section: Section) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for role, name in section.roles():
        found.setdefault(role, []).append(name)
    return found


def _distinctive(ids: Table) -> Table:
    text = ids["value"].strip()
    return ids.filter(~text.re_search(PLAIN_NUMBER), text.length() >= SHORTEST)


def _sharing(written: Table, columns: Sequence[str], ids: Table) -> list[str]:
    """The columns that hold one of the ids: looked at all together first, since as a rule none does."""
    if not columns or not _shared(written, columns, ids):
        return []
    return [name for name in columns if _shared(written, [name], ids)]


def _shared(written: Table, columns: Sequence[str], ids: Table) -> bool:
    cells = id_mapping.values(written, columns)
    return bool(engine.value(cells.semi_join(ids, "value").count()))
