"""Domain objects as transcripts store them: plain JSON, with images as digests.

Enumerations are written by name. Everything that decides an episode can be read back
(``read_action``, ``read_order``), which allows a replay.
"""

from collections.abc import Iterable
from typing import Any

from env_service.domain.action import Action, ActionSpace, Plan, SkillCall, Text, Unreadable
from env_service.domain.data_node import DataNode
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FirstObservation,
    GoalCondition,
    Mode,
)
from env_service.domain.failure import FailureClass
from env_service.domain.observation import (
    Channel,
    EncodedImage,
    EncodedObservation,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    ObservationRequest,
)
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.domain.task import Task
from env_service.suites.base import EpisodeOrder

# Reading .name of an enumeration's member takes ten times as long as a look-up.
_CODES = {code: code.name for code in OutcomeCode}
_CHANNELS = {channel: channel.name for channel in Channel}
_ENCODINGS = {encoding: encoding.name for encoding in ImageEncoding}
_ROLES = {role: role.name for role in ImageRole}
STATUSES = {status: status.name for status in EpisodeStatus}
MODES = {mode: mode.name for mode in Mode}
_FAILURES = tuple(failure.value for failure in FailureClass)


def action_json(action: Action) -> dict[str, Any]:
    """An action, by its kind."""
    match action:
        case SkillCall():
            return _call_json(action)
        case Text():
            return {"text": action.text}
        case Plan():
            return {"plan": [_call_json(step) for step in action.steps]}
        case Unreadable():
            return {"unreadable": action.problem, "digest": action.digest}


def read_action(value: object) -> Action:
    """The action that ``action_json`` wrote. Raises FormatError."""
    fields = DataNode(value, "action")
    if "skill" in fields:
        return _read_call(fields)
    if "text" in fields:
        return Text(fields["text"].string())
    if "plan" in fields:
        return Plan(tuple(_read_call(step) for step in fields["plan"].items()))
    return Unreadable(fields["unreadable"].string(), fields["digest"].string())


def _call_json(call: SkillCall) -> dict[str, Any]:
    return {"skill": call.name, "arguments": call.arguments}


def _read_call(fields: DataNode) -> SkillCall:
    return SkillCall(
        fields["skill"].string(), tuple(map(_read_argument, fields["arguments"].items()))
    )


def _read_argument(node: DataNode) -> tuple[str, str]:
    match node.strings():
        case (name, value):
            return name, value
    raise node.error("must be a pair of texts: a name and its value")


def outcomes_json(outcomes: Iterable[Outcome]) -> list[list[str]]:
    """Outcomes as [code, feedback]."""
    return [[_CODES[outcome.code], outcome.feedback] for outcome in outcomes]


def observation_json(observation: EncodedObservation) -> dict[str, Any]:
    """An observation, with its images as digests."""
    return {
        "text": observation.text,
        "images": [_image_json(image) for image in observation.images],
    }


def _image_json(image: EncodedImage) -> dict[str, Any]:
    return {
        "channel": _CHANNELS[image.channel],
        "encoding": _ENCODINGS[image.encoding],
        "width": image.width,
        "height": image.height,
        "role": _ROLES[image.role],
        "view": image.view,
        "sha256": image.digest.hex(),
    }


def opening_json(first: FirstObservation, state_digest: str) -> dict[str, Any]:
    """The truth of an opening, without its observation."""
    return {
        "mode": MODES[first.mode],
        "instruction": first.instruction,
        "language": first.language,
        "context": dict(first.context),
        "action_space": _space_json(first.action_space),
        "max_steps": first.max_steps,
        "state_digest": state_digest,
    }


def _space_json(space: ActionSpace) -> dict[str, Any]:
    skills = [
        [
            skill.name,
            skill.description,
            [[item.name, item.description, item.choices] for item in skill.parameters],
        ]
        for skill in space.skills
    ]
    return {"skills": skills, "answer_format": space.answer_format}


def result_json(result: EpisodeResult) -> dict[str, Any]:
    """A score, with labels only if the suite gives some."""
    score: dict[str, Any] = {
        "success": result.success,
        "goal_conditions": conditions_json(result.goal_conditions),
        "failure": result.failure.value if result.failure else None,
        "steps": result.steps,
        "metrics": {name: float(value) for name, value in result.metrics.items()},
    }
    return score | ({"labels": dict(result.labels)} if result.labels else {})


def conditions_json(conditions: Iterable[GoalCondition]) -> list[list[Any]]:
    """Goal conditions as [name, met, held at the start], or [name, met] if the start is not
    recorded."""
    return [
        [each.name, each.met, *([] if each.held_at_start is None else [each.held_at_start])]
        for each in conditions
    ]


def read_conditions(fields: DataNode) -> tuple[GoalCondition, ...]:
    """The goal conditions of an object that has them. Raises FormatError."""
    return tuple(map(_read_condition, fields["goal_conditions"].items()))


def _read_condition(node: DataNode) -> GoalCondition:
    match node.value:
        case [str(name), bool(met)]:
            return GoalCondition(name, met)
        case [str(name), bool(met), bool(held_at_start)]:
            return GoalCondition(name, met, held_at_start)
    raise node.error(
        "must be a name, then true or false for the end, then optionally the same for the start"
    )


def failure_value(fields: DataNode) -> str | None:
    """The failure class of an object, if it has one. Raises FormatError."""
    return fields["failure"].or_none(lambda node: node.one_of("failure class", _FAILURES))


def order_json(order: EpisodeOrder) -> dict[str, Any]:
    """An order with all that is needed to open the episode again."""
    task = order.task
    return {
        "task": {
            "id": task.id,
            "group": task.group,
            "cluster": task.cluster,
            "data": dict(task.data),
        },
        "world": order.world,
        "condition": dict(order.condition),
        "request": request_json(order.request),
        "seed": order.seed,
    }


def request_json(request: ObservationRequest) -> dict[str, Any]:
    """The observation that an agent was granted."""
    images = [
        {
            "channel": _CHANNELS[image.channel],
            "encodings": [_ENCODINGS[encoding] for encoding in image.encodings],
            "previous_frame": image.previous_frame,
        }
        for image in request.images
    ]
    return {"images": images, "text": request.text}


def read_order(fields: DataNode) -> EpisodeOrder:
    """The order that ``order_json`` wrote. Raises FormatError."""
    task = fields["task"]
    return EpisodeOrder(
        task=Task(
            task["id"].string(),
            task["group"].string(),
            task["cluster"].string(),
            task["data"].mapping(),
        ),
        world=fields["world"].string(),
        condition=fields["condition"].mapped(DataNode.string),
        request=_read_request(fields["request"]),
        seed=fields["seed"].whole(),
    )


def _read_request(fields: DataNode) -> ObservationRequest:
    images = tuple(
        ImageRequest(
            Channel[image["channel"].one_of("channel", Channel.__members__)],
            tuple(map(read_encoding, image["encodings"].items())),
            image["previous_frame"].flag(),
        )
        for image in fields["images"].items()
    )
    return ObservationRequest(images, fields["text"].flag())


def read_encoding(node: DataNode) -> ImageEncoding:
    """An image encoding, by its name. Raises FormatError."""
    return ImageEncoding[node.one_of("image encoding", ImageEncoding.__members__)]
