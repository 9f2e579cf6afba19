"""Sequences of items from a gated recurrent unit (Vie, Rigaux, Minn 2022, §3.2 and §5.2).

Trained on short stretches first, then on longer ones, by Adam on the cross entropy of the next item; a tenth of the
students is held out and training stops when it no longer gets better there. The printed argmax would always give the
same sequence: the next item is drawn from the softmax. How long a log gets is drawn first, from classes of lengths that
m students share, and given to the network: an end state learnt from windows ends too soon, and students with long logs
do other items. Last, how often each item comes is levelled to what it was. Needs the extra `neural`.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharewell import progress
from sharewell.errors import MissingExtra
from sharewell.responses.log import Log
from sharewell.responses.protection.times import Histogram, classes
from sharewell.stats.arrays import Array

SHORT_TO_LONG = (20, 50, 100)  # rows of a training window, stage after stage
PASSES = (3, 4, 16)  # at most so many over the data in each stage
PATIENCE = 3  # passes without a better held-out loss; after each the rate is halved
ROUNDS, FEWEST_WALKS = 6, 1_000  # of levelling how often items come; invented students in each
LENGTH_CLASS = 0.1  # width of a class of lengths, in the logarithm
EMBEDDING, HIDDEN, RATE = 48, 96, 5e-3


@dataclass(frozen=True, kw_only=True)
class Gru:
    """A trained network; code n is the start."""

    network: Any
    items: int
    longest: int
    allowed: Array  # bool per item: those that were seen
    lengths: Histogram  # of the logarithm
    level: Array  # added to the network's scores, so that items come as often as they did

    def walk(self, students: int, generator: np.random.Generator) -> tuple[Array, Array]:
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
                where = torch.from_numpy(_places(lengths[order[:walking]], place, 1))
                scores, state = self.network(now[:walking], where, state)
                chosen = self._drawn(scores[:, 0].double().numpy() + self.level, generator)
                codes[order[:walking], place] = chosen
                now = torch.from_numpy(chosen)[:, None]
        return codes[codes >= 0], lengths

    def _drawn(self, scores: Array, generator: np.random.Generator) -> Array:
        """One draw per student from the softmax over the items that were seen."""
        cumulative = np.cumsum(np.where(self.allowed, np.exp(scores), 0.0), axis=1)
        draw = generator.random(len(scores)) * cumulative[:, -1]
        found: Array = (cumulative <= draw[:, None]).sum(axis=1).clip(max=self.items - 1)
        return found


def fit_gru(log: Log, *, longest: int | None, m: int, batch: int, epochs: int | None, seed: int) -> Gru:
    """Train on windows of growing length; no fake will be longer than what m students reached.

    `epochs` are shared out over the stages as `PASSES` are.
    """
    passes = PASSES if epochs is None else [max(1, round(epochs * share / sum(PASSES))) for share in PASSES]
    torch = _torch()
    torch.manual_seed(seed)
    items = len(log.items)
    network = _network(torch, items).to(_device(torch))
    trainer = _Trainer(torch, network, _padded(log), batch, np.random.default_rng(seed))
    with _one_thread(torch), progress.step("Training the network", sum(passes)) as advance:
        for rows, most in zip(SHORT_TO_LONG, passes, strict=True):
            trainer.stage(rows, most, advance)
    reached = int(np.sort(log.lengths)[-min(m, log.lengths.size)])
    value = np.log(log.lengths)
    raw = Gru(
        network=trainer.network.to("cpu").eval(),
        items=items,
        longest=reached if longest is None else min(reached, longest),
        allowed=np.bincount(log.item, minlength=items) > 0,
        lengths=classes(value, np.arange(value.size), m, width=LENGTH_CLASS),
        level=np.zeros(items),
    )
    return _levelled(raw, log, np.random.default_rng([seed, 1]))


def _levelled(raw: Gru, log: Log, generator: np.random.Generator) -> Gru:
    """Let the network write, compare how often each item came, and raise or lower its level.

    A network hardly ever writes what it hardly ever saw: without this, rare items come too seldom by half.
    """
    items, levelled = raw.items, raw
    wanted = np.bincount(log.item, minlength=items) / log.rows
    for turn in range(ROUNDS):
        walked, _ = levelled.walk(max(FEWEST_WALKS, log.lengths.size), generator)
        doubt = 1 / walked.size  # as if every item had come once more: a count of zero is no reason for infinity
        came = np.bincount(walked, minlength=items) / walked.size
        step = np.log((wanted + doubt) / (came + doubt)) / (turn + 2)  # ever smaller (Robbins and Monro 1951)
        levelled = replace(levelled, level=levelled.level + step)
    return levelled


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
    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(items + 1, EMBEDDING)
            self.place = torch.nn.Linear(2, EMBEDDING)
            self.cell = torch.nn.GRU(EMBEDDING, HIDDEN, batch_first=True)
            self.read = torch.nn.Linear(HIDDEN, items)

        def forward(self, codes: Any, place: Any, state: Any = None) -> tuple[Any, Any]:
            hidden, state = self.cell(self.embed(codes) + self.place(place), state)
            return torch.log_softmax(self.read(hidden), dim=-1), state

    return Network()


def _padded(log: Log) -> list[Array]:
    """Each student's sequence after the start (n)."""
    parts = np.split(log.item.astype(np.int64), log.bounds[1:-1])
    return [np.concatenate([[len(log.items)], part]) for part in parts]


class _Trainer:
    """Passes over the students. A long sequence is cut into windows, and each begins where the last one ended:

    a network that saw every window begin from nothing would have no idea of row 300, and drift when it generates.
    """

    def __init__(
        self, torch: Any, network: Any, sequences: list[Array], batch: int, generator: np.random.Generator
    ) -> None:
        self.torch, self.network, self.batch, self.generator = torch, network, batch, generator
        order = generator.permutation(len(sequences))
        outside = max(1, len(sequences) // 10)
        self.held_out = [sequences[place] for place in order[:outside]]
        self.training = [sequences[place] for place in order[outside:]] or self.held_out
        self.optimiser = torch.optim.Adam(network.parameters(), lr=RATE)

    def stage(self, rows: int, passes: int, advance: progress.Advance) -> None:
        """Pass over windows of this many rows until the held-out loss stops falling; keep the best."""
        best, patience, kept = self._loss(), PATIENCE, copy.deepcopy(self.network.state_dict())
        for _ in range(passes):
            self._learn(rows)
            loss = self._loss()
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

    def _learn(self, rows: int) -> None:
        self.network.train()
        for batch in _batches(self.training, self.batch, self.generator):
            for loss, count in self._losses(batch, rows):
                self.optimiser.zero_grad()
                (loss / count).backward()
                self.torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
                self.optimiser.step()

    def _loss(self) -> float:
        """Mean loss per row over the students held out, each from the first row to the last."""
        self.network.eval()
        with self.torch.no_grad():
            batches = _batches(self.held_out, self.batch, None)
            parts = [part for batch in batches for part in self._losses(batch, SHORT_TO_LONG[-1])]
        return float(sum(loss.item() for loss, _ in parts) / sum(count for _, count in parts))

    def _losses(self, batch: list[Array], rows: int) -> Iterator[tuple[Any, int]]:
        """Window after window of a batch; the state is carried over, the gradient is not."""
        codes = np.full((len(batch), max(part.size for part in batch)), -1, dtype=np.int64)
        for row, part in enumerate(batch):  # the longest first: those that go on are always in front
            codes[row, : part.size] = part
        device = next(self.network.parameters()).device
        lengths = np.array([part.size - 1 for part in batch])
        state = None
        for start in range(0, codes.shape[1] - 1, rows):
            going = int((codes[:, start + 1] >= 0).sum())
            window = codes[:going, start : start + rows + 1]
            inputs = self.torch.from_numpy(np.maximum(window[:, :-1], 0)).to(device)
            targets = self.torch.from_numpy(np.ascontiguousarray(window[:, 1:])).to(device)
            state = None if state is None else state[:, :going].detach().contiguous()
            places = self.torch.from_numpy(_places(lengths[:going], start, window.shape[1] - 1)).to(device)
            logits, state = self.network(inputs, places, state)
            loss = self.torch.nn.functional.nll_loss(
                logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=-1, reduction="sum"
            )
            yield loss, int((window[:, 1:] >= 0).sum())


def _places(lengths: Array, start: int, rows: int) -> Array:
    """What the network knows of the place: how many rows are done and how many the log will have, in logarithms."""
    out = np.empty((lengths.size, rows, 2), dtype=np.float32)
    out[..., 0] = np.log1p(start + np.arange(rows)) / 4
    out[..., 1] = np.log(lengths)[:, None] / 4
    return out


def _batches(sequences: list[Array], students: int, generator: np.random.Generator | None) -> list[list[Array]]:
    """Students with logs of similar length together, the longest first; batches in random order."""
    sizes = np.array([part.size for part in sequences], dtype=float)
    starts = np.arange(0, len(sequences), students)
    if generator is not None:
        sizes += generator.random(sizes.size)
        starts = generator.permutation(starts)
    order = np.argsort(-sizes, kind="stable")
    return [[sequences[place] for place in order[start : start + students]] for start in starts]
