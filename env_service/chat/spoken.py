"""What a model says, apart from what it thinks aloud."""

from __future__ import annotations

import re

_THOUGHTS = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_UNOPENED = re.compile(r"\A.*</(?:think|thinking|thought|thoughts|reasoning)>", re.DOTALL | re.I)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$", re.MULTILINE)


def spoken(reply: str) -> str:
    """A reply without the model's thoughts and without fences around it."""
    text = _UNOPENED.sub("", _THOUGHTS.sub("", reply))
    return _FENCE.sub("", text).strip()
