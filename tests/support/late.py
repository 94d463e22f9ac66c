"""Modules that take long to import and that few tests need.

Each worker of pytest-xdist imports every test module, to collect it, and runs a share of them: what
a test module imports at its top, every worker imports.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Late:
    """A module that is imported where something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest asks all that a test module has for attributes of its own.
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
