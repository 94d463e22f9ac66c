"""What a guest writes: lines for its log, some of which the operator sees at once."""

from __future__ import annotations

import sys
from collections.abc import Callable

NOTICE = "notice: "
"""How a line begins that `houseguest run` shows on the operator's terminal, too."""

Log = Callable[[str], None]


def log_to_stderr(line: str) -> None:
    """The default log: a run keeps what its guests write there."""
    print(line, file=sys.stderr, flush=True)


def notice(text: str) -> str:
    """The text as one line of the log that the operator sees."""
    return NOTICE + " ".join(text.split())
