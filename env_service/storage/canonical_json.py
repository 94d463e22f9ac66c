"""One way, and only one, to write a value as bytes: what is hashed and signed."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

_ENCODER = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=False,
    allow_nan=False,
    check_circular=False,
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
MOST_WHOLE = 2**53 - 1
"""The largest whole number that a reader of JSON in JavaScript does not round."""
_MOST_DIGITS = 17
"""Of such a number, with its sign."""


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no spaces, in UTF-8.

    Equal values give equal bytes, and parsing gives the value back (tuples as lists).
    Raises ValueError for a number that is not finite and for a text that UTF-8 cannot hold.
    """
    return _ENCODER.encode(value).encode()


def parse(line: bytes) -> Any:
    """The value of a JSON text. Raises ValueError for what is none."""
    try:
        return _DECODER.decode(line.decode())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_exact(line: bytes) -> Any:
    """The same with numbers as texts that JavaScript would round or cannot hold."""
    try:
        return _EXACT_DECODER.decode(line.decode())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _whole_or_digits(digits: str) -> int | str:
    if len(digits) > _MOST_DIGITS:
        return digits
    number = int(digits)
    return number if abs(number) <= MOST_WHOLE else digits


def _finite_or_digits(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


_EXACT_DECODER = json.JSONDecoder(
    parse_int=_whole_or_digits, parse_float=_finite_or_digits, parse_constant=_refuse
)


def writable(value: Any) -> Any:
    """A copy of ``value`` that ``canonical`` can write, whatever an agent put into it.

    Numbers that are not finite become their names as text, and half surrogates become "?".
    """
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case str():
            return value.encode(errors="replace").decode()
        case dict():
            return {writable(str(key)): writable(item) for key, item in value.items()}
        case list() | tuple():
            return [writable(item) for item in value]
        case _:
            return value
