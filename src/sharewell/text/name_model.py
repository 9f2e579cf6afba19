"""Name or not a name, for a word: 500 extremely randomised trees and a network, averaged (Bosch et al. 2020, §2.5).

A missed name weighs twice as much as a false alarm. Hyperparameters come from a 4-fold grid search by mean squared
error; `nested_scores` wraps it in an outer 4-fold loop, so that no fold is scored by settings it helped to choose.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import cast

import numpy as np

from sharewell.errors import InputError
from sharewell.text import forest, network
from sharewell.text.arrays import Array
from sharewell.text.forest import Forest
from sharewell.text.network import Network, NetworkSettings
from sharewell.text.paper_features import DENSE

FOLDS = 4
MISSED_NAME_WEIGHT = 2.0
RECALL = 0.99
LEAVES = (1, 2, 4, 8, 16, 32)
SHARES = (0.0625, 0.125, 0.25, 0.5, 0.75, 1.0)  # the paper's begins at .25; half as many features more ask for less
HELD_OUT_FOLDS, QUICK_TREES, QUICK_EPOCHS = 3, 40, 8  # what the threshold is chosen by
_PER_CENT = [DENSE.index("frequency_first_name"), DENSE.index("frequency_last_name")]
NETWORK_GRID = {
    "neurons": (2, 4, 8, 16, 32),
    "l2": (0.1, 0.01, 0.001),
    "l1": (0.0, 0.25, 0.5),
    "layers": (0, 1, 2, 4),
    "rate": (0.01, 0.001, 0.0001),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the two models are fitted.

    By default every tree sees a quarter of the words, and few features per split: on text of another kind than the
    fictional courses (WNUT 2017, training part) that ranks persons better than all words do, and takes a third of the
    time.
    """

    trees: int = forest.TREES
    leaf: int = 1
    share: float = 0.0625
    sample: float = 0.25
    network: NetworkSettings = NetworkSettings()
    missed_name_weight: float = MISSED_NAME_WEIGHT
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class NameModel:
    """A fitted classifier of words, and of single places (see occurrences.py).

    `held_out` are out-of-fold probabilities of training names, in order; `out_of_fold` those of all training words, for
    whoever learns from them next (empty in a stored model).
    """

    context: tuple[str, ...]
    forest: Forest
    network: Network
    held_out: Array
    places: Forest
    out_of_fold: Array = field(default_factory=lambda: np.zeros(0))

    def probabilities(self, rows: Array) -> Array:
        """Decision-level fusion: the mean of both models."""
        return self.judge(rows)[0]

    def judge(self, rows: Array) -> tuple[Array, Array]:
        """Probabilities of being a name, and of being a person's name: the trees tell kinds apart."""
        if not len(rows):
            return np.zeros(0), np.zeros(0)
        rows = scaled(rows)
        shares = self.forest.shares(rows)
        trees = shares.sum(axis=1)
        fused = (trees + self.network.predict(rows)) / 2
        return fused, fused * shares[:, 0] / np.maximum(trees, 1e-12)

    def with_places(self, places: Forest) -> "NameModel":
        return replace(self, places=places, out_of_fold=np.zeros(0))

    def threshold(self, recall: float = RECALL) -> float:
        """The highest probability at which the wanted share of held-out training names is found."""
        missed = int(np.floor((1 - recall) * len(self.held_out) + 1e-9))
        return float(self.held_out[min(missed, len(self.held_out) - 1)])


def fit(
    rows: Array,
    labels: Array,
    context: Sequence[str],
    settings: Settings | None = None,
    *,
    weights: Array | None = None,
    groups: Array | None = None,
) -> NameModel:
    """Fit both models; `groups` keeps words of one corpus in one fold when the threshold is chosen."""
    settings = settings or Settings()
    kinds = np.asarray(labels).astype(int)  # 0 a word, 1 a person's name, 2 a town's, employer's or pet's
    labels, rows = kinds > 0, scaled(rows)
    cost = _cost(labels, weights, settings)
    held_out = np.zeros(len(labels))
    for train, test in folds(labels, settings.seed, groups, HELD_OUT_FOLDS):
        held_out[test] = _predict(*_fit_both(rows[train], kinds[train], cost[train], settings, quick=True), rows[test])
    trees, net = _fit_both(rows, kinds, cost, settings)
    return NameModel(
        context=tuple(context), forest=trees, network=net, held_out=np.sort(held_out[labels]), places=forest.EMPTY,
        out_of_fold=held_out,
    )  # fmt: skip


def scaled(rows: Array) -> Array:
    """Logarithms of counts and frequencies, which span orders of magnitude; what may be negative keeps its sign."""
    rows = np.array(rows, dtype=float)
    rows[:, _PER_CENT] *= 1000
    return cast(Array, np.sign(rows) * np.log1p(np.abs(rows)))


def folds(labels: Array, seed: int, groups: Array | None = None, many: int = FOLDS) -> Iterator[tuple[Array, Array]]:
    """Train and test rows of each fold: whole groups where given, otherwise the same share of names in each."""
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    if groups is not None and len(np.unique(groups)) >= 2:
        yield from GroupKFold(min(many, len(np.unique(groups)))).split(labels, labels, groups)
    else:
        yield from StratifiedKFold(many, shuffle=True, random_state=seed).split(labels, labels)


def search(
    rows: Array,
    labels: Array,
    *,
    settings: Settings,
    leaves: Sequence[int] = LEAVES,
    shares: Sequence[float] = SHARES,
) -> Settings:
    """The trees' settings with the least mean squared error over four folds."""
    rows, cost = scaled(rows), _cost(labels, None, settings)
    options = [replace(settings, leaf=leaf, share=share) for leaf, share in itertools.product(leaves, shares)]
    errors = [_tree_error(rows, labels, cost, option) for option in options]
    return options[int(np.argmin(errors))]


def search_network(
    rows: Array, labels: Array, *, seed: int = 0, grid: Mapping[str, Sequence[float]] | None = None
) -> NetworkSettings:
    """As `search`, for the network."""
    rows, cost = scaled(rows), _cost(labels, None, Settings())
    names, values = zip(*(grid or NETWORK_GRID).items(), strict=True)
    options = [NetworkSettings(**dict(zip(names, chosen, strict=True))) for chosen in itertools.product(*values)]
    errors = []
    for option in options:
        guess = np.zeros(len(labels))
        for train, test in folds(labels, seed):
            guess[test] = network.train(rows[train], labels[train], cost[train], option, seed=seed).predict(rows[test])
        errors.append(float(np.average((guess - labels) ** 2, weights=cost)))
    return options[int(np.argmin(errors))]


def nested_scores(
    rows: Array,
    labels: Array,
    *,
    settings: Settings,
    leaves: Sequence[int] = LEAVES,
    shares: Sequence[float] = SHARES,
) -> Array:
    """Out-of-fold fused probabilities, the trees' settings chosen inside each outer fold only."""
    labels = np.asarray(labels, dtype=bool)
    scores = np.zeros(len(labels))
    for train, test in folds(labels, settings.seed):
        chosen = search(rows[train], labels[train], settings=settings, leaves=leaves, shares=shares)
        cost = _cost(labels[train], None, chosen)
        scores[test] = _predict(*_fit_both(scaled(rows[train]), labels[train], cost, chosen), scaled(rows[test]))
    return scores


def save(model: NameModel, file: Path | BytesIO) -> None:
    """Plain numpy arrays and one line of JSON; nothing that runs when it is read."""
    arrays = {f"forest.{name}": values for name, values in model.forest.to_arrays().items()}
    arrays |= {f"network.{name}": values for name, values in model.network.to_arrays().items()}
    arrays |= {f"places.{name}": values for name, values in model.places.to_arrays().items()}
    facts = np.frombuffer(json.dumps({"context": model.context}).encode(), dtype=np.uint8)
    np.savez(file, facts=facts, held_out=model.held_out, **arrays)


def load(file: Path | BytesIO) -> NameModel:
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        facts = json.loads(arrays["facts"].tobytes())
        return NameModel(
            context=tuple(facts["context"]),
            forest=Forest.from_arrays(_part(arrays, "forest")),
            network=Network.from_arrays(_part(arrays, "network")),
            held_out=arrays["held_out"],
            places=Forest.from_arrays(_part(arrays, "places")),
        )
    except (OSError, ValueError, KeyError, EOFError) as problem:
        place = file if isinstance(file, Path) else None
        raise InputError("this is not a name model written by Sharewell; teach it again", file=place) from problem


def _part(arrays: Mapping[str, Array], part: str) -> dict[str, Array]:
    return {name.removeprefix(f"{part}."): values for name, values in arrays.items() if name.startswith(f"{part}.")}


def _cost(labels: Array, weights: Array | None, settings: Settings) -> Array:
    cost = np.where(labels, settings.missed_name_weight, 1.0)
    return cost if weights is None else cost * weights


def _fit_both(
    rows: Array, labels: Array, cost: Array, settings: Settings, *, quick: bool = False
) -> tuple[Forest, Network]:
    """Trees and network side by side: each leaves a core free that the other can use."""
    from threadpoolctl import threadpool_limits

    trees = min(QUICK_TREES, settings.trees) if quick else settings.trees
    epochs = QUICK_EPOCHS if quick else network.EPOCHS
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:  # matrices this small only wait for further threads
        grown = pool.submit(
            forest.grow,
            rows,
            labels,
            cost,
            trees=trees,
            leaf=settings.leaf,
            share=settings.share,
            sample=settings.sample,
            seed=settings.seed,
        )
        net = network.train(rows, labels > 0, cost, settings.network, seed=settings.seed, epochs=epochs)
        return grown.result(), net


def _predict(trees: Forest, net: Network, rows: Array) -> Array:
    return (trees.predict(rows) + net.predict(rows)) / 2


def _tree_error(rows: Array, labels: Array, cost: Array, settings: Settings) -> float:
    guess = np.zeros(len(labels))
    for train, test in folds(labels, settings.seed):
        grown = forest.grow(
            rows[train],
            labels[train],
            cost[train],
            trees=settings.trees // 5,
            leaf=settings.leaf,
            share=settings.share,
            sample=settings.sample,
            seed=settings.seed,
        )
        guess[test] = grown.predict(rows[test])
    return float(np.average((guess - labels) ** 2, weights=cost))
