"""Responses: a log of students who do not exist, attacked. Run: python examples/responses_example.py"""

import pyarrow.compute as pc

import sharewell as sw
from sharewell.demo import make_course
from sharewell.results import Results, Risk

COLUMNS = {"student": "student_id", "item": "exercise"}


def main(students: int = 300) -> tuple[Results[Risk], Results[Risk]]:
    log = make_course(students=students, parts=("attempts",)).attempts
    everyone = sorted(set(log["student_id"].to_pylist()))
    members = everyone[::2]  # half of the students are learned from, the others are the control
    train = log.filter(pc.is_in(log["student_id"], pc.cast(members, log["student_id"].type)))
    model = sw.responses.fit(train, correct="correct", **COLUMNS)
    fake = model.generate(students=len(members), seed=1)
    copied = Results(sw.responses.membership(log, train, members=members, attack="subsequence", **COLUMNS))
    learned = Results(sw.responses.membership(log, fake, members=members, attack="subsequence", **COLUMNS))
    error = sw.responses.difficulty_error(train, fake, correct="correct", **COLUMNS)
    print("the log itself", *copied, "the invented log", *learned, f"difficulties off by {error.wrmse:.3f}", sep="\n  ")
    return copied, learned


if __name__ == "__main__":
    main()
