"""From states to pictures: keeps a scene graph in step with a state.

Only what differs from the previously shown state is rebuilt, so moving a mug costs far less than
loading a kitchen. Models come from the asset catalogue, which shares them.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import Color, Look, Material, Model, place
from env_service.worlds.household.assets.steam import with_steam
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.scene_graph import Light, Lighting, Node, SceneGraph
from env_service.worlds.household.scene.looks import (
    Paint,
    can_be_painted,
    is_mirror,
    paint,
    painted,
    surface_key,
    with_band,
)
from env_service.worlds.household.scene.room_colors import drawn_palette
from env_service.worlds.household.scene.spec import (
    ObjectSpec,
    SceneSpec,
    StructureSpec,
    request_for,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

AMBIENT = 0.30
"""Light from everywhere while the room's lights shine; linear."""

DUSK = 0.10
"""The same with the lights off; daylight adds to it."""

SKY = 0.30
"""Light from the windows' side in daylight; linear."""

PLAIN_AMBIENT, PLAIN_DUSK, PLAIN_LAMPS, PLAIN_SKY = 0.75, 0.25, 0.5, 0.1
"""The same in plain light, and the share of the ceiling lights' power: most light comes from
everywhere."""

PLAIN_FROM_BELOW = 0.6
"""See `Lighting.from_below`. A measured colour contains what the real floor reflects."""


@dataclass(frozen=True)
class _Shown:
    """What is in the graph for an object: its state, its node keys and its lamps."""

    state: ObjectState
    keys: tuple[str, ...]
    lamps: tuple[Light, ...]


class SceneGraphBuilder:
    """The scene graph of one scene, for any of its states in any order."""

    def __init__(self, scene: SceneSpec, before: "SceneGraphBuilder | None" = None) -> None:
        """Builds the structure; objects follow with the first state.

        Nodes that the builder ``before`` has too are taken from it, so a renderer keeps its work on
        them: after a reset most of a scene is where it was.
        """
        self._scene = scene
        self._graph = SceneGraph()
        self._earlier: Mapping[str, Node] = {} if before is None else before._graph.nodes
        self._shown: dict[str, _Shown] = {}
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._structure = {spec.name: spec for spec in scene.structure}
        self._materials: int | None = None
        self._palette = scene.palette
        self._paint: dict[str, Paint] = {}
        self._measured: set[str] = set()
        self._windows = _towards_windows(scene)
        for name in self._structure:
            self.instance_of(name)
        for spec in scene.objects:
            self.instance_of(spec.object_id)
        self._build_structure()

    def graph(self, state: HouseholdState) -> SceneGraph:
        """The graph, showing a state. It is the same object every time, changed in place."""
        if state.variation.materials != self._materials:
            self._repaint(state.variation.materials)
        gone = [key for key in self._shown if key not in state.objects]
        for object_id in gone:
            self._graph.drop(self._shown.pop(object_id).keys)
        for object_id, item in state.objects.items():
            before = self._shown.get(object_id)
            if before is None or before.state is not item:
                self._show(item, before)
        self._graph.light(self._lighting(state))
        self._earlier = {}
        return self._graph

    def instance_of(self, name: str) -> int:
        """The instance number of an object id or of a structural part's name, from 0 up; a name
        that is new gets the next."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return number

    def object_of(self, instance: int) -> str | None:
        """The object id of an instance number; None for structure and for unknown numbers."""
        name = self.name_of(instance)
        return None if name in self._structure else name

    def name_of(self, instance: int) -> str | None:
        """The object id or the structural part's name of an instance number."""
        return self._names[instance] if 0 <= instance < len(self._names) else None

    def _build_structure(self) -> None:
        for spec in self._scene.structure:
            model = self._model(spec, Look())
            half = spec.body.rotation.apply(Vec3(0.0, spec.body.size.y / 2, 0.0))
            frame = Transform(spec.body.rotation, spec.body.center - half)
            self._measure(spec, spec.name)
            self._put(spec.name, model, frame, 0.0, fixed=True)

    def _show(self, item: ObjectState, before: _Shown | None) -> None:
        if before is not None and _looks_same(item, before.state):
            self._shown[item.id] = replace(before, state=item)
            return
        keys: tuple[str, ...] = ()
        lamps: tuple[Light, ...] = ()
        if not item.replaced:
            model = self._model(item.spec, item.look)
            frame = item.pose @ item.spec.asset_frame
            still = not (item.spec.can(Trait.PICKUPABLE) or item.spec.can(Trait.MOVEABLE))
            self._measure(item.spec, item.id)
            keys = self._put(item.id, model, frame, item.openness, fixed=still)
            lamps = tuple(
                Light(frame.apply(lamp.position), lamp.color, lamp.power, lamp.reach)
                for lamp in model.lamps
            )
        if before is not None:
            self._graph.drop(key for key in before.keys if key not in keys)
        self._shown[item.id] = _Shown(item, keys, lamps)

    def _put(
        self, name: str, model: Model, frame: Transform, openness: float, *, fixed: bool
    ) -> tuple[str, ...]:
        """Puts a model's parts into the graph; nodes that would not change stay."""
        number, base = self.instance_of(name), frame.array()
        keys = []
        for part in model.parts:
            key = f"{name}/{part.name}"
            keys.append(key)
            still = part.motion is None
            where = base if still else composed(base, place(part, openness))
            material = self._tinted(part.material, name, key)
            mirror = self._scene.appearance is not None and is_mirror(name, part)
            node = Node(
                part.mesh, material, where, number, fixed and still, part.casts_shadow, mirror
            )
            if not _same(node, self._graph.nodes.get(key)):
                earlier = self._earlier.get(key)
                self._graph.put(key, earlier if earlier and _same(node, earlier) else node)
        return tuple(keys)

    def _model(self, spec: ObjectSpec | StructureSpec, look: Look) -> Model:
        request = request_for(spec, self._palette, look)
        colors = self._scene.appearance
        model = catalogue.model(request)
        if look.liquid is not None or not _is_vessel(spec):
            model = with_steam(model, request)
        if colors is None or colors.band is None or spec.type != "Wall":
            return model
        return with_band(model, colors.band)

    def _repaint(self, seed: int | None) -> None:
        """Switches to other materials: another palette, and a separate tint for every object."""
        self._materials = seed
        self._palette = (
            self._scene.palette if seed is None else drawn_palette(self._scene.room, seed)
        )
        for shown in self._shown.values():
            self._graph.drop(shown.keys)
        self._shown = {}
        self._build_structure()

    def _measure(self, spec: ObjectSpec | StructureSpec, name: str) -> None:
        """Finds how the scene's measured colours change the parts of an object or structure. Those
        of its plain state count: dirt on it keeps its contrast."""
        colors = self._scene.appearance
        if colors is None or name in self._measured:
            return
        self._measured.add(name)
        if isinstance(spec, ObjectSpec) and spec.can(Trait.PICKUPABLE):
            return
        for part in self._model(spec, Look()).parts:
            key = f"{name}/{part.name}"
            color = colors.parts.get(key) or colors.surfaces.get(surface_key(spec.type, part.name))
            if color is not None and can_be_painted(part.material, spec.type):
                self._paint[key] = paint(part, spec.type, color)

    def _tinted(self, material: Material, name: str, key: str) -> Material:
        if self._materials is None:
            by = self._paint.get(key)
            return material if by is None else painted(material, by)
        if material.glow > 0:
            return material
        generator = np.random.default_rng([self._materials, zlib.crc32(name.encode())])
        tint = generator.uniform(0.72, 1.08, 3)
        r, g, b = (min(1.0, c * float(t)) for c, t in zip(material.color, tint, strict=True))
        return replace(material, color=(r, g, b))

    def _lighting(self, state: HouseholdState) -> Lighting:
        """Ceiling lights, lamps that are on, and the windows' daylight."""
        strength, tint = _light_variation(state.variation.lighting)
        scene = self._scene
        plain = scene.appearance is not None
        share = PLAIN_LAMPS if plain else 1.0
        lights: list[Light] = []
        if state.ceiling_on:
            for number, lamp in enumerate(scene.lights):
                color, power = _times(lamp.color, tint), lamp.power * strength * share
                lights.append(Light(lamp.position, color, power, 12.0, shadows=number == 0))
        for object_id in state.objects:
            lights += self._shown[object_id].lamps
        on, off, sky = (PLAIN_AMBIENT, PLAIN_DUSK, PLAIN_SKY) if plain else (AMBIENT, DUSK, SKY)
        sky *= scene.daylight
        ambient = (on if state.ceiling_on else off) + 0.25 * sky
        return Lighting(
            tuple(lights),
            ambient * strength,
            sky * strength,
            self._windows,
            tint,
            PLAIN_FROM_BELOW if plain else None,
        )


def composed(outer: NDArray[np.float64], inner: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two affine maps [3, 4] as one, the inner first; by plain sums, which are the same on every
    machine."""
    whole = np.empty((3, 4))
    for k in range(4):
        column = outer[:, 0] * inner[0, k] + outer[:, 1] * inner[1, k] + outer[:, 2] * inner[2, k]
        whole[:, k] = column + outer[:, 3] if k == 3 else column
    return whole


def _same(node: Node, other: Node | None) -> bool:
    return (
        other is not None
        and node.mesh is other.mesh
        and node.instance == other.instance
        and node.fixed == other.fixed
        and node.casts_shadow == other.casts_shadow
        and node.material == other.material
        and np.array_equal(node.place, other.place)
    )


def _looks_same(item: ObjectState, before: ObjectState) -> bool:
    return (
        item.spec is before.spec
        and item.pose == before.pose
        and item.openness == before.openness
        and item.look == before.look
        and item.replaced == before.replaced
    )


def _towards_windows(scene: SceneSpec) -> Vec3:
    """The mean direction to the windows, a little upwards; straight up without any."""
    total = Vec3(0.0, 0.0, 0.0)
    for spec in _windows(scene.objects):
        ahead = spec.body.rotation.apply(Vec3(0.0, 0.0, 1.0))
        area = spec.body.size.x * spec.body.size.y
        total = total - Vec3(ahead.x, 0.0, ahead.z) * area
    level = total.length()
    if level < 1e-6:
        return Vec3(0.0, 1.0, 0.0)
    slanted = Vec3(total.x / level, 0.45, total.z / level)
    return slanted * (1.0 / slanted.length())


def _is_vessel(spec: ObjectSpec | StructureSpec) -> bool:
    return isinstance(spec, ObjectSpec) and spec.can(Trait.FILLABLE)


def _windows(objects: Iterable[ObjectSpec]) -> Iterable[ObjectSpec]:
    return (spec for spec in objects if spec.type == "Window")


def _light_variation(seed: int | None) -> tuple[float, Color]:
    """Strength and tint of the light: a seed draws from dim to bright, from warm to cool."""
    if seed is None:
        return 1.0, (1.0, 1.0, 1.0)
    generator = np.random.default_rng(seed)
    strength, warmth = float(generator.uniform(0.6, 1.25)), float(generator.uniform(-1.0, 1.0))
    return strength, (min(1.0, 1.0 + 0.12 * warmth), 0.96, min(1.0, 1.0 - 0.16 * warmth))


def _times(color: Color, tint: Color) -> Color:
    r, g, b = (a * b for a, b in zip(color, tint, strict=True))
    return (r, g, b)
