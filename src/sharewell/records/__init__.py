"""Records: one row per student. Who could be singled out, and what is the least change that prevents it?"""

from typing import TYPE_CHECKING, Any

from sharewell.records.hierarchies import Hierarchy, read_csv, write_csv
from sharewell.records.limits import Limits
from sharewell.records.measure.assessment import assess
from sharewell.records.measure.table_differences import differenced
from sharewell.records.protection.anonymization import Anonymized, anonymize
from sharewell.records.protection.curve import tradeoff
from sharewell.records.protection.small_tables import Counts, tabulate
from sharewell.records.recheck import recount
from sharewell.records.synthetic.generator import RecordsModel, fit
from sharewell.records.utility.summary import usefulness
from sharewell.records.utility.yardsticks import yardsticks

if TYPE_CHECKING:
    from sharewell.records.estimator import Anonymizer

__all__ = [
    "Anonymized",
    "Anonymizer",
    "Counts",
    "Hierarchy",
    "Limits",
    "RecordsModel",
    "anonymize",
    "assess",
    "differenced",
    "fit",
    "read_csv",
    "recount",
    "tabulate",
    "tradeoff",
    "usefulness",
    "write_csv",
    "yardsticks",
]


def __getattr__(name: str) -> Any:
    if name == "Anonymizer":  # scikit-learn takes a second to import
        from sharewell.records.estimator import Anonymizer

        return Anonymizer
    raise AttributeError(f"module 'sharewell.records' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
