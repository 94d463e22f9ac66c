"""What a model has made, and the file it is kept in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from env_service.chat.kept import Kept


class Stage(Enum):
    """What a model is asked for."""

    DESCRIPTION = "description"
    CIRCUMSTANCES = "circumstances"
    COUNTERFACTUAL = "counterfactual"


Key = tuple[str, Stage, str]
"""An activity, a stage, and which one: a variant's number, a kind, a circumstance."""


@dataclass(frozen=True, slots=True)
class Made:
    """The outcome of one question.

    Attributes:
        activity: whose.
        stage: what was asked for.
        which: which of them; see Key.
        texts: what came; empty: nothing usable.
        asked: SHA-256 (hex) of the question: for another one it is no answer.
        problem: why nothing usable came; empty where something did.
        requests: how often the model was asked.
    """

    activity: str
    stage: Stage
    which: str
    texts: tuple[str, ...]
    asked: str
    problem: str = ""
    requests: int = 1

    @property
    def key(self) -> Key:
        """What there is one of."""
        return self.activity, self.stage, self.which

    @property
    def done(self) -> bool:
        """Whether there is something to go on with."""
        return bool(self.texts)

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        return {**asdict(self), "stage": self.stage.value, "texts": list(self.texts)}


def read_made(value: Mapping[str, Any]) -> Made:
    """What `Made.to_json` wrote. Raises KeyError, TypeError or ValueError."""
    names = ("activity", "which", "problem", "asked")
    told = {name: value[name] for name in names}
    if not all(isinstance(each, str) for each in (*told.values(), *value["texts"])):
        raise TypeError("a text is no text")
    requests = value["requests"]
    if not isinstance(requests, int):
        raise TypeError("requests is no whole number")
    return Made(stage=Stage(value["stage"]), texts=tuple(value["texts"]), requests=requests, **told)


class MakingState(Kept[Key, Made]):
    """What is made so far."""

    FORMAT = "houseguest-making-1"
    COMMAND = "houseguest actplan make"
    read = staticmethod(read_made)
