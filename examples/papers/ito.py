"""Figures 3 and 6 of Ito, Hsu and Ogata: python examples/papers/ito.py epm/epm_all_sessions.csv.gz"""

import sys

from sharewell.data.formats import read
from sharewell.papers import ito

log = read(sys.argv[1]).table
roles = {"student": "student_id", "at": "start_time", "dates": "day-first", "data": "EPM"}
print(ito.figure_6(log, **roles))
print(ito.figure_6(log, points="distinct", **roles))
print(ito.figure_7(log, sets={"timestamp": [], "activity": ["activity"]}, **roles))
