"""Rules of pictures: which ones the agent has to read."""

from __future__ import annotations

from houseguest.agent.v1 import observation_pb2 as pb

from env_service.conformance.agent.judges import Reached, plays_on
from env_service.conformance.agent.scene import (
    AgentRule,
    ConformanceScene,
    EpisodeScript,
    Judge,
    PlayedScene,
    SceneScript,
    ScriptedView,
)
from env_service.conformance.report import Judgement, NotApplicable
from env_service.conformance.rules import Rule

NOT_SEEN = NotApplicable("the agent asked for no such pictures")

_VIEWS = (
    ScriptedView(),
    ScriptedView(12, 9, pb.IMAGE_ROLE_VIEW, "sink"),
    ScriptedView(5, 5, pb.IMAGE_ROLE_VIEW, "overview"),
)
_SIZES = ((1, 1), (2000, 7), (7, 2000), (640, 480), (301, 211))


def _seen(sent: str, shown: Reached) -> Judge:
    """A judge: the agent continues; not applicable if ``shown`` is false."""

    def judge(played: PlayedScene) -> Judgement:
        return plays_on(sent)(played) if shown(played) else NOT_SEEN

    return judge


def _any_picture(played: PlayedScene) -> bool:
    return any(grant.observation.images for grant in played.journal.granted)


def _granted(encoding: int) -> Reached:
    return lambda played: any(
        encoding in image.encodings
        for grant in played.journal.granted
        for image in grant.observation.images
    )


def _encoded(name: str, encoding: int, requirement: str, sent: str) -> AgentRule:
    return AgentRule(
        Rule(name, requirement, "observation.proto, ImageEncoding"),
        ConformanceScene(name, SceneScript(encoding=encoding)),
        _seen(sent, _granted(encoding)),
    )


RULES = (
    AgentRule(
        Rule(
            "no-pictures",
            "The agent plays episodes whose observations hold no pictures.",
            "observation.proto, Observation.images: may be empty",
        ),
        ConformanceScene(
            "no-pictures", SceneScript(episodes=(EpisodeScript(views=()), EpisodeScript()))
        ),
        plays_on("observations without pictures"),
    ),
    AgentRule(
        Rule(
            "several-views",
            "The agent continues when an observation holds several views of a channel.",
            "observation.proto, ImageRole",
        ),
        ConformanceScene(
            "several-views", SceneScript(episodes=(EpisodeScript(views=_VIEWS), EpisodeScript()))
        ),
        _seen("three pictures of each channel: the current one, and two views", _any_picture),
    ),
    AgentRule(
        Rule(
            "picture-sizes",
            "The agent accepts pictures of any size, from one pixel up.",
            "observation.proto, Image: the sizes are the suite's",
        ),
        ConformanceScene(
            "picture-sizes",
            SceneScript(
                episodes=tuple(
                    EpisodeScript(steps=2, views=(ScriptedView(width, height),))
                    for width, height in _SIZES
                )
            ),
        ),
        _seen("pictures of 1 × 1, 2000 × 7, 7 × 2000, 640 × 480, 301 × 211 pixels", _any_picture),
    ),
    _encoded(
        "raw-pictures",
        pb.IMAGE_ENCODING_RAW,
        "An agent that asks for RAW pictures reads them.",
        "pictures as RAW",
    ),
    _encoded(
        "png-pictures",
        pb.IMAGE_ENCODING_PNG,
        "An agent that asks for PNG files reads them.",
        "pictures as PNG files",
    ),
    _encoded(
        "webp-pictures",
        pb.IMAGE_ENCODING_WEBP_LOSSLESS,
        "An agent that asks for lossless WebP files reads them.",
        "pictures as WebP files",
    ),
    AgentRule(
        Rule(
            "unchanged-pictures",
            "An agent that requires FEATURE_FRAME_REFERENCE accepts references to earlier"
            " pictures.",
            "observation.proto, Image.same_as_observation",
        ),
        ConformanceScene(
            "unchanged-pictures", SceneScript(episodes=(EpisodeScript(steps=5, still=True),) * 2)
        ),
        _seen("references in place of pictures", lambda played: played.referred),
    ),
    AgentRule(
        Rule(
            "large-messages",
            "The agent receives messages of up to 16 MiB; gRPC's own limit is 4 MiB.",
            "agent.proto, Limits.max_message_bytes",
        ),
        ConformanceScene(
            "large-messages",
            SceneScript(episodes=(EpisodeScript(steps=2, large=True),)),
            waits=10.0,
        ),
        _seen("a StepResponse of 16,000,000 bytes", lambda played: played.sent_large),
    ),
)
