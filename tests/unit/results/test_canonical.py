"""Canonical JSON: one value, one byte string."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.storage.canonical_json import canonical, parse, writable

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def test_keys_are_sorted_and_nothing_is_wasted() -> None:
    assert canonical({"b": [1, 2.5], "a": "Küche", "c": None}) == (
        '{"a":"Küche","b":[1,2.5],"c":null}'.encode()
    )


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_parsing_gives_the_value_back_and_writing_the_bytes(value: dict[str, object]) -> None:
    line = canonical(value)

    assert parse(line) == value
    assert canonical(parse(line)) == line


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_but_can_be_made_writable(value: float) -> None:
    with pytest.raises(ValueError):
        canonical({"cost": value})

    assert parse(canonical(writable({"cost": [value]}))) == {"cost": [str(value)]}


def test_half_a_surrogate_is_refused_but_can_be_made_writable() -> None:
    with pytest.raises(ValueError):
        canonical("\ud800")

    assert canonical(writable({"a": ("\ud800", 1)})) == b'{"a":["?",1]}'


@pytest.mark.parametrize("line", [b"NaN", b'{"a":Infinity}', b"{", b"\xff", b"", b"[" * 100_000])
def test_what_is_no_json_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        parse(line)
