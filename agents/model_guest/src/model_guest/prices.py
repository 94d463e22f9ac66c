"""The cost of a model's tokens."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .model import CallUsage

MILLION = 1_000_000


class PricesError(ValueError):
    """A price file that cannot be used; the message names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens, and for one picture if pictures are charged separately.

    ``cached`` is for input that the server had cached; None for the price of other input.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    picture: float = 0.0

    def cost(self, usage: CallUsage) -> float:
        """US dollars for one call."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_input_tokens
        tokens = (
            fresh * self.input
            + usage.cached_input_tokens * cached
            + usage.output_tokens * self.output
        )
        return tokens / MILLION + usage.images * self.picture


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by pattern of a model's name (``*`` and ``?``), the more exact pattern first."""

    table: Mapping[str, Price] | None = None

    def find(self, model: str) -> Price | None:
        """The price of a model; None if it is unknown. Letter case does not matter.

        A name without wildcards precedes any pattern, and a longer pattern a shorter one.
        """
        found = [name for name in self.table or {} if fnmatchcase(model.lower(), name.lower())]
        if not found:
            return None
        best = max(found, key=lambda name: ("*" not in name and "?" not in name, len(name)))
        return (self.table or {})[best]

    def charge(self, usage: CallUsage, model: str) -> CallUsage:
        """The usage with its cost, unless the server reported one or the price is unknown."""
        price = self.find(model)
        if usage.cost_usd or price is None:
            return usage
        return replace(usage, cost_usd=price.cost(usage))


def load_prices(path: Path) -> Prices:
    """Reads a TOML file with a table for each model or pattern of models, with keys of Price::

        ["gpt-5*"]
        input = 1.25
        cached = 0.125
        output = 10.0

    Raises PricesError.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PricesError(f"cannot read the prices in {path}: {error}") from error
    return Prices({name: _price(path, name, table) for name, table in tables.items()})


def _price(path: Path, name: str, table: Any) -> Price:
    known = [item.name for item in fields(Price)]
    if not isinstance(table, dict):
        raise PricesError(f'{path}: {name!r} must be a table, as in ["{name}"] input = 1.0')
    for key, value in table.items():
        if key not in known:
            raise PricesError(f"{path}, [{name}]: unknown key {key!r}; keys: {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise PricesError(f"{path}, [{name}]: {key} must be a number from 0, not {value!r}")
    return Price(**{key: float(value) for key, value in table.items()})
