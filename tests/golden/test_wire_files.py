"""The Python SDK reads and writes the wire as the files in ``wire/`` have it.

Each ``NAME.bin`` is a message as a service sends it, and ``NAME.json`` what an agent sees of it;
``written.json`` is what an agent sends, with the bytes in hex. Tests of SDKs in other languages
read the same files. ``UPDATE_GOLDEN=1 pytest tests/golden/test_wire_files.py`` writes them anew:
read what changed before keeping it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, cast

import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest_agent import (
    Channel,
    Episode,
    Feature,
    ImageEncoding,
    ImageRequest,
    Limits,
    ModelUsage,
    Observation,
    ObservationRequest,
    Outcome,
    Plan,
    SkillCall,
    Text,
    Trace,
)
from houseguest_agent.action import Action, ActionSpace, encode_action, encode_trace
from houseguest_agent.enums import EpisodeStatus
from houseguest_agent.observation import Album
from houseguest_agent.retry import classify
from houseguest_agent.step import read_budget, read_outcomes
from houseguest_agent.transport import RequestSender

from tests.support.wire_messages import FOLDER, read_by_agents, stepwise

NOBODY = cast(RequestSender, None)
MESSAGES = read_by_agents()


def shown(observation: Observation) -> dict[str, Any]:
    """An observation as the files have it; pictures by their digests."""
    images = [
        {
            "channel": image.channel.name.lower(),
            "encoding": image.encoding.name.lower(),
            "width": image.width,
            "height": image.height,
            "role": image.role.name.lower(),
            "view": image.view,
            "sha256": image.digest,
        }
        for image in observation.images
    ]
    return {"index": observation.index, "text": observation.text, "images": images}


def told(outcomes: Iterable[Outcome]) -> list[dict[str, str]]:
    """Outcomes as the files have them."""
    return [{"code": each.code.name.lower(), "feedback": each.feedback} for each in outcomes]


def taken(action: Action) -> dict[str, Any]:
    """An action as the files have it."""
    if isinstance(action, SkillCall):
        return {"skill": action.name, "arguments": dict(action.arguments)}
    if isinstance(action, Plan):
        return {"plan": [taken(step) for step in action.steps]}
    return {"text": action.text}


def requested(request: ObservationRequest) -> dict[str, Any]:
    """A request for pictures as the files have it."""
    images = [
        {
            "channel": image.channel.name.lower(),
            "encodings": [each.name.lower() for each in image.encodings],
            "previous_frame": image.previous_frame,
        }
        for image in request.images
    ]
    return {"images": images, "text": request.text}


def played(episode: Episode) -> dict[str, Any]:
    """An episode as the files have it."""
    return {
        "id": episode.id,
        "suite": episode.suite,
        "suite_version": episode.suite_version,
        "mode": episode.mode.name.lower(),
        "condition": dict(sorted(episode.condition.items())),
        "instruction": episode.instruction,
        "language": episode.language,
        "context": dict(sorted(episode.context.items())),
        "action_space": asdict(episode.action_space),
        "max_steps": episode.max_steps,
        "agent_time_budget": episode.agent_time_budget,
        "seed": str(episode.seed),
        "opening": shown(episode.opening),
        "observation": shown(episode.observation),
        "status": episode.status.name.lower(),
        "remaining": asdict(episode.remaining),
        "history": [
            {"action": taken(past.action), "outcomes": told(past.outcomes)}
            for past in episode.history
        ],
    }


def read_hello(data: bytes) -> dict[str, Any]:
    message = agent_pb2.HelloResponse.FromString(data)
    return {
        "protocol_revision": message.protocol_revision,
        "min_protocol_revision": message.min_protocol_revision,
        "features": [Feature(each).name.lower() for each in message.features],
        "limits": asdict(Limits.from_proto(message.limits)),
        "deprecation_notice": message.deprecation_notice,
    }


def read_attach(data: bytes) -> dict[str, Any]:
    message = agent_pb2.AttachResponse.FromString(data)
    event = message.WhichOneof("event")
    if event == "revoked":
        return {"event": event, "reason": message.revoked.reason}
    if event != "granted":
        return {"event": event}
    granted = message.granted
    return {
        "event": event,
        "session_id": granted.session_id,
        "session_epoch": granted.session_epoch,
        "resume_token": granted.resume_token.hex(),
        "episodes_total": granted.episodes_total,
        "next_episode_ordinal": granted.next_episode_ordinal,
        "open_episode_id": granted.open_episode_id,
        "observation": requested(ObservationRequest.from_proto(granted.observation)),
    }


def read_begin(data: bytes) -> dict[str, Any]:
    return {"next": agent_pb2.BeginEpisodeResponse.FromString(data).WhichOneof("next")}


def read_episode(data: bytes) -> dict[str, Any]:
    return played(Episode(agent_pb2.Episode.FromString(data), NOBODY, Album(keep=True)))


def read_restored(data: bytes) -> dict[str, Any]:
    message = agent_pb2.GetEpisodeResponse.FromString(data)
    episode = Episode(message.episode, NOBODY, Album(keep=True))
    episode.restore(message)
    return played(episode)


def read_step(data: bytes) -> dict[str, Any]:
    message = agent_pb2.StepResponse.FromString(data)
    seen = Album(keep=False).read(message.observation) if message.HasField("observation") else None
    return {
        "step_index": message.step_index,
        "status": EpisodeStatus(message.status).name.lower(),
        "outcomes": told(read_outcomes(message.outcomes)),
        "observation": shown(seen) if seen else None,
        "remaining": asdict(read_budget(message)),
    }


def read_play(data: bytes) -> dict[str, Any]:
    message = agent_pb2.PlayResponse.FromString(data)
    error = message.error
    problem = classify(error.code, error.reason, error.message)
    return {
        "request_id": str(message.request_id),
        "problem": type(problem).__name__,
        "message": str(problem),
    }


READERS = {
    "hello": read_hello,
    "attach": read_attach,
    "begin": read_begin,
    "episode": read_episode,
    "step": read_step,
    "play": read_play,
}


def read(name: str, data: bytes) -> dict[str, Any]:
    """What an agent sees of a message, whose file's name begins with its kind."""
    reader = read_restored if name == "episode_restored" else READERS[name.partition("_")[0]]
    return reader(data)


def written() -> Mapping[str, bytes]:
    """What an agent sends, by name; the same objects stand in ``written.json``."""
    space = ActionSpace.from_proto(stepwise().action_space)
    pickup = SkillCall("pickup", {"when": "now", "hand": "left", "object": "mug"})
    usage = ModelUsage("m", 1200, 80, 1000, 60, images=2, latency=1.25, cost_usd=0.015)
    trace = Trace("think", "raw", plan_length=3, usage=(usage, ModelUsage("n")))
    pngs = (ImageEncoding.WEBP_LOSSLESS, ImageEncoding.PNG)
    wanted = ObservationRequest(
        (ImageRequest(Channel.RGB, pngs, previous_frame=True), ImageRequest(Channel.DEPTH)),
        text=True,
    )
    encoded_trace = encode_trace(trace)
    assert encoded_trace is not None
    messages = {
        "action_skill": encode_action(pickup, space),
        "action_text": encode_action(Text("PICKUP Schlüssel"), space),
        "action_plan": encode_action(Plan((SkillCall("forward"), pickup)), space),
        "action_empty_plan": encode_action(Plan(()), space),
        "trace": encoded_trace,
        "observation_request": wanted.to_proto(),
    }
    return {
        name: message.SerializeToString(deterministic=True) for name, message in messages.items()
    }


def checked(name: str, text: str) -> None:
    """A text is as its file has it."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MESSAGES)
def test_what_a_service_sends_is_read_as_ever(name: str) -> None:
    path = FOLDER / f"{name}.bin"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_bytes(MESSAGES[name])
    assert MESSAGES[name] == path.read_bytes()
    seen = read(name, path.read_bytes())
    checked(f"{name}.json", json.dumps(seen, indent=2, ensure_ascii=False) + "\n")


def test_what_an_agent_sends_is_written_as_ever() -> None:
    as_hex = {name: data.hex() for name, data in written().items()}
    checked("written.json", json.dumps(as_hex, indent=2) + "\n")


def test_there_is_no_file_but_these() -> None:
    names = {f"{name}.{kind}" for name in MESSAGES for kind in ("bin", "json")}
    assert {path.name for path in FOLDER.iterdir()} == {*names, "written.json"}
