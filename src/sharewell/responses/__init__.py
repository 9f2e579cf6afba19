"""Learner logs of students who do not exist: student, item, right or wrong."""

from sharewell.responses.baseline import drop_rows
from sharewell.responses.comparison import compare
from sharewell.responses.model import Model, fit
from sharewell.responses.risk import membership
from sharewell.responses.utility import DifficultyError, difficulty_error

__all__ = ["DifficultyError", "Model", "compare", "difficulty_error", "drop_rows", "fit", "membership"]
