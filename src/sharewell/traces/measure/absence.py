"""Someone also knows when a student was never there: "in week three you did not see them at all"."""

import numpy as np

from sharewell.traces.measure.asking import Asking
from sharewell.traces.measure.attackers import attacker, draw
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import ANY, Facts, best_fits
from sharewell.traces.measure.points import absent_points
from sharewell.traces.measure.sides import Points


def absence(points: Points, attempts: Attempts, known: int) -> Asking:
    """`known` windows with activity and as many busy windows without."""
    targets, repeats = attempts.of(points.present, points.among)
    there = draw(points.known, attacker("random"), targets, known, seed=attempts.seed, repeats=repeats)
    never = absent_points(points.known, targets, known, np.random.default_rng(attempts.seed))
    drawn = np.hstack([there, never])
    weights = np.hstack([np.ones(there.shape, np.int16), np.full(never.shape, -1, np.int16)])
    return best_fits(
        points,
        Facts(
            targets=targets,
            points=drawn,
            least=np.ones(drawn.shape, np.int64),
            most=np.full(drawn.shape, ANY),
            weights=weights,
        ),
    )
