"""A world that fits into memory: of very many students those who are in most of the files, drawn by a hash.

Linking takes a few thousand students at a time anyway, and fewer candidates than there are only help the attacker.
"""

from collections.abc import Sequence
from dataclasses import replace

import ibis

from sharewell.data import engine
from sharewell.release.linkage.file import File

MOST = 20_000


def within(files: Sequence[File], most: int = MOST) -> list[File]:
    """The files with all rows of at most so many students, the same ones in each file."""
    named = [file.table.select(who=file.table[file.student].cast("string")).distinct() for file in files]
    stacked = ibis.union(*named, distinct=False) if len(named) > 1 else named[0]
    counted = stacked.filter(stacked["who"].notnull()).group_by("who").agg(files=lambda rows: rows.count())
    if engine.value(counted.count()) <= most:
        return list(files)
    order = [ibis.desc("files"), counted["who"].hexdigest("md5")]
    chosen = engine.materialise(counted.order_by(order).limit(most).select("who"))
    return [replace(file, table=engine.materialise(_rows_of(file, chosen))) for file in files]


def _rows_of(file: File, chosen: ibis.Table) -> ibis.Table:
    return file.table.semi_join(chosen, file.table[file.student].cast("string") == chosen["who"])
