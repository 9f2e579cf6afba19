"""Ids for students who do not exist."""

import pyarrow as pa


def invented_prefix(students: pa.Array) -> str:
    """A beginning that no real id has, so that no invented one can equal a real one."""
    real = students.cast(pa.string())
    prefix = "fake-"
    while pa.compute.any(pa.compute.starts_with(real, prefix)).as_py():
        prefix = f"fake-{prefix}"
    return prefix


def invented_ids(prefix: str, first: int, count: int, *, width: int) -> pa.Array:
    """The ids of `count` invented students from number `first` on, counted from zero."""
    return pa.array([f"{prefix}{first + place + 1:0{width}d}" for place in range(count)], pa.string())
