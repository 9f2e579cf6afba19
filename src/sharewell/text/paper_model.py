"""Name or not a name, for a word: 500 extremely randomised trees and a network, averaged (Bosch et al. 2020, §2.5).

A missed name weighs twice as much as a false alarm. Hyperparameters come from a 4-fold grid search by mean squared
error; `nested_scores` wraps it in an outer 4-fold loop, so that no fold is scored by settings it helped to choose.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sharewell.text import forest, network
from sharewell.text.arrays import Array
from sharewell.text.forest import Forest
from sharewell.text.network import LayeredNetwork, NetworkSettings
from sharewell.text.paper_features import DENSE

FOLDS = 4
MISSED_NAME_WEIGHT = 2.0
LEAVES = (1, 2, 4, 8, 16, 32)
SHARES = (0.0625, 0.125, 0.25, 0.5, 0.75, 1.0)  # the paper's begins at .25; half as many features more ask for less
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
class WordModel:
    """A fitted classifier of words; `context` are the words whose presence before a word it looks at."""

    context: tuple[str, ...]
    forest: Forest
    network: LayeredNetwork

    def probabilities(self, rows: Array) -> Array:
        """Decision-level fusion: the mean of both models."""
        if not len(rows):
            return np.zeros(0)
        return _predict(self.forest, self.network, scaled(rows))

    def to_arrays(self) -> dict[str, Array]:
        parts = {"forest": self.forest.to_arrays(), "network": self.network.to_arrays()}
        context = np.frombuffer(json.dumps(self.context).encode(), dtype=np.uint8)
        return {"context": context, **{f"{p}.{name}": values for p, of in parts.items() for name, values in of.items()}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "WordModel":
        parts = {part: {n.removeprefix(part): v for n, v in arrays.items() if n.startswith(part)} for part in _PARTS}
        return cls(
            context=tuple(json.loads(arrays["context"].tobytes())),
            forest=Forest.from_arrays(parts["forest."]),
            network=LayeredNetwork.from_arrays(parts["network."]),
        )


_PARTS = ("forest.", "network.")


def fit(
    rows: Array,
    labels: Array,
    context: Sequence[str],
    settings: Settings | None = None,
    *,
    weights: Array | None = None,
) -> WordModel:
    """Fit trees and network."""
    settings = settings or Settings()
    labels, rows = np.asarray(labels).astype(int), scaled(rows)
    trees, net = _fit_both(rows, labels, _cost(labels > 0, weights, settings), settings)
    return WordModel(context=tuple(context), forest=trees, network=net)


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
    """Choose the network settings with the least cost-weighted squared error."""
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
    """Compute out-of-fold fused probabilities by nested cross-validation.

    The settings of the trees are chosen inside each outer fold only.
    """
    labels = np.asarray(labels, dtype=bool)
    scores = np.zeros(len(labels))
    for train, test in folds(labels, settings.seed):
        chosen = search(rows[train], labels[train], settings=settings, leaves=leaves, shares=shares)
        cost = _cost(labels[train], None, chosen)
        scores[test] = _predict(*_fit_both(scaled(rows[train]), labels[train], cost, chosen), scaled(rows[test]))
    return scores


def _cost(labels: Array, weights: Array | None, settings: Settings) -> Array:
    cost = np.where(labels, settings.missed_name_weight, 1.0)
    return cost if weights is None else cost * weights


def _fit_both(rows: Array, labels: Array, cost: Array, settings: Settings) -> tuple[Forest, LayeredNetwork]:
    """Trees and network side by side: each leaves a core free that the other can use."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:  # matrices this small only wait for further threads
        grown = pool.submit(
            forest.grow,
            rows,
            labels,
            cost,
            trees=settings.trees,
            leaf=settings.leaf,
            share=settings.share,
            sample=settings.sample,
            seed=settings.seed,
        )
        net = network.train(rows, labels > 0, cost, settings.network, seed=settings.seed)
        return grown.result(), net


def _predict(trees: Forest, net: LayeredNetwork, rows: Array) -> Array:
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
