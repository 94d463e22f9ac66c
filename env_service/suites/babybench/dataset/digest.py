"""One number for the content of a data set, whatever files it is in."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from env_service.suites.babybench.dataset.columns import Row


class ContentDigest:
    """SHA-256 over rows in order, each as JSON with sorted keys, no spaces, and a line break.

    So it depends neither on the files' formats nor on how many processes made the rows.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, row: Row) -> None:
        """Takes in the next row."""
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._sha256.update(text.encode() + b"\n")

    def hexdigest(self) -> str:
        """Of the rows so far."""
        return self._sha256.hexdigest()


def dump(value: Any) -> str:
    """JSON on one line, for JSON Lines and for lists in CSV. Equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
