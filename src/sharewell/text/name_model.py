"""The name finder's parameters: boosted trees that judge places, kept as plain arrays with what they were made from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from sharewell.errors import InputError
from sharewell.text.arrays import Array
from sharewell.text.boosted import Boosted
from sharewell.text.paper_model import WordModel

RECALL = 0.95
SHIPPED = "names.npz"


@dataclass(frozen=True, kw_only=True)
class NameModel:
    """Judges every place of a text: is a person named there, or a town, an employer, a pet?

    `held_out` are probabilities of persons' places in real text that the trees had not seen, in order; `taught` is what
    a steward's own labelled words added, a classifier of words after the paper.
    """

    persons: Boosted
    others: Boosted
    held_out: Array
    taught: WordModel | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def threshold(self, recall: float = RECALL) -> float:
        """The highest probability at which the wanted share of held-out persons is found."""
        missed = int(np.floor((1 - recall) * len(self.held_out) + 1e-9))
        return float(self.held_out[min(missed, len(self.held_out) - 1)])


def save(model: NameModel, file: Path | BytesIO) -> None:
    """As arrays only."""
    parts: dict[str, Mapping[str, Array]] = {"persons": model.persons.to_arrays(), "others": model.others.to_arrays()}
    if model.taught is not None:
        parts["taught"] = model.taught.to_arrays()
    arrays = {f"{part}.{name}": values for part, of in parts.items() for name, values in of.items()}
    facts = np.frombuffer(json.dumps(dict(model.facts), sort_keys=True).encode(), dtype=np.uint8)
    np.savez_compressed(file, facts=facts, held_out=model.held_out, **arrays)


def load(file: Path | BytesIO) -> NameModel:
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        taught = _part(arrays, "taught")
        return NameModel(
            persons=Boosted.from_arrays(_part(arrays, "persons")),
            others=Boosted.from_arrays(_part(arrays, "others")),
            held_out=arrays["held_out"],
            taught=WordModel.from_arrays(taught) if taught else None,
            facts=json.loads(arrays["facts"].tobytes()),
        )
    except (OSError, ValueError, KeyError, EOFError) as problem:
        place = file if isinstance(file, Path) else None
        raise InputError("this is not a name model written by Sharewell; teach it again", file=place) from problem


@cache
def default_model() -> NameModel:
    """The model that comes with Sharewell; scripts/train_names.py made it."""
    return load(BytesIO(_shipped()))


def _shipped() -> bytes:
    return resources.files("sharewell.text").joinpath("tables", SHIPPED).read_bytes()


def _part(arrays: Mapping[str, Array], part: str) -> dict[str, Array]:
    return {name.removeprefix(f"{part}."): values for name, values in arrays.items() if name.startswith(f"{part}.")}
