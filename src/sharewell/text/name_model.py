"""The name finder's parameters: boosted trees that judge places, kept as plain arrays with what they were made from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np

from sharewell.errors import InputError
from sharewell.text import second_look
from sharewell.text.arrays import Array
from sharewell.text.boosted import Boosted
from sharewell.text.paper_model import WordModel
from sharewell.text.second_look import log_odds
from sharewell.text.tokens import Tokens
from sharewell.text.wording import Wording

RECALL = 0.97
WORDING_SHARE = 0.4  # of the log-odds of a person, by cross-validation on the same text; the rest is the trees'
WORTH_A_LOOK = 0.002  # probability: of a place below it no second reading makes a name
SHIPPED = "names.npz"


@dataclass(frozen=True, kw_only=True)
class NameModel:
    """Judges every place of a text: is a person named there, or a town, an employer, a pet?

    `persons` and `wording` look first; `again` are trees that look a second time, knowing what was said around a place.
    `held_out` are probabilities of persons' places in real text that the trees had not seen, in order; `further` are
    trees that a steward's own labelled texts added, which also see what the others say; `taught` is what a steward's
    own labelled words added, a classifier of words after the paper.
    """

    persons: Boosted
    others: Boosted
    wording: Wording
    again: Boosted
    held_out: Array
    further: Boosted | None = None
    taught: WordModel | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def person(self, rows: Array, tokens: Tokens, chosen: Array) -> Array:
        """The probability of a person at each chosen token, of which `rows` are the features."""
        first = mixed(self.persons.predict(rows), self.wording.log_odds(tokens, chosen))
        return self.added(rows, self.second(rows, first, chosen, tokens.post[chosen]))

    def second(self, rows: Array, first: Array, token: Array, post: Array) -> Array:
        """What both looks say together, at every place of whole posts; what is hopeless is not looked at again."""
        asked = np.flatnonzero(first >= WORTH_A_LOOK)
        said = first.copy()
        again = self.again.predict(second_look.rows(rows, first, token, post, asked))
        said[asked] = both_looks(first[asked], again)
        return said

    def added(self, rows: Array, said: Array) -> Array:
        """What further trees make of the features and of the probability said so far."""
        return said if self.further is None else self.further.predict(with_opinion(rows, said))

    def threshold(self, recall: float = RECALL) -> float:
        """The highest probability at which the wanted share of held-out persons is found."""
        missed = int(np.floor((1 - recall) * len(self.held_out) + 1e-9))
        return float(self.held_out[min(missed, len(self.held_out) - 1)])


def mixed(by_trees: Array, by_wording: Array) -> Array:
    """One probability from what the trees say and the log-odds of the wording."""
    odds = (1 - WORDING_SHARE) * log_odds(by_trees) + WORDING_SHARE * by_wording
    return cast(Array, 1 / (1 + np.exp(-odds)))


def both_looks(first: Array, second: Array) -> Array:
    """The mean of the log-odds: on posts unlike those it learnt from, the second reading alone is no surer."""
    return cast(Array, 1 / (1 + np.exp(-(log_odds(first) + log_odds(second)) / 2)))


def with_opinion(rows: Array, said: Array) -> Array:
    """The features of places with one more: the log-odds of what was said of them before."""
    return np.column_stack([rows, log_odds(said)]).astype(np.float32)


def save(model: NameModel, file: Path | BytesIO) -> None:
    """As arrays only."""
    parts: dict[str, Mapping[str, Array]] = {
        "persons": model.persons.to_arrays(),
        "others": model.others.to_arrays(),
        "wording": model.wording.to_arrays(),
        "again": model.again.to_arrays(),
    }
    if model.further is not None:
        parts["further"] = model.further.to_arrays()
    if model.taught is not None:
        parts["taught"] = model.taught.to_arrays()
    arrays = {f"{part}.{name}": values for part, of in parts.items() for name, values in of.items()}
    facts = np.frombuffer(json.dumps(dict(model.facts), sort_keys=True).encode(), dtype=np.uint8)
    np.savez_compressed(file, facts=facts, held_out=model.held_out, **arrays)


def load(file: Path | BytesIO) -> NameModel:
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        further, taught = _part(arrays, "further"), _part(arrays, "taught")
        return NameModel(
            persons=Boosted.from_arrays(_part(arrays, "persons")),
            others=Boosted.from_arrays(_part(arrays, "others")),
            wording=Wording.from_arrays(_part(arrays, "wording")),
            again=Boosted.from_arrays(_part(arrays, "again")),
            held_out=arrays["held_out"],
            further=Boosted.from_arrays(further) if further else None,
            taught=WordModel.from_arrays(taught) if taught else None,
            facts=json.loads(arrays["facts"].tobytes()),
        )
    except (OSError, ValueError, KeyError, EOFError) as problem:
        place = file if isinstance(file, Path) else None
        raise InputError("this is not a name model written by Sharewell; teach it again", file=place) from problem


def load_taught(file: Path) -> NameModel:
    """A steward's model; one that was taught when places were described otherwise would misread them: refused."""
    model = load(file)
    if model.facts.get("features") != default_model().facts["features"]:
        raise InputError("this name model was taught with another version of Sharewell; teach it again", file=file)
    return model


@cache
def default_model() -> NameModel:
    """The model that comes with Sharewell; train/train_names.py made it."""
    return load(BytesIO(_shipped()))


def _shipped() -> bytes:
    return resources.files("sharewell.text").joinpath("tables", SHIPPED).read_bytes()


def _part(arrays: Mapping[str, Array], part: str) -> dict[str, Array]:
    return {name.removeprefix(f"{part}."): values for name, values in arrays.items() if name.startswith(f"{part}.")}
