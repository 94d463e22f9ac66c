"""Messages of agent.proto that a service may send, or an SDK has to send, for the golden files.

Some are of a service newer than any SDK: values of enumerations and fields unknown to every SDK.
"""

from __future__ import annotations

import struct
from pathlib import Path

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "wire"

UNKNOWN_VALUE = 99
UNKNOWN_FIELDS = b"\xc2\xfa\x01\x05later" + b"\xc8\xfa\x01\x2a"
"""Field 4008 with five bytes of text, and field 4009 with the number 42."""

PIXELS = bytes(range(2 * 3 * 3))
"""Two rows of three pixels."""
DEPTHS = struct.pack("<6f", 0.5, 1.0, 1.5, 2.0, 2.5, 1e3)
PNG = b"\x89PNG\r\n\x1a\nnot a whole file"


def later(message: Message) -> bytes:
    """The message as a newer service would send it: with unknown fields."""
    return message.SerializeToString(deterministic=True) + UNKNOWN_FIELDS


def picture(**changes: object) -> observation_pb2.Image:
    """A colour picture of two rows of three raw pixels, but for ``changes``."""
    fields = {"channel": 1, "encoding": 1, "width": 3, "height": 2, "role": 1, "data": PIXELS}
    if "same_as_observation" in changes:
        del fields["data"]
    return observation_pb2.Image(**{**fields, **changes})  # type: ignore[arg-type]


def hello() -> agent_pb2.HelloResponse:
    """Limits of which some are bounded, and features of which one is unknown."""
    limits = agent_pb2.Limits(
        max_message_bytes=2**24,
        environment_step_deadline=Duration(seconds=30),
        agent_episode_budget=Duration(seconds=3599, nanos=500_000_000),
        max_plan_steps=100,
        max_trace_bytes_per_step=65536,
        max_action_bytes=4096,
        max_calls_per_second=200,
    )
    return agent_pb2.HelloResponse(
        protocol_revision=2,
        min_protocol_revision=1,
        features=[1, 2, 6, UNKNOWN_VALUE],  # type: ignore[list-item] # a value of tomorrow
        limits=limits,
        deprecation_notice="Revision 1 ends next year.",
    )


def granted() -> agent_pb2.AttachResponse:
    """A resumed session's grant."""
    images = [
        observation_pb2.ImageRequest(channel=1, encodings=[3], previous_frame=True),  # type: ignore[arg-type]
        observation_pb2.ImageRequest(channel=2, encodings=[5]),  # type: ignore[arg-type]
    ]
    return agent_pb2.AttachResponse(
        granted=agent_pb2.Granted(
            session_id="s-7",
            session_epoch=3,
            resume_token=b"\x00\xff\x10token",
            lease_time_left=Duration(seconds=60),
            observation=observation_pb2.ObservationRequest(images=images, text=True),
            episodes_total=12,
            next_episode_ordinal=4,
            open_episode_id="e-3",
        )
    )


def skills() -> list[action_pb2.Skill]:
    """One without arguments, one with two."""
    things = action_pb2.Parameter(name="object", description="What.", choices=["mug", "Schlüssel"])
    hand = action_pb2.Parameter(name="hand", description="With which hand.")
    return [
        action_pb2.Skill(name="forward", description="One step ahead."),
        action_pb2.Skill(name="pickup", description="Take it.", parameters=[things, hand]),
    ]


def stepwise() -> agent_pb2.Episode:
    """An episode with skills, two kinds of pictures, a file, texts and every number at its edge."""
    images = [
        picture(),
        picture(channel=2, encoding=5, data=DEPTHS),
        picture(encoding=2, role=3, view="sink", data=PNG),
    ]
    return agent_pb2.Episode(
        episode_id="e-1",
        suite="asgard",
        suite_version="1",
        mode=agent_pb2.MODE_STEPWISE,
        condition={"feedback": "simple", "hand": "60"},
        instruction="Räume die Tasse auf \N{HOT BEVERAGE}",
        instruction_language="de",
        context={"world_rules": "One thing at a time.\nOpen first."},
        action_space=action_pb2.ActionSpace(skills=skills(), json_schema='{"type": "object"}'),
        max_steps=0,
        agent_time_budget=Duration(seconds=90, nanos=250_000_000),
        agent_seed=2**64 - 1,
        observation=observation_pb2.Observation(images=images, text="You see a mug."),
    )


def answer() -> agent_pb2.Episode:
    """An episode that is answered in words, with only the required fields."""
    return agent_pb2.Episode(
        episode_id="e-2",
        suite="babybench",
        suite_version="1",
        mode=agent_pb2.MODE_ANSWER,
        instruction="Where does the agent end?",
        instruction_language="en",
        action_space=action_pb2.ActionSpace(answer_format="((x, y), heading)"),
        observation=observation_pb2.Observation(),
    )


def tomorrow() -> bytes:
    """An episode of a newer service: unknown mode, pictures and fields."""
    image = picture(channel=UNKNOWN_VALUE, encoding=UNKNOWN_VALUE, role=UNKNOWN_VALUE)
    episode = answer()
    episode.mode = UNKNOWN_VALUE  # type: ignore[assignment] # a value of tomorrow
    episode.observation.images.append(image)
    return later(episode)


def outcomes() -> agent_pb2.StepResponse:
    """Every outcome there is, and one there is not yet, as of a plan."""
    codes = [*sorted(action_pb2.OutcomeCode.values()), UNKNOWN_VALUE]
    told = [action_pb2.ActionOutcome(code=code, feedback=f"number {code}") for code in codes]  # type: ignore[arg-type]
    return agent_pb2.StepResponse(
        episode_id="e-1",
        outcomes=told,
        observation=observation_pb2.Observation(index=1, text="It is done."),
        status=agent_pb2.EPISODE_STATUS_TERMINATED,
        remaining=agent_pb2.Budget(steps=0, agent_time=Duration(nanos=1)),
    )


def voided() -> agent_pb2.StepResponse:
    """The answer to a step that the service lost."""
    return agent_pb2.StepResponse(
        episode_id="e-1", step_index=7, status=agent_pb2.EPISODE_STATUS_VOIDED
    )


def restored() -> agent_pb2.GetEpisodeResponse:
    """A half-played episode, whose newest picture is the one that opened it."""
    call = action_pb2.SkillCall(name="pickup")
    call.arguments.add(name="object", value="mug")
    plan = action_pb2.Plan(steps=[call, action_pb2.SkillCall(name="forward")])
    done = action_pb2.ActionOutcome(code=1)  # type: ignore[arg-type]
    past = [
        agent_pb2.PastStep(outcomes=[done]),
        agent_pb2.PastStep(action=action_pb2.Action(text="pick it up"), outcomes=[done]),
        agent_pb2.PastStep(action=action_pb2.Action(plan=plan), outcomes=[done, done]),
        agent_pb2.PastStep(action=action_pb2.Action(skill=call), outcomes=[done]),
    ]
    images = [
        picture(same_as_observation=0),
        picture(same_as_observation=0, role=3, view="sink", encoding=2),
    ]
    last = agent_pb2.StepResponse(
        episode_id="e-1",
        step_index=3,
        outcomes=[done],
        observation=observation_pb2.Observation(index=4, images=images),
        status=agent_pb2.EPISODE_STATUS_RUNNING,
        remaining=agent_pb2.Budget(steps=16),
    )
    return agent_pb2.GetEpisodeResponse(
        episode=stepwise(), history=past, last_step=last, next_step_index=4
    )


def refusal(code: grpc.StatusCode, reason: str, message: str) -> agent_pb2.PlayResponse:
    """An error on the stream."""
    told = agent_pb2.Refusal(code=code.value[0], reason=reason, message=message)
    return agent_pb2.PlayResponse(request_id=2**63, error=told)


def read_by_agents() -> dict[str, bytes]:
    """What an agent receives, by the name of its file."""
    conflict = refusal(grpc.StatusCode.ABORTED, "STEP_CONFLICT", "Step 3 was another action.")
    limited = refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED", "Slower.")
    revoked = agent_pb2.AttachResponse(revoked=agent_pb2.Revoked(reason="SEAT_REISSUED"))
    messages: dict[str, Message | bytes] = {
        "hello": hello(),
        "attach_granted": granted(),
        "attach_revoked": revoked,
        "attach_tomorrow": UNKNOWN_FIELDS,
        "begin_all_done": agent_pb2.BeginEpisodeResponse(all_done=agent_pb2.AllDone()),
        "episode_stepwise": stepwise(),
        "episode_answer": answer(),
        "episode_tomorrow": tomorrow(),
        "episode_restored": restored(),
        "step_outcomes": outcomes(),
        "step_voided": voided(),
        "step_tomorrow": later(outcomes()),
        "play_conflict": conflict,
        "play_rate_limited": limited,
    }
    return {name: _bytes(message) for name, message in messages.items()}


def _bytes(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString(deterministic=True)
