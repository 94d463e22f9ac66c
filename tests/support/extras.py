"""Modules that come with an extra."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def extra_module(
    name: str, extra: str = "houseguest-model-guest[local]", required: str = "REQUIRE_TORCH"
) -> Any:
    """A module of an extra. Where it is not installed, skips the test or the test module that asks
    for it; ``required`` is the variable of the environment which turns that into a failure."""
    if _installed(name):
        return import_module(name)
    message = f"{name} is not installed: pip install '{extra}'"
    if os.environ.get(required) == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        # A package around it is missing.
        return False
