"""What a model agent reports to its operator: log lines, notices, and its self-check."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Literal

NOTICE = "notice: "
"""The prefix of lines that `houseguest run` also shows on the operator's terminal."""

Log = Callable[[str], None]


def log_to_stderr(line: str) -> None:
    """The default log: a run stores the standard error of its agents."""
    print(line, file=sys.stderr, flush=True)


def notice(text: str) -> str:
    """The text as one log line that the operator sees."""
    return NOTICE + " ".join(text.split())


# --- The self-check of an agent (``--check``), for people and for ``houseguest doctor``

State = Literal["ok", "note", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what it found and, for a problem, how to fix it."""

    name: str
    state: State
    found: str
    mend: str = ""


def report_checks(checks: Iterable[Check]) -> int:
    """Prints ``{"checks": […]}`` and returns the exit status: 1 if there is a problem."""
    listed = list(checks)
    print(json.dumps({"checks": [asdict(check) for check in listed]}, ensure_ascii=False, indent=2))
    return int(any(check.state == "problem" for check in listed))
