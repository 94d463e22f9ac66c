"""A task as an episode needs it, and as the JSON of `Task.data` keeps it (docs/alfred-rules.md,
"The world")."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.domain.task import Task
from env_service.worlds.ai2thor_api.geometry import Point


class TaskType(Enum):
    """ALFRED's seven task types, by their names in the data."""

    SIMPLE = "pick_and_place_simple"
    TWO = "pick_two_obj_and_place"
    LOOK = "look_at_obj_in_light"
    CLEAN = "pick_clean_then_place_in_recep"
    HEAT = "pick_heat_then_place_in_recep"
    COOL = "pick_cool_then_place_in_recep"
    MOVABLE = "pick_and_place_with_movable_recep"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be true at the end. Names are ALFRED's object types ("Apple", "SinkBasin"); empty
    where the task type has no such part.

    Attributes:
        type: decides which conditions there are (docs/alfred-rules.md, "Scores").
        object: the type of what is carried.
        parent: the type of receptacle where it belongs; empty for LOOK.
        movable: the type of receptacle that goes along; MOVABLE alone has one.
        toggle: the type of lamp; LOOK alone has one.
        sliced: whether slices of the object are meant.
    """

    type: TaskType
    object: str
    parent: str = ""
    movable: str = ""
    toggle: str = ""
    sliced: bool = False


@dataclass(frozen=True, slots=True)
class ObjectPose:
    """Where a thing that can be carried lies as the task begins: its name in AI2-THOR 2.1.0
    (several may share one), metres, and Euler degrees."""

    name: str
    position: Point
    rotation: Point

    @property
    def type(self) -> str:
        """The object type in its name: the part before the last "_"."""
        return self.name.rpartition("_")[0]


@dataclass(frozen=True, slots=True)
class AgentStart:
    """The agent's pose as the task begins: metres; degrees clockwise from +z, and down."""

    position: Point
    yaw: float
    horizon: float


@dataclass(frozen=True, slots=True)
class SceneSetup:
    """How the scene is made into the task's opening.

    Attributes:
        scene: what the world loads: "FloorPlan10", or a built-in room.
        poses: of all things that can be carried; empty: they stay where the scene has them.
        toggles: (object type, whether it is on): so begin all objects of these types.
        dirty_and_empty: all that can be dirty is, and nothing is filled.
        agent: None: where the scene puts it.
    """

    scene: str
    poses: tuple[ObjectPose, ...] = ()
    toggles: tuple[tuple[str, bool], ...] = ()
    dirty_and_empty: bool = False
    agent: AgentStart | None = None


@dataclass(frozen=True, slots=True)
class AlfredTask:
    """One task.

    Attributes:
        id: the trial's id ("trial_T2019…"), followed by "/N" if it is annotation N alone.
        goal: what is scored.
        setup: the opening.
        commands: wording ("B", "P1", "P2", "C", "K") to text, for each refined command.
        originals: the crowd's commands, in the order of the annotations; empty for built-in tasks.
        annotation: the one of them that the wording "original" means; None: all of them.
        reference: a plan that solves it, as skill strings without "done": the official trajectory
            converted (docs/alfred-rules.md, "Scores"), or the expert's. Agents never see it.
    """

    id: str
    goal: Goal
    setup: SceneSetup
    commands: Mapping[str, str] = field(default_factory=dict)
    originals: tuple[str, ...] = ()
    annotation: int | None = None
    reference: tuple[str, ...] = ()


def make_task(task: AlfredTask) -> Task:
    """The domain's task: grouped by task type, clustered by scene."""
    return Task(task.id, task.goal.type.value, task.setup.scene, _data(task))


def read_task(task: Task) -> AlfredTask:
    """What `make_task` put into a task.

    Raises:
        KeyError, TypeError, ValueError: it was not made by `make_task`.
    """
    data = task.data
    goal, setup = data["goal"], data["setup"]
    return AlfredTask(
        id=task.id,
        goal=Goal(**{**goal, "type": TaskType(goal["type"])}),
        setup=SceneSetup(
            scene=setup["scene"],
            poses=tuple(
                ObjectPose(name, Point(*position), Point(*rotation))
                for name, position, rotation in setup["poses"]
            ),
            toggles=tuple((kind, bool(on)) for kind, on in setup["toggles"]),
            dirty_and_empty=bool(setup["dirty_and_empty"]),
            agent=_read_start(setup["agent"]),
        ),
        commands=dict(data["commands"]),
        originals=tuple(data["originals"]),
        annotation=data["annotation"],
        reference=tuple(data["reference"]),
    )


def _read_start(start: Mapping[str, Any] | None) -> AgentStart | None:
    if start is None:
        return None
    return AgentStart(Point(*start["position"]), start["yaw"], start["horizon"])


def _data(task: AlfredTask) -> dict[str, Any]:
    goal, setup = task.goal, task.setup
    start = setup.agent
    return {
        "goal": {
            "type": goal.type.value,
            "object": goal.object,
            "parent": goal.parent,
            "movable": goal.movable,
            "toggle": goal.toggle,
            "sliced": goal.sliced,
        },
        "setup": {
            "scene": setup.scene,
            "poses": [
                [each.name, list(each.position), list(each.rotation)] for each in setup.poses
            ],
            "toggles": [list(each) for each in setup.toggles],
            "dirty_and_empty": setup.dirty_and_empty,
            "agent": None
            if start is None
            else {
                "position": list(start.position),
                "yaw": start.yaw,
                "horizon": start.horizon,
            },
        },
        "commands": dict(task.commands),
        "originals": list(task.originals),
        "annotation": task.annotation,
        "reference": list(task.reference),
    }
