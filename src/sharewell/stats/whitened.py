"""Who was in? Totals that go together, told apart by how they vary together in the attacker's own releases.

`tracing` takes the noise of every total for its own. Noise that many totals share hides less: what is left of their
differences is nearly free of it. The covariance S of all totals over releases that the attacker made says which
directions carry little noise. With few releases and many totals it is drawn towards a multiple of the identity (Ledoit
and Wolf 2004, equation 14), and the posterior mean of membership z solves

    (DᵀS⁻¹D + I/variance) z = DᵀS⁻¹y,   with y and D as in `tracing`, D times how strongly the totals follow.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.shadows import Look, Shadow
from sharewell.stats.tracing import Averages, Strength, centred

MOST_CELLS = 400_000  # totals × students that are written out
FEWEST = 20  # totals of a group, whatever the number of students
LEAST = 1e-12


def whitened(
    known: Mapping[str, Averages], look: Look, shadows: Sequence[Shadow], trust: Mapping[str, Strength], *, share: float
) -> Array:
    """The posterior mean of every student's membership, around the share of members; `trust` as the shadows say."""
    names = [name for name in known if name in look.averages]
    students = known[names[0]].counts.shape[1]
    most = max(FEWEST, MOST_CELLS // (students * len(names)))
    parts = [_group(known[name], trust[name], name, (look, shadows), most) for name in names]
    moved, seen, others = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    scale = others.std(axis=0)
    known_noise = scale > LEAST
    centre, scale = others.mean(axis=0)[known_noise], scale[known_noise]
    moved, seen = moved[:, known_noise].T / scale[:, None], (seen[known_noise] - centre) / scale
    solved = shrunk_solve((others[:, known_noise] - centre) / scale, np.column_stack([seen, moved]))
    system = moved.T @ solved[:, 1:] + np.eye(students) / (share * (1 - share))
    return np.linalg.solve(system, moved.T @ solved[:, 0])


def _group(
    averages: Averages, trust: Strength, name: str, releases: tuple[Look, Sequence[Shadow]], most: int
) -> tuple[Array, Array, Array]:
    """Of the commonest averages of a group: how students move them, what is seen, and the noise of other releases."""
    look, shadows = releases
    chosen = np.argsort(-averages.share, kind="stable")[:most]
    moved = (trust.slope[averages.family][chosen, None] * averages.rows(chosen)).T
    change = np.stack([shadow.look.averages[name].change[chosen] for shadow in shadows])
    members = np.stack([centred(shadow.member) for shadow in shadows])
    return moved, look.averages[name].change[chosen], change - members @ moved


def shrunk_solve(noise: Array, sides: Array) -> Array:
    """S⁻¹ times `sides`, S the shrunk covariance of the rows of `noise`, whose columns have mean zero.

    With fewer rows than columns only a system of the size of the rows is solved (Woodbury's identity).
    """
    rows, columns = noise.shape
    products = noise @ noise.T / rows
    level = float(np.trace(products)) / columns
    squares = float((products**2).sum())
    spread = squares / columns - level**2
    error = (float((np.diag(products) ** 2).sum()) * rows - squares) / rows / columns
    weight = float(np.clip(error / max(spread, LEAST), 1e-3, 1.0))
    floor = weight * level
    if weight == 1.0:
        return np.asarray(sides / floor)
    inner = products + np.eye(rows) * floor / (1 - weight)
    return np.asarray((sides - noise.T @ np.linalg.solve(inner, noise @ sides) / rows) / floor)
