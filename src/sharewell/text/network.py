"""The paper's network (Bosch et al. 2020, fig. 2) as a chain of plain arrays.

Dense features pass a layer under an L2 penalty, sparse ones a layer under an L1 penalty; both outputs are joined and go
through later layers with dropout to one sigmoid. The two first layers together are one layer whose weights are zero
between the blocks, so that one loop applies every network.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.paper_features import DENSE, SPARSE

DROPOUT, EPOCHS, BATCH, MOMENTUM = 0.5, 18, 1024, 0.9
FARTHEST = 3.0  # standard deviations: what lies farther out than anything learnt is treated as that far


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """What the paper's grid search chooses among: neurons, layers after joining, penalties, learning rate."""

    neurons: int = 32
    layers: int = 0
    l2: float = 0.001
    l1: float = 0.0
    rate: float = 0.05


@dataclass(frozen=True)
class LayeredNetwork:
    """Layers of weights and biases, after a standardisation of the inputs."""

    mean: Array
    scale: Array
    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def predict(self, rows: Array) -> Array:
        signal = np.clip((rows - self.mean) / self.scale, -FARTHEST, FARTHEST)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            signal = np.maximum(signal @ weight + bias, 0.0)
        last = (signal @ self.weights[-1] + self.biases[-1])[:, 0]
        return cast(Array, 1.0 / (1.0 + np.exp(-np.clip(last, -50, 50))))

    def to_arrays(self) -> dict[str, Array]:
        layers = {f"weight{i}": weight for i, weight in enumerate(self.weights)}
        layers |= {f"bias{i}": bias for i, bias in enumerate(self.biases)}
        return {"mean": self.mean, "scale": self.scale, **layers}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "LayeredNetwork":
        depth = sum(name.startswith("weight") for name in arrays)
        weights = tuple(np.asarray(arrays[f"weight{i}"]) for i in range(depth))
        biases = tuple(np.asarray(arrays[f"bias{i}"]) for i in range(depth))
        return cls(np.asarray(arrays["mean"]), np.asarray(arrays["scale"]), weights, biases)


def train(
    rows: Array,
    labels: Array,
    weights: Array,
    settings: NetworkSettings | None = None,
    *,
    seed: int = 0,
    epochs: int = EPOCHS,
) -> LayeredNetwork:
    """Fit by stochastic gradient descent with momentum (Polyak 1964), in numpy: the same everywhere."""
    settings = settings or NetworkSettings()
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-3)
    inputs = np.clip((rows - mean) / scale, -FARTHEST, FARTHEST)
    generator = np.random.default_rng(seed)
    layers = _first_layers(inputs.shape[1], settings, generator)
    penalty = _Penalty.of(inputs.shape[1], settings)
    speeds = [(np.zeros_like(weight), np.zeros_like(bias)) for weight, bias in layers]
    for _ in range(epochs):
        order = generator.permutation(len(labels))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            slopes = _slopes(layers, inputs[chosen], labels[chosen].astype(float), weights[chosen], generator)
            slopes[0] = (penalty.added(layers[0][0], slopes[0][0]), slopes[0][1])
            for layer, speed, slope in zip(layers, speeds, slopes, strict=True):
                for values, moving, steep in zip(layer, speed, slope, strict=True):
                    moving *= MOMENTUM
                    moving += steep
                    values -= settings.rate * moving
    return LayeredNetwork(mean, scale, tuple(weight for weight, _ in layers), tuple(bias for _, bias in layers))


Layers = list[tuple[Array, Array]]


@dataclass(frozen=True)
class _Penalty:
    """L2 on the weights of dense inputs, L1 on those of sparse ones, and no weight between the blocks."""

    allowed: Array
    dense: Array
    settings: NetworkSettings

    @classmethod
    def of(cls, columns: int, settings: NetworkSettings) -> "_Penalty":
        dense, sparse = _parts(columns)
        allowed = np.zeros((columns, 2 * settings.neurons))
        allowed[dense, : settings.neurons] = 1
        allowed[sparse, settings.neurons :] = 1
        is_dense = np.zeros((columns, 1))
        is_dense[dense] = 1
        return cls(allowed, is_dense, settings)

    def added(self, weight: Array, slope: Array) -> Array:
        l2 = 2 * self.settings.l2 * weight * self.dense
        l1 = 0.01 * self.settings.l1 * np.sign(weight) * (1 - self.dense)
        return cast(Array, (slope + l2 + l1) * self.allowed)


def _first_layers(columns: int, settings: NetworkSettings, generator: np.random.Generator) -> Layers:
    """Weights to begin with (Glorot and Bengio 2010, eq. 16), zero between the dense and the sparse block."""
    width = settings.neurons
    parts = [_drawn(len(part), width, generator) for part in _parts(columns)]
    first = np.zeros((columns, 2 * width))
    for block, (part, weight) in enumerate(zip(_parts(columns), parts, strict=True)):
        first[part, block * width : (block + 1) * width] = weight
    shapes = [(2 * width if i == 0 else width, width) for i in range(settings.layers)]
    shapes.append((width if settings.layers else 2 * width, 1))
    later = [(_drawn(*shape, generator), np.zeros(shape[1])) for shape in shapes]
    return [(first, np.zeros(2 * width)), *later]


def _drawn(inputs: int, outputs: int, generator: np.random.Generator) -> Array:
    bound = (6.0 / (inputs + outputs)) ** 0.5
    return generator.uniform(-bound, bound, (inputs, outputs))


def _slopes(layers: Layers, inputs: Array, labels: Array, weights: Array, generator: np.random.Generator) -> Layers:
    """Gradients of the weighted cross-entropy, layer by layer, with dropout between the joined layers."""
    signals, keeps, signal = [inputs], [], inputs
    for place, (weight, bias) in enumerate(layers[:-1]):
        raw = signal @ weight + bias
        kept = (raw > 0).astype(float)
        if place > 0:
            kept *= (generator.random(raw.shape) >= DROPOUT) / (1 - DROPOUT)
        signal = raw * kept
        signals.append(signal)
        keeps.append(kept)
    guess = 1.0 / (1.0 + np.exp(-np.clip((signal @ layers[-1][0] + layers[-1][1])[:, 0], -50, 50)))
    error = ((guess - labels) * weights / len(labels))[:, None]
    slopes: Layers = []
    for place in range(len(layers) - 1, -1, -1):
        slopes.append((signals[place].T @ error, error.sum(axis=0)))
        if place:
            error = (error @ layers[place][0].T) * keeps[place - 1]
    return slopes[::-1]


def _parts(columns: int) -> tuple[Array, Array]:
    """Columns with dense and with sparse values; what goes beyond the paper's 95 is dense."""
    sparse = np.arange(len(DENSE), len(DENSE) + SPARSE)
    return np.setdiff1d(np.arange(columns), sparse), sparse
