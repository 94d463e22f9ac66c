"""The rules: one attempt at one task. If you change them, raise the suite's ``version``."""

from __future__ import annotations

import hashlib
import json

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
    StepReport,
    failure_class,
)
from env_service.domain.failure import FailureClass
from env_service.domain.observation import Observation
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.base import EpisodeOrder

ROOMS = ("hall", "kitchen", "bathroom", "bedroom", "study")
"""From left to right."""
MAX_STEPS = 20
SKILLS = (
    Skill(
        "go",
        "Walks to the next room.",
        (Parameter("direction", "Which way.", ("left", "right")),),
    ),
    Skill("take", "Takes the parcel, if it is in this room."),
    Skill("drop", "Puts the parcel down in this room."),
)
LEFT, RIGHT = (SkillCall("go", (("direction", way),)) for way in ("left", "right"))
TAKE, DROP = SkillCall("take"), SkillCall("drop")
RULES = "Answer with one action: go left, go right, take or drop."

DONE = Outcome(OutcomeCode.SUCCEEDED, "Done.")


class ParcelEpisode:
    """One parcel to carry. See ``env_service.domain.episode.Episode`` for each method's contract.

    No action of an agent raises an exception: each mistake is an outcome, and costs a step.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        task = order.task
        self._shows_text = order.request.text
        self._room, self._parcel, self._goal = (
            int(task.data[key]) for key in ("start", "parcel", "goal")
        )
        self._held_at_start = self._parcel == self._goal
        self._holds = False
        self._steps = 0
        self._refused = 0
        self._status = EpisodeStatus.RUNNING

    def start(self) -> FirstObservation:
        """The opening. ``context`` explains to agents how the suite parses an answer in text."""
        return FirstObservation(
            mode=Mode.STEPWISE,
            instruction=f"Bring the parcel to the {ROOMS[self._goal]}.",
            action_space=ActionSpace(SKILLS),
            observation=self._observe(),
            max_steps=MAX_STEPS,
            context={"answer_rules": RULES},
        )

    def act(self, action: Action) -> StepReport:
        """One action, which costs one step whatever its outcome."""
        outcome = self._take_action(action)
        self._steps += 1
        self._refused += outcome.code is not OutcomeCode.SUCCEEDED
        if self._delivered():
            self._status = EpisodeStatus.TERMINATED
        elif self._steps == MAX_STEPS:
            self._status = EpisodeStatus.TRUNCATED
        return StepReport((outcome,), self._observe(), self._status, MAX_STEPS - self._steps)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """The score at this moment."""
        success = self._delivered()
        truncated = self._status is EpisodeStatus.TRUNCATED
        own = FailureClass.MAX_STEPS if truncated else None
        return EpisodeResult(
            success=success,
            goal_conditions=(
                GoalCondition("parcel delivered", success, held_at_start=self._held_at_start),
            ),
            failure=failure_class(success=success, reason=reason, own=own),
            steps=self._steps,
            metrics={"refused": float(self._refused)},
        )

    def state_digest(self) -> str:
        """A digest of everything that the rules depend on."""
        state = [self._room, self._parcel, self._goal, self._holds, self._steps]
        return hashlib.sha256(json.dumps(state).encode()).hexdigest()

    def close(self) -> None:
        """Does nothing: this suite has no simulator to free."""

    def _delivered(self) -> bool:
        return self._parcel == self._goal and not self._holds

    def _take_action(self, action: Action) -> Outcome:
        match action:
            case SkillCall():
                return self._call(action)
            case Text(text):
                return self._read(text)
            case Plan():
                return Outcome(OutcomeCode.UNPARSABLE, "One action at a time, not a plan.")
            case Unreadable(problem):
                return Outcome(OutcomeCode.UNPARSABLE, problem)

    def _read(self, text: str) -> Outcome:
        words = {"go left": LEFT, "go right": RIGHT, "take": TAKE, "drop": DROP}
        call = words.get(" ".join(text.lower().split()))
        return self._call(call) if call else Outcome(OutcomeCode.UNPARSABLE, RULES)

    def _call(self, call: SkillCall) -> Outcome:
        if call in (LEFT, RIGHT):
            return self._go(1 if call == RIGHT else -1)
        if call == TAKE:
            return self._take()
        if call == DROP:
            return self._drop()
        return Outcome(OutcomeCode.UNKNOWN_SKILL, f"There is no such action. {RULES}")

    def _go(self, by: int) -> Outcome:
        if self._room + by not in range(len(ROOMS)):
            return Outcome(OutcomeCode.PHYSICALLY_BLOCKED, "There is a wall.")
        self._room += by
        if self._holds:
            self._parcel = self._room
        return DONE

    def _take(self) -> Outcome:
        if self._holds or self._parcel != self._room:
            return Outcome(OutcomeCode.PRECONDITION_FAILED, "There is no parcel to take here.")
        self._holds = True
        return DONE

    def _drop(self) -> Outcome:
        if not self._holds:
            return Outcome(OutcomeCode.PRECONDITION_FAILED, "You hold nothing.")
        self._holds = False
        return DONE

    def _observe(self) -> Observation:
        if not self._shows_text:
            return Observation()
        hands = "You hold the parcel." if self._holds else "Your hands are empty."
        parcel = " The parcel is here." if self._parcel == self._room and not self._holds else ""
        return Observation(f"You are in the {ROOMS[self._room]}.{parcel} {hands}")
