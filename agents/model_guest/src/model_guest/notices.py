"""What a model agent tells its operator: log lines, notices, and its self-check."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Literal

NOTICE = "notice: "
"""How a line begins that `houseguest run` shows on the operator's terminal, too."""

Log = Callable[[str], None]


def log_to_stderr(line: str) -> None:
    """The default log: a run keeps what its agents write there."""
    print(line, file=sys.stderr, flush=True)


def notice(text: str) -> str:
    """The text as one line of the log that the operator sees."""
    return NOTICE + " ".join(text.split())


# --- The self-check of an agent (``--check``), for people and for ``houseguest doctor``

State = Literal["ok", "note", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and, unless it is well, how to mend it."""

    name: str
    state: State
    found: str
    mend: str = ""


def report_checks(checks: Iterable[Check]) -> int:
    """Prints ``{"checks": […]}``; the exit status, 1 where there is a problem."""
    listed = list(checks)
    print(json.dumps({"checks": [asdict(check) for check in listed]}, ensure_ascii=False, indent=2))
    return int(any(check.state == "problem" for check in listed))
