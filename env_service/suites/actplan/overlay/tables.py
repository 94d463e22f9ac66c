"""The overlay's tables: facts of ours about published problems, kept apart from these."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


class TableError(ValueError):
    """An entry of a table that says nothing, or what nobody understands."""


@cache
def read_table(name: str) -> dict[str, Any]:
    """One of the tables beside this file: "corrections.toml"."""
    text = files("env_service.suites.actplan.overlay").joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(text)


def check_keys(entry: dict[str, Any], known: frozenset[str], table: str) -> None:
    """Raises TableError where an entry has a key that is not ``known``."""
    for key in entry:
        if key not in known:
            raise TableError(
                f'{table}: an entry of {entry.get("activity")} has the key "{key}"; known are'
                f" {', '.join(sorted(known))}"
            )
