"""Small logs for the tests of traces."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

START = datetime(2024, 3, 4)

Events = Callable[[dict[str, list[int]]], pa.Table]


@pytest.fixture(scope="session")
def hourly() -> Events:
    """Events at the given hours after a Monday, for each student."""

    def build(points: dict[str, list[int]]) -> pa.Table:
        rows = [(student, START + timedelta(hours=hour)) for student, hours in points.items() for hour in hours]
        return pa.table({"user": [row[0] for row in rows], "time": [row[1] for row in rows]})

    return build
