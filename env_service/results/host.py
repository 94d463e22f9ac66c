"""What a run was played on: versions and hardware."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def package_versions(names: Iterable[str]) -> dict[str, str]:
    """The installed version of each distribution; "not installed" where it is absent."""
    return {name: _version(name) for name in names}


def host_versions() -> dict[str, str]:
    """The service's own version, Python's, and the platform's."""
    return {
        "houseguest": _version("houseguest"),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def hardware() -> dict[str, Any]:
    """The processor's model, the cores this process may use, and the memory in bytes."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.machine()
