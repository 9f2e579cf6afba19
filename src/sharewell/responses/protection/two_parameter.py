"""Items of different discrimination: the two-parameter logistic model P = σ(a·(θ − d)) (Birnbaum 1968)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from sharewell.responses.log import Log
from sharewell.responses.protection.even_draws import even_within
from sharewell.responses.protection.rasch import cells
from sharewell.stats.arrays import Array

SPREAD_OF_LOG_SLOPE = 0.5  # prior: most slopes lie between 0.4 and 2.7
SPREAD_OF_EASE = 3.0


@dataclass(frozen=True, kw_only=True)
class TwoParameter:
    """P(right) = σ(slope · ability + ease); the difficulty is −ease / slope."""

    ability: Array
    slope: Array
    ease: Array

    @property
    def difficulty(self) -> Array:
        return -self.ease / self.slope

    def outcomes(self, item: Array, lengths: Array, ability: Array, generator: np.random.Generator) -> Array:
        z = self.slope[item] * np.repeat(ability, lengths) + self.ease[item]
        found: Array = (even_within(item, self.ease.size, generator) < 1 / (1 + np.exp(-z))).astype(np.int8)
        return found


def fit_two_parameter(log: Log) -> TwoParameter:
    """The most probable parameters given θ ~ N(0, 1), log slope ~ N(0, ½²), ease ~ N(0, 3²), by L-BFGS."""
    student, item, right, trials = cells(log)
    students, items = log.lengths.size, len(log.items)

    def objective(point: Array) -> tuple[float, Array]:
        ability, log_slope, ease = np.split(point, [students, students + items])
        slope = np.exp(log_slope)
        z = slope[item] * ability[student] + ease[item]
        loss = trials @ np.logaddexp(0, z) - right @ z
        prior = ability @ ability + log_slope @ log_slope / SPREAD_OF_LOG_SLOPE**2 + ease @ ease / SPREAD_OF_EASE**2
        residual = trials / (1 + np.exp(-z)) - right
        of_ability = np.bincount(student, residual * slope[item], students) + ability
        of_slope = np.bincount(item, residual * ability[student], items) * slope
        of_ease = np.bincount(item, residual, items) + ease / SPREAD_OF_EASE**2
        gradient = np.concatenate([of_ability, of_slope + log_slope / SPREAD_OF_LOG_SLOPE**2, of_ease])
        return float(loss + prior / 2), gradient

    found = minimize(objective, np.zeros(students + 2 * items), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    ability, log_slope, ease = np.split(found.x, [students, students + items])
    return TwoParameter(ability=ability, slope=np.exp(log_slope), ease=ease)
