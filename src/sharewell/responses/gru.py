"""Sequences of items from a gated recurrent unit (Vie, Rigaux, Minn 2022, §3.2 and §5.2).

Trained on short sequences first, then on longer ones, by Adam on the cross entropy of the next item; a tenth of the
students is held out and training stops when it no longer gets better there. The printed argmax would always give the
same sequence: the next item is drawn from the softmax. How long a log gets is drawn apart, from classes of lengths that
m students share: an end state learnt from windows ends too soon. Needs the extra `neural`.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharewell import progress
from sharewell.errors import MissingExtra
from sharewell.responses.log import Log
from sharewell.responses.timing import Histogram, classes

SHORT_TO_LONG = (20, 50, 100)  # rows of a training window, stage after stage
PASSES = (3, 4, 16)  # at most so many over the data in each stage
PATIENCE = 3  # passes without a better held-out loss; after each the rate is halved
LENGTH_CLASS = 0.1  # width of a class of lengths, in the logarithm
EMBEDDING, HIDDEN, BATCH, RATE = 48, 96, 64, 5e-3


@dataclass(frozen=True, kw_only=True)
class Gru:
    """A trained network; code n is the start."""

    network: Any
    items: int
    longest: int
    allowed: np.ndarray  # bool per item: those that were seen
    lengths: Histogram  # of the logarithm

    def walk(self, students: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """All students walk together and drop out as they reach their length. Draws come from the numpy generator."""
        torch = _torch()
        drawn = np.exp(self.lengths.draw(students, generator)).astype(np.int64)
        lengths = np.clip(drawn, 1, self.longest)
        order = np.argsort(-lengths, kind="stable")  # the longest first: those still walking are always in front
        codes = np.full((students, int(lengths.max())), -1, dtype=np.int32)
        now, state = torch.full((students, 1), self.items, dtype=torch.long), None
        with _one_thread(torch), torch.no_grad():
            for place in range(codes.shape[1]):
                walking = int((lengths > place).sum())
                state = None if state is None else state[:, :walking].contiguous()
                scores, state = self.network(now[:walking], state)
                chosen = self._drawn(scores[:, 0].double().numpy(), generator)
                codes[order[:walking], place] = chosen
                now = torch.from_numpy(chosen)[:, None]
        return codes[codes >= 0], lengths

    def _drawn(self, scores: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One draw per student from the softmax over the items that were seen."""
        cumulative = np.cumsum(np.where(self.allowed, np.exp(scores), 0.0), axis=1)
        draw = generator.random(len(scores)) * cumulative[:, -1]
        return (cumulative <= draw[:, None]).sum(axis=1).clip(max=self.items - 1)


def fit_gru(log: Log, *, longest: int | None, m: int, seed: int) -> Gru:
    """Train on windows of growing length; no fake will be longer than what m students reached."""
    torch = _torch()
    torch.manual_seed(seed)
    items = len(log.items)
    network = _network(torch, items).to(_device(torch))
    trainer = _Trainer(torch, network, _padded(log), np.random.default_rng(seed))
    with _one_thread(torch), progress.step("Training the network", sum(PASSES)) as advance:
        for rows, passes in zip(SHORT_TO_LONG, PASSES, strict=True):
            trainer.stage(rows, passes, advance)
    reached = int(np.sort(log.lengths)[-min(m, log.lengths.size)])
    value = np.log(log.lengths)
    return Gru(
        network=trainer.network.to("cpu").eval(),
        items=items,
        longest=reached if longest is None else min(reached, longest),
        allowed=np.bincount(log.item, minlength=items) > 0,
        lengths=classes(value, np.arange(value.size), m, width=LENGTH_CLASS),
    )


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("PyTorch", extra="neural") from None
    return torch


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """So small a network is faster on one thread than on several that wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _network(torch: Any, items: int) -> Any:
    class Network(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(items + 1, EMBEDDING)
            self.cell = torch.nn.GRU(EMBEDDING, HIDDEN, batch_first=True)
            self.read = torch.nn.Linear(HIDDEN, items)

        def forward(self, codes: Any, state: Any = None) -> tuple[Any, Any]:
            hidden, state = self.cell(self.embed(codes), state)
            return torch.log_softmax(self.read(hidden), dim=-1), state

    return Network()


def _padded(log: Log) -> list[np.ndarray]:
    """Each student's sequence after the start (n)."""
    parts = np.split(log.item.astype(np.int64), log.bounds[1:-1])
    return [np.concatenate([[len(log.items)], part]) for part in parts]


class _Trainer:
    def __init__(self, torch: Any, network: Any, sequences: list[np.ndarray], generator: np.random.Generator) -> None:
        self.torch, self.network, self.generator = torch, network, generator
        order = generator.permutation(len(sequences))
        held = max(1, len(sequences) // 10)
        self.held_out = [sequences[place] for place in order[:held]]
        self.training = [sequences[place] for place in order[held:]] or self.held_out
        self.optimiser = torch.optim.Adam(network.parameters(), lr=RATE)

    def stage(self, rows: int, passes: int, advance: progress.Advance) -> None:
        """Pass over windows of this many rows until the held-out loss stops falling; keep the best."""
        windows, check = _windows(self.training, rows), _windows(self.held_out, rows)
        best, patience, kept = self._loss(check), PATIENCE, copy.deepcopy(self.network.state_dict())
        for _ in range(passes):
            self._learn(windows)
            loss = self._loss(check)
            advance(1)
            if loss < best:
                best, patience, kept = loss, PATIENCE, copy.deepcopy(self.network.state_dict())
                continue
            patience -= 1
            self._slow_down()
            if not patience:
                break
        self.network.load_state_dict(kept)

    def _slow_down(self) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] /= 2

    def _learn(self, windows: list[np.ndarray]) -> None:
        self.network.train()
        for batch in _batches(windows, self.generator):
            self.optimiser.zero_grad()
            loss, count = self._batch_loss(batch)
            (loss / count).backward()
            self.torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimiser.step()

    def _loss(self, windows: list[np.ndarray]) -> float:
        self.network.eval()
        with self.torch.no_grad():
            parts = [self._batch_loss(batch) for batch in _batches(windows, None)]
        return float(sum(loss.item() for loss, _ in parts) / sum(count for _, count in parts))

    def _batch_loss(self, batch: list[np.ndarray]) -> tuple[Any, int]:
        widest = max(part.size for part in batch)
        codes = np.full((len(batch), widest), -1, dtype=np.int64)
        for row, part in enumerate(batch):
            codes[row, : part.size] = part
        device = next(self.network.parameters()).device
        inputs = self.torch.from_numpy(np.maximum(codes[:, :-1], 0)).to(device)
        targets = self.torch.from_numpy(codes[:, 1:]).to(device)
        logits, _ = self.network(inputs)
        loss = self.torch.nn.functional.nll_loss(
            logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=-1, reduction="sum"
        )
        return loss, int((codes[:, 1:] >= 0).sum())


def _windows(sequences: list[np.ndarray], rows: int) -> list[np.ndarray]:
    """Pieces of at most this many steps; consecutive pieces share one row, so that no step is lost."""
    return [part[start : start + rows + 1] for part in sequences for start in range(0, part.size - 1, rows)]


def _batches(windows: list[np.ndarray], generator: np.random.Generator | None) -> list[list[np.ndarray]]:
    """Windows of similar length together, batches in random order."""
    order = np.argsort([part.size for part in windows], kind="stable")
    starts = np.arange(0, len(windows), BATCH)
    if generator is not None:
        sizes = np.array([part.size for part in windows]) + generator.random(len(windows))
        order = np.argsort(sizes, kind="stable")
        starts = generator.permutation(starts)
    return [[windows[place] for place in order[start : start + BATCH]] for start in starts]
