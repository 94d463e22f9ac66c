"""A scene: its script of episodes and faults, and the record of playing it."""

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
    """A script with a name; compared by identity.

    Attributes:
        both_ways: If the agent uses Play, the scene runs a second time without it.
        waits: Seconds for which the service itself delays the agent or leaves it alone.
        managed: The scene needs an agent that the kit itself starts and stops.
    """

    name: str
    script: SceneScript
    both_ways: bool = False
    waits: float = 0.0
    managed: bool = False


@dataclass(frozen=True, slots=True)
class PlayedScene:
    """What an agent did in a scene, and how it left.

    Attributes:
        ending: How the process exited; None if the kit had to stop it, and for external agents.
        left: An external agent closed its connection.
        stopping: Seconds from the request to exit until the process ended; None without a request.
        referred: Some picture was sent as a reference.
        sent_large: Some message had almost the maximum size.
        struck: Every fault of the script affected a call.
        log: The agent's last lines of output.
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
        """Whether the agent left by itself with exit status 0, as far as the kit can see."""
        return self.left and (self.ending is None or self.ending.code == 0)

    def how_it_went(self) -> str:
        """How the agent left and its last call, as text for a message."""
        return f"the agent {self._leaving()}; its last call: {self.journal.last_words()}"

    def _leaving(self) -> str:
        if self.journal.withdrawn is not None:
            return f"withdrew ({self.journal.withdrawn})"
        if not self.left:
            return "did not continue in time, and was stopped"
        if self.ending is None:
            return "closed its connection"
        if self.ending.out_of_memory:
            return "was killed: out of memory"
        code = self.ending.code
        return f"exited with status {code}" if code >= 0 else f"was killed by signal {-code}"


Judge = Callable[[PlayedScene], Judgement]


@dataclass(frozen=True, slots=True)
class AgentRule:
    """A rule, the scene that tests it, and the judge of that scene.

    A rule also counts every violation recorded under its id, in whatever scene.
    """

    rule: Rule
    scene: ConformanceScene
    judge: Judge


# --- What happens in a scene: its episodes and its faults

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
    """0 means every granted channel."""


@dataclass(frozen=True, slots=True)
class EpisodeScript:
    """One episode.

    Attributes:
        steps: The number of steps after which it ends with ``ending``. A plan or an answer ends
            it at once.
        outcomes: The codes of its steps in order; the last one repeats.
        closed_at: From this step on the service finds the episode closed: it answers the step
            with ``ending`` alone.
        still: The pictures never change.
        limit_disclosed: The agent sees the step limit and the remaining steps.
        large: Every observation but the first has almost the maximum size of a message.
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
    """What else happens after a call is answered."""

    NONE = auto()
    CUT = auto()
    """Every connection breaks; the service listens again a moment later."""
    CUT_AND_EXPIRE = auto()
    """As CUT, and the lease has expired when the agent returns."""
    DROP_ATTACH = auto()
    """Only the Attach stream breaks."""
    DRAIN = auto()
    """The service drains, and revokes the session a little later."""
    REVOKE = auto()
    """The session is revoked (SESSION_REPLACED)."""
    SUPERSEDE = auto()
    """Another holder resumes the session."""
    NEWS = auto()
    """The Attach stream carries events that this revision does not define."""
    STOP_GUEST = auto()
    """The agent is asked to exit."""


class FaultMoment(Enum):
    """The calls that a fault can affect."""

    TURN = "Step or EndEpisode"
    BEGIN = "BeginEpisode"
    HELLO = "Hello"
    RESUME = "Attach with a resume token"


@dataclass(frozen=True, slots=True)
class SceneFault:
    """What fails in one call and its repeats.

    Attributes:
        at: The call's position among the calls of its kind, from 0, repeats not counted.
        times: The number of affected attempts.
        seconds: If not 0, the affected attempts are those within so many seconds instead.
        reason: The call is refused for this reason and has no effect.
        lost: The call takes effect, but fails with UNAVAILABLE.
        delay: Seconds until the answer, to the call and to its repeats.
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

    Attributes:
        queue: The agent's first position in the queue.
        refused: The reason for which Hello and Attach always fail.
        strange: Every answer carries fields that this revision does not define, and every list of
            values has one such value.
        encoding: The encoding to grant if the agent asks for it.
        calls_per_second: The limit that Hello reports and the service enforces; 0 for no limit.
        drain_seconds: Seconds from Draining to the end of the session.
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
