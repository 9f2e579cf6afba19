"""Records: how many students stand alone, and what k-anonymity changes. Run: python examples/records_example.py"""

import sharewell as sw
from sharewell.demo import make_course
from sharewell.results import Results, Risk

QUASI = ["age", "sex", "postcode", "origin"]


def main(students: int = 300) -> tuple[Results[Risk], Results[Risk]]:
    table = make_course(students=students, parts=("students",)).students
    before = Results(sw.records.assess(table, quasi=QUASI, sensitive=["disability"]))
    kept = sw.records.anonymize(table, quasi=QUASI, k=5, target="passed", max_suppressed=0.0, seconds=2)
    after = Results(sw.records.assess(kept.table, quasi=QUASI, sensitive=["disability"]))
    print("before", *before, f"after, with levels {kept.levels}", *after, sep="\n  ")
    return before, after  # in a notebook each draws itself; before.plot() is a plotly figure


if __name__ == "__main__":
    main()
