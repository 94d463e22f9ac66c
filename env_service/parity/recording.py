"""Looks on as a suite plays in a world: which controller calls it makes, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from env_service.parity.answers import MISTAKE, Answer
from env_service.parity.comparing import Moment
from env_service.parity.states import Snapshot
from env_service.worlds.thor.controller import ThorController, ThorEvent

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
        self._open: tuple[Mapping[str, Any], Answer, ThorEvent] | None = None
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
        self.note({"action": OPEN, "scene": scene}, Answer.of(event), event)
        return _Recorded(controller, self)

    def take(self) -> list[Call]:
        """The calls since the last time."""
        self.close()
        calls, self._calls = self._calls, []
        return calls

    def note(self, action: Mapping[str, Any], answer: Answer, event: ThorEvent) -> None:
        """Adds a call."""
        if self._open is not None and action["action"] == SETTLING:
            self._open = (*self._open[:2], event)
            return
        self.close()
        self._open = (action, answer, event)

    def close(self) -> None:
        """Reads the state after the last call, while its world is there."""
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
        self._recorder.note({"action": RESET, "scene": scene or ""}, Answer.of(event), event)
        return event

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        named = dict(action) if isinstance(action, Mapping) else {"action": action}
        written = {**named, **arguments}
        written.pop("raise_for_failure", None)
        try:
            event = self._controller.step(action, **arguments)
        except (ValueError, RuntimeError) as error:
            event = self._controller.last_event
            refused = Answer.of(event)
            if refused.success:
                refused = Answer(success=False, code=MISTAKE)
            self._recorder.note(written, replace(refused, message=str(error)), event)
            raise
        self._recorder.note(written, Answer.of(event), event)
        return event

    def stop(self) -> None:
        self._recorder.close()
        self._controller.stop()
