"""Finds the reference data that some tests compare with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"


def reference_path(name: str) -> Path:
    """The path of a reference file, if this machine has it."""
    return Path(os.environ.get("HOUSEGUEST_SHARED_DATA", _DEFAULT)) / name


def reference_data(name: str) -> Path:
    """Path of a reference file, e.g. ``"babybench/reference.json"``.

    Looks below ``HOUSEGUEST_SHARED_DATA``, by default ``../shared/data`` beside the
    checkout. Skips the calling test where the file is absent, or fails it when
    ``REQUIRE_DATA=1``.
    """
    path = reference_path(name)
    if path.exists():
        return path
    message = f"reference data not found: {path}"
    if os.environ.get("REQUIRE_DATA") == "1":
        pytest.fail(message)
    pytest.skip(message)
