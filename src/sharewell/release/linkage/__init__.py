"""The release as a whole under attack: what its files together tell that none tells alone.

Where files share pseudonyms, an attacker adds up a few facts from each (`joint`). Where they do not, an attacker who
holds several files tries to put them together again through whatever they tell (`rejoined`).
"""

from collections.abc import Sequence

from sharewell.contract import Measure, Risk
from sharewell.plan.audience_limits import LIMITS
from sharewell.release.linkage.file import File, described
from sharewell.release.linkage.joint import JOINED
from sharewell.release.linkage.rejoined import REJOINED

__all__ = ["JOINED", "MEASURES", "REJOINED", "File", "attack", "described"]

MEASURES: tuple[Measure, ...] = (JOINED, REJOINED)


def attack(files: Sequence[File], *, joined: bool, audience: str, seed: int) -> list[Risk]:
    """Every pair of files and all of them together, the limit of the audience as gate."""
    from sharewell.release.linkage import joint, rejoined, tells, world

    limit = LIMITS[audience].linkage
    if len(files) < 2:
        return []
    if joined:
        return joint.risks(files, limit=limit, seed=seed)
    return rejoined.risks([tells.told(file) for file in world.within(files)], limit=limit, seed=seed)
