"""Asks a model for descriptions, circumstances and definitions: checks what comes, asks again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from env_service.chat.endpoint import Asks, Message
from env_service.making.describing import INSTRUCTION, describe
from env_service.making.made import Made, Stage
from env_service.making.prompts import Prompts
from env_service.making.replies import (
    ReplyError,
    read_definition,
    read_description,
    read_sentences,
)
from env_service.making.stated import Stated
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.worlds.activity.bddl.problem import Problem

RETRIES = 2
"""How often a model is asked again for what would not do."""


class Question(Protocol):
    """One thing to ask for."""

    @property
    def activity(self) -> str:
        """Whose."""

    @property
    def stage(self) -> Stage:
        """What is asked for."""

    @property
    def which(self) -> str:
        """Which of them; see `made.Key`."""

    def opening(self, prompts: Prompts) -> list[Message]:
        """What is asked first."""

    def read(self, reply: str) -> tuple[str, ...]:
        """What was asked for. Raises ReplyError."""


@dataclass(frozen=True, slots=True)
class DescriptionQuestion:
    """Asks to describe one variant. ``text``: its BDDL."""

    activity: str
    variant: Variant
    problem: Problem
    text: str
    circumstance: str = ""

    @property
    def stage(self) -> Stage:
        """DESCRIPTION."""
        return Stage.DESCRIPTION

    @property
    def which(self) -> str:
        """The variant's number."""
        return str(self.variant.number)

    def opening(self, prompts: Prompts) -> list[Message]:
        """The definition, and the description by template."""
        told = describe(self.activity, self.problem, self.circumstance).partition(INSTRUCTION)[0]
        return prompts.describe(self.activity, told.strip(), self.text, self.circumstance)

    def read(self, reply: str) -> tuple[str, ...]:
        """The description with the instruction behind it. Raises ReplyError."""
        return (f"{read_description(reply, self.problem, self.circumstance)}\n{INSTRUCTION}\n",)


@dataclass(frozen=True, slots=True)
class CircumstancesQuestion:
    """Asks for so many circumstances of a kind. ``told``: the activity's description."""

    activity: str
    told: str
    kind: Circumstance
    number: int

    @property
    def stage(self) -> Stage:
        """CIRCUMSTANCES."""
        return Stage.CIRCUMSTANCES

    @property
    def which(self) -> str:
        """The kind and the number: more of them are another question."""
        return f"{self.kind.value}/{self.number}"

    def opening(self, prompts: Prompts) -> list[Message]:
        """The description, and what a circumstance of the kind is."""
        return prompts.circumstances(self.activity, self.told, self.kind, self.number)

    def read(self, reply: str) -> tuple[str, ...]:
        """The sentences. Raises ReplyError."""
        return read_sentences(reply, self.number)


@dataclass(frozen=True, slots=True)
class CounterfactualQuestion:
    """Asks for the definition under a circumstance.

    Attributes:
        stated: the circumstance.
        text: the normal problem's BDDL.
        faults: what is wrong with a definition, to be told to the model; none: it will do.
    """

    stated: Stated
    text: str
    faults: Callable[[str], tuple[str, ...]]

    @property
    def activity(self) -> str:
        """The circumstance's."""
        return self.stated.activity

    @property
    def stage(self) -> Stage:
        """COUNTERFACTUAL."""
        return Stage.COUNTERFACTUAL

    @property
    def which(self) -> str:
        """The circumstance itself."""
        return self.stated.text

    def opening(self, prompts: Prompts) -> list[Message]:
        """The definition, and the circumstance."""
        return prompts.counterfactual(self.stated, self.text)

    def read(self, reply: str) -> tuple[str, ...]:
        """The definition. Raises ReplyError, also for one that fails its check."""
        definition = read_definition(reply)
        if faults := self.faults(definition):
            raise ReplyError("; ".join(faults))
        return (definition,)


class Asker:
    """Puts questions to a model. Safe to use from several threads if the model is."""

    def __init__(self, model: Asks, prompts: Prompts, retries: int = RETRIES) -> None:
        """``retries``: how often it asks again, for each question."""
        self._model, self._prompts, self._retries = model, prompts, retries

    def digest(self, question: Question) -> str:
        """SHA-256 (hex) of what is asked first."""
        asked = [(each.role, each.text) for each in question.opening(self._prompts)]
        return hashlib.sha256(repr(asked).encode()).hexdigest()

    def do(self, question: Question) -> Made:
        """What comes of a question. Raises ModelError where the model does not answer."""
        asked = question.opening(self._prompts)
        messages, problem, number = asked, "", 0
        empty = Made(question.activity, question.stage, question.which, (), self.digest(question))
        for number in range(1, self._retries + 2):
            reply = self._model.ask(messages)
            try:
                texts = question.read(reply)
            except ReplyError as error:
                problem = str(error)
                messages = self._prompts.again(asked, reply, problem)
                continue
            return replace(empty, texts=texts, requests=number)
        return replace(empty, problem=problem, requests=number)
