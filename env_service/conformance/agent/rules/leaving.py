"""When the guest has to go."""

from __future__ import annotations

import signal

from env_service.conformance.agent.judging import (
    NO_SUCH_CALL,
    both,
    calls_little,
    leaves,
    since,
    struck,
)
from env_service.conformance.agent.playing import STOP_SECONDS
from env_service.conformance.agent.scene import AgentRule, Judge, Played, Scene
from env_service.conformance.agent.script import Change, EpisodeScript, Fault, Moment, Script
from env_service.conformance.judgement import Judgement
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule

MOST_CALLS = 20
"""Calls that may still be on their way, or be tried once more."""

_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_LONG = (EpisodeScript(steps=40),) * 3


def _changed(change: Change) -> Script:
    """A change in the first turn, and a pause in the next one."""
    faults = (Fault(Moment.TURN, at=0, change=change), Fault(Moment.TURN, at=1, delay=0.3))
    return Script(episodes=_LONG, faults=faults)


def _met(played: Played) -> bool:
    marks = played.journal.marks
    return any(mark in marks for mark in ("draining", "revoked", "superseded"))


def _goes(sent: str, mark: str, *methods: str) -> Judge:
    return both(leaves(sent, _met), calls_little(sent, MOST_CALLS, since(mark, *methods)))


def _ends_when_asked(played: Played) -> Judgement:
    if not struck(played) or played.stopping is None:
        return NO_SUCH_CALL
    if played.ending is None or played.ending.code in _KILLED:
        expected = f"that the guest ends within {STOP_SECONDS:g} s"
        return failure("SIGTERM, while a step runs", expected, "it had to be killed")
    return ()


RULES = (
    AgentRule(
        Rule(
            "draining",
            "A guest whose house drains finishes its episode or not, begins no other, and leaves.",
            "agent.proto, Draining",
        ),
        Scene("draining", _changed(Change.DRAIN), waits=2.0),
        _goes("Draining, then UNAVAILABLE DRAINING", "draining", "BeginEpisode"),
    ),
    AgentRule(
        Rule(
            "revoked",
            "A guest whose session is revoked stops calling, and leaves.",
            "agent.proto, Revoked",
        ),
        Scene("revoked", _changed(Change.REVOKE)),
        _goes("Revoked, then FAILED_PRECONDITION SESSION_REPLACED", "revoked"),
    ),
    AgentRule(
        Rule(
            "superseded",
            "A guest whose session another holder resumed stops calling, and leaves.",
            "docs/protocol.md, Errors: SESSION_SUPERSEDED",
        ),
        Scene("superseded", _changed(Change.SUPERSEDE)),
        _goes("ABORTED SESSION_SUPERSEDED", "superseded"),
    ),
    AgentRule(
        Rule(
            "ends-when-asked",
            "The guest ends within five seconds after SIGTERM.",
            "docs/conformance.md, Leaving",
        ),
        Scene(
            "ends-when-asked",
            Script(faults=(Fault(Moment.TURN, at=1, delay=60.0, change=Change.STOP_GUEST),)),
            managed=True,
        ),
        _ends_when_asked,
    ),
)
