"""Pseudonyms and keyed randomness: same key same draws, other key or scope other draws."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data.keyed import KEY_BYTES, Keyed, new_key

KEY = bytes(range(32))


def test_keys_are_fresh_and_long() -> None:
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50
    assert {len(key) for key in keys} == {KEY_BYTES}


def test_the_key_never_shows_in_a_printout() -> None:
    assert KEY.hex() not in repr(Keyed(KEY, "x")) and repr(KEY) not in repr(Keyed(KEY, "x"))


def test_secret_is_hkdf_expand() -> None:
    """Against the definition in RFC 5869, written out by hand for two blocks."""
    info = b"scope\0purpose"
    first = hmac.new(KEY, info + b"\x01", hashlib.sha256).digest()
    second = hmac.new(KEY, first + info + b"\x02", hashlib.sha256).digest()
    assert Keyed(KEY, "scope").secret("purpose", 50) == (first + second)[:50]


@given(st.lists(st.text(max_size=20), unique=True, max_size=40))
def test_pseudonyms_are_stable_distinct_and_tell_nothing(values: list[str]) -> None:
    draws = Keyed(KEY, "a")
    names = draws.pseudonyms(values)
    assert names == draws.pseudonyms(reversed(values))
    assert len(set(names.values())) == len(values)
    assert all(value not in name for value, name in names.items() if len(value) > 3)


def test_scopes_purposes_and_keys_do_not_share_pseudonyms() -> None:
    ids = [f"s{number}" for number in range(200)]
    streams = [
        Keyed(KEY, "a").pseudonyms(ids),
        Keyed(KEY, "b").pseudonyms(ids),
        Keyed(KEY, "a").pseudonyms(ids, "row"),
        Keyed(bytes(32), "a").pseudonyms(ids),
    ]
    assert len({name for stream in streams for name in stream.values()}) == 4 * len(ids)


@given(st.text(), st.text(), st.binary(min_size=32, max_size=32))
def test_a_digest_is_an_hmac(value: str, purpose: str, key: bytes) -> None:
    keyed = Keyed(key, "a")
    expected = hmac.new(keyed.secret(f"pseudonym:{purpose}"), value.encode(), hashlib.sha256).hexdigest()
    assert keyed.digest(purpose)(value) == expected


def test_colliding_pseudonyms_are_lengthened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharewell.data.keyed.PSEUDONYM_LETTERS", 1)
    names = Keyed(KEY, "a").pseudonyms([str(number) for number in range(100)])
    assert len(set(names.values())) == 100


def test_generators_repeat_for_the_same_key_only() -> None:
    def draw(key: bytes, scope: str, purpose: str) -> list[int]:
        return list(Keyed(key, scope).generator(purpose).integers(0, 1 << 62, 4))

    assert draw(KEY, "a", "shift") == draw(KEY, "a", "shift")
    others = [draw(KEY, "a", "noise"), draw(KEY, "b", "shift"), draw(bytes(32), "a", "shift")]
    assert draw(KEY, "a", "shift") not in others
