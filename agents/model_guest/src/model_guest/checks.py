"""The self-check of a guest (``--check``), for people and for ``houseguest doctor``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "note", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and, unless it is well, how to mend it."""

    name: str
    state: State
    found: str
    mend: str = ""


def report(checks: Iterable[Check]) -> int:
    """Prints ``{"checks": […]}``; the exit status, 1 where there is a problem."""
    listed = list(checks)
    print(json.dumps({"checks": [asdict(check) for check in listed]}, ensure_ascii=False, indent=2))
    return int(any(check.state == "problem" for check in listed))
