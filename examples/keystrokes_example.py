"""Keystrokes: who is found by their rhythm, before and after. Run: python examples/keystrokes_example.py"""

import pyarrow.compute as pc

import sharewell as sw
from sharewell.demo import make_course
from sharewell.results import Results, Risk

COLUMNS = {"student": "student_id", "session": "exercise", "press": "press_ms", "release": "release_ms"}


def main(students: int = 120, characters_per_week: int = 800) -> tuple[Results[Risk], Results[Risk]]:
    keys = make_course(students=students, parts=("keys",), characters_per_week=characters_per_week).keys
    coarse = sw.keystrokes.coarsen(keys, step_ms=300, method="bucket", **COLUMNS)
    risks = []
    for events in (keys, coarse):
        timings = sw.keystrokes.timings(events, key="key", **COLUMNS)
        sessions = sorted(set(timings["session"].to_pylist()))
        early = pc.is_in(timings["session"], pc.cast(sessions[::2], timings["session"].type))
        train, test = timings.filter(early), timings.filter(pc.invert(early))
        risks.append(Results(sw.keystrokes.identify(train, test, attack="nearest", accept=[1, 5, 10])))
    print("as typed", *risks[0], "in buckets of 300 ms", *risks[1], sep="\n  ")
    return risks[0], risks[1]


if __name__ == "__main__":
    main()
