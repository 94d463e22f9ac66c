"""Which goals are met, how far the agent has come, what it has newly reached, and what each
goal is called.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from env_service.domain.episode import GoalCondition
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import (
    AsgardPlan,
    ContentsGoal,
    EventGoal,
    Family,
    Goal,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    State,
    StateGoal,
)
from env_service.suites.asgard.rules import Rules
from env_service.worlds.ai2thor_api.geometry import Extent
from env_service.worlds.ai2thor_api.metadata_view import ThorObject


def goals_of(plan: AsgardPlan, rules: Rules) -> tuple[Goal, ...]:
    """The plan's goals, and that the bread on a set table is toast unless the rules let it be raw
    (``Rules.toast_may_be_raw``)."""
    toast = StateGoal("Bread", State.COOKED, value=True)
    if rules.toast_may_be_raw or plan.family is not Family.SET_TABLE or toast in plan.goals:
        return plan.goals
    return (*plan.goals, toast)


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """How the goals stand after one action.

    ``met`` has an entry for each goal, in their order; ``newly_met`` are those that hold now for
    the first time in the episode, and did not hold at its opening.
    """

    goals: tuple[Goal, ...]
    met: tuple[bool, ...]
    newly_met: tuple[Goal, ...]

    @property
    def all_met(self) -> bool:
        """Whether the task is fulfilled."""
        return all(self.met)

    @property
    def conditions(self) -> tuple[GoalCondition, ...]:
        """Each goal in plain words."""
        return tuple(
            GoalCondition(describe_goal(goal), met)
            for goal, met in zip(self.goals, self.met, strict=True)
        )


class GoalTracker:
    """Evaluates the goals of one episode (docs/asgard-rules.md, "Goals")."""

    def __init__(self, goals: Sequence[Goal], rules: Rules) -> None:
        if not goals:
            raise ValueError("a task without goals cannot be scored; give it at least one")
        self._goals, self._rules = tuple(goals), rules
        self._reached: set[int] = set()
        self._stuck: set[int] = set()

    def begin(self, view: AsgardView) -> GoalProgress:
        """Notes which goals hold before the first action: they do not count as
        achievements. None sticks yet."""
        met = tuple(is_met(goal, view, (), self._rules) for goal in self._goals)
        self._reached.update(number for number, each in enumerate(met) if each)
        return GoalProgress(self._goals, met, ())

    def evaluate(self, view: AsgardView, events: Collection[RequiredEvent]) -> GoalProgress:
        """How the goals stand now; ``events`` is all that was done in the episode."""
        met = tuple(self._holds(n, goal, view, events) for n, goal in enumerate(self._goals))
        fresh = {number for number, each in enumerate(met) if each} - self._reached
        self._reached |= fresh
        return GoalProgress(self._goals, met, tuple(self._goals[each] for each in sorted(fresh)))

    def _holds(
        self, number: int, goal: Goal, view: AsgardView, events: Collection[RequiredEvent]
    ) -> bool:
        if number in self._stuck:
            return True
        met = is_met(goal, view, events, self._rules)
        if met and self._rules.sticky_location_goals and isinstance(goal, LocationGoal):
            self._stuck.add(number)
        return met


# --- Whether one goal holds, kind by kind (docs/asgard-rules.md, "Goals")


def is_met(goal: Goal, view: AsgardView, events: Collection[RequiredEvent], rules: Rules) -> bool:
    """Whether the goal holds now. A goal on a type without objects does not hold."""
    match goal:
        case LocationGoal():
            return any(
                _lies_there(goal, view, each, rules) for each in view.of_type(goal.object_type)
            )
        case StateGoal():
            return _has_state(goal, view, rules)
        case PutAwayGoal():
            found = _looked_at(view.of_type(goal.object_type), rules)
            return bool(found) and all(_is_home(view, each, rules) for each in found)
        case EventGoal():
            return goal.event in events
        case ContentsGoal():
            found = _looked_at(view.of_type(goal.container_type), rules)
            return any(_holds_just(view, each, goal.contents) for each in found)


def serves_location_goal(item: ThorObject, view: AsgardView, goals: Iterable[Goal]) -> bool:
    """Whether the object is what some location goal asks for, where it asks for it: such objects
    are locked under ``Rules.goal_locked_objects`` (docs/asgard-rules.md, "Goals")."""
    wanted = {
        goal.destination_type
        for goal in goals
        if isinstance(goal, LocationGoal) and goal.object_type == item["objectType"]
    }
    container = view.container(item) if wanted else None
    return container is not None and container["objectType"] in wanted


def homes(object_type: str, rules: Rules) -> frozenset[str]:
    """The types that the object is put away in or on."""
    known = object_tables()
    if not rules.pots_and_cups_anywhere and object_type in known.paper_homes:
        return frozenset(known.paper_homes[object_type])
    first, second = known.first_homes, known.second_homes
    return frozenset((*first.get(object_type, ()), *second.get(object_type, ())))


def _looked_at(found: Sequence[ThorObject], rules: Rules) -> Sequence[ThorObject]:
    return found[:1] if rules.first_instance_only else found


def _lies_there(goal: LocationGoal, view: AsgardView, item: ThorObject, rules: Rules) -> bool:
    if view.is_held(item) and not rules.held_counts_as_placed:
        return False
    container = view.container(item)
    if container is not None and container["objectType"] == goal.destination_type:
        return True
    return any(_rests_in(item, each) for each in view.of_type(goal.destination_type))


def _rests_in(item: ThorObject, destination: ThorObject) -> bool:
    # AI2-THOR's containment is unreliable: the places of the two decide as well.
    own, other = Extent(item), Extent(destination)
    reach = max(own.height, other.height)
    return abs(own.center.y - other.center.y) <= reach and other.covers(own.center)


def _has_state(goal: StateGoal, view: AsgardView, rules: Rules) -> bool:
    kind, key = goal.object_type, goal.state.value
    if goal.state is State.COOKED and (pieces := _cooked_pieces(kind, view, rules)) is not None:
        return any(each[key] is goal.value for each in pieces)
    found = _looked_at(view.of_type(kind), rules)
    return bool(found) and all(each[key] is goal.value for each in found)


def _cooked_pieces(kind: str, view: AsgardView, rules: Rules) -> Sequence[ThorObject] | None:
    """What to look at instead of the whole: any piece will do. None: the whole itself."""
    if kind == "Egg":
        return _looked_at(view.of_type("EggCracked"), rules)
    if kind == "Bread":
        return view.of_type("BreadSliced")
    return view.of_type(kind) if kind == "PotatoSliced" else None


def _is_home(view: AsgardView, item: ThorObject, rules: Rules) -> bool:
    container = view.container(item)
    places = view.surface_types(item) | ({container["objectType"]} if container else set())
    return bool(places & homes(item["objectType"], rules))


def _holds_just(view: AsgardView, container: ThorObject, wanted: tuple[str, ...]) -> bool:
    inside = view.contents(container)
    # A slice on a plate is on the table, whether or not AI2-THOR says so of it.
    nested = [each for dish in inside for each in view.contents(dish)]
    there = {each["objectType"] for each in (*inside, *nested)}
    others = [each for each in inside if each["pickupable"] and each["objectType"] not in wanted]
    return there.issuperset(wanted) and not others


# --- Goals in plain words: names of goal conditions, unique within a task

_STATES = {
    State.TOGGLED: ("on", "off"),
    State.OPEN: ("open", "closed"),
    State.DIRTY: ("dirty", "clean"),
    State.COOKED: ("cooked", "uncooked"),
    State.FILLED: ("filled", "empty"),
}

_EVENTS = {
    RequiredEvent.DRINK_COFFEE: "coffee has been drunk",
    RequiredEvent.SPRAY_MIRROR: "the mirror has been sprayed",
}


def describe_goal(goal: Goal) -> str:
    """The goal as a short statement that is true once it is met, such as "Mug is clean"."""
    match goal:
        case LocationGoal(object_type, destination):
            return f"{object_type} is on {destination}"
        case StateGoal(object_type, state, value):
            return f"{object_type} is {_STATES[state][0 if value else 1]}"
        case PutAwayGoal(object_type):
            return f"{object_type} is put away"
        case EventGoal(event):
            return _EVENTS[event]
        case ContentsGoal(container, contents):
            return f"{container} holds {_listed(contents)} and nothing else"


def _listed(names: tuple[str, ...]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
