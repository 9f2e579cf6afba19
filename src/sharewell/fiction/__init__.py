"""A fictional course with planted truth, for the demo, the tests and the training of the name finder."""

from sharewell.fiction.course import PARTS, Course, Truth, make_course
from sharewell.fiction.write import write_course

__all__ = ["PARTS", "Course", "Truth", "make_course", "write_course"]
