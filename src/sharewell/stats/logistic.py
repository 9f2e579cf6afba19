"""Regularised logistic regression on sparse rows, by Newton steps with conjugate gradients (Lin, Weng, Keerthi 2008).

Minimises  ½‖w‖² + C Σ n·log(1 + e^z) − s·z  with z = X·w + b, for rows that stand for n trials with s successes; the
intercept b is not penalised. The same optimum as scikit-learn's LogisticRegression(C) on the rows one by one, reached
on the distinct rows only.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.stats.arrays import Array

NEWTON_STEPS, CG_STEPS, TRUST = 60, 400, 1e-4


@dataclass(frozen=True, kw_only=True)
class Logistic:
    weights: Array
    intercept: float
    objective: float
    gradient: float  # largest component left at the optimum


def fit_logistic(
    rows: csr_matrix, successes: Array, trials: Array, *, C: float = 1.0, tolerance: float = 1e-5
) -> Logistic:
    """Newton's method with backtracking; each step is solved by preconditioned conjugate gradients."""
    problem = _Problem(rows, successes.astype(float), trials.astype(float), C)
    point = np.zeros(rows.shape[1] + 1)
    point[-1] = _logit_of_mean(successes, trials)
    value, gradient, curvature = problem.at(point)
    for _ in range(NEWTON_STEPS):
        if np.abs(gradient).max() <= tolerance:
            break
        step = problem.newton_step(gradient, curvature)
        slope, length = float(gradient @ step), 1.0
        while (moved := problem.at(point + length * step))[0] > value + TRUST * length * slope:
            length /= 2
            if length < 1e-10:  # rounding: no lower point can be distinguished from this one
                return problem.result(point, value, gradient)
        point = point + length * step
        value, gradient, curvature = moved
    return problem.result(point, value, gradient)


class _Problem:
    def __init__(self, rows: csr_matrix, successes: Array, trials: Array, C: float) -> None:
        self.rows, self.columns = rows, rows.T.tocsr()
        self.squares = self.columns.multiply(self.columns).tocsr()
        self.successes, self.trials, self.C = successes, trials, C

    def at(self, point: Array) -> tuple[float, Array, Array]:
        """Objective, gradient and the curvature of every row."""
        z = self.rows @ point[:-1] + point[-1]
        chance = 1 / (1 + np.exp(-z))
        # not a product of two vectors: on a busy machine the threads of the linear algebra wait for each other
        loss = float(np.sum(self.trials * np.logaddexp(0, z) - self.successes * z))
        value = 0.5 * float(point[:-1] @ point[:-1]) + self.C * loss
        residual = self.C * (self.trials * chance - self.successes)
        gradient = np.append(self.columns @ residual + point[:-1], residual.sum())
        return value, gradient, self.C * self.trials * chance * (1 - chance)

    def newton_step(self, gradient: Array, curvature: Array) -> Array:
        diagonal = np.append(self.squares @ curvature + 1, max(float(curvature.sum()), 1e-12))
        step = np.zeros_like(gradient)
        residual = -gradient
        scaled = residual / diagonal
        direction, product = scaled, float(residual @ scaled)
        goal = min(0.1, np.sqrt(np.linalg.norm(gradient))) ** 2 * product  # ever more exact near the optimum
        for _ in range(CG_STEPS):
            bent = self._hessian(direction, curvature)
            length = product / float(direction @ bent)
            step = step + length * direction
            residual = residual - length * bent
            scaled = residual / diagonal
            fresh = float(residual @ scaled)
            if fresh <= goal:
                break
            direction, product = scaled + fresh / product * direction, fresh
        return step

    def _hessian(self, direction: Array, curvature: Array) -> Array:
        bent = curvature * (self.rows @ direction[:-1] + direction[-1])
        return np.append(self.columns @ bent + direction[:-1], bent.sum())

    def result(self, point: Array, value: float, gradient: Array) -> Logistic:
        left = float(np.abs(gradient).max())
        return Logistic(weights=point[:-1], intercept=float(point[-1]), objective=value, gradient=left)


def _logit_of_mean(successes: Array, trials: Array) -> float:
    mean = (successes.sum() + 0.5) / (trials.sum() + 1)
    return float(np.log(mean / (1 - mean)))
