"""Play Houseguest episodes from Python.

For example, an agent that acts at random:

    from houseguest_agent import Client

    with Client(name="my-agent") as client:
        for episode in client.episodes():
            while episode.running:
                skills = [each for each in episode.action_space.skills if not each.parameters]
                episode.act(episode.random.choice(skills).name) if skills else episode.give_up()
"""

from .action import ActionSpace, ModelUsage, Parameter, Plan, Skill, SkillCall, Text, Trace
from .client import Client
from .enums import (
    Channel,
    EndReason,
    EpisodeStatus,
    Feature,
    ImageEncoding,
    ImageRole,
    Mode,
    OutcomeCode,
    WithdrawReason,
)
from .episode import Episode
from .errors import (
    DrainingError,
    EpisodeOverError,
    HouseguestError,
    ImageError,
    RefusedError,
    RevokedError,
    SetupError,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
from .link import __version__
from .observation import Image, Observation
from .options import ImageRequest, Limits, ObservationRequest, Options, RetryPolicy
from .prompt import Prompt, PromptMessage, PromptPicture
from .step import Budget, Outcome, PastStep, PracticeResult, Step

__all__ = [
    "ActionSpace",
    "Budget",
    "Channel",
    "Client",
    "DrainingError",
    "EndReason",
    "Episode",
    "EpisodeOverError",
    "EpisodeStatus",
    "Feature",
    "HouseguestError",
    "Image",
    "ImageEncoding",
    "ImageError",
    "ImageRequest",
    "ImageRole",
    "Limits",
    "Mode",
    "ModelUsage",
    "Observation",
    "ObservationRequest",
    "Options",
    "Outcome",
    "OutcomeCode",
    "Parameter",
    "PastStep",
    "Plan",
    "PracticeResult",
    "Prompt",
    "PromptMessage",
    "PromptPicture",
    "RefusedError",
    "RetryPolicy",
    "RevokedError",
    "SetupError",
    "Skill",
    "SkillCall",
    "Step",
    "SupersededError",
    "Text",
    "TokenRefusedError",
    "Trace",
    "UnreachableError",
    "WithdrawReason",
    "__version__",
]
