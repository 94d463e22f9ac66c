"""Randomized scenes: InitialRandomSpawn, other materials and other light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    ErrorCode,
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
from env_service.worlds.household.simulation.refusals import RefusedError
from env_service.worlds.household.simulation.space.containment import (
    ENCLOSING,
    carried_with,
    closed_holder,
    moved,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import Order, Search
from env_service.worlds.household.state import HouseholdState, ObjectState

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
        text = "numDuplicatesOfType must be a list of {objectType, count}"
        return refuse(context, text, ErrorCode.INVALID_ARGUMENT)
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


# --- Other materials and other light in the same room


@ACTIONS.action(
    "RandomizeMaterials", Parameter("randomSeed", ParameterType.WHOLE, None), lenient=True
)
def randomize_materials(context: ActionContext) -> Result:
    """Draws other materials. AI2-THOR draws anew with every call; so does this, by counting, and
    a seed may be given."""
    drawn = _next(context["randomSeed"], context.state.variation.materials)
    variation = replace(context.state.variation, materials=drawn)
    return Result(replace(context.state, variation=variation))


@ACTIONS.action("ResetMaterials")
def reset_materials(context: ActionContext) -> Result:
    """Restores the scene's original materials."""
    return Result(
        replace(context.state, variation=replace(context.state.variation, materials=None))
    )


@ACTIONS.action(
    "RandomizeLighting", Parameter("randomSeed", ParameterType.WHOLE, None), lenient=True
)
def randomize_lighting(context: ActionContext) -> Result:
    """Draws other light, like RandomizeMaterials."""
    drawn = _next(context["randomSeed"], context.state.variation.lighting)
    variation = replace(context.state.variation, lighting=drawn)
    return Result(replace(context.state, variation=variation))


@ACTIONS.action("ResetLighting")
def reset_lighting(context: ActionContext) -> Result:
    """Restores the scene's original light."""
    return Result(replace(context.state, variation=replace(context.state.variation, lighting=None)))


def _next(given: int | None, before: int | None) -> int:
    if given is not None:
        return given % 2**32
    return 1 if before is None else before + 1
