"""An episode to be judged, and what the judgement is (docs/alfred-rules.md, Failures)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from env_service.suites.alfred.command_wordings import Command
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.steps import StepRecord
from env_service.suites.alfred.task import AlfredTask, Goal

MISLEADING, ACTION, PLAN = 1, 2, 3
"""The paper's types: the command asks for something else than the goal; navigation or manipulation
failed; the steps do not lead to the goal."""


class EpisodeEnd(Enum):
    """Why no more steps came."""

    PLAN_OVER = "plan_over"
    """All steps of a whole plan were tried."""
    DONE = "done"
    """The agent said done, step by step."""
    STEP_LIMIT = "step_limit"
    EMPTY_PLAN = "empty_plan"
    PLAN_TOO_LONG = "plan_too_long"
    UNREADABLE = "unreadable"
    STOPPED = "stopped"
    """The agent gave up, was lost, or ran out of time."""

    @property
    def malformed(self) -> bool:
        """Whether nothing was tried, as the answer was no plan."""
        return self in (EpisodeEnd.EMPTY_PLAN, EpisodeEnd.PLAN_TOO_LONG, EpisodeEnd.UNREADABLE)


class FailureCode(Enum):
    """What went wrong, more closely (docs/alfred-rules.md, Failures)."""

    COMMAND_CONTRADICTS = "command_contradicts"
    """The command asks for something else than the goal, and the plan went by it."""
    COMMAND_INCOMPLETE = "command_incomplete"
    """The command does not ask for all that the goal wants, and the plan did no more."""
    UNKNOWN_NAME = "unknown_object_name"
    NO_SUCH_OBJECT = "no_such_object"
    HAND_FULL = "hand_full"
    HAND_EMPTY = "hand_empty"
    HELD_WHEN_SLICED = "held_when_sliced"
    CLOSED_CONTAINER = "closed_container"
    WRONG_STATE = "wrong_state"
    NO_DESTINATION = "no_destination"
    NOT_GONE_TO = "not_gone_to"
    """What it handles was not looked for before."""
    WRONG_RECEPTACLE = "wrong_receptacle"
    """A receptacle that takes no such thing."""
    NOT_REACHED = "not_reached"
    NOT_VISIBLE = "not_visible"
    BLOCKED = "blocked"
    NO_ROOM = "no_room"
    REFUSED = "refused"
    ANOTHER_INSTANCE = "another_instance"
    """Every step worked, but not on the instances that the goal needed."""
    WRONG_OBJECT = "wrong_object"
    WRONG_DESTINATION = "wrong_destination"
    WRONG_MOVABLE = "wrong_movable_receptacle"
    MISSING_STATE_CHANGE = "missing_state_change"
    STATE_CHANGE_ON_ANOTHER = "state_change_on_another_instance"
    MISSING_SLICE = "missing_slice"
    WRONG_COUNT = "only_one_of_two"
    LAMP_OFF = "lamp_not_on"
    PREMATURE_DONE = "premature_done"
    GOAL_UNDONE = "goal_undone"
    """The goal was reached, and a later step undid it."""
    STEP_LIMIT = "step_limit"
    MALFORMED = "malformed_output"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """An episode that failed.

    Attributes:
        task: with all its commands, which show the wording of this one.
        goal: the task's, with the object types of this scene.
        command: the agent's.
        opening: the scene before the first step; None if only the goal and the steps are known,
            as in a log.
        records: the steps that were tried, in order.
        ended: why no further step followed.
        rules: those that were played.
        aliases: object types that this scene names otherwise, by the skills' name. The types of
            the goal need no alias.
        outcomes_known: whether the records show which steps failed.
        refused: why nothing of an answer was tried, in a sentence; empty if something was.
    """

    task: AlfredTask
    goal: Goal
    command: Command
    opening: AlfredView | None
    records: tuple[StepRecord, ...]
    ended: EpisodeEnd
    rules: Rules = field(default_factory=Rules)
    aliases: Mapping[str, str] = field(default_factory=dict)
    outcomes_known: bool = True
    refused: str = ""

    @property
    def names(self) -> Mapping[str, str]:
        """The names of object types in this scene that differ from the task's."""
        given, here = self.task.goal, self.goal
        pairs = zip(
            (given.object, given.parent, given.movable, given.toggle),
            (here.object, here.parent, here.movable, here.toggle),
            strict=True,
        )
        return {**self.aliases, **{old: new for old, new in pairs if old != new}}


@dataclass(frozen=True, slots=True)
class Analysis:
    """Why an episode failed.

    Attributes:
        types: of MISLEADING, ACTION and PLAN those that apply, ascending; at least one, but for an
            episode that succeeded.
        codes: values of `Code`, those that decided first.
        explanation: which step, which object, which part of the command: for a person to check.
    """

    types: tuple[int, ...]
    codes: tuple[str, ...] = ()
    explanation: str = ""


NO_FAILURE = Analysis(())
"""Of an episode that succeeded."""
