"""Openings of episodes, as BeginEpisode tells them, and what is granted to be seen."""

from __future__ import annotations

import json

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

from env_service.conformance.agent.script import EpisodeScript
from env_service.domain.reasons import ProtocolError, Reason

RAW = observation_pb2.IMAGE_ENCODING_RAW
RAW_F32 = observation_pb2.IMAGE_ENCODING_RAW_F32


def opening(
    script: EpisodeScript, episode_id: str, observation: observation_pb2.Observation
) -> agent_pb2.Episode:
    """All that the guest is told of an episode when it begins."""
    answered = script.mode == agent_pb2.MODE_ANSWER
    episode = agent_pb2.Episode(
        episode_id=episode_id,
        suite="conformance",
        suite_version="1",
        condition={"feedback": "detailed"},
        instruction=script.instruction,
        instruction_language=script.language,
        context=script.context,
        action_space=action_pb2.ActionSpace(
            skills=() if answered else script.skills,
            json_schema="" if answered else json_schema(script.skills),
            answer_format=script.answer_format,
        ),
        agent_seed=4711,
        observation=observation,
    )
    episode.mode = agent_pb2.Mode.ValueType(script.mode)
    if script.told:
        episode.max_steps = script.steps
    return episode


def json_schema(skills: tuple[action_pb2.Skill, ...]) -> str:
    """JSON Schema of one skill call, as agent.proto describes it."""
    return json.dumps(
        {"oneOf": [_skill_schema(skill) for skill in skills]}, ensure_ascii=False, sort_keys=True
    )


def granted(
    request: observation_pb2.ObservationRequest, preferred: int
) -> observation_pb2.ObservationRequest:
    """What a guest that asks for this gets to see: all of it.

    Its first encoding of each channel, or ``preferred`` where it lists that one; colour and
    text, raw, where it asks for nothing. Raises ProtocolError OBSERVATION_NOT_OFFERED for what
    no house could grant.
    """
    grant = observation_pb2.ObservationRequest(text=request.text)
    if not request.images and not request.text:
        grant.text = True
        grant.images.add(channel=observation_pb2.CHANNEL_RGB, encodings=[RAW])
    channels = [image.channel for image in request.images]
    if len(set(channels)) < len(channels) or observation_pb2.CHANNEL_UNSPECIFIED in channels:
        raise ProtocolError(Reason.OBSERVATION_NOT_OFFERED, "One entry a channel, each of a kind.")
    for image in request.images:
        usual = RAW_F32 if image.channel == observation_pb2.CHANNEL_DEPTH else RAW
        encodings = list(image.encodings) or [usual]
        chosen = preferred if preferred in encodings else encodings[0]
        entry = grant.images.add(channel=image.channel, previous_frame=image.previous_frame)
        entry.encodings.append(observation_pb2.ImageEncoding.ValueType(chosen))
    return grant


def _skill_schema(skill: action_pb2.Skill) -> dict[str, object]:
    values: dict[str, object] = {}
    for parameter in skill.parameters:
        value: dict[str, object] = {"type": "string", "description": parameter.description}
        if parameter.choices:
            value["enum"] = list(parameter.choices)
        values[parameter.name] = value
    arguments = {
        "type": "object",
        "properties": values,
        "required": list(values),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "description": skill.description,
        "properties": {"skill": {"const": skill.name}, "arguments": arguments},
        "required": ["skill", "arguments"],
        "additionalProperties": False,
    }
