"""Records: who could be singled out in a table of students, and what does hiding them cost?"""

import sharewell as sw
from sharewell.fiction import make_course

roles = ["age", "sex", "postcode", "origin", "passed"]  # a column without a role is refused
students = make_course(students=200, seed=1, parts=("students",)).students.select(roles)
quasi = ["age", "sex", "postcode", "origin"]

for risk in sw.records.assess(students, quasi=quasi)[:3]:
    print(risk)

kept = sw.records.anonymize(students, quasi=quasi, k=5, target="passed")
print(f"k = {kept.k}, loss {kept.loss:.2f}, {kept.suppressed:.1%} of the rows suppressed")
for change in kept.changes:
    print(change)
