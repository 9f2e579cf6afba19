"""Keystrokes: how well does a rhythm identify its typist, raw and in buckets of 300 ms?"""

import pyarrow.compute as pc

import sharewell as sw
from sharewell.fiction import make_course

keys = make_course(students=40, seed=1, parts=("students", "keys"), characters_per_week=400).keys
columns = {"student": "student_id", "session": "exercise", "key": "key", "press": "press_ms", "release": "release_ms"}
times = {name: columns[name] for name in ("student", "session", "press", "release")}

for title, events in {"raw": keys, "buckets": sw.keystrokes.coarsen(keys, **times, step_ms=300)}.items():
    train, test = (events.filter(pc.less(events["week"], 6)), events.filter(pc.greater_equal(events["week"], 6)))
    known, seen = (sw.keystrokes.timings(part, **columns) for part in (train, test))
    for risk in sw.keystrokes.identify(known, seen, attack="likelihood", accept=[1, 10]):
        print(title, risk)
