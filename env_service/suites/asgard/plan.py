"""What a plan of AsgardBench asks for, a room, its disorder and the goals; and what a plan's
name says.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from env_service.worlds.ai2thor_api.geometry import Point


class Family(StrEnum):
    """The twelve types of task."""

    COFFEE = "coffee"
    MICROWAVE_POTATO = "microwave_potato"
    COOK_EGG = "cook_egg"
    MAKE_TOAST = "make_toast"
    FRY_POTATO_SLICE = "fry_potato_slice"
    PUT_AWAY_FOOD = "put_away_food"
    PUT_AWAY_DISHES = "put_away_dishes"
    PUT_AWAY_SILVERWARE = "put_away_silverware"
    SLICE_AND_DISTRIBUTE = "slice_and_distribute"
    SET_TABLE = "set_table"
    CLEAN_MIRROR = "clean_mirror"
    TURN_ON_TV = "turn_on_tv"


class State(StrEnum):
    """States that goals ask for; the values are AI2-THOR's metadata keys."""

    TOGGLED = "isToggled"
    OPEN = "isOpen"
    DIRTY = "isDirty"
    COOKED = "isCooked"
    FILLED = "isFilledWithLiquid"


class RequiredEvent(StrEnum):
    """What an agent has to have done at some time; the values are the release's names."""

    DRINK_COFFEE = "Drink Coffee"
    SPRAY_MIRROR = "Spray Mirror"


class SetupKind(StrEnum):
    """What the start-up does to one object; the values are the release's names."""

    DIRTY = "dirty"
    FILL = "fill"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class SetupAction:
    """``object_name`` is AI2-THOR's name, such as Mug_e7fad100. ``liquid`` is None unless FILL."""

    kind: SetupKind
    object_name: str
    liquid: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Objects that are of one of these types or classes (`Tables.classes`), or have such a name."""

    types: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """One pass of random placement. ``containers`` None: the default ones (docs/asgard-rules.md,
    "An episode")."""

    objects: Selection
    containers: Selection | None = None


@dataclass(frozen=True, slots=True)
class LocationGoal:
    """An object of one type is in or on one of another."""

    object_type: str
    destination_type: str


@dataclass(frozen=True, slots=True)
class StateGoal:
    """Objects of a type have a state, or have it not."""

    object_type: str
    state: State
    value: bool


@dataclass(frozen=True, slots=True)
class PutAwayGoal:
    """An object of the type is where it belongs."""

    object_type: str


@dataclass(frozen=True, slots=True)
class EventGoal:
    """Something has been done (the release calls it an action goal)."""

    event: RequiredEvent


@dataclass(frozen=True, slots=True)
class ContentsGoal:
    """A container holds something of each type, and nothing else that can be carried."""

    container_type: str
    contents: tuple[str, ...]


Goal = LocationGoal | StateGoal | PutAwayGoal | EventGoal | ContentsGoal


@dataclass(frozen=True, slots=True)
class InitialPose:
    """Where the agent starts. ``position`` in metres, ``yaw`` and ``horizon`` in degrees,
    clockwise from +z and downwards."""

    position: Point
    yaw: float
    horizon: float
    standing: bool


@dataclass(frozen=True, slots=True)
class AsgardPlan:
    """One task.

    Attributes:
        name: unique, by the release's grammar of names.
        family: the type of task.
        conditions: what the name says between family and scene, such as ("Pan(d)", "Plate(d)").
        scene: AI2-THOR's, such as FloorPlan13.
        description: the instruction.
        setup_actions: done to single objects, in order.
        targets: placed first.
        distractors: placed next, pass by pass.
        employed_types: a hint of the release's planner.
        goals: in the release's order of kinds: location, state, put away, deed, contents.
        seed: of every random draw of the start-up.
        step_count: steps of the release's own solution; limits follow from it.
        initial_pose: None in a plan that lists its steps instead.
    """

    name: str
    family: Family
    conditions: tuple[str, ...]
    scene: str
    description: str
    setup_actions: tuple[SetupAction, ...]
    targets: Placement
    distractors: tuple[Placement, ...]
    employed_types: tuple[str, ...]
    goals: tuple[Goal, ...]
    seed: int
    step_count: int
    initial_pose: InitialPose | None


# --- What a plan's name says (docs/asgard.md, "Task")

_NAME = re.compile(
    r"(?P<head>[a-z_]+?)__(?:(?P<middle>.+)_)?(?P<scene>[A-Za-z][A-Za-z0-9-]*)_V\d+(?:-(?P<types>.+))?"
)

_FAMILIES = {
    ("coffee", ""): Family.COFFEE,
    ("cook", "Potato"): Family.MICROWAVE_POTATO,
    ("cook", "Egg"): Family.COOK_EGG,
    ("cook", "Bread"): Family.MAKE_TOAST,
    ("cook", "PotatoSliced"): Family.FRY_POTATO_SLICE,
    ("putaway", "Food"): Family.PUT_AWAY_FOOD,
    ("putaway", "Dishes"): Family.PUT_AWAY_DISHES,
    ("putaway", "Silverware"): Family.PUT_AWAY_SILVERWARE,
    ("distribute", "Apple"): Family.SLICE_AND_DISTRIBUTE,
    ("distribute", "Lettuce"): Family.SLICE_AND_DISTRIBUTE,
    ("distribute", "Tomato"): Family.SLICE_AND_DISTRIBUTE,
    ("settable", ""): Family.SET_TABLE,
    ("clean_mirror", ""): Family.CLEAN_MIRROR,
    ("turn_on_tv", ""): Family.TURN_ON_TV,
}
"""By the text before "__" and, where a family has a subject, the first word after it."""

_WITHOUT_SUBJECT = frozenset(head for head, subject in _FAMILIES if not subject)


@dataclass(frozen=True, slots=True)
class PlanName:
    """The parts of a plan's name, ``conditions`` and ``scene`` in its own spelling."""

    family: Family
    conditions: tuple[str, ...]
    scene: str


def read_name(name: str) -> PlanName:
    """Raises ValueError for a name outside the grammar."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(
            "is not of the form FAMILY__CONDITIONS_SCENE_V1,"
            " such as cook__Egg_Pan(d)_FloorPlan13_V1"
        )
    head, middle = match["head"], match["middle"] or ""
    if head in _WITHOUT_SUBJECT:
        subject, conditions = "", (middle,) if middle else ()
    else:
        subject, *rest = middle.split("_")
        conditions = tuple(rest)
    if (head, subject) not in _FAMILIES:
        known = ", ".join("__".join(filter(None, key)) for key in _FAMILIES)
        asked = "__".join(filter(None, (head, subject)))
        raise ValueError(f"names the unknown family {asked!r}; known: {known}")
    return PlanName(_FAMILIES[head, subject], conditions, match["scene"])
