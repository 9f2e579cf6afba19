"""Traces: how few click times give a student away, per minute and per day?"""

import sharewell as sw
from sharewell.fiction import make_course

clicks = make_course(students=100, seed=1, parts=("students", "clicks")).clicks

for window in ("1min", "1d", "1w"):
    for risk in sw.traces.unicity(clicks, student="student_id", at="time", window=window, known=[1, 4], repeats=3):
        print(window, risk)
