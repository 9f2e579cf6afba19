"""Keys and signatures: who signed, over what, and everything that voids it."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from sharewell.errors import DiskError, InputError
from sharewell.release import signature

DIGEST = "ab" * 32


def test_a_key_signs_and_its_public_half_tells_who(tmp_path: Path) -> None:
    signer = signature.new_keys(tmp_path / "signing-key", "Data  office")
    made = signature.sign(tmp_path / "signing-key", DIGEST, purpose="release")
    assert signature.is_genuine(made) and made.name == "Data office" and made.over == DIGEST
    (known,) = signature.read_signers(tmp_path / "signing-key.pub")
    assert known == signer and made.public == known.public
    assert stat.S_IMODE((tmp_path / "signing-key").stat().st_mode) == 0o600


@pytest.mark.parametrize("field", ["name", "at", "purpose", "over", "public", "signature"])
def test_every_word_is_signed(tmp_path: Path, field: str) -> None:
    signature.new_keys(tmp_path / "key", "A")
    signature.new_keys(tmp_path / "other", "A")
    made = signature.sign(tmp_path / "key", DIGEST, purpose="release")
    other = signature.sign(tmp_path / "other", "cd" * 32, purpose="approval")
    forged = {"name": "B", "at": "2020-01-01T00:00:00+00:00", "purpose": "approval"}
    value = forged.get(field) or getattr(other, field)
    assert not signature.is_genuine(replace(made, **{field: value}))


def test_keys_are_never_written_over(tmp_path: Path) -> None:
    signature.new_keys(tmp_path / "key", "A")
    before = (tmp_path / "key").read_text()
    with pytest.raises(DiskError, match="already"):
        signature.new_keys(tmp_path / "key", "A")
    assert (tmp_path / "key").read_text() == before


def test_a_key_signs_under_its_own_name_only(tmp_path: Path) -> None:
    signature.new_keys(tmp_path / "key", "Ana")
    with pytest.raises(InputError, match="belongs to Ana"):
        signature.sign(tmp_path / "key", DIGEST, purpose="approval", name="Ben")


@pytest.mark.parametrize(
    "text", ["", "x", "sharewell-ed25519 12 A", "sharewell-ed25519-private zz A", "ssh-ed25519 AAAA a"]
)
def test_what_is_no_key_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    for read in (signature.read_signers, signature.signer_of):
        with pytest.raises(InputError, match="sign"):
            read(path)


def test_signatures_are_read_back_and_damage_is_told(tmp_path: Path) -> None:
    assert signature.read(tmp_path) == []
    signature.new_keys(tmp_path / "key", "A")
    made = signature.sign(tmp_path / "key", DIGEST, purpose="release")
    signature.write(tmp_path, [made])
    assert signature.read(tmp_path) == [made]
    for damaged in ("{", "{}", json.dumps({"signatures": [{"name": "x"}]}), json.dumps({"signatures": 3})):
        (tmp_path / signature.FILE).write_text(damaged)
        with pytest.raises(InputError):
            signature.read(tmp_path)
