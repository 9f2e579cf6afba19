"""Table A1 of Stinar, Bosch and Xiong: python examples/papers/stinar.py student_performance/student-mat.csv"""

import sys

import pyarrow.compute as pc
import pyarrow.csv as csv

from sharewell.papers import stinar

students = csv.read_csv(sys.argv[1], parse_options=csv.ParseOptions(delimiter=";"))
passed = pc.greater_equal(students["G3"], 11).cast("int64")
table = stinar.encode(students.drop_columns(["G3"]).append_column("passed", passed))
print(stinar.table_1())
print(stinar.table_a1(table, outcome="passed", data="Math", k=(2, 5, 15), variants=["printed", "corrected"], seeds=[0]))
