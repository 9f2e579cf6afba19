"""The paper's network (Bosch et al. 2020, fig. 2) as a chain of plain arrays.

Dense features pass a layer under an L2 penalty, sparse ones a layer under an L1 penalty; both outputs are joined and go
through further layers with dropout to one sigmoid. The two first layers together are one layer whose weights are
zero between the blocks, so that one loop applies every network. Training takes torch (the extra `neural`); without it
scikit-learn's multi-layer perceptron stands in.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from sharewell.posts.features import DENSE, SPARSE

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
class Network:
    """Layers of weights and biases, after a standardisation of the inputs."""

    mean: np.ndarray
    scale: np.ndarray
    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]

    def predict(self, rows: np.ndarray) -> np.ndarray:
        signal = np.clip((rows - self.mean) / self.scale, -FARTHEST, FARTHEST)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            signal = np.maximum(signal @ weight + bias, 0.0)
        last = (signal @ self.weights[-1] + self.biases[-1])[:, 0]
        return 1.0 / (1.0 + np.exp(-np.clip(last, -50, 50)))

    def to_arrays(self) -> dict[str, np.ndarray]:
        layers = {f"weight{i}": weight for i, weight in enumerate(self.weights)}
        layers |= {f"bias{i}": bias for i, bias in enumerate(self.biases)}
        return {"mean": self.mean, "scale": self.scale, **layers}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "Network":
        depth = sum(name.startswith("weight") for name in arrays)
        weights = tuple(np.asarray(arrays[f"weight{i}"]) for i in range(depth))
        biases = tuple(np.asarray(arrays[f"bias{i}"]) for i in range(depth))
        return cls(np.asarray(arrays["mean"]), np.asarray(arrays["scale"]), weights, biases)


def has_torch() -> bool:
    return find_spec("torch") is not None


def train(
    rows: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    settings: NetworkSettings | None = None,
    *,
    seed: int = 0,
    epochs: int = EPOCHS,
    torch: bool | None = None,
) -> Network:
    """Fit the network; `torch` None takes torch where it is installed."""
    settings = settings or NetworkSettings()
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-3)
    inputs = np.clip((rows - mean) / scale, -FARTHEST, FARTHEST)
    fit = _fit_torch if (has_torch() if torch is None else torch) else _fit_perceptron
    layers = fit(inputs, labels.astype(float), weights, settings, seed, epochs)
    return Network(mean, scale, tuple(weight for weight, _ in layers), tuple(bias for _, bias in layers))


Layers = list[tuple[np.ndarray, np.ndarray]]


def _fit_perceptron(
    inputs: np.ndarray, labels: np.ndarray, weights: np.ndarray, settings: NetworkSettings, seed: int, epochs: int
) -> Layers:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    shape = (2 * settings.neurons, *(settings.neurons for _ in range(settings.layers)))
    model = MLPClassifier(
        shape, alpha=settings.l2, learning_rate_init=0.003, max_iter=epochs, batch_size=BATCH, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a fixed number of rounds is what is wanted
        model.fit(inputs, labels.astype(int), sample_weight=weights)
    return list(zip(model.coefs_, model.intercepts_, strict=True))


def _fit_torch(
    inputs: np.ndarray, labels: np.ndarray, weights: np.ndarray, settings: NetworkSettings, seed: int, epochs: int
) -> Layers:
    import torch
    from torch import nn

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the layers are so small that threads only wait for each other
    generator = torch.Generator().manual_seed(seed)
    parts, width = _parts(inputs.shape[1]), settings.neurons
    first = [nn.Linear(len(part), width) for part in parts]
    later = [nn.Linear(2 * width if i == 0 else width, width) for i in range(settings.layers)]
    last = nn.Linear(width if settings.layers else 2 * width, 1)
    for layer in (*first, *later, last):
        bound = (6.0 / (layer.in_features + layer.out_features)) ** 0.5  # Glorot and Bengio 2010, eq. 16
        nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
        nn.init.zeros_(layer.bias)
    parameters = [parameter for layer in (*first, *later, last) for parameter in layer.parameters()]
    speeds = [torch.zeros_like(parameter) for parameter in parameters]
    dense, sparse = (torch.as_tensor(inputs[:, part], dtype=torch.float32) for part in parts)
    y, w = (torch.as_tensor(values, dtype=torch.float32) for values in (labels, weights))
    for _ in range(epochs):
        for chosen in torch.randperm(len(y), generator=generator).split(BATCH):
            signal = torch.cat([first[0](dense[chosen]), first[1](sparse[chosen])], dim=1).relu()
            for layer in later:
                kept = torch.rand(signal.shape, generator=generator) >= DROPOUT
                signal = layer(signal * kept / (1 - DROPOUT)).relu()
            loss = nn.functional.binary_cross_entropy_with_logits(last(signal)[:, 0], y[chosen], weight=w[chosen])
            loss = (
                loss + settings.l2 * first[0].weight.square().sum() + settings.l1 * 0.01 * first[1].weight.abs().sum()
            )
            # momentum by hand (Polyak 1964): torch's own optimisers load their compiler first, for seconds
            for parameter, speed, slope in zip(parameters, speeds, torch.autograd.grad(loss, parameters), strict=True):
                speed.mul_(MOMENTUM).add_(slope)
                parameter.data.sub_(speed, alpha=settings.rate)
    torch.set_num_threads(threads)
    return _as_layers(first, [*later, last], parts)


def _parts(columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns with dense and with sparse values; what goes beyond the paper's 95 is dense."""
    sparse = np.arange(len(DENSE), len(DENSE) + SPARSE)
    return np.setdiff1d(np.arange(columns), sparse), sparse


def _as_layers(first: list[Any], rest: list[Any], parts: tuple[np.ndarray, np.ndarray]) -> Layers:
    """The two first layers as one with zeros between the blocks, then the others."""
    arrays = [
        (layer.weight.detach().numpy().T.astype(float), layer.bias.detach().numpy().astype(float))
        for layer in (*first, *rest)
    ]
    (dense, dense_bias), (sparse, sparse_bias), *further = arrays
    joined = np.zeros((len(dense) + len(sparse), dense.shape[1] + sparse.shape[1]))
    joined[parts[0], : dense.shape[1]] = dense
    joined[parts[1], dense.shape[1] :] = sparse
    return [(joined, np.concatenate([dense_bias, sparse_bias])), *further]
