"""The memory that an engine may hold before it spills to disk, as SHAREWELL_MEMORY says it."""

import os
import re

from sharewell.errors import InputError

VARIABLE, DEFAULT = "SHAREWELL_MEMORY", "1200MB"
LEAST = 100_000_000  # bytes
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def memory() -> str:
    """An amount that DuckDB takes, once it is seen to be one that can be worked with."""
    amount, unit = _stated()
    return f"{amount}{unit}"


def share(processes: int) -> str:
    """What each of so many processes may hold for all of them to keep to the amount."""
    amount, unit = _stated()
    return f"{max(float(amount) * UNITS[unit.upper()] / processes, LEAST) / 10**6:.0f}MB"


def _stated() -> tuple[str, str]:
    stated = os.environ.get(VARIABLE, DEFAULT).strip()
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([KMGT]i?B)", stated, re.IGNORECASE)
    if found is None or float(found[1]) * UNITS[found[2].upper()] < LEAST:
        raise InputError(f"{VARIABLE} must be an amount of memory of at least 100MB, such as 2GB or 800MB")
    return found[1], found[2]
