"""What a student has practised so far: earlier right and wrong answers on the same skill."""

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit


@njit(cache=True)
def practice(item: Array, bounds: Array, correct: Array, skill_of: Array, skills: int) -> tuple[Array, Array]:
    """Earlier right and wrong answers of the same student on the same skill, for every row."""
    wins, fails = np.zeros(item.size, dtype=np.int32), np.zeros(item.size, dtype=np.int32)
    won, lost = np.zeros(skills, dtype=np.int32), np.zeros(skills, dtype=np.int32)
    for student in range(bounds.size - 1):
        for place in range(bounds[student], bounds[student + 1]):
            skill = skill_of[item[place]]
            wins[place], fails[place] = won[skill], lost[skill]
            won[skill] += correct[place]
            lost[skill] += 1 - correct[place]
        for place in range(bounds[student], bounds[student + 1]):
            won[skill_of[item[place]]] = 0
            lost[skill_of[item[place]]] = 0
    return wins, fails


def attempts_before(student: Array, skill: Array) -> Array:
    """How many earlier rows the same student has on the same skill, for every row; students come one after another."""
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(student)) + 1, [student.size]])
    skills = int(skill.max(initial=-1)) + 1
    wrong = np.zeros(skill.size, dtype=np.int8)
    return np.asarray(practice(skill.astype(np.int32), bounds, wrong, np.arange(skills, dtype=np.int32), skills)[1])
