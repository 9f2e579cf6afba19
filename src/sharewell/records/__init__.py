"""Records: one row per student. Who could be singled out, and what is the least change that prevents it?"""

from sharewell.records.protect import Kept, anonymize
from sharewell.records.risk import assess

__all__ = ["Kept", "anonymize", "assess"]
