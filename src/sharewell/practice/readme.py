"""What a practice copy says of itself, for people who use it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sharewell.contract import Risk
from sharewell.plan.document import Plan


def sentence(promise: Mapping[str, Any], students: int, files: int) -> str:
    """The promise in one sentence."""
    many = "1 file" if files == 1 else f"{files} files"
    return (
        f"{many} of {students:,} students who do not exist: nothing that anybody concludes from all files together "
        f"becomes more than e^{promise['epsilon']:g} times as likely because a student was on the course "
        f"(differential privacy, ε = {promise['epsilon']:g}, δ = {promise['delta']:.1e})."
    )


def page(plan: Plan, promise: Mapping[str, Any], risks: Sequence[Risk], said: str, files: Sequence[Path]) -> str:
    """README.md of a practice copy."""
    gated = [risk for risk in risks if risk.gate]
    attacks = "\n".join(
        f"- {risk.measure.title}, strongest of all attacks: {risk.value:.3f}, at most {risk.high:.3f}; "
        f"the limit is {risk.limit:g}."
        for risk in gated
    )
    listed = "\n".join(f"- `{file.as_posix()}`" for file in files)
    table = [one for one in promise["spent"] if one["what"] != "histogram"]
    histograms = [one for one in promise["spent"] if one["what"] == "histogram"]
    parts = (
        f"| counts over the joined students | {len(table)} | {sum(one['rho'] for one in table):.6f} |\n"
        f"| histograms of single files | {len(histograms)} | {sum(one['rho'] for one in histograms):.6f} |"
    )
    return f"""# A practice copy: {plan.header.name}

No row here is of a real student. {said}

Files, columns, types, formats and codes of missing values are those of the originals: write and test analyses here, and
have them run on the originals. **Do not publish what comes out of a practice copy**: facts hold within noise, and
whatever was not learnt is missing.

{listed}

## The promise

{promise["unit"][0].upper()}{promise["unit"][1:]}: that is what two neighbouring courses differ in. One budget holds for
all files together; `promise.json` lists what every count cost, and `sharewell verify` adds it up.

| learnt with exact Gaussian noise | how many | zCDP ρ |
|---|---|---|
{parts}
| together | {len(table) + len(histograms)} | {promise["rho"]:.6f}, which is ε = {promise["spent epsilon"]:.4f} at δ |

Outside of the promise, taken as public: {promise["outside"]}. A further copy of the same students adds its own ε.

## What attacks reach

Models that learnt from a half of the students were attacked for who was in, with the evidence of all files summed:

{attacks}

## What was learnt, and what was not

Learnt: single columns of students, pairs of them, and how much and until when each did what in every file; which items,
weeks, hours, gaps and lengths are common. Never learnt: names, addresses and other direct identifiers, text, ids of
students and rows, values that fewer students share than the audience asks for, and the first or last moment of anybody.
Columns of direct identifiers hold placeholders; texts are sentences from templates.
"""
