"""What an agent did in a scene, as the service recorded it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from houseguest.agent.v1 import agent_pb2

from env_service.conformance.report import RuleBreach

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
