"""A task as an episode needs it, and as the JSON of `Task.data` keeps it (docs/actplan.md,
Task sets)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum

from env_service.domain.task import Task


class Variant(Enum):
    """Which of an activity's two forms."""

    NORMAL = "normal"
    COUNTERFACTUAL = "counterfactual"

    @property
    def number(self) -> int:
        """In published paths: 0 or 1."""
        return int(self is Variant.COUNTERFACTUAL)


class Circumstance(Enum):
    """What a counterfactual is about (paper, Fig. 4); NONE of normal tasks, and where unknown."""

    NONE = "none"
    PROPERTY = "object_property"
    FUNCTION = "object_function"
    CAUSALITY = "event_causality"


@dataclass(frozen=True, slots=True)
class CameraView:
    """One picture to take in the household world: where the camera is, and what it is of.

    Attributes:
        name: of the picture: "view_1".
        position: metres, (x, y, z).
        yaw: degrees clockwise from +z.
        pitch: degrees down.
        field: vertical field of view, degrees.
    """

    name: str
    position: tuple[float, float, float]
    yaw: float
    pitch: float
    field: float


@dataclass(frozen=True, slots=True)
class Pictures:
    """What is to be seen at the opening; all empty: nothing.

    Attributes:
        files: paths below the data pack's folder, in order.
        room: a built-in room of the household world, in which ``views`` are taken.
        changes: what is done to the room before: AI2-THOR's action and the object's id.
    """

    files: tuple[str, ...] = ()
    room: str = ""
    views: tuple[CameraView, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.views)


@dataclass(frozen=True, slots=True)
class ActPlanTask:
    """One task. No plan of anybody's is part of it: judges read tasks.

    Attributes:
        id: "SCENE/ACTIVITY/0/sample_0"; of a problem by itself "ACTIVITY/0".
        activity: its folder's name.
        scene: "Beechwood_0_int"; of built-in tasks the room; empty for a problem by itself.
        sample: which sampling of the scene; empty for a problem by itself.
        problem: its BDDL, as the file has it.
        description: the text that the agent reads.
        circumstance: of counterfactuals.
        split: "train", "val" or "test" of the published split; empty: in none.
        pictures: what the agent is shown.
    """

    id: str
    activity: str
    variant: Variant
    problem: str
    description: str
    scene: str = ""
    sample: str = ""
    circumstance: Circumstance = Circumstance.NONE
    split: str = ""
    pictures: Pictures = Pictures()


def make_task(task: ActPlanTask) -> Task:
    """The domain's task: grouped by variant, clustered by activity: its scenes share a problem."""
    data = asdict(task)
    del data["id"]
    data["variant"], data["circumstance"] = task.variant.value, task.circumstance.value
    pictures = data["pictures"]
    data["pictures"] = {
        "files": list(pictures["files"]),
        "room": pictures["room"],
        "views": [{**each, "position": list(each["position"])} for each in pictures["views"]],
        "changes": [list(each) for each in pictures["changes"]],
    }
    return Task(task.id, task.variant.value, task.activity, data)


def read_task(task: Task) -> ActPlanTask:
    """What `make_task` put into a task.

    Raises:
        KeyError, TypeError, ValueError: it was not made by `make_task`.
    """
    data = dict(task.data)
    # Recorded tasks may give the length of gold plans, which does not belong to a task.
    data.pop("gold_steps", None)
    pictures = data.pop("pictures")
    views = tuple(
        CameraView(**{**each, "position": tuple(each["position"])}) for each in pictures["views"]
    )
    changes = tuple((action, thing) for action, thing in pictures.get("changes", ()))
    return ActPlanTask(
        **{
            **data,
            "id": task.id,
            "variant": Variant(data["variant"]),
            "circumstance": Circumstance(data["circumstance"]),
            "pictures": Pictures(tuple(pictures["files"]), pictures["room"], views, changes),
        }
    )
