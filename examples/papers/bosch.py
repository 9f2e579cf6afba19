"""Table 2 of Bosch, Crues, Shaik and Paquette on a fictional course (theirs nobody may see)."""

from sharewell.fiction import make_course
from sharewell.papers import bosch
from sharewell.text.training import labelled
from sharewell.text.word_lists import english

course = make_course(students=60, seed=1, parts=("students", "posts"))
possible = bosch.extract_possible_names(course.posts, text=["subject", "message"])
names, unclear = labelled(course.posts, course.truth.mentions).words(english())
labels = {word: word in names for word in possible.words if word not in unclear}
print(bosch.table_2((possible, labels), grid="none"))
