"""The interface between a suite's rules and the service: one attempt at one task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Protocol

from env_service.domain.action import Action, ActionSpace
from env_service.domain.failure import FailureClass
from env_service.domain.observation import Observation
from env_service.domain.outcome import Outcome


class Mode(IntEnum):
    """How an episode is played. Values equal ``houseguest.agent.v1.Mode``."""

    STEPWISE = 1
    PLAN = 2
    ANSWER = 3


class EpisodeStatus(IntEnum):
    """Whether an episode still runs. Values equal ``houseguest.agent.v1.EpisodeStatus``.

    A suite reports RUNNING, TERMINATED or TRUNCATED; only the service says VOIDED.
    """

    RUNNING = 1
    TERMINATED = 2
    TRUNCATED = 3
    VOIDED = 4


class FinishReason(Enum):
    """Why the service closes an episode."""

    OVER = "over"
    """The episode itself reported TERMINATED or TRUNCATED."""
    AGENT_DONE = "agent_done"
    AGENT_GAVE_UP = "agent_gave_up"
    AGENT_ERROR = "agent_error"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    PROTOCOL_ERROR = "protocol_error"

    @property
    def status(self) -> EpisodeStatus:
        """The status that closing for this reason leaves, unless the episode was over before."""
        ended_by_agent = (self.AGENT_DONE, self.AGENT_GAVE_UP, self.AGENT_ERROR)
        terminated = EpisodeStatus.TERMINATED
        return terminated if self in ended_by_agent else EpisodeStatus.TRUNCATED


_FAILURES = {
    FinishReason.OVER: FailureClass.GOAL_NOT_REACHED,
    FinishReason.AGENT_DONE: FailureClass.GOAL_NOT_REACHED,
    FinishReason.AGENT_GAVE_UP: FailureClass.GAVE_UP,
    FinishReason.AGENT_ERROR: FailureClass.AGENT_CRASH,
    FinishReason.AGENT_TIMEOUT: FailureClass.AGENT_TIMEOUT,
    FinishReason.AGENT_LOST: FailureClass.AGENT_LOST,
    FinishReason.AGENT_CRASH: FailureClass.AGENT_CRASH,
    FinishReason.AGENT_OOM: FailureClass.AGENT_OOM,
    FinishReason.PROTOCOL_ERROR: FailureClass.PROTOCOL_ERROR,
}


def failure_class(
    *, success: bool, reason: FinishReason, own: FailureClass | None = None
) -> FailureClass | None:
    """Names why an episode did not succeed; None where it did.

    ``own`` is the class that the suite set when it ended the episode itself (MAX_STEPS, …).
    """
    if success:
        return None
    if reason is FinishReason.OVER and own is not None:
        return own
    return _FAILURES[reason]


@dataclass(frozen=True, slots=True)
class FirstObservation:
    """All there is to say when an episode opens; disclosure decides what the agent sees.

    ``max_steps`` is the true limit, at least 1. ``language`` is BCP 47. ``context`` holds
    named texts that belong to the task.
    """

    mode: Mode
    instruction: str
    action_space: ActionSpace
    observation: Observation
    max_steps: int
    language: str = "en"
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepReport:
    """One action and what came back: the truth, before disclosure.

    ``outcomes`` has one entry, or one for each executed step of a plan. ``steps_left`` is
    never negative, and 0 only when ``status`` is not RUNNING.
    """

    outcomes: tuple[Outcome, ...]
    observation: Observation
    status: EpisodeStatus
    steps_left: int


@dataclass(frozen=True, slots=True)
class GoalCondition:
    """One checkable part of a goal.

    ``met``: whether it holds at the end of the episode. ``held_at_start``: whether it held in the
    world's true state before the first action; None if that was not recorded.
    """

    name: str
    met: bool
    # Suites hash conditions by their text, so a digest made before this was recorded still fits.
    held_at_start: bool | None = field(default=None, repr=False)


def since_start(
    conditions: Iterable[GoalCondition], opening: Iterable[GoalCondition]
) -> tuple[GoalCondition, ...]:
    """``conditions``, each with whether it held at the start.

    ``opening`` has the conditions at the start. They are matched by name, and those of equal names
    by their order. A condition that ``opening`` lacks arose from the agent's actions (a demand on
    plans that this plan breaks), and counts as open.
    """
    held: dict[str, list[bool]] = {}
    for each in opening:
        held.setdefault(each.name, []).append(each.met)
    found = []
    for each in conditions:
        before = held.get(each.name)
        found.append(replace(each, held_at_start=before.pop(0) if before else False))
    return tuple(found)


def share_met(conditions: Collection[GoalCondition]) -> float | None:
    """The share of all goal conditions that hold at the end, 0 … 1, those that held from the start
    included; None where there are none."""
    return sum(each.met for each in conditions) / len(conditions) if conditions else None


def share_gained(conditions: Collection[GoalCondition]) -> float | None:
    """Goal conditions gained: what the episode changed, as a share of what it could change.

    With ``open`` conditions that did not hold at the start and ``held`` that did, and ``net``
    those gained (open at the start, hold at the end) less those lost (held at the start, do not
    hold at the end), the share is ``net / open`` where ``net`` is 0 or more, else ``net / held``:
    the normalized change of Marx and Cummings, Am. J. Phys. 75, 87 (2007). Its range is
    -1 … 1 without clipping. 0: nothing changed, or as much was lost as gained. 1: every condition
    holds, which is success. Below 0: more was lost than gained. -1: all that held was lost and
    nothing gained.

    None without conditions, if no condition was open at the start (nothing could be gained), and
    if the start of any of them was not recorded.
    """
    if any(each.held_at_start is None for each in conditions):
        return None
    held = sum(bool(each.held_at_start) for each in conditions)
    missing = len(conditions) - held
    if not missing:
        return None
    net = sum(each.met for each in conditions) - held
    return net / missing if net >= 0 else net / held


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """The score of one episode, computed from the world's true state.

    ``success`` holds exactly when every goal condition is met, and then ``failure`` is None.
    ``metrics`` are finite numbers of the suite, and ``labels`` its categories (``predicted``,
    ``kind of failure``), both by name. A label ``explanation`` says why the episode failed, for
    people. ``steps`` counts turns.
    """

    success: bool
    goal_conditions: tuple[GoalCondition, ...]
    failure: FailureClass | None
    steps: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


class Episode(Protocol):
    """One attempt at one task, in the simulator's process. Implemented by each suite.

    Calls come from one thread, in order: ``start`` once, ``act`` any number of times while
    the last status was RUNNING, ``finish`` once at any time, ``close`` last. Any exception
    that leaves these methods is a fault of the service, never of the agent. Given equal
    task, seed and actions, every return value is equal, and so are the pixels.
    """

    def start(self) -> FirstObservation:
        """Loads the task and shows its opening."""

    def act(self, action: Action) -> StepReport:
        """Executes one action. A bad one is an ordinary outcome and never raises."""

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode in its current state."""

    def state_digest(self) -> str:
        """SHA-256 (hex) of the world's true state, for replay and verification."""

    def close(self) -> None:
        """Frees the simulator. May be called at any time, also twice."""
