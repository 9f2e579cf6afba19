"""Tables 1 and 2 and Figure 9 of Leinonen's thesis on a fictional course of 60 typists."""

from sharewell.fiction import make_course
from sharewell.papers import leinonen

course = make_course(students=60, seed=2014, parts=("keys",), characters_per_week=2500)
columns = {"student": "student_id", "session": "exercise", "key": "key", "press": "press_ms", "week": "week"}
train, test = leinonen.split(leinonen.preprocess(course.keys, **columns))
experience = dict(zip(course.truth.student_ids, course.truth.experience.tolist(), strict=True))
print(leinonen.digraphs(train, test))
print(leinonen.identification_table(train, test, method="rounding", course="2014"))
print(leinonen.figure_8(train, test, experience, method="bucketing", steps=(0, 300)))
