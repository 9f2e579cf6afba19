"""Keyed pseudonyms and keyed randomness: one secret key per release, everything that protects is drawn from it.

Pseudonyms are HMAC-SHA-256 (RFC 2104) of the student id; further secrets are derived by HKDF-Expand (RFC 5869), so
that no two purposes share a stream. A published seed would let anyone replay a protecting draw: seeds are for
measurements only.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

KEY_BYTES = 32
INNER, OUTER = 0x36, 0x5C  # RFC 2104, section 2
DIGEST_LETTERS = 64
PSEUDONYM_LETTERS = 16  # 64 bits: two of a million students collide once in 10^7 releases


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


@dataclass(frozen=True)
class Keyed:
    """Secret randomness for one purpose. `scope` keeps files apart unless a release joins them."""

    key: bytes = field(repr=False)
    scope: str

    def within(self, scope: str) -> "Keyed":
        return Keyed(self.key, f"{self.scope}/{scope}")

    def secret(self, purpose: str, size: int = 32) -> bytes:
        """HKDF-Expand with SHA-256; the release key is uniform already, so the extract step is not needed."""
        info, block, out = f"{self.scope}\0{purpose}".encode(), b"", b""
        for counter in range(1, -(-size // 32) + 1):
            block = hmac.digest(self.key, block + info + bytes([counter]), hashlib.sha256)
            out += block
        return out[:size]

    def generator(self, purpose: str) -> "numpy.random.Generator":
        """A numpy generator whose 256-bit seed nobody outside can know."""
        import numpy

        return numpy.random.Generator(numpy.random.Philox(int.from_bytes(self.secret(purpose), "big")))

    def pads(self, purpose: str = "student") -> tuple[bytes, bytes]:
        """The inner and the outer block that HMAC puts before what it hashes; as secret as the key."""
        block = self.secret(f"pseudonym:{purpose}").ljust(hashlib.sha256().block_size, b"\0")
        return bytes(byte ^ INNER for byte in block), bytes(byte ^ OUTER for byte in block)

    def digest(self, purpose: str = "student") -> Callable[[str], str]:
        """What a pseudonym is the beginning of."""
        return digest_with(self.pads(purpose))

    def pseudonyms(self, values: Iterable[str], purpose: str = "student") -> dict[str, str]:
        """A pseudonym for every distinct value; a collision is drawn again at full length rather than merged."""
        digest = self.digest(purpose)
        digests = {value: digest(value) for value in values}
        short = {value: digest[:PSEUDONYM_LETTERS] for value, digest in digests.items()}
        return short if len(set(short.values())) == len(short) else digests


def digest_with(pads: tuple[bytes, bytes]) -> Callable[[str], str]:
    """HMAC for one purpose, with its two beginnings hashed once for millions of ids."""
    inner, outer = map(hashlib.sha256, pads)

    def digest(value: str) -> str:
        first, second = inner.copy(), outer.copy()
        first.update(value.encode())
        second.update(first.digest())
        return second.hexdigest()

    return digest
