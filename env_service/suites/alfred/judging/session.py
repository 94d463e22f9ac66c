"""A recorded attempt at a task, as LoTa-Bench writes it down."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.alfred.task import Goal


class LogError(ValueError):
    """A log cannot be read. The message names file, line and reason, and what to do."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}, line {line}: {reason}")
        self.source, self.line = source, line


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """One step: its words, and what the connector said of it; nothing if it worked."""

    said: str
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One task of a log.

    Attributes:
        trial: the trial's id; empty where the log does not tell it.
        name: ALFRED's name of the task ("pick_and_place_simple-SoapBar-None-Cart-401"); may be
            empty too.
        repeat: the number of the annotation; None if it is not told.
        command: as the agent was told; empty where the log does not tell it.
        steps: in order, without "done".
        said_done: whether the plan ended with it.
        goal: as the log tells it; None if it does not.
        success: whether the goal was met.
        outcomes_told: whether the log tells which steps failed.
        line: where it begins, counted from 1.
        problem: why it cannot be judged; empty where it can.
    """

    trial: str
    name: str
    repeat: int | None
    command: str
    steps: tuple[LoggedStep, ...]
    said_done: bool
    goal: Goal | None
    success: bool
    outcomes_told: bool = True
    line: int = 1
    problem: str = ""
