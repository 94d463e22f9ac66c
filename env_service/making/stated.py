"""Circumstances that make an activity another one, and the files that they are kept in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from env_service.making.errors import CircumstanceError
from env_service.plain_files import read_plain_text
from env_service.suites.actplan.task import Circumstance

KINDS = (Circumstance.PROPERTY, Circumstance.FUNCTION, Circumstance.CAUSALITY)
"""The three kinds of the paper's Figure 4."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A circumstance.

    Attributes:
        activity: of which activity.
        kind: one of KINDS.
        text: one English sentence, which the description is given too.
        rule: the rule that makes it; empty: a model has to.
        by: the model that thought of it; empty: nobody but the rule.
    """

    activity: str
    kind: Circumstance
    text: str
    rule: str = ""
    by: str = ""

    def to_json(self) -> dict[str, str]:
        """As a line of a file."""
        return {**asdict(self), "kind": self.kind.value}


def read_stated(value: Mapping[str, Any]) -> Stated:
    """What `Stated.to_json` made. Raises KeyError, TypeError or ValueError."""
    texts = {name: value.get(name, "") for name in ("rule", "by")}
    needed = {name: value[name] for name in ("activity", "text")}
    if not all(isinstance(each, str) for each in (*texts.values(), *needed.values())):
        raise TypeError("a text is no text")
    if not needed["activity"] or not needed["text"].strip():
        raise ValueError("activity or text is empty")
    kind = Circumstance(value["kind"])
    if kind not in KINDS:
        raise ValueError(f"kind is {kind.value!r}")
    return Stated(kind=kind, **needed, **texts)


def read_circumstances(path: Path) -> tuple[Stated, ...]:
    """A file of circumstances: JSON Lines. Raises CircumstanceError."""
    try:
        lines = read_plain_text(path, encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CircumstanceError(f"{path} cannot be read: {error}") from error
    return tuple(_read(path, number, line) for number, line in enumerate(lines, 1) if line.strip())


def written(stated: Iterable[Stated]) -> bytes:
    """Circumstances as a file."""
    lines = (json.dumps(each.to_json(), ensure_ascii=False) for each in stated)
    return "".join(f"{line}\n" for line in lines).encode()


def _read(path: Path, number: int, line: str) -> Stated:
    try:
        return read_stated(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        kinds = ", ".join(each.value for each in KINDS)
        raise CircumstanceError(
            f"{path}, line {number} is no circumstance ({type(error).__name__}: {error}); write"
            f' {{"activity": NAME, "kind": one of {kinds}, "text": SENTENCE}}'
        ) from error
