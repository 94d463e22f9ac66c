"""What an action is made of, and which things belong together: faucets to sinks, knobs to
burners.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from env_service.suites.asgard.actions.body import Attempt, Body, ReleaseMemory, center
from env_service.suites.asgard.actions.navigation import Approach, Exhausted, Try
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import RequiredEvent
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.wording import PLACEHOLDER, Reason, Refusal, RefusedError
from env_service.worlds.ai2thor_api.geometry import distance
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

_FULL = ("No valid positions", "is full right now")
"""Parts of the simulator's errors where it finds no room."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What preconditions look at."""

    view: AsgardView
    rules: Rules
    memory: ReleaseMemory

    @property
    def held_name(self) -> str:
        """Name of what the agent holds; empty for nothing."""
        held = self.view.held
        return "" if held is None else str(held["name"])

    @property
    def held_type(self) -> str:
        """Type of what the agent holds; empty for nothing."""
        held = self.view.held
        return "" if held is None else str(held["objectType"])


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What actions work with. ``chance`` makes every draw of the episode; ``events`` collects what
    was done in it."""

    body: Body
    rules: Rules
    chance: random.Random
    events: set[RequiredEvent] = field(default_factory=set)

    @property
    def situation(self) -> Situation:
        """The situation now."""
        return Situation(self.body.view, self.rules, self.body.memory)

    def act(self, item: ThorObject, attempt: Try, *, near: ThorObject | None = None) -> None:
        """Goes to a pose where the attempt on an object succeeds: near it, or near something else.

        Raises:
            RefusedError: no such pose exists.
        """
        try:
            Approach(self.body, near or item).act(attempt)
        except Exhausted as exhausted:
            raise self._refused(item, exhausted) from exhausted

    def require(self, item: ThorObject, result: Attempt) -> None:
        """Raises RefusedError if an attempt failed."""
        if not result.success:
            raise self._refused(item, Exhausted(result.error))

    def _refused(self, item: ThorObject, exhausted: Exhausted) -> RefusedError:
        error = exhausted.error
        if error != PLACEHOLDER:
            message = readable(error, self.body.view, item)
            full = any(part in error for part in _FULL)
            reason = Reason.NO_ROOM if full else Reason.SIMULATOR
            return RefusedError(Refusal(reason, message), final=exhausted.hopeless)
        if self.rules.placeholder_messages:
            return RefusedError(Refusal(Reason.OUT_OF_REACH, PLACEHOLDER))
        message = f"Ran out of candidate poses for {item['name']}"
        return RefusedError(Refusal(Reason.OUT_OF_REACH, message))


Check = Callable[[Situation, ThorObject], Refusal | None]
Perform = Callable[[ActionContext, ThorObject], None]


@dataclass(frozen=True, slots=True)
class Handler:
    """One of the twelve actions.

    Attributes:
        check: the first precondition that does not hold, in the order of the specification.
        perform: does it; raises RefusedError. The preconditions hold.
        before: done before they are checked, once the agent looks at the object.
        subgoal: passing the check sets the release's sub-goal flag.
        walks_up: after a failed check the agent walks up to the object if it sees it.
    """

    check: Check
    perform: Perform
    before: Perform | None = None
    subgoal: bool = False
    walks_up: bool = True


def no(reason: Reason, message: str) -> Refusal:
    """An undoable action."""
    return Refusal(reason, message)


def hidden(situation: Situation, item: ThorObject, what: str) -> Refusal | None:
    """The refusal of an action on what is not seen; ``what`` is the words up to "as"."""
    if situation.view.visible(item):
        return None
    return no(Reason.NOT_VISIBLE, f"{what} as it is not visible.")


def readable(error: str, view: AsgardView, item: ThorObject) -> str:
    """The simulator's text about an object, without its trace and with names for ids."""
    text = error.split("trace", 1)[0].rstrip(" .:\n") or PLACEHOLDER
    text = text.replace("specified by objectId", item["name"])
    for each in view.objects:
        text = text.replace(each["objectId"], each["name"])
    return text


# --- What belongs to what: faucets to sinks, knobs to burners


def sink_of(view: AsgardView, item: ThorObject) -> ThorObject | None:
    """The basin that contains an object; None if none does."""
    return next((each for each in view.parents(item) if each["objectType"] == "SinkBasin"), None)


def nearest(found: Sequence[ThorObject], item: ThorObject) -> ThorObject | None:
    """Of some objects, the one nearest to another; None of none."""
    middle = center(item)
    return min(found, key=lambda each: distance(center(each), middle), default=None)


def faucets_of(view: AsgardView, sink: ThorObject) -> Sequence[ThorObject]:
    """The faucets to which no other basin is nearer."""
    sinks = view.of_type("SinkBasin")
    own = [each for each in view.of_type("Faucet") if nearest(sinks, each) is sink]
    closest = nearest(view.of_type("Faucet"), sink)
    return own or ([closest] if closest is not None else [])


def sink_under(view: AsgardView, faucet: ThorObject) -> ThorObject | None:
    """The basin that a faucet runs into; None where there is none."""
    return nearest(view.of_type("SinkBasin"), faucet)


def switch_of(view: AsgardView, item: ThorObject) -> ThorObject:
    """What is switched to switch an object: a burner's knob, a basin's faucet, else itself."""
    kind = item["objectType"]
    if kind == "StoveBurner":
        knobs = view.of_type("StoveKnob")
        own = (k for k in knobs if item["objectId"] in (k["controlledObjects"] or ()))
        return next(own, item)
    if kind == "SinkBasin":
        return nearest(view.of_type("Faucet"), item) or item
    return item
