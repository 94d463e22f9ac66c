"""What changes in an episode: a frozen value, replaced by every action; and a digest of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from env_service.worlds.household.assets.model import Liquid, Look
from env_service.worlds.household.geometry import Box, Transform, Vec3
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, Temperature


@dataclass(frozen=True)
class ObjectState:
    """One object now.

    Attributes:
        spec: what never changes about it.
        pose: where its local frame is.
        euler: its rotation as AI2-THOR writes it, degrees; the same rotation as in `pose`.
        parents, contents: ids, as in `ObjectSpec`; kept in step with each other by every action.
        openness: 0 to 1.
        toggled, broken, dirty, liquid, used_up, cooked, sliced, temperature: by AI2-THOR's
            meaning.
        warm_until: the simulated second at which it is back at room temperature.
        held: whether the agent has it in hand.
        in_hand_of: id of the held object that carries it, None if it is not carried along.
    """

    spec: ObjectSpec
    pose: Transform
    euler: Vec3
    parents: tuple[str, ...] | None = None
    contents: tuple[str, ...] | None = None
    openness: float = 0.0
    toggled: bool = False
    broken: bool = False
    dirty: bool = False
    liquid: str | None = None
    used_up: bool = False
    cooked: bool = False
    sliced: bool = False
    temperature: Temperature = Temperature.ROOM
    warm_until: float = 0.0
    held: bool = False
    in_hand_of: str | None = None

    @staticmethod
    def at_start(spec: ObjectSpec) -> ObjectState:
        """An object as its specification describes it."""
        start = spec.start
        return ObjectState(
            spec=spec,
            pose=spec.pose,
            euler=spec.rotation,
            parents=spec.parents,
            contents=spec.contents,
            openness=start.openness,
            toggled=start.toggled,
            broken=start.broken,
            dirty=start.dirty,
            liquid=start.liquid,
            used_up=start.used_up,
            cooked=start.cooked,
            sliced=start.sliced,
            temperature=start.temperature,
        )

    @property
    def id(self) -> str:
        """Its object id."""
        return self.spec.object_id

    @property
    def is_open(self) -> bool:
        """Whether it is open at all."""
        return self.openness > 0

    @property
    def replaced(self) -> bool:
        """Whether pieces have replaced it: AI2-THOR still lists a sliced fruit and a cracked egg,
        but the agent can no longer see or touch them."""
        return self.sliced or (self.broken and self.spec.type == "Egg")

    @cached_property
    def displaced(self) -> bool:
        """Whether it is elsewhere than at the start."""
        return self.pose != self.spec.pose

    @cached_property
    def body(self) -> Box:
        """The box that its asset fills, where it is now."""
        if not self.displaced:
            return self.spec.body
        return self.spec.body.moved(self.pose @ self.spec.pose.inverse())

    @cached_property
    def extent(self) -> tuple[Vec3, Vec3]:
        """The lowest and the highest corner of the axis-aligned box around `body`."""
        bounds = self.body.bounds()
        return bounds.center - bounds.size * 0.5, bounds.center + bounds.size * 0.5

    @cached_property
    def look(self) -> Look:
        """What of its state can be seen."""
        return Look(
            dirty=self.dirty,
            liquid=Liquid(self.liquid) if self.liquid else None,
            cooked=self.cooked,
            sliced=self.sliced,
            broken=self.broken,
            used_up=self.used_up,
            on=self.toggled,
            hot=self.temperature is Temperature.HOT,
        )


@dataclass(frozen=True)
class AgentState:
    """The agent's pose: its body's origin (0.901 m above the floor, as in AI2-THOR), where it
    looks, and whether it stands or crouches."""

    position: Vec3
    yaw: float = 0.0
    horizon: float = 0.0
    standing: bool = True


@dataclass(frozen=True)
class ThirdPartyCamera:
    """A camera that was added to the scene.

    Attributes:
        position: metres.
        rotation: Euler degrees.
        field_of_view: vertical, degrees; of no effect while `orthographic`.
        orthographic: whether its lines of sight are parallel.
        orthographic_size: metres of half of what an orthographic picture shows vertically.
    """

    position: Vec3
    rotation: Vec3
    field_of_view: float = 90.0
    orthographic: bool = False
    orthographic_size: float = 5.0


@dataclass(frozen=True)
class Variation:
    """What RandomizeMaterials and RandomizeLighting changed; seeds of draws, None for nothing."""

    materials: int | None = None
    lighting: int | None = None


@dataclass(frozen=True)
class Presentation:
    """What actions changed about the answers, and not about the home.

    Attributes:
        map_view: whether the agent's picture is a map, seen from above.
        hidden: ids of objects that pictures leave out; they see nothing and hide nothing.
        listed: ids of the only objects that metadata list; None for all.
    """

    map_view: bool = False
    hidden: frozenset[str] = frozenset()
    listed: frozenset[str] | None = None


@dataclass(frozen=True)
class Draws:
    """Random numbers that the caller fixed with SetRandomSeed.

    Attributes:
        seed: None as long as the caller has set none.
        number: draws since then.
    """

    seed: int | None = None
    number: int = 0


@dataclass(frozen=True)
class Cooling:
    """How long hot and cold things take to come back to room temperature.

    Attributes:
        seconds: of simulated time, for all types that are not listed; AI2-THOR's default.
        by_type: seconds of single types.
        stopped: whether temperatures stay as they are.
    """

    seconds: float = 10.0
    by_type: tuple[tuple[str, float], ...] = ()
    stopped: bool = False


@dataclass(frozen=True)
class HouseholdState:
    """Everything that can change.

    Attributes:
        scene: the scene it began as.
        objects: by id, in AI2-THOR's order; disabled and removed ones are not here.
        agent: the agent.
        held: id of what it holds, None for nothing.
        grip: pose of the held object's local frame in the camera's frame (origin at the eye, z the
            view's direction); meaningless while nothing is held.
        seconds: simulated time since the reset.
        cameras: third-party cameras, by the order of their addition.
        variation: visual variation.
        ceiling_on: whether the room's own lights shine.
        spawned: how many objects were made so far, for fresh names.
        disabled: by id, objects that DisableObject took out of the scene.
        cooling: how temperatures decay.
        unbreakable: object types, and ids of single objects, that nothing breaks.
        presentation: what the answers show.
        draws: random numbers with a seed.
    """

    scene: SceneSpec
    objects: Mapping[str, ObjectState]
    agent: AgentState
    held: str | None = None
    grip: Transform = field(default=Transform())
    seconds: float = 0.0
    cameras: tuple[ThirdPartyCamera, ...] = ()
    variation: Variation = field(default=Variation())
    ceiling_on: bool = True
    spawned: int = 0
    disabled: Mapping[str, ObjectState] = field(default_factory=dict)
    cooling: Cooling = field(default=Cooling())
    unbreakable: frozenset[str] = frozenset()
    presentation: Presentation = field(default=Presentation())
    draws: Draws = field(default=Draws())

    @staticmethod
    def at_start(scene: SceneSpec) -> HouseholdState:
        """A scene as it loads."""
        start = scene.agent
        return HouseholdState(
            scene=scene,
            objects={spec.object_id: ObjectState.at_start(spec) for spec in scene.objects},
            agent=AgentState(start.position, start.yaw, start.horizon, start.standing),
        )

    def having(self, *changed: ObjectState) -> HouseholdState:
        """With some objects replaced or added, by id."""
        return replace(self, objects={**self.objects, **{item.id: item for item in changed}})

    def without(self, *object_ids: str) -> HouseholdState:
        """Without some objects."""
        gone = frozenset(object_ids)
        left = {key: item for key, item in self.objects.items() if key not in gone}
        return replace(self, objects=left)


# --- A fingerprint of a state: equal digests, equal states

PLACES = 6
"""Decimal places of metres, degrees and the like that count."""


def digest(state: HouseholdState) -> str:
    """A hex string of 32 characters over everything in a state that can change, and the scene's
    name. Numbers count to a millionth, so that the last bits of a platform's arithmetic do not."""
    written = json.dumps(_summary(state), separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b(written.encode(), digest_size=16).hexdigest()


def _summary(state: HouseholdState) -> dict[str, Any]:
    agent, cooling = state.agent, state.cooling
    return {
        **_additions(state),
        "scene": state.scene.name,
        "objects": [_object(item) for item in state.objects.values()],
        "disabled": [_object(item) for item in state.disabled.values()],
        "agent": [
            *_numbers(*agent.position.tuple(), agent.yaw, agent.horizon),
            agent.standing,
        ],
        "held": state.held,
        "grip": _pose(state.grip) if state.held is not None else None,
        "seconds": _number(state.seconds),
        "cameras": [
            _numbers(
                *each.position.tuple(),
                *each.rotation.tuple(),
                each.field_of_view,
                *((each.orthographic_size,) if each.orthographic else ()),
            )
            for each in state.cameras
        ],
        "variation": [state.variation.materials, state.variation.lighting],
        "ceiling": state.ceiling_on,
        "spawned": state.spawned,
        "cooling": [_number(cooling.seconds), list(cooling.by_type), cooling.stopped],
        "unbreakable": sorted(state.unbreakable),
    }


def _additions(state: HouseholdState) -> dict[str, Any]:
    """What only some episodes have: the digests of all others do not depend on it."""
    shown, draws, known = state.presentation, state.draws, state.scene.by_id
    found: dict[str, Any] = {}
    if shown != Presentation():
        listed = None if shown.listed is None else sorted(shown.listed)
        found["presentation"] = [shown.map_view, sorted(shown.hidden), listed]
    if draws != Draws():
        found["draws"] = [draws.seed, draws.number]
    masses = {
        key: _number(item.spec.mass)
        for key, item in state.objects.items()
        if key in known and item.spec is not known[key] and item.spec.mass != known[key].mass
    }
    return {**found, **({"masses": masses} if masses else {})}


def _object(item: ObjectState) -> list[Any]:
    return [
        item.id,
        _pose(item.pose),
        item.parents,
        item.contents,
        _number(item.openness),
        item.toggled,
        item.broken,
        item.dirty,
        item.liquid,
        item.used_up,
        item.cooked,
        item.sliced,
        item.temperature.value,
        _number(item.warm_until),
        item.held,
        item.in_hand_of,
    ]


def _pose(pose: Transform) -> list[float]:
    rotation = (value for row in pose.rotation.rows for value in row)
    return _numbers(*pose.position.tuple(), *rotation)


def _numbers(*values: float) -> list[float]:
    return [_number(value) for value in values]


def _number(value: float) -> float:
    return round(value, PLACES) + 0.0  # no negative zero
