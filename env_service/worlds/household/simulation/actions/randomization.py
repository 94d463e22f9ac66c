"""Randomized scenes: InitialRandomSpawn, other materials and other light."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import Room
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.add_and_remove import copied
from env_service.worlds.household.simulation.actions.interactable_poses import seen_from_somewhere
from env_service.worlds.household.simulation.actions.pickup_and_put import receiving, resting_place
from env_service.worlds.household.simulation.actions.reachable_positions import reachable
from env_service.worlds.household.simulation.dispatch import read_number
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import (
    ENCLOSING,
    carried_with,
    closed_holder,
    moved,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import Order, Search
from env_service.worlds.household.state import Draws, HouseholdState, ObjectState

ACTIONS = Register()

ATTEMPTS = 5
"""AI2-THOR's default of `numPlacementAttempts`."""

CANDIDATES = 120
"""Spots to consider on one surface."""

LEAST_GRID = 0.25
"""Metres between the places from which things are looked at, at least: AI2-THOR's usual grid."""

TURN_STEP = 15.0
"""Degrees: objects are turned by multiples of it, so that a room looks lived in."""


OFF_MIDDLE = 3.7e-8
"""Metres: moves the thresholds of rounding away from round numbers, so that the last bits of a
platform's sines decide nothing."""


@dataclass(frozen=True)
class _Rules:
    """What may go where.

    Attributes:
        generator: of every draw.
        excluded: receptacle types that are out.
        visible: whether only what is not behind a door or in a drawer counts.
        places: where the agent can stand; with `visible`, everything has to be seen from one.
        distance: metres to which it sees.
    """

    generator: np.random.Generator
    excluded: frozenset[str]
    visible: bool
    places: tuple[Vec3, ...]
    distance: float


@ACTIONS.action(
    "InitialRandomSpawn",
    Parameter("randomSeed", ParameterType.WHOLE, 0),
    Parameter("forceVisible", ParameterType.TRUTH, default=False),
    Parameter("numPlacementAttempts", ParameterType.WHOLE, ATTEMPTS),
    Parameter("placeStationary", ParameterType.TRUTH, default=False),
    Parameter("numDuplicatesOfType", ParameterType.LIST, ()),
    Parameter("excludedReceptacles", ParameterType.LIST, ()),
    Parameter("excludedObjectIds", ParameterType.LIST, ()),
    Parameter("allowFloor", ParameterType.TRUTH, default=False),
)
def initial_random_spawn(context: ActionContext) -> Result:
    """Moves everything that can be picked up, except what the agent holds and the excluded objects.
    The contents of a moved dish move along unless they are moved themselves.

    With `forceVisible` nothing is put into closed receptacles, nor where the agent could see
    it from none of the places that it can walk to. The floor is used only with `allowFloor`.
    `numDuplicatesOfType` is a list of {objectType, count}: the total of each type; missing ones are
    copies of existing ones.
    """
    try:
        wanted = {str(e["objectType"]): int(e["count"]) for e in context["numDuplicatesOfType"]}
    except (KeyError, TypeError, ValueError):
        return refuse(context, "numDuplicatesOfType must be a list of {objectType, count}")
    excluded = {str(kind) for kind in context["excludedReceptacles"]}
    rules = _Rules(
        generator=_generator(context["randomSeed"]),
        excluded=frozenset(excluded if context["allowFloor"] else excluded | {"Floor"}),
        visible=context["forceVisible"],
        places=_places(context) if context["forceVisible"] else (),
        distance=context.settings.visibility_distance,
    )
    stay = frozenset(str(key) for key in context["excludedObjectIds"])
    moving = [i.id for i in context.state.objects.values() if _movable(i) and i.id not in stay]
    state, copies = _with_copies(context.state, wanted, stay)
    for index in rules.generator.permutation(len(moving)):
        state = _respawned(state, moving[int(index)], rules)
    for key in copies:
        state = _respawned(state, key, rules)
        if not state.objects[key].parents:  # no room for it: it is not made
            state = state.without(key)
    return Result(state, seconds=SECONDS)


def _places(context: ActionContext) -> tuple[Vec3, ...]:
    return reachable(context.state, max(context.settings.grid_size, LEAST_GRID))


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng([crc32(b"InitialRandomSpawn"), seed & 0xFFFFFFFF])


def _movable(item: ObjectState) -> bool:
    held = item.held or item.in_hand_of is not None
    return item.spec.can(Trait.PICKUPABLE) and not held and not item.replaced


def _with_copies(
    state: HouseholdState, wanted: Mapping[str, int], stay: frozenset[str]
) -> tuple[HouseholdState, Sequence[str]]:
    """The state with enough objects of each wanted type, and the ids of the new ones."""
    made: list[str] = []
    for kind, count in wanted.items():
        there = [i for i in state.objects.values() if i.spec.type == kind and _movable(i)]
        models = [each for each in there if each.id not in stay] or there
        for number in range(count - len(there) if models else 0):
            model = models[number % len(models)]
            state, key = copied(state, model.id, model.pose)
            made.append(key)
    return state, made


def _respawned(state: HouseholdState, object_id: str, rules: _Rules) -> HouseholdState:
    """The state with one object at a random place, or as it was if there is none."""
    item = state.objects[object_id]
    receptacles = _candidates(state, item, rules)
    for index in rules.generator.permutation(len(receptacles)):
        receptacle = receiving(state, receptacles[int(index)])
        without = taken_out(state, object_id)
        turns = tuple(TURN_STEP * int(k) for k in rules.generator.integers(0, 24, 3))
        search = Search(_shuffled(rules.generator), turns, most=CANDIDATES)
        try:
            pose = resting_place(without, without.objects[object_id], receptacle, search)
        except RefusedError:
            continue
        after = put_in(moved(without, object_id, pose), object_id, receptacle.id)
        if not rules.visible or _seen(after, object_id, rules):
            return after
    return state


def _seen(state: HouseholdState, object_id: str, rules: _Rules) -> bool:
    return seen_from_somewhere(state, state.objects[object_id], rules.places, rules.distance)


def _candidates(state: HouseholdState, item: ObjectState, rules: _Rules) -> list[ObjectState]:
    """The receptacles that may take an item."""
    own = {item.id, *(each.id for each in carried_with(state, item))}
    allowed = object_types()[item.spec.type].receptacles - rules.excluded
    return [
        other
        for other in state.objects.values()
        if other.spec.type in allowed
        and other.spec.can(Trait.RECEPTACLE)
        and other.id not in own
        and _open_to(state, other, rules)
    ]


def _open_to(state: HouseholdState, receptacle: ObjectState, rules: _Rules) -> bool:
    if receptacle.held or receptacle.in_hand_of or receptacle.replaced or receptacle.broken:
        return False
    if not rules.visible:
        return True
    if receptacle.spec.type in ENCLOSING and not receptacle.is_open:
        return False
    return closed_holder(state, receptacle) is None


def _shuffled(generator: np.random.Generator) -> Order:
    """A random order of spots: by a hash of their place under a fresh seed."""
    seed = int(generator.integers(1 << 32))

    def rank(spot: Vec3) -> float:
        x, y, z = (value + OFF_MIDDLE for value in spot.tuple())
        text = f"{seed} {x:.4f} {y:.4f} {z:.4f}"
        return float(crc32(text.encode()))

    return rank


# --- Other materials, colours and light in the same room; the draws follow SetRandomSeed

SEED = Parameter("randomSeed", ParameterType.WHOLE, None)
"""Ours: AI2-THOR takes none here."""

SPLITS = ("train", "val", "test")
"""AI2-THOR's split of its scenes: of each room type, plans 1 to 20, 21 to 25 and 26 to 30."""

GROUPS: Mapping[Room, str] = {
    Room.KITCHEN: "kitchen",
    Room.LIVING_ROOM: "livingroom",
    Room.BEDROOM: "bedroom",
    Room.BATHROOM: "bathroom",
}
"""The room types of AI2-THOR's materials; it has one more, "robothor"."""

FLOOR_PLAN = re.compile(r"FloorPlan(\d+)(_physics)?")


@ACTIONS.action("SetRandomSeed", Parameter("seed", ParameterType.WHOLE), lenient=True)
def set_random_seed(context: ActionContext) -> Result:
    """Fixes the draws of RandomizeMaterials, RandomizeColors and RandomizeLighting until the next
    reset."""
    return Result(replace(context.state, draws=Draws(seed=context["seed"])))


@ACTIONS.action(
    "RandomizeMaterials",
    SEED,
    *(
        Parameter(f"use{name}Materials", ParameterType.TRUTH, default=None)
        for name in ("Train", "Val", "Test", "External")
    ),
    Parameter("inRoomTypes", ParameterType.LIST, None),
)
@answering
def randomize_materials(context: ActionContext) -> Result:
    """Draws other materials. AI2-THOR draws anew with every call; so does this, by counting.

    Which materials AI2-THOR may use depends on the scene's split and the arguments; they are
    checked and answered as there. This world has one set of materials and always draws from it.
    """
    scene = context.state.scene
    rooms = _room_types(context["inRoomTypes"], GROUPS[scene.room], scene.name)
    split, used = _split(scene.name), {}
    for name in SPLITS:
        given = context[f"use{name.title()}Materials"]
        if name == split and given is False:
            raise RefusedError(
                f"Inside of RandomizeMaterials, cannot set use{name.title()}Materials=false inside "
                f"of a {name} scene."
            )
        used[f"use{name.title()}Materials"] = name == split if given is None else given
    external = context["useExternalMaterials"]
    value = {
        "chosenRoomTypes": rooms,
        "sceneType": split,
        **used,
        "useExternalMaterials": split == "train" if external is None else external,
        "totalMaterialsConsidered": len(scene.objects) + len(scene.structure),
    }
    return replace(_recolored(context), value=value)


@ACTIONS.action("RandomizeColors", SEED)
def randomize_colors(context: ActionContext) -> Result:
    """Draws other colours: in this world the same as other materials."""
    return _recolored(context)


def _recolored(context: ActionContext) -> Result:
    state, drawn = _drawn(context.state, context["randomSeed"], context.state.variation.materials)
    return Result(replace(state, variation=replace(state.variation, materials=drawn)))


def _split(scene: str) -> str:
    """The split of a scene; rooms other than floor plans are for training."""
    found = FLOOR_PLAN.fullmatch(scene)
    number = int(found[1]) % 100 if found else 1
    return SPLITS[0] if number <= 20 else SPLITS[1] if number <= 25 else SPLITS[2]


def _room_types(given: Sequence[object] | None, own: str, scene: str) -> list[str] | None:
    """The chosen room types; those that do not fit the scene raise `RefusedError`."""
    if given is None:
        return None
    if not given:
        raise RefusedError("inRoomTypes must have a non-zero length!")
    valid = (*GROUPS.values(), "robothor")
    chosen = [str(kind).lower() for kind in given]
    for kind in chosen:
        if kind not in valid:
            raise RefusedError(
                f"inRoomTypes contains unknown room type: {kind}.\n"
                f"Valid room types include {','.join(valid)}"
            )
    if own not in chosen:
        raise RefusedError(f'inRoomTypes must include "{own}" inside of a {own} scene: {scene}.')
    return sorted(set(chosen))


@ACTIONS.action("ResetColors")
@ACTIONS.action("ResetMaterials")
def reset_materials(context: ActionContext) -> Result:
    """Restores the scene's original materials."""
    return Result(
        replace(context.state, variation=replace(context.state.variation, materials=None))
    )


@ACTIONS.action(
    "RandomizeLighting",
    SEED,
    Parameter("brightness", ParameterType.LIST, None),
    Parameter("randomizeColor", ParameterType.TRUTH, default=True),
    Parameter("hue", ParameterType.LIST, None),
    Parameter("saturation", ParameterType.LIST, None),
    Parameter("synchronized", ParameterType.TRUTH, default=False),
)
@answering
def randomize_lighting(context: ActionContext) -> Result:
    """Draws other light, like RandomizeMaterials. The ranges are checked and have no effect."""
    given = (context["hue"], context["saturation"])
    if not context["randomizeColor"] and given != (None, None):
        raise RefusedError("Cannot set hue and/or saturation when randomizeColor is false.")
    for name, most in (("brightness", math.inf), ("hue", 1.0), ("saturation", 1.0)):
        if context[name] is not None:
            _check_range(name, context[name], most)
    state, drawn = _drawn(context.state, context["randomSeed"], context.state.variation.lighting)
    return Result(replace(state, variation=replace(state.variation, lighting=drawn)))


def _check_range(name: str, given: Sequence[object], most: float) -> None:
    """Raises `RefusedError` for anything but two rising numbers from 0 to `most`."""
    try:
        low, high = (read_number(each) for each in given)
    except ValueError:
        low, high = 1.0, 0.0
    if not 0.0 <= low <= high <= most:
        limit = "" if most == math.inf else f", at most {most:g}"
        raise RefusedError(
            f"{name} must be two rising, non-negative numbers{limit}. You gave {list(given)}."
        )


@ACTIONS.action("ResetLighting")
def reset_lighting(context: ActionContext) -> Result:
    """Restores the scene's original light."""
    return Result(replace(context.state, variation=replace(context.state.variation, lighting=None)))


def _drawn(
    state: HouseholdState, given: int | None, before: int | None
) -> tuple[HouseholdState, int]:
    """The state after a draw, and the drawn seed of materials or of light."""
    if given is not None:
        return state, given % 2**32
    draws = state.draws
    if draws.seed is None:
        return state, 1 if before is None else before + 1
    drawn = crc32(f"{draws.seed} {draws.number}".encode())
    return replace(state, draws=replace(draws, number=draws.number + 1)), drawn
