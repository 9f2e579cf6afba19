"""Records: one row per student. Who could be singled out, and what is the least change that prevents it?"""

from sharewell.records.check import measure as recount
from sharewell.records.curve import tradeoff
from sharewell.records.diversity import Limits
from sharewell.records.hierarchies import Hierarchy, read_csv, write_csv
from sharewell.records.protect import Kept, anonymize
from sharewell.records.risk import assess
from sharewell.records.utility import measure as usefulness

__all__ = [
    "Hierarchy",
    "Kept",
    "Limits",
    "anonymize",
    "assess",
    "read_csv",
    "recount",
    "tradeoff",
    "usefulness",
    "write_csv",
]
