"""Pairs of keys that few students typed point at their typists: timings without them."""

from typing import TypeVar, cast

from sharewell.data import engine

Frame = TypeVar("Frame")


def drop_rare(timings: Frame, *, least: int = 5) -> Frame:
    """Leave out features that few students have: rare pairs point at their typist.

    Args:
        timings: Times as `timings` makes them.
        least: How many students must have a feature for it to stay.

    Returns:
        The timings that stay, as the same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> timed = pa.table({"student": ["ann", "bo", "bo"], "kind": ["hold"] * 3, "keys": ["a", "a", "q"],
        ...                   "ms": [80.0, 90.0, 70.0]})
        >>> sw.keystrokes.drop_rare(timed, least=2)["keys"].to_pylist()
        ['a', 'a']
    """
    table = engine.table(timings)
    common = table.group_by("kind", "keys").agg(typists=table.student.nunique())
    kept = table.semi_join(common.filter(common.typists >= least), ["kind", "keys"])
    return cast(Frame, engine.like(kept, timings))
