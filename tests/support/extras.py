"""Modules that come with an extra."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def extra_module(name: str) -> Any:
    """A module of the extra ``local``. Where it is not installed, skips the test or the test
    module that asks for it; ``REQUIRE_TORCH=1`` turns that into a failure."""
    if find_spec(name) is not None:
        return import_module(name)
    message = f"{name} is not installed: pip install 'houseguest-model-guest[local]'"
    if os.environ.get("REQUIRE_TORCH") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)
