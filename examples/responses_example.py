"""Responses: students who do not exist, and whether they give away the ones who do."""

import sharewell as sw
from sharewell.fiction import make_course

attempts = make_course(students=200, seed=1, parts=("students", "attempts")).attempts
ids = sorted(set(attempts["student_id"].to_pylist()))
members = set(ids[::2])
inside = attempts.filter([student in members for student in attempts["student_id"].to_pylist()])

columns = {"student": "student_id", "item": "exercise"}
model = sw.responses.fit(inside, **columns, correct="correct")
fake = model.generate(students=len(members), seed=1)

for risk in sw.responses.membership(attempts, fake, members=members, **columns, attack="transitions"):
    print(risk)
print(sw.responses.difficulty_error(inside, fake, **columns, correct="correct"))
