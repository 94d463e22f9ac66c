"""Which object a word means: instances of a type, and the order in which they are tried
(docs/asgard-rules.md, "Which object is meant").

It follows the release, which ranks by direction and memory; LoTa-Bench's skills take the nearest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import ReleaseMemory, bearing, center
from env_service.suites.asgard.goals import serves_location_goal
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import object_tables, whole_type
from env_service.suites.asgard.plan import Goal
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.wording import Reason, Refusal
from env_service.worlds.ai2thor_api.geometry import Extent, distance, volume
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

_WITH_DOORS = frozenset({"Box", "Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})


@dataclass(frozen=True, slots=True)
class Candidates:
    """The instances that a word may mean, by id, and those that stand in for them.

    ``aliases`` is None where the scene has no other surface that could; it may be empty where
    none is visible. ``preferred`` is a name, None for no preference.
    """

    instances: tuple[str, ...]
    aliases: tuple[str, ...] | None
    preferred: str | None


class Resolver:
    """Resolves the words of one episode."""

    def __init__(self, rules: Rules, goals: Iterable[Goal], memory: ReleaseMemory) -> None:
        self._rules, self._goals, self._memory = rules, tuple(goals), memory

    def candidates(self, verb: Verb, object_type: str, view: AsgardView) -> Candidates | Refusal:
        """The instances that may be meant, in no order yet; or why there is none."""
        found = view.of_type(object_type)
        if not found:
            message = f"No candidate objects for action {verb} with specifier Types: {object_type}"
            return Refusal(Reason.NO_SUCH_OBJECT, message)
        free = [each for each in found if not self._locked(each, view)]
        if not free:
            message = f"All Types: {object_type} are already being used to fullfill a goal"
            return Refusal(Reason.USED_BY_GOAL, message)
        preferred = self._preferred(verb, object_type, view)
        if preferred is not None and "StoveBurner" in preferred:
            free = [each for each in free if each["name"] == preferred] or free
        ids = tuple(each["objectId"] for each in free)
        return Candidates(ids, _aliases(object_type, view), preferred)

    def ordered(
        self, verb: Verb, candidates: Candidates, left: Iterable[str], view: AsgardView
    ) -> list[ThorObject]:
        """The candidates that are left, the one to try next first."""
        present = [view.by_id(each) for each in left]
        found = sorted(
            (each for each in present if each is not None), key=lambda each: _rank(each, view)
        )
        found = self._promoted(verb, found)
        if found and whole_type(found[0]["objectType"]) is not None:
            found.sort(key=volume)
        # Where nothing is locked, a piece that serves a dish already is meant last, or the word
        # would never come to a piece for the next dish.
        found.sort(key=lambda each: serves_location_goal(each, view, self._goals))
        return _moved_up(found, candidates.preferred)

    def _locked(self, item: ThorObject, view: AsgardView) -> bool:
        locks = self._rules.goal_locked_objects
        return locks and serves_location_goal(item, view, self._goals)

    def _preferred(self, verb: Verb, object_type: str, view: AsgardView) -> str | None:
        if verb is Verb.TOGGLE_ON and object_type == "StoveBurner":
            return _burner_of_pan(view)
        name = self._memory.resolved.get(object_type)
        if name is None or self._memory.last_verb in (Verb.FIND, Verb.OPEN):
            return name
        item = view.by_name(name)
        if item is None or verb is Verb.PUT:
            return None
        return None if serves_location_goal(item, view, self._goals) else name

    def _promoted(self, verb: Verb, found: list[ThorObject]) -> list[ThorObject]:
        """With the container opened last first, where the action concerns what containers do."""
        if not found:
            return found
        kind = found[0]["objectType"]
        door = verb in (Verb.OPEN, Verb.CLOSE) and kind in _WITH_DOORS
        if verb is not Verb.PUT and not door:
            return found
        return _moved_up(found, self._memory.last_opened.get(kind))


def _rank(item: ThorObject, view: AsgardView) -> tuple[bool, float, float]:
    """Visible ones first, then clockwise from the agent's direction, then the nearest."""
    agent, middle = view.agent, center(item)
    clockwise = (bearing(agent.position, middle) - agent.yaw) % 360.0
    return not view.visible(item), clockwise, distance(agent.position, middle)


def _moved_up(found: Sequence[ThorObject], name: str | None) -> list[ThorObject]:
    return sorted(found, key=lambda each: each["name"] != name)


def _aliases(object_type: str, view: AsgardView) -> tuple[str, ...] | None:
    family = object_tables().surface_aliases
    if object_type not in family:
        return None
    others = [each for kind in sorted(family - {object_type}) for each in view.of_type(kind)]
    if not others:
        return None
    return tuple(each["objectId"] for each in others if view.visible(each))


def _burner_of_pan(view: AsgardView) -> str | None:
    """The burner under the first pan; of several, the one nearest to it."""
    pan = view.first("Pan")
    if pan is None:
        return None
    under = Extent(pan)
    found = [
        each
        for each in view.of_type("StoveBurner")
        if under.covers(center(each))
        or Extent(each).covers(center(pan))
        or each in view.parents(pan)
    ]
    nearest = min(found, key=lambda each: distance(center(each), center(pan)), default=None)
    return None if nearest is None else str(nearest["name"])
