"""What a run comes to that has nothing new to publish: the release that stands, as its papers say.

A release keeps a keyed digest of everything it was made from beside its key. A later run on the very same data, plan
and program finds it again and publishes nothing: two versions of the same data would only give more away.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharewell.data.files import to_json
from sharewell.data.keyed import Keyed
from sharewell.disclosure import Disclosed
from sharewell.findings import Verdict
from sharewell.plan.document import Plan
from sharewell.release import kept_work, place, summary
from sharewell.release.place import Place
from sharewell.release.verify import file_problems

MADE_FROM = "made-from"  # under private/
MOST_BYTES = 1 << 20


def made_from(plan: Plan, inputs: Mapping[str, str], keyed: Keyed) -> str:
    """A keyed digest of plan, data and program."""
    source = hashlib.sha256(plan.source).hexdigest()
    origin = to_json({"plan": source, "inputs": inputs, "program": kept_work.program()})
    return hmac.digest(keyed.secret("made from"), origin, hashlib.sha256).hex()


def keep(where: Place, name: str, digest: str) -> None:
    """What the release of this name was made from."""
    place.write_private(where, MADE_FROM, f"{name} {digest}\n".encode())


def is_made_from(where: Place, name: str | None, digest: str) -> bool:
    """Return whether the standing release was made from just this, unchanged."""
    path = where.private / MADE_FROM
    if name is None or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return False
    return path.read_text(encoding="ascii", errors="replace") == f"{name} {digest}\n" and is_whole(where.release)


def is_whole(release: Path) -> bool:
    """Whether every file of a release is as its manifest says."""
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    return not file_problems(release, manifest["files"])


def findings(release: Path, *, seed: int) -> tuple[Disclosed, Verdict]:
    """Findings and verdict of a finished release, from its summary."""
    stated: dict[str, Any] = json.loads((release / "summary.json").read_text(encoding="utf-8"))
    return summary.findings(stated, seed=seed), summary.verdict(stated)
