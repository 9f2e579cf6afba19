"""Pseudonyms and keyed randomness: same key same draws, other key or scope other draws."""

import hashlib
import hmac
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ibis.expr.types import Table

from sharewell.data import engine, id_mapping
from sharewell.data.keyed import DIGEST_LETTERS, KEY_BYTES, PSEUDONYM_LETTERS, Keyed, new_key
from sharewell.data.pseudonyms import mapping, of_rows

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


ROWS = pa.table(
    {
        "id": ["e1", "é2", None, "", "e1", "a\0b", "日本", "x" * 300],
        "parent": [None, "e1", "e1", "é2", "none", None, "", "日本"],
        "number": pa.array([1, -2, None, 2**53 + 1, 5, 6, 7, 1], pa.int64()),
        "share": [0.1, 1e300, None, 0.0, 2.5, -1.0, 1 / 3, 0.1],
        "stays": range(8),
    }
)


def rows(table: Table) -> list[dict[str, Any]]:
    return sorted(engine.arrow(table).to_pylist(), key=lambda row: row["stays"])


@pytest.mark.parametrize("columns", [["id"], ["id", "parent"], ["number"], ["share"]])
def test_ids_of_rows_are_computed_where_they_stand_as_they_would_be_looked_up(columns: list[str]) -> None:
    table, keyed = engine.table(ROWS), Keyed(KEY, "a")
    looked_up = id_mapping.replaced(table, columns, mapping(table, columns, keyed, "row"))
    computed = of_rows(table, columns, keyed)
    assert rows(computed) == rows(looked_up)
    assert {len(row[name]) for row in rows(computed) for name in columns if row[name]} == {PSEUDONYM_LETTERS}


@pytest.mark.parametrize("repeats", [1, 2])
def test_colliding_ids_of_rows_are_lengthened(monkeypatch: pytest.MonkeyPatch, repeats: int) -> None:
    monkeypatch.setattr("sharewell.data.pseudonyms.PSEUDONYM_LETTERS", 1)
    table = engine.table(pa.table({"id": [f"e{number}" for number in range(100)] * repeats}))
    made = engine.arrow(of_rows(table, ["id"], Keyed(KEY, "a")))["id"].to_pylist()
    assert len(set(made)) == 100 and len(made) == 100 * repeats
    assert {len(name) for name in made} == {DIGEST_LETTERS}


def test_generators_repeat_for_the_same_key_only() -> None:
    def draw(key: bytes, scope: str, purpose: str) -> list[int]:
        return list(Keyed(key, scope).generator(purpose).integers(0, 1 << 62, 4))

    assert draw(KEY, "a", "shift") == draw(KEY, "a", "shift")
    others = [draw(KEY, "a", "noise"), draw(KEY, "b", "shift"), draw(bytes(32), "a", "shift")]
    assert draw(KEY, "a", "shift") not in others
