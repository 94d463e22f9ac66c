"""A scene: its script of episodes and faults, and what came of playing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

from env_service.conformance.agent.journal import CallJournal
from env_service.conformance.report import Judgement
from env_service.conformance.rules import Rule
from env_service.domain.reasons import Reason
from env_service.sandbox.interface import AgentExit


@dataclass(frozen=True, slots=True, eq=False)
class ConformanceScene:
    """A script by name; each is equal to itself alone.

    ``both_ways``: an agent that uses Play meets it once more without. ``waits``: seconds that
    the service itself makes the agent wait, or lets it be. ``managed``: only for an agent that the
    kit itself starts and ends.
    """

    name: str
    script: SceneScript
    both_ways: bool = False
    waits: float = 0.0
    managed: bool = False


@dataclass(frozen=True, slots=True)
class PlayedScene:
    """What an agent did in a scene, and how it left.

    ``ending`` is None for an agent that had to be stopped, and for an external one, which
    ``left`` by letting its connection go. ``stopping``: seconds from the request to end until it
    was gone; None where nobody asked. ``referred``: some picture went as a reference,
    ``sent_large``: some message was almost as large as one may be.
    ``struck``: every fault of the script has met a call. ``log``: its last lines.
    """

    journal: CallJournal
    ending: AgentExit | None
    left: bool
    external: bool = False
    stopping: float | None = None
    referred: bool = False
    sent_large: bool = False
    struck: bool = True
    log: str = ""

    @property
    def well(self) -> bool:
        """Whether it left by itself with exit status 0, as far as can be seen."""
        return self.left and (self.ending is None or self.ending.code == 0)

    def how_it_went(self) -> str:
        """For people: how the agent left, and what it did last."""
        return f"the agent {self._leaving()}; its last call: {self.journal.last_words()}"

    def _leaving(self) -> str:
        if self.journal.withdrawn is not None:
            return f"withdrew ({self.journal.withdrawn})"
        if not self.left:
            return "did not go on in time, and was stopped"
        if self.ending is None:
            return "let its connection go"
        if self.ending.out_of_memory:
            return "was killed: out of memory"
        code = self.ending.code
        return f"exited with status {code}" if code >= 0 else f"was killed by signal {-code}"


Judge = Callable[[PlayedScene], Judgement]


@dataclass(frozen=True, slots=True)
class AgentRule:
    """A rule, the scene that shows whether an agent keeps it, and who judges that.

    Beside what ``judge`` finds, every violation that is noted under the rule's id counts,
    whatever scene it is noted in.
    """

    rule: Rule
    scene: ConformanceScene
    judge: Judge


# --- What happens in a scene: its episodes, and what goes wrong on the way

FEATURES = (
    agent_pb2.FEATURE_STREAMING_PLAY,
    agent_pb2.FEATURE_FRAME_REFERENCE,
    agent_pb2.FEATURE_PLAN,
    agent_pb2.FEATURE_DEPTH,
    agent_pb2.FEATURE_SEGMENTATION,
    agent_pb2.FEATURE_WITHDRAW,
)

SKILLS = (
    action_pb2.Skill(name="forward", description="Take one step ahead."),
    action_pb2.Skill(
        name="pickup",
        description="Take a thing.",
        parameters=[
            action_pb2.Parameter(name="object", description="What.", choices=["mug", "key"]),
            action_pb2.Parameter(name="hand", description="With which.", choices=["left", "right"]),
        ],
    ),
)


@dataclass(frozen=True, slots=True)
class ScriptedView:
    """One picture of each observation: its size in pixels, role and name."""

    width: int = 8
    height: int = 6
    role: int = observation_pb2.IMAGE_ROLE_CURRENT
    name: str = ""
    channel: int = 0
    """0: each channel that was granted."""


@dataclass(frozen=True, slots=True)
class EpisodeScript:
    """One episode.

    It ends with ``ending`` after ``steps`` steps; a plan or an answer ends it at once.
    ``outcomes`` are the codes of its steps in turn, the last one for all that follow. From
    step ``closed_at`` on it is found closed: that step is answered with ``ending`` alone.
    ``still``: the pictures never change. ``limit_disclosed``: the agent is shown the step limit
    and what is left of it.
    ``large``: every observation but the first is almost as large as a message may be.
    """

    steps: int = 3
    ending: int = agent_pb2.EPISODE_STATUS_TERMINATED
    closed_at: int | None = None
    mode: int = agent_pb2.MODE_STEPWISE
    instruction: str = "Walk three steps ahead."
    language: str = "en"
    context: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[action_pb2.Skill, ...] = SKILLS
    answer_format: str = ""
    outcomes: tuple[int, ...] = (action_pb2.OUTCOME_CODE_SUCCEEDED,)
    feedback: str = "Done."
    text: str = "You stand in a kitchen."
    views: tuple[ScriptedView, ...] = (ScriptedView(),)
    still: bool = False
    limit_disclosed: bool = False
    large: bool = False


class ScriptedChange(Enum):
    """What else happens once a call was answered."""

    NONE = auto()
    CUT = auto()
    """Every connection breaks, and the service listens again a moment later."""
    CUT_AND_EXPIRE = auto()
    """The same, and the lease has run out meanwhile."""
    DROP_ATTACH = auto()
    """The Attach stream breaks alone."""
    DRAIN = auto()
    """The service drains; a little later the session is revoked."""
    REVOKE = auto()
    """The session is revoked (SESSION_REPLACED)."""
    SUPERSEDE = auto()
    """Another holder resumes the session."""
    NEWS = auto()
    """Events come on the Attach stream that this revision does not know."""
    STOP_GUEST = auto()
    """The agent is asked to end."""


class FaultMoment(Enum):
    """Which calls a fault is about."""

    TURN = "Step or EndEpisode"
    BEGIN = "BeginEpisode"
    HELLO = "Hello"
    RESUME = "Attach with a resume token"


@dataclass(frozen=True, slots=True)
class SceneFault:
    """What goes wrong with one call, and with its repeats.

    ``at`` counts calls of that kind from 0, repeats left out. The first ``times`` calls suffer,
    or those of the first ``seconds`` if that is not 0. ``reason``: refused so, and nothing is
    done. ``lost``: all is done, but the call fails with UNAVAILABLE. ``delay``: so many seconds
    pass until the answer, also that to a repeat.
    """

    moment: FaultMoment
    at: int = 0
    times: int = 1
    seconds: float = 0.0
    reason: Reason | None = None
    lost: bool = False
    delay: float = 0.0
    change: ScriptedChange = ScriptedChange.NONE


@dataclass(frozen=True, slots=True)
class SceneScript:
    """One scene: what the service offers, its episodes in order, and its faults.

    ``queue`` is the place that the agent starts at. ``refused``: why Hello and Attach fail for
    good. ``strange``: every answer carries fields that this revision does not know, and what
    lists values lists one more. ``encoding`` is granted where the agent asks for it.
    ``calls_per_second`` is told and enforced; 0: neither. ``drain_seconds``: from Draining to
    the end of the session.
    """

    episodes: tuple[EpisodeScript, ...] = (EpisodeScript(), EpisodeScript(), EpisodeScript())
    faults: tuple[SceneFault, ...] = ()
    features: tuple[int, ...] = FEATURES
    queue: int = 0
    refused: Reason | None = None
    strange: bool = False
    encoding: int = 0
    calls_per_second: int = 0
    drain_seconds: float = 1.5
