"""Traces: how few clicks single a student out, by the minute and by the week. Run: python examples/traces_example.py"""

import sharewell as sw
from sharewell.demo import make_course
from sharewell.results import Results, Risk


def main(students: int = 300) -> tuple[Results[Risk], Results[Risk]]:
    clicks = make_course(students=students, parts=("clicks",)).clicks
    exact = Results(sw.traces.unicity(clicks, student="student_id", at="time", window="1min"))
    weeks = sw.traces.coarsen(clicks, at="time", window="1w")
    coarse = Results(sw.traces.unicity(weeks, student="student_id", at="time", window="1w"))
    print("by the minute", *exact, "by the week", *coarse, sep="\n  ")
    return exact, coarse  # in a notebook each draws itself; exact.plot() is a plotly figure


if __name__ == "__main__":
    main()
