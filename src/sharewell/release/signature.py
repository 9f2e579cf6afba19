"""Who stands behind a release: Ed25519 signatures (RFC 8032) over the hash of its manifest.

Hashes show that nothing was changed since the manifest was written; they prove no author, because a person who changes
a file can write the manifest anew. A signature can only be made with the private key, so that anyone with the signer's
public key from elsewhere (a web page, a telephone call) knows who it was.

    signing-key        private, one line: what it is, the key, the name of the signer; 0600
    signing-key.pub    public, one line of the same form: given to recipients by another way than the release
    signature.json     in the release, beside manifest.json: every signature with its name and date
    signoff.html       the same for people, written from it
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharewell.data import system
from sharewell.errors import DiskError, InputError
from sharewell.release import papers
from sharewell.release.papers import Malformed
from sharewell.show import signoff

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE, PAGE = "signature.json", "signoff.html"
DECIDED = {"release": "signed the release as its maker", "approval": "approved the release"}
PRIVATE, PUBLIC = "sharewell-ed25519-private", "sharewell-ed25519"
PURPOSES = ("release", "approval")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """One signature: who, when, for what, over which hash. Name, date and purpose are signed as well."""

    name: str
    public: str
    at: str
    purpose: str
    over: str
    signature: str

    def to_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Signer:
    """A public key and the name that goes with it."""

    name: str
    public: str

    @property
    def fingerprint(self) -> str:
        """Short enough to be read out: the first half of the hash of the key."""
        return spoken(hashlib.sha256(bytes.fromhex(self.public)).hexdigest()[:32])


def new_keys(path: Path, name: str) -> Signer:
    """Make a pair of keys, `path` and `path`.pub; write nothing over."""
    name = " ".join(name.split())
    if not name:
        raise InputError("say whose key it is: --name 'Data office'")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    beside = path.with_name(path.name + ".pub")
    _write_new(path, f"{PRIVATE} {key.private_bytes_raw().hex()} {name}\n", 0o600)
    _write_new(beside, f"{PUBLIC} {public} {name}\n", 0o644)
    return Signer(name=name, public=public)


def sign(path: Path, digest: str, *, purpose: str, name: str | None = None) -> Signature:
    """Sign with the private key of a file; `name` must be that of the key."""
    what, secret, owner = _line(path)
    if what != PRIVATE:
        raise InputError("this is not a private signing key; `sharewell keys new` makes one", file=path)
    if name is not None and name != owner:
        raise InputError(f"this key belongs to {owner}: sign as {owner}, or name another key", file=path)
    key = _private(secret)
    unsigned = Signature(
        name=owner,
        public=key.public_key().public_bytes_raw().hex(),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        purpose=purpose,
        over=digest,
        signature="",
    )
    return Signature(**{**unsigned.to_dict(), "signature": key.sign(_message(unsigned)).hex()})


def is_genuine(signature: Signature) -> bool:
    """Return whether this key made this signature; not whose key it is."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public))
        public.verify(bytes.fromhex(signature.signature), _message(signature))
    except (InvalidSignature, ValueError):
        return False
    return True


def read_signers(path: Path) -> list[Signer]:
    """The public keys of a file, one in each line."""
    try:
        lines = [line.split(maxsplit=2) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except FileNotFoundError:
        raise InputError("there is no such file; it holds the signer's public key", file=path) from None
    except UnicodeDecodeError:
        lines = [["?"]]
    if not lines or any(len(line) != 3 or line[0] != PUBLIC or not _is_key(line[1]) for line in lines):
        raise InputError(f"not a public signing key: a line reads '{PUBLIC} KEY NAME'", file=path)
    return [Signer(name=name, public=public) for _, public, name in lines]


def signer_of(path: Path) -> Signer:
    """Whose private key it is."""
    what, secret, name = _line(path)
    if what != PRIVATE:
        raise InputError("this is not a private signing key; `sharewell keys new` makes one", file=path)
    return Signer(name=name, public=_private(secret).public_key().public_bytes_raw().hex())


def write(folder: Path, signatures: Iterable[Signature]) -> None:
    made = list(signatures)
    signed = {"signatures": [one.to_dict() for one in made]}
    (folder / FILE).write_text(
        json.dumps(signed, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (folder / PAGE).write_text(page(made), encoding="utf-8")


def page(signatures: Sequence[Signature]) -> str:
    """Who decided what and when, for people."""
    decisions = [
        signoff.Decision(
            at=one.at,
            name=one.name,
            decided=DECIDED[one.purpose],
            fingerprint=Signer(name=one.name, public=one.public).fingerprint,
        )
        for one in signatures
    ]
    return signoff.render(decisions, digest=spoken(signatures[0].over))


def read(folder: Path) -> list[Signature]:
    """Read the signatures of a release, none where it has none."""
    path = folder / FILE
    if not path.exists():
        return []
    try:
        return parsed(papers.parse(path.read_bytes()))
    except Malformed as error:
        raise InputError(str(error), file=path) from None


def parsed(found: Mapping[str, Any]) -> list[Signature]:
    """Parse a signature file; report what is not as it must be."""
    try:
        return [_parsed(one) for one in found["signatures"]]
    except (KeyError, TypeError, AttributeError):
        raise Malformed("cannot be read as signatures") from None


def digest_of(folder: Path) -> str:
    """Hash the manifest, which holds the hash of everything else."""
    return digest_of_manifest((folder / "manifest.json").read_bytes())


def digest_of_manifest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def spoken(digest: str) -> str:
    """A hash in groups of four, to be compared by telephone."""
    return " ".join(digest[place : place + 4] for place in range(0, len(digest), 4))


def _parsed(found: Mapping[str, Any]) -> Signature:
    one = Signature(**{name: str(value) for name, value in found.items()})
    if one.purpose not in PURPOSES:
        raise TypeError
    return one


def _message(signature: Signature) -> bytes:
    """The words that are signed: everything but the signature, in one fixed form."""
    signed = {name: value for name, value in signature.to_dict().items() if name != "signature"}
    return b"sharewell signature 1\n" + json.dumps(signed, sort_keys=True, ensure_ascii=True).encode()


def _private(secret: str) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))


def _line(path: Path) -> tuple[str, str, str]:
    try:
        parts = path.read_text(encoding="utf-8").strip().split(maxsplit=2)
    except FileNotFoundError:
        raise InputError("there is no such key; `sharewell keys new` makes one", file=path) from None
    except UnicodeDecodeError:
        parts = []
    if len(parts) != 3 or parts[0] not in (PRIVATE, PUBLIC) or not _is_key(parts[1]):
        raise InputError("not a signing key; `sharewell keys new` makes one", file=path)
    return parts[0], parts[1], parts[2]


def _is_key(text: str) -> bool:
    try:
        return len(bytes.fromhex(text)) == 32
    except ValueError:
        return False


def _write_new(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.BINARY, mode)
    except FileExistsError:
        raise DiskError(f"{path}: there is a key already, and a key that is lost cannot be made again") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
