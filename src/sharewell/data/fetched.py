"""Tables that stand on a server or in Spark's catalog: read once at the beginning, into files of this run alone."""

from dataclasses import replace

from sharewell.data import catalog, postgres
from sharewell.plan.document import Plan
from sharewell.plan.sections import CATALOG, Section, is_address


def fetched(plan: Plan) -> Plan:
    """The plan with every such table on this machine."""
    if not any(is_address(section.file) for section in plan.sections):
        return plan
    return replace(plan, sections=tuple(_here(section, plan) for section in plan.sections))


def _here(section: Section, plan: Plan) -> Section:
    if not is_address(section.file):
        return section
    read = catalog.snapshot if section.file.startswith(CATALOG) else postgres.snapshot
    path = read(section, plan)
    return replace(section, folder=path.parent, file=path.name, format="parquet", table=None)
