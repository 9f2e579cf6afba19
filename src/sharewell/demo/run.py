"""What `sharewell demo` does: write the fictional course, then release it like any other folder of data."""

from pathlib import Path

from sharewell import pipeline, plan
from sharewell.demo.course import make_course
from sharewell.demo.write import write_course
from sharewell.pipeline import Outcome


def run(folder: Path, *, students: int = 300, seed: int = 7, replace: bool = False) -> Outcome:
    """The course and its release go to the folder; an existing release stays unless it is to be replaced."""
    write_course(make_course(students=students, seed=seed), folder)
    return pipeline.release(plan.load(folder / "plan.toml"), replace=replace)
