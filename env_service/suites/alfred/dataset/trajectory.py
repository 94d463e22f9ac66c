"""One recorded trajectory of ALFRED: a ``traj_data.json`` (spec: alfred.md section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from env_service.suites.alfred.dataset.goal_reading import read_parameters
from env_service.suites.alfred.dataset.scene_reading import read_scene
from env_service.suites.alfred.task import Goal, SceneSetup
from env_service.suites.json_node import DataError, Node, load_json

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
            scores (spec section 3.7).
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
    """A high-level plan as text: "1. GotoLocation(shelf), 2. …, 7. Done." A last NoOp is told as
    Done, with a full stop behind it; without one there is neither (spec section 1)."""
    told = [f"{action.name}({','.join(action.arguments)})" for action in plan]
    ended = bool(plan) and plan[-1].name == "NoOp"
    if ended:
        told[-1] = "Done"
    text = ", ".join(f"{number}. {each}" for number, each in enumerate(told, 1))
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


def _refuse_test_split(data: Node) -> None:
    held = data.mapping()
    if "turk_annotations" in held and not {"plan", "pddl_params"} & held.keys():
        raise data.error(
            "has neither a plan nor a goal, as the files of the test splits, whose goals are not"
            " public; use train, valid_seen or valid_unseen"
        )


def _some(node: Node, what: str) -> list[Node]:
    items = node.items()
    if not items:
        raise node.error(f"is an empty list; it has to have {what} at least")
    return items


def _annotations(node: Node) -> tuple[str, ...]:
    return tuple(each["task_desc"].text() for each in _some(node, "an annotation"))


def _low(node: Node) -> LowAction:
    action = node["api_action"]
    name = action["action"].one_of("action", LOW_ACTIONS)
    if name not in INTERACTIONS:
        return LowAction(name)
    receptacle = _object_id(action["receptacleObjectId"]) if name == "PutObject" else ""
    return LowAction(name, _object_id(action["objectId"]), receptacle)


def _object_id(node: Node) -> str:
    text = node.text()
    if not text.partition("|")[0].isalpha():
        raise node.error(f"is {text!r:.60}; it has to be an object's id, as Mug|+00.12|+01.32|…")
    return text


def _high(node: Node) -> HighAction:
    action = node["discrete_action"]
    arguments = action["args"].items()
    return HighAction(action["action"].text(), tuple(each.string() for each in arguments))
