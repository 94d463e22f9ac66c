"""One recorded trajectory of ALFRED, a ``traj_data.json``: its scene, its goal, its steps as a
plan of skills, and whether it is the one that its folder is named after.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from env_service.domain.data_node import DataError, DataNode, load_json
from env_service.suites.alfred import object_words
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import AgentStart, Goal, ObjectPose, SceneSetup, TaskType
from env_service.worlds.ai2thor_api.geometry import Point

INTERACTIONS = (
    "PickupObject",
    "PutObject",
    "OpenObject",
    "CloseObject",
    "ToggleObjectOn",
    "ToggleObjectOff",
    "SliceObject",
)
"""Low-level actions on an object."""

_MOVES = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft", "RotateRight")
_LOOKS = ("LookUp", "LookDown", "Teleport", "TeleportFull", "NoOp")
LOW_ACTIONS = (*INTERACTIONS, *_MOVES, *_LOOKS)


class TrajectoryError(DataError):
    """A trajectory cannot be read, or is not what its folder says."""


@dataclass(frozen=True, slots=True)
class LowAction:
    """One action of the simulator: its name, the id of the object that it is done to (empty for a
    move), and for PutObject the id of the receptacle. Ids are of AI2-THOR 2.1.0."""

    name: str
    object_id: str = ""
    receptacle_id: str = ""


@dataclass(frozen=True, slots=True)
class HighAction:
    """One action of the high-level plan, "PutObject", with its arguments: lower-case types."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A task with the demonstration that it was recorded with.

    Attributes:
        task_id: the trial's id, "trial_T20190909_121908_219603".
        goal: type names as in the data: a sink's goal names the "SinkBasin".
        setup: the opening.
        annotations: the crowd's commands, exactly as written (some begin or end with blanks), one
            at least, in the order that ``repeat_idx`` counts.
        low_actions: what the demonstration did; how many they are is L* of the path-weighted
            scores (docs/alfred-rules.md, "Scores").
        high_actions: the plan that it followed.
    """

    task_id: str
    goal: Goal
    setup: SceneSetup
    annotations: tuple[str, ...]
    low_actions: tuple[LowAction, ...]
    high_actions: tuple[HighAction, ...]

    @property
    def action_sequence(self) -> str:
        """The high-level plan as the refined commands' files tell it."""
        return action_sequence(self.high_actions)


def action_sequence(plan: Sequence[HighAction]) -> str:
    """A high-level plan as text: "1. GotoLocation(shelf), 2. …, 7. Done." A last NoOp becomes Done,
    with a full stop behind it; without one there is neither (docs/alfred.md, "Task")."""
    numbered_actions = [f"{action.name}({','.join(action.arguments)})" for action in plan]
    ended = bool(plan) and plan[-1].name == "NoOp"
    if ended:
        numbered_actions[-1] = "Done"
    text = ", ".join(f"{number}. {each}" for number, each in enumerate(numbered_actions, 1))
    return f"{text}." if ended else text


def read_trajectory(text: str | bytes, source: str) -> Trajectory:
    """The trajectory that a text in JSON holds; ``source`` is what errors call it.

    Raises:
        TrajectoryError: it holds none, or lacks anything that a task is made of. Files of the
            test splits have no plan and no goal, so they are refused.
    """
    data = load_json(text, source, TrajectoryError)
    _refuse_test_split(data)
    setup = read_scene(data["scene"])
    plan = data["plan"]
    return Trajectory(
        task_id=data["task_id"].text(),
        goal=read_parameters(data["task_type"], data["pddl_params"]),
        setup=setup,
        annotations=_annotations(data["turk_annotations"]["anns"]),
        low_actions=tuple(_low(each) for each in _some(plan["low_actions"], "an action")),
        high_actions=tuple(_high(each) for each in _some(plan["high_pddl"], "an action")),
    )


def _refuse_test_split(data: DataNode) -> None:
    held = data.mapping()
    if "turk_annotations" in held and not {"plan", "pddl_params"} & held.keys():
        raise data.error(
            "has neither a plan nor a goal, as the files of the test splits, whose goals are not"
            " public; use train, valid_seen or valid_unseen"
        )


def _some(node: DataNode, what: str) -> list[DataNode]:
    items = node.items()
    if not items:
        raise node.error(f"is an empty list; it has to have {what} at least")
    return items


def _annotations(node: DataNode) -> tuple[str, ...]:
    return tuple(each["task_desc"].text() for each in _some(node, "an annotation"))


def _low(node: DataNode) -> LowAction:
    action = node["api_action"]
    name = action["action"].one_of("action", LOW_ACTIONS)
    if name not in INTERACTIONS:
        return LowAction(name)
    receptacle = _object_id(action["receptacleObjectId"]) if name == "PutObject" else ""
    return LowAction(name, _object_id(action["objectId"]), receptacle)


def _object_id(node: DataNode) -> str:
    text = node.text()
    if not text.partition("|")[0].isalpha():
        raise node.error(f"is {text!r:.60}; it has to be an object's id, as Mug|+00.12|+01.32|…")
    return text


def _high(node: DataNode) -> HighAction:
    action = node["discrete_action"]
    arguments = action["args"].items()
    return HighAction(action["action"].text(), tuple(each.string() for each in arguments))


# --- How a trajectory's scene is opened (docs/alfred-rules.md, "The world")

_FLOOR_PLAN = re.compile(r"FloorPlan[1-9]\d*")
_POSE_NAME = re.compile(r"\S+_\S+")

MOST_POSES = 1000
"""Poses of one scene. ALFRED's have 11 to 66 (docs/alfred-rules.md, "The world"), and a world takes
minutes for many thousands."""

FARTHEST, MOST_DEGREES = 1000.0, 36_000.0
"""Metres from the origin and degrees up to which a pose is one; a floor plan measures some 10 m."""


def read_scene(scene: DataNode) -> SceneSetup:
    """The opening that a trajectory's ``scene`` describes. Raises the node's error."""
    return SceneSetup(
        scene=_floor_plan(scene),
        poses=_poses(scene["object_poses"]),
        toggles=tuple(_toggle(each) for each in scene["object_toggles"].items()),
        dirty_and_empty=scene["dirty_and_empty"].flag(),
        agent=_start(scene["init_action"]),
    )


def _floor_plan(scene: DataNode) -> str:
    node = scene["floor_plan"]
    name = node.text()
    if not _FLOOR_PLAN.fullmatch(name):
        raise node.error(f"is {name!r:.60}; it has to be a floor plan, as FloorPlan10")
    number = scene.optional("scene_num")
    if number is not None and f"FloorPlan{number.whole()}" != name:
        raise number.error(f"is {number.value}, but scene.floor_plan is {name}")
    return name


def _poses(node: DataNode) -> tuple[ObjectPose, ...]:
    items = node.items()
    if len(items) > MOST_POSES:
        raise node.error(f"has {len(items)} poses; there may be {MOST_POSES} at most")
    return tuple(map(_pose, items))


def _pose(pose: DataNode) -> ObjectPose:
    node = pose["objectName"]
    name = node.text()
    if not _POSE_NAME.fullmatch(name):
        raise node.error(f"is {name!r:.60}; it has to be TYPE_ID, as Mug_291e6e8a")
    return ObjectPose(name, _place(pose["position"]), _turn(pose["rotation"]))


def _toggle(toggle: DataNode) -> tuple[str, bool]:
    return toggle["objectType"].text(), toggle["isOn"].flag()


def _start(action: DataNode) -> AgentStart:
    return AgentStart(_place(action), _degrees(action["rotation"]), _degrees(action["horizon"]))


def _place(node: DataNode) -> Point:
    return Point(*(_within(node[axis], FARTHEST, "m") for axis in "xyz"))


def _turn(node: DataNode) -> Point:
    return Point(*(_degrees(node[axis]) for axis in "xyz"))


def _degrees(node: DataNode) -> float:
    return _within(node, MOST_DEGREES, "degrees")


def _within(node: DataNode, most: float, unit: str) -> float:
    number = node.number()
    if abs(number) > most:
        raise node.error(f"is {number:.6g} {unit}; it has to be from {-most:g} to {most:g}")
    return number


# --- A task's goal, read from a trajectory's parameters or from a task's name (docs/alfred.md,
# "Task")

TASK_TYPES = tuple(each.value for each in TaskType)

MOVABLE = tuple(each for each in object_words.PICKABLE if each in object_words.RECEPTACLES)
"""Receptacles that can be carried: Pot, Pan, Mug, Bowl, Box, Cup, Plate."""

LAMPS = ("DeskLamp", "FloorLamp")

PARENTS = tuple(object_words.BASINS.get(each, each) for each in object_words.RECEPTACLES)
"""Where goals put things: the basins stand for sinks and bathtubs, as in the data, because what
was put there is in the basin's list (docs/alfred-rules.md, "Scores")."""

_SLICED = "Sliced"
_NONE = "None"

_NAME = re.compile(
    r"(?P<type>[^-/]+)-(?P<object>[^-/]+)-(?P<movable>[^-/]+)-(?P<last>[^-/]+)-(?P<scene>\d+)"
)


class TaskNameError(DataError):
    """A task's name is not of the form that ALFRED gives it."""


def read_parameters(task_type: DataNode, parameters: DataNode) -> Goal:
    """The goal of a trajectory's ``task_type`` and ``pddl_params``. A type keeps the name that it
    has there: "SinkBasin", not "Sink". Raises the nodes' error."""
    kind = TaskType(task_type.one_of("task type", TASK_TYPES))
    needed = _parts(kind)
    parts = {
        key: _part(parameters[f"{key}_target"], valid if key in needed else (), kind)
        for key, valid in _VALID.items()
    }
    return Goal(
        type=kind,
        object=parts["object"],
        parent=parts["parent"],
        movable=parts["mrecep"],
        toggle=parts["toggle"],
        sliced=parameters["object_sliced"].flag(),
    )


def read_task_name(name: str, source: str) -> tuple[Goal, str]:
    """The goal and the scene ("FloorPlan10") of a task's name:
    ``{type}-{object[Sliced]}-{movable|None}-{receptacle or lamp}-{scene number}``.

    Raises TaskNameError.
    """
    node = DataNode(name, source, "", TaskNameError)
    found = _NAME.fullmatch(name)
    if found is None:
        raise node.error(
            f"{name!r:.100} is not a task's name; it has to be"
            " TYPE-OBJECT-MOVABLE-RECEPTACLE-SCENE, as pick_and_place_simple-SoapBar-None-Cart-401"
        )
    kind = TaskType(node.chosen(found["type"], "task type", TASK_TYPES))
    word = found["object"].removesuffix(_SLICED)
    movable = "" if found["movable"] == _NONE else found["movable"]
    look = kind is TaskType.LOOK
    if bool(movable) != (kind is TaskType.MOVABLE):
        raise node.error(f"names the movable receptacle {found['movable']!r}, but is {kind.value}")
    goal = Goal(
        type=kind,
        object=node.chosen(word, "object type", object_words.PICKABLE),
        parent="" if look else node.chosen(found["last"], "receptacle type", PARENTS),
        movable=movable and node.chosen(movable, "movable receptacle", MOVABLE),
        toggle=node.chosen(found["last"], "lamp", LAMPS) if look else "",
        sliced=found["object"].endswith(_SLICED),
    )
    return goal, f"FloorPlan{int(found['scene'])}"


_VALID: Mapping[str, tuple[str, ...]] = {
    "object": object_words.PICKABLE,
    "parent": PARENTS,
    "mrecep": MOVABLE,
    "toggle": LAMPS,
}


def _parts(kind: TaskType) -> tuple[str, ...]:
    if kind is TaskType.LOOK:
        return ("object", "toggle")
    return ("object", "parent", "mrecep") if kind is TaskType.MOVABLE else ("object", "parent")


def _part(node: DataNode, valid: tuple[str, ...], kind: TaskType) -> str:
    if valid:
        return node.one_of("type", valid)
    if node.value not in ("", None):
        raise node.error(f"is {node.value!r:.60}, but a task of type {kind.value} has none")
    return ""


# --- Official trajectories as plans of skills (docs/alfred-rules.md, "Scores")

_VERBS: Mapping[str, Verb] = {
    "PickupObject": Verb.PICK_UP,
    "PutObject": Verb.PUT_DOWN,
    "OpenObject": Verb.OPEN,
    "CloseObject": Verb.CLOSE,
    "ToggleObjectOn": Verb.TURN_ON,
    "ToggleObjectOff": Verb.TURN_OFF,
    "SliceObject": Verb.SLICE,
}


def skills_of(trajectory: Trajectory) -> tuple[str, ...]:
    """The demonstration of any trajectory as LoTa-Bench's skill strings, without "done": moves are
    left out, and what is used is found first unless the action just before used it too."""
    return tuple(skill_text(step) for step in steps_of(trajectory))


def steps_of(trajectory: Trajectory) -> tuple[SkillStep, ...]:
    """The trajectory's plan as steps. Each object goes by the part of its id before the first "|",
    slices and basins by the whole's name ("Apple", "Sink"). Putting something down becomes finding
    the receptacle, then naming the object."""
    return tuple(_steps(trajectory))


def _steps(trajectory: Trajectory) -> Iterator[SkillStep]:
    before = ""
    for action in trajectory.low_actions:
        verb = _VERBS.get(action.name)
        if verb is None:
            before = ""
            continue
        used = _type(action.receptacle_id or action.object_id)
        if used != before and verb is not Verb.CLOSE:
            yield SkillStep(Verb.FIND, used)
        yield SkillStep(verb, _type(action.object_id))
        before = used


def _type(object_id: str) -> str:
    return object_id.partition("|")[0]


# --- Whether a trajectory is the one that its folder is named after


def check_name(trajectory: Trajectory, folder: str, source: str) -> None:
    """Checks that a trajectory fits its folder, "NAME/TRIAL": the task's name states goal and
    scene, and agrees with the trajectory in all published tasks (docs/alfred.md, "Task").

    Raises:
        TaskNameError: the name does not name a task.
        TrajectoryError: the trajectory belongs to another task or trial.
    """
    name, _, trial = folder.partition("/")
    goal, scene = read_task_name(name, source)
    pairs = [
        ("task_id", trajectory.task_id, trial),
        ("scene.floor_plan", trajectory.setup.scene, scene),
        *_goals(trajectory.goal, goal),
    ]
    for where, found, said in pairs:
        if found != said:
            raise TrajectoryError(
                source,
                where,
                f"is {found!r:.60}, but its folder {folder} says {said!r:.60}: the file belongs to"
                " another task",
            )


def _goals(found: Goal, said: Goal) -> Iterator[tuple[str, object, object]]:
    yield "task_type", found.type.value, said.type.value
    yield "pddl_params.object_target", found.object, said.object
    yield "pddl_params.parent_target", found.parent, said.parent
    yield "pddl_params.mrecep_target", found.movable, said.movable
    yield "pddl_params.toggle_target", found.toggle, said.toggle
    yield "pddl_params.object_sliced", found.sliced, said.sliced
