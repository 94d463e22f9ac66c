"""The package `houseguest`: light to import, and at home with the protocol's stubs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import houseguest

PROBE = """
import sys
import houseguest
from houseguest.agent.v1 import agent_pb2
heavy = {"env_service", "numpy", "PIL", "click", "rich", "pandas", "polars", "pyarrow", "asyncio"}
print(*sorted(heavy & set(sys.modules)))
"""


def test_importing_it_brings_nothing_that_is_not_used_and_leaves_the_stubs_in_place() -> None:
    found = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []


def test_every_public_name_is_there_and_listed() -> None:
    assert dir(houseguest) == sorted(houseguest.__all__)
    for name in houseguest.__all__:
        assert getattr(houseguest, name).__name__ == name


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        _ = houseguest.lod
