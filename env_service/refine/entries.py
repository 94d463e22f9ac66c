"""What is known of one task after one stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from env_service.refine.findings import Code
from env_service.refine.stages import Stage

Key = tuple[str, Stage, int]
"""A task's id, a stage, and which of its original commands; 0 but for the integrity check."""

MODEL, PERSON = "model", "person"

_UNREAD = f"{Code.NOT_ANSWERED.value}: "


@dataclass(frozen=True, slots=True)
class Entry:
    """What a stage made for one task, or said of one of its original commands.

    Attributes:
        task: the task's id.
        stage: the stage.
        text: the command; of the integrity check the reason. Where nothing usable was said, what
            was said in its place, if anything.
        made_of: the text that it was made of; empty for the base command.
        place: which of the original commands; 0 for all other stages.
        type: the integrity check's verdict, 1 … 5; 0 for all other stages.
        findings: what rules find wrong with the text, each as "code: words".
        requests: how often the model was asked for this alone; 0: it came right with its batch.
        by: who has the last word, the model or a person.
    """

    task: str
    stage: Stage
    text: str
    made_of: str = ""
    place: int = 0
    type: int = 0
    findings: tuple[str, ...] = ()
    requests: int = 0
    by: str = MODEL

    @property
    def key(self) -> Key:
        """What there is one entry of."""
        return self.task, self.stage, self.place

    @property
    def done(self) -> bool:
        """Whether there is something to go on with: chatter in a text's place is not."""
        if self.stage is Stage.INTEGRITY:
            return bool(self.type)
        unread = any(each.startswith(_UNREAD) for each in self.findings)
        return bool(self.text) and (self.by == PERSON or not unread)

    @property
    def flagged(self) -> bool:
        """Whether a person should look at it."""
        return self.by == MODEL and bool(self.findings)

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        return {
            "task": self.task,
            "stage": self.stage.value,
            "place": self.place,
            "text": self.text,
            "made_of": self.made_of,
            "type": self.type,
            "findings": list(self.findings),
            "requests": self.requests,
            "by": self.by,
        }


def read_entry(value: Mapping[str, Any]) -> Entry:
    """What `Entry.to_json` wrote. Raises KeyError, TypeError or ValueError."""
    texts = {name: value[name] for name in ("task", "text", "made_of", "by")}
    numbers = {name: value[name] for name in ("place", "type", "requests")}
    findings = value["findings"]
    if not all(isinstance(each, str) for each in (*texts.values(), *findings)):
        raise TypeError("a text is no text")
    if not all(isinstance(each, int) for each in numbers.values()):
        raise TypeError("a number is no whole number")
    return Entry(stage=Stage(value["stage"]), findings=tuple(findings), **texts, **numbers)
