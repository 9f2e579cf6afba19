"""The paper's baseline: drop a share of the rows and renumber the students (Vie et al. 2022, §5.2)."""

from typing import TypeVar

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.data.invented_ids import invented_prefix
from sharewell.errors import InputError

SHARES = (0.0, 0.25, 0.5, 0.75, 0.99, 0.999)


Frame = TypeVar("Frame")


def drop_rows(log: Frame, *, student: str, share: float, seed: int = 0) -> Frame:
    """Drop a share of the rows and renumber students; a baseline, no protection.

    Args:
        log: A pandas, polars or pyarrow frame.
        student: The column of student ids.
        share: The share of rows to drop at random, from 0 up to 1.
        seed: The same seed drops the same rows.

    Returns:
        The rows that are left, in the kind of frame that came in; students carry new ids.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"who": ["anna", "ben"], "what": ["a", "b"]})
        >>> sw.responses.drop_rows(log, student="who", share=0.0, seed=1)["who"].to_pylist()
        ['fake-0000001', 'fake-0000002']
    """
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
    renamed: Frame = engine.like(kept.set_column(place, student, names.take(pa.array(codes))), log)
    return renamed
