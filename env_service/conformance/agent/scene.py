"""A scene: its script of episodes and faults, and the record of playing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

from env_service.conformance.report import Judgement, Rule, RuleBreach
from env_service.domain.reasons import Reason
from env_service.sandbox.interface import AgentExit

STOP_SECONDS = 5.0
"""Seconds that an agent has to exit after it is asked to."""


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
    agent_pb2.FEATURE_PROMPT,
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


# --- What the agent did, as the service recorded it

Clock = Callable[[], float]


@dataclass(slots=True)
class ObservedCall:
    """One call.

    Attributes:
        key: Equal for a call and its repeats.
        answer: Empty until the call is answered.
        ok: The call was answered with a response, and the response was sent.
    """

    at: float
    method: str
    key: tuple[str | int, ...]
    streamed: bool
    repeat: bool
    answer: str = ""
    ok: bool = False


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """An action of the agent that breaks a rule, whatever the scene tests."""

    rule: str
    finding: RuleBreach


@dataclass(slots=True)
class CallJournal:
    """Everything that the agent sent, in order."""

    clock: Clock = time.monotonic
    calls: list[ObservedCall] = field(default_factory=list)
    violations: list[RuleViolation] = field(default_factory=list)
    hellos: list[agent_pb2.HelloRequest] = field(default_factory=list)
    attached: list[agent_pb2.AttachRequest] = field(default_factory=list)
    granted: list[agent_pb2.Granted] = field(default_factory=list)
    steps: list[agent_pb2.StepRequest] = field(default_factory=list)
    """The executed steps."""
    begun: int = 0
    ended: int = 0
    given_up: int = 0
    """The number of episodes that EndEpisode ended."""
    told_all_done: bool = False
    withdrawn: str | None = None
    """The message of the agent's Withdraw; None without one."""
    marks: dict[str, float] = field(default_factory=dict)
    """The times of events in the service that judges look up, by name."""

    def note(
        self, method: str, key: tuple[str | int, ...] = (), *, streamed: bool = False
    ) -> ObservedCall:
        """Records a call and returns the record, so that the caller can add its answer."""
        repeat = any(call.method == method and call.key == key for call in reversed(self.calls))
        call = ObservedCall(self.clock(), method, key, streamed, repeat)
        self.calls.append(call)
        return call

    def violate(self, rule: str, sent: str, expected: str, came: str) -> None:
        """Records that a rule was broken."""
        self.violations.append(RuleViolation(rule, RuleBreach(sent, expected, came)))

    def mark(self, name: str) -> None:
        """Records the current time under this name, the first time it is called for it."""
        self.marks.setdefault(name, self.clock())

    def after(self, name: str, *methods: str) -> list[ObservedCall]:
        """The calls since a mark, of these methods or of all; empty without the mark."""
        since = self.marks.get(name, float("inf"))
        return [
            call
            for call in self.calls
            if call.at > since and (not methods or call.method in methods)
        ]

    def of(self, *methods: str) -> list[ObservedCall]:
        """The calls of these methods."""
        return [call for call in self.calls if call.method in methods]

    @property
    def streamed(self) -> bool:
        """Whether Play was used."""
        return any(call.streamed for call in self.calls)

    def last_words(self) -> str:
        """The last call and its answer, as text for a message."""
        if not self.calls:
            return "no call at all"
        call = self.calls[-1]
        return f"{call_text(call)}, answered {call.answer or 'not yet'}"


def call_text(call: ObservedCall) -> str:
    """The call as text for a message."""
    names = {
        "Step": ("episode", "step"),
        "EndEpisode": ("episode",),
        "BeginEpisode": ("ordinal",),
        "GetEpisode": ("episode",),
    }.get(call.method, ())
    words = " ".join(f"{name} {value}" for name, value in zip(names, call.key, strict=False))
    way = "Play " if call.streamed else ""
    return f"{way}{call.method} {words}".rstrip()
