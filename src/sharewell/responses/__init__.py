"""Learner logs of students who do not exist: student, item, right or wrong."""

from sharewell.responses.measure.membership_risks import membership
from sharewell.responses.protection.dropped_rows import drop_rows
from sharewell.responses.protection.generator import Model, fit
from sharewell.responses.trade_off import compare
from sharewell.responses.utility.item_difficulty import DifficultyError, difficulty_error

__all__ = ["DifficultyError", "Model", "compare", "difficulty_error", "drop_rows", "fit", "membership"]


def __dir__() -> list[str]:
    return sorted(__all__)
