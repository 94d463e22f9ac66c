"""Plays a task of a suite in two worlds in step, and looks on below the suite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from env_service.domain.action import Action, Plan, SkillCall, Text
from env_service.domain.episode import (
    Episode,
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    StepReport,
)
from env_service.suites.base import EpisodeOrder, Suite
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent
from env_service.worlds.ai2thor_api.parity.answers import MISTAKE, ActionAnswer, agree
from env_service.worlds.ai2thor_api.parity.comparison import Comparison, Moment, Row
from env_service.worlds.ai2thor_api.parity.records import TASK, Record
from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions, blamed
from env_service.worlds.ai2thor_api.parity.states import ALL, EPISODES, Snapshot
from env_service.worlds.ai2thor_api.world_registry import observe_worlds

APART = "(end of turn)"
"""Replaces the action in a row that compares states alone, after calls that differed."""

CALLS, DIGEST = "calls", "digest"

DISCLOSED = ("instruction", "outcome", "feedback", "status", "text", "solved", "goal conditions")
"""The compared parts of the texts that an agent gets, and of the score."""

Disclosed = dict[str, Any]
"""The texts that an agent gets, or its score, by name; plain JSON."""


@dataclass(frozen=True)
class TaskPlay:
    """A task, and what is played in it: the left world's expert, unless ``actions`` are given.

    ``order`` names the left world, ``right`` the other.
    """

    order: EpisodeOrder
    right: str
    actions: tuple[Action, ...] | None = None

    @property
    def blank(self) -> Record:
        """A record of a task that was not played."""
        task = self.order.task
        actions = None if self.actions is None else [words(each) for each in self.actions]
        sheet = [task.id, dict(task.data), dict(self.order.condition), self.order.seed, actions]
        digest = hashlib.sha256(json.dumps(sheet, sort_keys=True).encode()).hexdigest()
        return Record(task.id, TASK, digest, task.cluster)


def play_task(suite: Suite, play: TaskPlay, options: PlayOptions) -> Record:
    """Plays a task once.

    Raises:
        Voided: a world broke, or its suite did.
        WorldUnavailableError: this machine cannot run a world.
    """
    order = play.order
    actions = play.actions
    if actions is None:
        with blamed(order.world, 0):
            actions = suite.expert(order).actions
    with ExitStack() as stack:
        sides = []
        for each in (order, replace(order, world=play.right)):
            episode = stack.enter_context(closing(suite.open_episode(each)))
            sides.append(_Side(each.world, episode, Recorder(pictures=options.pictures)))
        return _Duet(sides[0], sides[1], options).play(actions, play.blank)


@dataclass(frozen=True)
class _Side:
    world: str
    episode: Episode
    recorder: Recorder

    def start(self) -> FirstObservation:
        with blamed(self.world, 0), observe_worlds(self.recorder.wrap):
            return self.episode.start()

    def act(self, action: Action, turn: int) -> tuple[StepReport, str]:
        with blamed(self.world, turn), observe_worlds(self.recorder.wrap):
            return self.episode.act(action), self.episode.state_digest()

    def finish(self, reason: FinishReason, turn: int) -> EpisodeResult:
        with blamed(self.world, turn), observe_worlds(self.recorder.wrap):
            return self.episode.finish(reason)

    def take(self, turn: int) -> list[Call]:
        with blamed(self.world, turn):
            return self.recorder.take()


@dataclass
class _Duet:
    left: _Side
    right: _Side
    options: PlayOptions
    rows: list[Row] = field(default_factory=list)
    divergence: int | None = None

    def __post_init__(self) -> None:
        self._comparing = Comparison(self.options.tolerances)

    def play(self, actions: Sequence[Action], blank: Record) -> Record:
        sides = (self.left, self.right)
        self._turn("start", 0, *(_opening(side.start()) for side in sides))
        statuses, turn, stopped = [EpisodeStatus.RUNNING] * 2, 0, False
        for turn, action in enumerate(actions, 1):
            if self.options.stop_at_divergence and self.divergence is not None:
                stopped = True
                break
            answered = [side.act(action, turn) for side in sides]
            self._turn(words(action), turn, *(_disclosed(*each) for each in answered))
            statuses = [report.status for report, _ in answered]
            if statuses != [EpisodeStatus.RUNNING] * 2:
                break
        results = [
            side.finish(_reason(status), turn) for side, status in zip(sides, statuses, strict=True)
        ]
        self._turn("end", turn + 1, *map(_scored, results))
        return replace(
            blank,
            rows=tuple(self.rows),
            tallies=self._comparing.tallies.to_json(),
            divergence=self.divergence,
            stopped=stopped,
        )

    def _turn(self, said: str, turn: int, left: Disclosed, right: Disclosed) -> None:
        """Adds the rows of one agent-level action: its calls, then the texts for the agent."""
        calls = list(self._calls(turn))
        alike = all("apart" not in row for row in calls)
        differs = [name for name in left if left[name] != right.get(name)]
        for name in left:
            self._count(name, agreed=name not in differs)
        self._count(CALLS, agreed=alike)
        row: Row = {"said": said, "turn": turn}
        if differs:
            row |= {
                "differs": differs,
                "left": {name: left[name] for name in differs},
                "right": {name: right.get(name) for name in differs},
            }
        for each in (*calls, row):
            parted = (
                bool(set(differs) - {DIGEST}) if each is row else self._comparing.diverged(each)
            )
            if parted and self.divergence is None:
                self.divergence = len(self.rows)
            self.rows.append(each)

    def _calls(self, turn: int) -> Iterator[Row]:
        """Rows of the calls, side by side as long as they are about the same."""
        pair = self.left.take(turn), self.right.take(turn)
        for one, other in zip_longest(*pair):
            if one is None or other is None or _subject(one) != _subject(other):
                yield from self._apart(turn, one, other)
                return
            row = self._comparing.after(one.action, one.moment, other.moment)
            if not _same_arguments(one, other, self.options):
                row["apart"] = {**other.action}
            yield {**row, "turn": turn}

    def _apart(self, turn: int, one: Call | None, other: Call | None) -> Iterator[Row]:
        states = self.left.recorder.state, self.right.recorder.state
        if states[0] is None or states[1] is None:
            return
        blank = ActionAnswer(success=True)
        row = self._comparing.after(
            {"action": APART}, Moment(blank, states[0]), Moment(blank, states[1])
        )
        calls = [None if call is None else dict(call.action) for call in (one, other)]
        yield {**row, "turn": turn, "apart": calls}

    def _count(self, name: str, *, agreed: bool) -> None:
        self._comparing.tallies.count(EPISODES, ALL, name, agreed=agreed)


def words(action: Action) -> str:
    """An agent's action in one line."""
    match action:
        case SkillCall(name, arguments):
            return " ".join([name, *(f"{key}={value}" for key, value in arguments)])
        case Text(text):
            return text
        case Plan(steps):
            return "; ".join(map(words, steps))
    return str(action)


def _reason(status: EpisodeStatus) -> FinishReason:
    running = status is EpisodeStatus.RUNNING
    return FinishReason.AGENT_DONE if running else FinishReason.OVER


def _opening(first: FirstObservation) -> Disclosed:
    return {"instruction": first.instruction, "text": first.observation.text}


def _disclosed(report: StepReport, digest: str) -> Disclosed:
    return {
        "outcome": [outcome.code.name for outcome in report.outcomes],
        "feedback": [outcome.feedback for outcome in report.outcomes],
        "status": report.status.name,
        "text": report.observation.text,
        DIGEST: digest,
    }


def _scored(result: EpisodeResult) -> Disclosed:
    return {
        "solved": result.success,
        "goal conditions": [[each.name, each.met] for each in result.goal_conditions],
    }


def _subject(call: Call) -> tuple[Any, Any]:
    return call.action["action"], call.action.get("objectId")


def _same_arguments(one: Call, other: Call, options: PlayOptions) -> bool:
    left, right = dict(one.action), dict(other.action)
    return left == right or agree(left, right, options.tolerances)


# --- Looks on as a suite plays in a world: which controller calls it makes, and what they come
# to

OPEN, RESET = "(open)", "(reset)"
"""Stand for the action of a call that opens or resets a world."""

SETTLING = "Pass"


@dataclass(frozen=True)
class Call:
    """One call: a mapping with the key "action", and what came of it once the world had settled:
    after all the Pass actions that follow it."""

    action: Mapping[str, Any]
    moment: Moment


class Recorder:
    """Collects the calls to every world that it wraps."""

    def __init__(self, *, pictures: bool = False) -> None:
        """``pictures``: whether moments keep their events."""
        self._pictures = pictures
        self._calls: list[Call] = []
        self._open: tuple[Mapping[str, Any], ActionAnswer, ThorEvent] | None = None
        self._state: Snapshot | None = None

    @property
    def state(self) -> Snapshot | None:
        """The state after the last call that was taken; None before any."""
        return self._state

    def wrap(self, world: str, controller: ThorController) -> ThorController:
        """A controller that does the same and is recorded; see `observe_worlds`."""
        del world
        event = controller.last_event
        scene = event.metadata.get("sceneName", "")
        self.note({"action": OPEN, "scene": scene}, ActionAnswer.of(event), event)
        return _Recorded(controller, self)

    def take(self) -> list[Call]:
        """The calls since the last time."""
        self.close()
        calls, self._calls = self._calls, []
        return calls

    def note(self, action: Mapping[str, Any], answer: ActionAnswer, event: ThorEvent) -> None:
        """Adds a call."""
        if self._open is not None and action["action"] == SETTLING:
            self._open = (*self._open[:2], event)
            return
        self.close()
        self._open = (action, answer, event)

    def close(self) -> None:
        """Reads the state after the last call, while its world is still open."""
        if self._open is None:
            return
        action, answer, event = self._open
        self._open = None
        self._state = Snapshot.of(event.metadata)
        moment = Moment(answer, self._state, event if self._pictures else None)
        self._calls.append(Call(action, moment))


class _Recorded:
    """See `ThorController`."""

    def __init__(self, controller: ThorController, recorder: Recorder) -> None:
        self._controller, self._recorder = controller, recorder

    @property
    def last_event(self) -> ThorEvent:
        return self._controller.last_event

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        event = self._controller.reset(scene, **initialization)
        self._recorder.note({"action": RESET, "scene": scene or ""}, ActionAnswer.of(event), event)
        return event

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        named = dict(action) if isinstance(action, Mapping) else {"action": action}
        written = {**named, **arguments}
        written.pop("raise_for_failure", None)
        try:
            event = self._controller.step(action, **arguments)
        except (ValueError, RuntimeError) as error:
            event = self._controller.last_event
            refused = ActionAnswer.of(event)
            if refused.success:
                refused = ActionAnswer(success=False, code=MISTAKE)
            self._recorder.note(written, replace(refused, message=str(error)), event)
            raise
        self._recorder.note(written, ActionAnswer.of(event), event)
        return event

    def stop(self) -> None:
        self._recorder.close()
        self._controller.stop()
