"""Zero-concentrated differential privacy: what noise costs (ρ), and what ε that comes to at a δ.

Bun and Steinke (2016); the conversion is that of Canonne, Kamath and Steinke (2020), corollary 13.
"""

import math

MOST_RHO = 1e9
STEPS = 200


def gaussian_rho(variance: float, *, sensitivity: float = 1.0) -> float:
    """Cost of counts with Gaussian noise that one student changes by so much (L2)."""
    return sensitivity**2 / (2 * variance)


def selection_rho(epsilon: float) -> float:
    """Cost of a choice by the exponential mechanism (Cesar and Rogers 2021)."""
    return epsilon**2 / 8


def epsilon_of(rho: float, delta: float) -> float:
    """The least ε that a cost of ρ keeps at δ."""
    if rho <= 0:
        return 0.0

    def at(log_order: float) -> float:
        order = 1 + math.exp(log_order)
        slack = math.log(1 / delta) + (order - 1) * math.log1p(-1 / order) - math.log(order)
        return rho * order + slack / (order - 1)

    low, high = -20.0, 40.0
    for _ in range(STEPS):  # the bound has one minimum in the order
        third = (high - low) / 3
        if at(low + third) < at(high - third):
            high -= third
        else:
            low += third
    return max(0.0, at((low + high) / 2))


def rho_of(epsilon: float, delta: float) -> float:
    """The greatest cost that keeps ε at δ, to within a billionth part and never more."""
    low, high = 0.0, min(MOST_RHO, epsilon + 1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if epsilon_of(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def usual_delta(students: int) -> float:
    """Take 1/n² of the next power of two: it does not show n itself."""
    return 0.25 ** math.ceil(math.log2(max(students, 10)))
