"""What is drawn once for a student and a session, and is the same in every version of a release under one key.

Whoever holds several versions averages over them: noise that is drawn anew in each comes out, and what it hid is left.
So the noise beside what digits keep of a student belongs to the student. The lots by which a session keeps its keys, is
typed at another speed or finds the session whose keys it gets belong to the session. Times are drawn anew: they show
nothing but these.

Lots of another setting are other lots: were a session to stray at one share of lots and not at a smaller one, two
versions would tell that it had its own speed in one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from sharewell.data.keyed import Keyed, digest_with
from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.keystrokes.eventlog import Events

PER_SESSION = 4  # whether it keeps its keys, whether it strays, to which speed, its place where sessions change places
LETTERS, BITS = 16, 53  # of a digest that make a number; of them those that a float can hold


@dataclass(frozen=True, kw_only=True)
class Lots:
    session: Array  # sessions × PER_SESSION, in [0, 1)
    student: Array  # normal, one each


def drawn(sessions: int, students: int, generator: np.random.Generator) -> Lots:
    """Lots of a draw that is measured and never released."""
    session = generator.random((sessions, PER_SESSION - 1))
    place = generator.spawn(1)[0].random((sessions, 1))  # of a stream of its own: times do not depend on it
    return Lots(session=np.hstack([session, place]), student=generator.standard_normal(students))


@dataclass(frozen=True, kw_only=True)
class LotSecrets:
    """What of the key the lots of one setting are drawn with, and nothing else of it."""

    sessions: tuple[bytes, bytes] = field(repr=False)
    students: tuple[bytes, bytes] = field(repr=False)


def secrets(keyed: Keyed, setting: object) -> LotSecrets:
    return LotSecrets(sessions=keyed.pads(f"lots of sessions: {setting}"), students=keyed.pads("lots of students"))


def of_release(known: LotSecrets, events: Events) -> Lots:
    """The lots of a release: whoever stays has the same ones in the next version."""
    starts = session_starts(events.typing.session)[:-1]
    owner = events.students[events.typing.student[starts]]
    sessions = [f"{who}\0{session}" for who, session in zip(owner, events.sessions, strict=True)]
    return Lots(
        session=numbers(known.sessions, sessions, PER_SESSION),
        student=ndtri(numbers(known.students, map(str, events.students), 1)[:, 0]),
    )


def numbers(pads: tuple[bytes, bytes], names: Iterable[str], each: int) -> Array:
    """So many numbers in (0, 1) for each name."""
    digest = digest_with(pads)
    found = [
        [(int(text[one * LETTERS : (one + 1) * LETTERS], 16) >> (4 * LETTERS - BITS)) + 0.5 for one in range(each)]
        for text in map(digest, names)
    ]
    return np.array(found, dtype=float).reshape(-1, each) / 2.0**BITS
