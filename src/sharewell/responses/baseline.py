"""The paper's baseline: drop a share of the rows and renumber the students (Vie et al. 2022, §5.2)."""

from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.responses.usable import invented_prefix

SHARES = (0.0, 0.25, 0.5, 0.75, 0.99, 0.999)


def drop_rows(log: Any, *, student: str, share: float, seed: int = 0) -> Any:
    """Real rows of real students under new numbers; a baseline to compare with, not a protection."""
    if not 0 <= share < 1:
        raise InputError("the share of rows to drop must be from 0 up to 1")
    rows = engine.arrow(log)
    generator = np.random.default_rng(seed)
    kept = rows.filter(pa.array(generator.random(rows.num_rows) >= share))
    if not kept.num_rows:
        raise InputError("no row is left; drop a smaller share")
    column = kept.column(student).combine_chunks().dictionary_encode()
    codes, known = np.asarray(column.indices), column.dictionary
    prefix = invented_prefix(rows.column(student).combine_chunks().unique())
    names = pa.array([f"{prefix}{place + 1:07d}" for place in generator.permutation(len(known))])
    place = kept.schema.get_field_index(student)
    return engine.like(kept.set_column(place, student, names.take(pa.array(codes))), log)
