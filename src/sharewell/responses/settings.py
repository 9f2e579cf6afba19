"""How a generator is fitted."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

from sharewell.errors import InputError
from sharewell.responses.section import ABILITIES, MODELS, OUTCOMES

STUDENTS_PER_STEP = 5
BATCH = 32  # students in a batch of the network's training


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a generator is fitted."""

    model: str = "markov"
    outcomes: str = "pfa"
    ability: str = "normal"
    m: int = STUDENTS_PER_STEP  # different students that every step and item needs; 1: the plain chain
    order: int = 1
    noise: float = 0.0  # standard errors of noise on every number that is learnt
    smoothing: float = 0.0  # share of every row of the chain that is spread over coarser contexts
    longest: int | None = None
    batch: int = BATCH
    epochs: int | None = None  # passes of the network's training at most
    seed: int = 0  # of the network's training
    epsilon: float | None = None  # differential privacy per student; needs the two below
    items: tuple[Any, ...] | None = None  # the public list of items
    max_rows: int | None = None  # rows that one student contributes at most

    def __post_init__(self) -> None:
        for name, choices in (("model", MODELS), ("outcomes", OUTCOMES), ("ability", ABILITIES)):
            if getattr(self, name) not in choices:
                raise InputError(f"{name} '{getattr(self, name)}' is not known; use one of {', '.join(choices)}")
        for name in ("m", "order", "noise", "smoothing", "batch"):
            if not isinstance(given := getattr(self, name), Real):
                raise InputError(f"{name} takes a number, not {type(given).__name__}")
        if self.batch < 1 or (self.epochs is not None and self.epochs < 1):
            raise InputError("batch and epochs of the network are whole numbers from 1")
        if self.m < 1 or not 1 <= self.order <= 3 or not 0 <= self.smoothing < 1 or self.noise < 0:
            raise InputError("expected m from 1, order 1 to 3, smoothing from 0 up to 1, and noise from 0")

    @property
    def noisy(self) -> bool:
        """Whether what is learnt carries noise in standard errors: a budget and a network bring their own."""
        return self.epsilon is None and self.model != "gru"
