"""Panels of objects for the gallery: each type in its variants and in each of its states, on a
neutral ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from env_service.contact_sheets import Panel
from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Liquid,
    Look,
    Material,
    Model,
    Palette,
    Part,
    place,
)
from env_service.worlds.household.assets.palette import wood
from env_service.worlds.household.assets.shapes import blocks, box
from env_service.worlds.household.assets.sizes import USUAL
from env_service.worlds.household.assets.steam import with_steam
from env_service.worlds.household.geometry import IDENTITY, Transform, Vec3
from env_service.worlds.household.render.interface import Camera, Channel, Renderer
from env_service.worlds.household.render.scene_graph import Light, Lighting, Node, SceneGraph
from env_service.worlds.household.render.soft.lighting import LAMP_FALL, LAMP_NEAR
from env_service.worlds.household.render.soft.scene_cache import LAMP

BUILT_IN = {
    "Cabinet": (0.50, 0.70, 0.36),
    "CounterTop": (1.40, 0.04, 0.62),
    "Drawer": (0.50, 0.16, 0.50),
    "Floor": (1.60, 0.05, 1.60),
    "Shelf": (0.80, 0.03, 0.28),
    "Sink": (0.72, 0.18, 0.48),
    "SinkBasin": (0.36, 0.16, 0.36),
    "StoveBurner": (0.21, 0.02, 0.21),
    "StoveKnob": (0.05, 0.05, 0.03),
}
"""Sizes of parts of built-in furniture, which have no usual one: width, height, depth, metres."""
ON_WALLS = frozenset(
    {
        "Blinds", "Curtains", "HandTowelHolder", "LightSwitch", "Mirror", "Painting", "Poster",
        "ShowerHead", "StoveKnob", "ToiletPaperHanger", "TowelHolder", "Window",
    }
)  # fmt: skip
"""Types that hang on a wall or front."""
CASE = 0.018
"""Metres of the boards around a drawer."""
MOST_VARIANTS = 6
LOOKED_AT = 40
"""How many variant numbers are tried for different looks."""


def request(type_name: str, variant: int = 1) -> AssetRequest:
    """An order for a type at its usual size. KeyError for a name that AI2-THOR does not have."""
    size = USUAL.get(type_name) or BUILT_IN[type_name]
    return AssetRequest(
        type_name, variant, Vec3(*size), palette=Palette(), details=(("asset", ""),)
    )


@cache
def variants_of(type_name: str) -> tuple[int, ...]:
    """Variant numbers that look different, at most MOST_VARIANTS."""
    found: dict[object, int] = {}
    for number in range(1, LOOKED_AT + 1):
        model = catalogue.model(request(type_name, number))
        found.setdefault(_appearance(model), number)
        if len(found) == MOST_VARIANTS:
            break
    return tuple(found.values())


def shown_states(type_name: str) -> tuple[ShownState, ...]:
    """The states of a type to show side by side; none if it has the plain one alone."""
    states = states_of(type_name)
    return states if len(states) > 1 else ()


def object_picture(
    renderer: Renderer, type_name: str, state: ShownState, variant: int, side: int
) -> NDArray[np.uint8]:
    """A square picture of a type in a state, uint8 [side, side, 3]."""
    order = replace(request(type_name, variant), look=state.look)
    model = with_steam(catalogue.model(order), order)
    if type_name == "Drawer":
        model = _in_case(model, order.size)
    openness = _rest(model) if state.openness is None else state.openness
    return portrait(renderer, model, openness, side, Pose(hung=type_name in ON_WALLS))


def variant_panels(renderer: Renderer, side: int) -> Iterator[Panel]:
    """Every type in every variant, by name."""
    for type_name in object_types():
        plain = states_of(type_name)[0]
        for count, number in enumerate(variants_of(type_name), 1):
            picture = object_picture(renderer, type_name, plain, number, side)
            yield Panel(type_name if count == 1 else f"{type_name} ({count})", picture)


def state_panels(renderer: Renderer, side: int) -> Iterator[Panel]:
    """Every type that has states in each of them, the plain one first."""
    for type_name in object_types():
        for state in shown_states(type_name):
            picture = object_picture(renderer, type_name, state, 1, side)
            yield Panel(f"{type_name}: {state.label}", picture)


def _in_case(model: Model, size: Vec3) -> Model:
    """A drawer in the piece of furniture around it; alone it looks the same however far it is
    open."""
    x, y, z = size.x / 2, size.y, size.z / 2
    side, face = CASE, z - 2 * CASE
    spans = [
        (-x - side, -side, -z - side, -x, y + side, face),
        (x, -side, -z - side, x + side, y + side, face),
        (-x, -side, -z - side, x, 0.0, face),
        (-x, y, -z - side, x, y + side, face),
        (-x, 0.0, -z - side, x, y, -z),
    ]
    return replace(model, parts=(*model.parts, Part("case", blocks(spans), wood("maple"))))


def _rest(model: Model) -> float:
    """How far open a model was drawn."""
    return max((part.motion.at_rest for part in model.parts if part.motion), default=0.0)


def _appearance(model: Model) -> tuple[tuple[str, object], ...]:
    return tuple((part.mesh.key, part.material) for part in model.parts)


# --- One object on a neutral ground, lit like a room, seen from its front

GROUND = Material((0.66, 0.65, 0.62), gloss=0.05)
FIELD_OF_VIEW = 32.0
YAW = 215.0
"""The camera looks at the front a little from its right, degrees."""
LARGE, PITCH_LARGE, PITCH_SMALL, PITCH_HUNG = 0.45, 20.0, 36.0, 8.0
"""Radius in metres from which a thing is large; degrees that one looks down at what is large, what
is small (it lies on a table, below one's eyes) and what hangs on a wall."""
KEY = 1.15
"""Light that the object gets from the main lamp, at any distance of the lamp."""
LEAST_STEP = 0.35
"""Metres; the lamp is at least 5.4 times as far from the object."""
HUNG_BACKDROP = 0.02
"""Metres between what hangs on a wall and the wall."""


@dataclass(frozen=True)
class Pose:
    """How an object is placed before the camera.

    Attributes:
        hung: whether it hangs on a wall rather than rests on the ground.
        yaw: where the camera looks, degrees; 180 is straight at the front.
        pitch: how far down it looks, degrees; None as a person looks at a thing of that size.
    """

    hung: bool = False
    yaw: float = YAW
    pitch: float | None = None

    def down(self, radius: float) -> float:
        """The pitch for a thing of that radius in metres."""
        if self.pitch is not None:
            return self.pitch
        if self.hung:
            return PITCH_HUNG
        return PITCH_LARGE if radius >= LARGE else PITCH_SMALL


def portrait(
    renderer: Renderer, model: Model, openness: float, side: int, pose: Pose = Pose()
) -> NDArray[np.uint8]:
    """A square picture of a model, uint8 [side, side, 3]. The object fills the picture whatever
    its size, also when it is open."""
    graph = SceneGraph()
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for part in model.parts:
        motion = place(part, openness)
        corners = _corners(part.mesh.bounds[0], part.mesh.bounds[1])
        moved = corners @ motion[:, :3].T + motion[:, 3]
        low, high = np.minimum(low, moved.min(0)), np.maximum(high, moved.max(0))
        graph.put(
            part.name,
            Node(part.mesh, part.material, motion, 1, casts_shadow=part.casts_shadow),
        )
    middle, radius = (low + high) / 2, float(np.sqrt(((high - low) ** 2).sum())) / 2
    _ground(graph, low, radius, hung=pose.hung)
    graph.light(_light(model, middle, radius))
    distance = radius * 1.06 / math.sin(math.radians(FIELD_OF_VIEW / 2))
    pitch = pose.down(radius)
    turn, tilt = math.radians(pose.yaw), math.radians(pitch)
    eye = middle - distance * np.array(
        [math.sin(turn) * math.cos(tilt), -math.sin(tilt), math.cos(turn) * math.cos(tilt)]
    )
    camera = Camera(
        Vec3(*eye.tolist()), pose.yaw, pitch, FIELD_OF_VIEW, side, side,
        near=distance / 100, far=distance * 60,
    )  # fmt: skip
    color = renderer.render(graph, camera, Channel.COLOR).color
    if color is None:
        raise ValueError(f"the renderer {renderer.name} makes no pictures")
    return color


def _corners(low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.float64]:
    ends = np.stack([low, high]).astype(np.float64)
    return np.array(
        [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )


def _ground(graph: SceneGraph, low: NDArray[np.float64], radius: float, *, hung: bool) -> None:
    extent = radius * 120
    slab = box(extent, radius * 0.1, extent)
    at = Vec3(0.0, float(low[1]) - radius * 0.101, 0.0)
    if hung:
        slab = box(extent, extent, radius * 0.1)
        at = Vec3(0.0, -extent / 2, float(low[2]) - radius * 0.05 - HUNG_BACKDROP)
    graph.put("ground", Node(slab, GROUND, Transform(IDENTITY, at).array(), 0, fixed=True))


def _light(model: Model, middle: NDArray[np.float64], radius: float) -> Lighting:
    """A room's light, at distances in proportion to a large object, as far off as in a room for a
    small one; and the lamps of the object."""
    x, y, z = middle.tolist()
    step = max(radius, LEAST_STEP)
    key = Vec3(x + step * 2.0, y + step * 4.0, z + step * 3.0)
    away = step * math.sqrt(2.0**2 + 4.0**2 + 3.0**2)
    power = KEY * float(LAMP_NEAR + LAMP_FALL * away * away) / LAMP
    lamps = tuple(Light(lamp.position, lamp.color, lamp.power, lamp.reach) for lamp in model.lamps)
    lights = (Light(key, (1.0, 0.97, 0.92), power, step * 80, shadows=True), *lamps)
    return Lighting(lights, ambient=0.5)


# --- The states of a type that can be seen, and their names on a sheet

COFFEE = frozenset({"Mug", "Cup"})
"""Types shown with coffee."""
WINE = frozenset({"WineBottle", "Cup"})
"""Types shown with wine."""
COOKED = frozenset({"EggCracked", "BreadSliced", "Potato", "PotatoSliced"})
"""Types that heat cooks (AI2-THOR's documentation, object types, contextual interactions)."""
LIT = frozenset({"StoveBurner"})
"""Types that another object switches."""
USED_UP = frozenset({"PaperTowelRoll", "SoapBottle", "TissueBox", "ToiletPaper"})
"""Types that can start used up, though no instance of the floor plans can be used up later."""


@dataclass(frozen=True)
class ShownState:
    """A state to draw: its name on the sheet, the look, and how far open (None: the type's state at
    rest)."""

    label: str
    look: Look = Look()
    openness: float | None = None


def states_of(type_name: str) -> tuple[ShownState, ...]:
    """The states of a type that can be seen, the plain one first.

    Raises:
        KeyError: AI2-THOR has no such type.
    """
    kind = object_types()[type_name]
    can = kind.traits | kind.sometimes
    shown = [ShownState("as it is")]
    if Trait.DIRTYABLE in can:
        shown.append(ShownState("dirty", Look(dirty=True)))
    if Trait.FILLABLE in can:
        shown.append(ShownState("water", Look(liquid=Liquid.WATER)))
    if type_name in COFFEE:
        shown.append(ShownState("coffee", Look(liquid=Liquid.COFFEE, hot=True)))
    if type_name in WINE:
        shown.append(ShownState("wine", Look(liquid=Liquid.WINE)))
    if Trait.COOKABLE in can or type_name in COOKED:
        shown.append(ShownState("cooked", Look(cooked=True)))
    if Trait.SLICEABLE in can:
        shown.append(ShownState("sliced", Look(sliced=True)))
    if Trait.BREAKABLE in can:
        shown.append(ShownState("broken", Look(broken=True)))
    if Trait.USABLE in can or type_name in USED_UP:
        shown.append(ShownState("used up", Look(used_up=True)))
    if Trait.TOGGLEABLE in can or type_name in LIT:
        shown.append(ShownState("on", Look(on=True)))
    if Trait.OPENABLE in can:
        shown += [
            ShownState("closed", openness=0.0),
            ShownState("half open", openness=0.5),
            ShownState("open", openness=1.0),
        ]
    return tuple(shown)
