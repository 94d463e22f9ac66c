"""Rules of a session: up to the grant, over failing connections, and when to leave."""

from __future__ import annotations

import signal

from env_service.conformance.agent.judges import (
    NO_SUCH_CALL,
    answered,
    answered_with,
    both,
    calls_little,
    keeps,
    leaves,
    plays_on,
    since,
    stepped,
    struck,
)
from env_service.conformance.agent.scene import (
    STOP_SECONDS,
    AgentRule,
    ConformanceScene,
    EpisodeScript,
    FaultMoment,
    Judge,
    PlayedScene,
    SceneFault,
    SceneScript,
    ScriptedChange,
)
from env_service.conformance.report import Judgement, Rule, Severity, failure
from env_service.domain.reasons import Reason
from env_service.domain.text import counted

MOST_CALLS = 20
"""The calls allowed to an agent after an answer that says that no call can succeed."""

_STRANGE = 99

BEGINNING_RULES = (
    AgentRule(
        Rule(
            "token-refused",
            "An agent whose lease token is refused leaves with an error, and stops calling.",
            "docs/protocol.md, Errors: TOKEN_INVALID",
        ),
        ConformanceScene("token-refused", SceneScript(refused=Reason.TOKEN_INVALID), managed=True),
        both(
            leaves("UNAUTHENTICATED TOKEN_INVALID", with_error=True),
            calls_little("UNAUTHENTICATED TOKEN_INVALID", MOST_CALLS, since("refused")),
        ),
    ),
    AgentRule(
        Rule(
            "revision-refused",
            "An agent whose revision is not served leaves with an error, and stops calling.",
            "docs/protocol.md, Errors: REVISION_NOT_SERVED",
        ),
        ConformanceScene(
            "revision-refused", SceneScript(refused=Reason.REVISION_NOT_SERVED), managed=True
        ),
        both(
            leaves("FAILED_PRECONDITION REVISION_NOT_SERVED", with_error=True),
            calls_little("FAILED_PRECONDITION REVISION_NOT_SERVED", MOST_CALLS, since("refused")),
        ),
    ),
    AgentRule(
        Rule(
            "queue",
            "The agent waits in the queue for its session.",
            "agent.proto, Queued",
        ),
        ConformanceScene("queue", SceneScript(queue=3), waits=1.0),
        plays_on("the places 3, 2 and 1 in the queue, then the grant"),
    ),
    AgentRule(
        Rule(
            "features",
            "The agent requires and uses only features that Hello lists.",
            "docs/protocol.md, The life of a session: Hello",
        ),
        ConformanceScene("no-features", SceneScript(features=())),
        plays_on("a HelloResponse without any feature"),
    ),
    AgentRule(
        Rule(
            "later-revision",
            "The agent ignores fields, features, channels and roles that it does not know.",
            "docs/protocol.md, How the contract changes",
        ),
        ConformanceScene("later-revision", SceneScript(strange=True)),
        plays_on("answers with unknown fields, an unknown feature, pictures of unknown channels"),
    ),
    AgentRule(
        Rule(
            "unknown-outcomes",
            "The agent continues after an unknown outcome code.",
            "docs/protocol.md, How the contract changes",
        ),
        ConformanceScene(
            "unknown-outcomes",
            SceneScript(episodes=(EpisodeScript(outcomes=(_STRANGE,)), EpisodeScript())),
        ),
        plays_on("a StepResponse with outcome code 99", stepped),
    ),
    AgentRule(
        Rule(
            "unknown-events",
            "The agent ignores events on the Attach stream that it does not know.",
            "agent.proto, AttachResponse",
        ),
        ConformanceScene(
            "unknown-events",
            SceneScript(
                faults=(
                    SceneFault(FaultMoment.TURN, at=0, change=ScriptedChange.NEWS),
                    SceneFault(FaultMoment.TURN, at=1, delay=0.3),
                )
            ),
        ),
        plays_on("AttachResponses with an unknown event, and with none", struck),
    ),
    AgentRule(
        Rule(
            "withheld-outcomes",
            "The agent continues without outcomes and feedback.",
            "docs/protocol.md, What an agent sees",
        ),
        ConformanceScene(
            "withheld-outcomes",
            SceneScript(episodes=(EpisodeScript(outcomes=(3,), feedback=""), EpisodeScript())),
        ),
        plays_on("outcomes WITHHELD, without feedback", answered_with("[3]")),
    ),
)


# --- Slow connections, lost answers and breaks

STORM = 40
"""The number of refused calls in one second that shows an agent does not wait: one that waits
makes far fewer."""

_PER_SECOND = 20

LATE = ConformanceScene(
    "late-answers",
    SceneScript(
        faults=(
            SceneFault(FaultMoment.BEGIN, at=0, delay=1.5),
            SceneFault(FaultMoment.TURN, at=1, delay=2.5),
        )
    ),
    waits=4.0,
    both_ways=True,
)
LOST = ConformanceScene(
    "lost-answers",
    SceneScript(
        faults=(
            SceneFault(FaultMoment.BEGIN, at=1, lost=True),
            SceneFault(FaultMoment.TURN, at=1, lost=True, times=2),
        )
    ),
    waits=2.0,
    both_ways=True,
)
BROKEN = ConformanceScene(
    "broken-link",
    SceneScript(faults=(SceneFault(FaultMoment.TURN, at=1, change=ScriptedChange.CUT),)),
    waits=2.0,
)
EXPIRED = ConformanceScene(
    "expired-lease",
    SceneScript(faults=(SceneFault(FaultMoment.TURN, at=1, change=ScriptedChange.CUT_AND_EXPIRE),)),
    waits=2.0,
)
LOST_GRANT = ConformanceScene(
    "lost-grant",
    SceneScript(
        faults=(
            SceneFault(FaultMoment.TURN, at=1, change=ScriptedChange.CUT_AND_EXPIRE),
            SceneFault(FaultMoment.RESUME, at=0, lost=True),
        )
    ),
    waits=2.0,
)
BROKEN_STREAM = ConformanceScene(
    "broken-stream",
    SceneScript(
        faults=(
            SceneFault(FaultMoment.TURN, at=1, change=ScriptedChange.DROP_ATTACH),
            SceneFault(FaultMoment.TURN, at=2, delay=1.5),
        )
    ),
    waits=2.0,
)
LIMITED = ConformanceScene(
    "rate-limited",
    SceneScript(
        faults=(SceneFault(FaultMoment.TURN, at=1, reason=Reason.RATE_LIMITED, seconds=0.6),)
    ),
    waits=2.0,
    both_ways=True,
)
GONE = ConformanceScene(
    "unavailable",
    SceneScript(faults=(SceneFault(FaultMoment.TURN, at=1, lost=True, seconds=1.0),)),
    waits=3.0,
)
FAULTY = ConformanceScene(
    "internal-error",
    SceneScript(faults=(SceneFault(FaultMoment.TURN, at=1, reason=Reason.INTERNAL, times=2),)),
    waits=2.0,
)
PACED = ConformanceScene(
    "call-rate",
    SceneScript(episodes=(EpisodeScript(steps=15),) * 2, calls_per_second=_PER_SECOND),
    waits=5.0,
)


def _repeats(played: PlayedScene) -> Judgement:
    """A judge: every call whose answer was lost is repeated."""
    turns = played.journal.of("BeginEpisode", "Step", "EndEpisode")
    for call, following in zip(turns, [*turns[1:], None], strict=True):
        same = (
            following is not None
            and following.method == call.method
            and (following.key == call.key)
        )
        if call.answer.startswith("UNAVAILABLE") and not same:
            return failure(
                f"UNAVAILABLE in answer to {call.method} {call.key}, which was executed",
                "the same call, with the same key",
                played.how_it_went(),
            )
    return plays_on("UNAVAILABLE in place of answers", struck)(played)


def _repeats_alike(played: PlayedScene) -> Judgement:
    repeated = any(call.repeat and call.method == "Step" for call in played.journal.calls)
    return () if repeated else NO_SUCH_CALL


def _resumes(played: PlayedScene) -> Judgement:
    if not played.struck:
        return NO_SUCH_CALL
    if "resumed" not in played.journal.marks:
        sent = "a broken Attach stream"
        return failure(sent, "an Attach with the resume token", played.how_it_went())
    return ()


def _few_refused(played: PlayedScene) -> Judgement:
    calls = [call for call in played.journal.calls if call.method in ("Step", "BeginEpisode")]
    refused = [call for call in calls if call.answer == Reason.RATE_LIMITED.name]
    if len(refused) > 3 * (len(calls) - len(refused)):
        sent = f"max_calls_per_second {_PER_SECOND}"
        others = counted(len(calls) - len(refused), "other")
        came = f"{counted(len(refused), 'refused call')}, {others}"
        return failure(sent, "that most calls keep to the limit", came)
    return ()


LINK_RULES = (
    AgentRule(
        Rule(
            "late-answers",
            "The agent waits seconds for an answer; if it repeats the call, it repeats the same"
            " call.",
            "docs/protocol.md, Repeating a call",
        ),
        LATE,
        plays_on("answers that come 1.5 and 2.5 s late"),
    ),
    AgentRule(
        Rule(
            "repeats",
            "The agent repeats a call that failed with UNAVAILABLE, under the same key.",
            "docs/protocol.md, Repeating a call",
        ),
        LOST,
        _repeats,
    ),
    AgentRule(
        Rule(
            "same-action",
            "A repeated step carries the same action as the first time.",
            "agent.proto, Step: STEP_CONFLICT",
        ),
        LOST,
        _repeats_alike,
    ),
    AgentRule(
        Rule(
            "broken-link",
            "The agent reconnects after a broken connection, and continues.",
            "docs/protocol.md, Leases, resuming, epochs",
        ),
        BROKEN,
        plays_on("an executed step, then a connection that breaks for 0.2 s"),
    ),
    AgentRule(
        Rule(
            "resumes",
            "An agent whose lease expired resumes the session, and continues under the new epoch.",
            "docs/protocol.md, Errors: LEASE_EXPIRED",
        ),
        EXPIRED,
        both(plays_on("a broken connection, then ABORTED LEASE_EXPIRED"), _resumes),
    ),
    AgentRule(
        Rule(
            "resume-token",
            "After its first call under a grant, the agent attaches again only with the newest"
            " resume token.",
            "agent.proto, AttachRequest.resume_token",
        ),
        BROKEN,
        keeps(struck),
    ),
    AgentRule(
        Rule(
            "lost-grant",
            "An agent that resumed, but never received the grant, resumes with the same token"
            " again.",
            "agent.proto, AttachRequest.resume_token: good once",
        ),
        LOST_GRANT,
        plays_on("an Attach with the resume token that fails before its grant", struck),
    ),
    AgentRule(
        Rule(
            "attaches-again",
            "The agent attaches again when only the Attach stream breaks.",
            "docs/protocol.md, Leases, resuming, epochs",
            Severity.SHOULD,
        ),
        BROKEN_STREAM,
        both(plays_on("an Attach stream that fails with UNAVAILABLE", struck), _resumes),
    ),
    AgentRule(
        Rule(
            "rate-limited",
            "An agent whose call is refused with RATE_LIMITED waits, then repeats it.",
            "docs/protocol.md, Errors: RATE_LIMITED",
        ),
        LIMITED,
        both(
            plays_on("RESOURCE_EXHAUSTED RATE_LIMITED for 0.6 s", struck),
            calls_little(
                "RESOURCE_EXHAUSTED RATE_LIMITED for 0.6 s", STORM, answered("RATE_LIMITED")
            ),
        ),
    ),
    AgentRule(
        Rule(
            "backs-off",
            "The agent waits between repeats of a call that fails again and again.",
            "docs/protocol.md, Repeating a call",
            Severity.SHOULD,
        ),
        GONE,
        both(
            plays_on("UNAVAILABLE for one second", struck),
            calls_little("UNAVAILABLE for one second", STORM, answered("UNAVAILABLE")),
        ),
    ),
    AgentRule(
        Rule(
            "internal-error",
            "The agent repeats a call that failed with INTERNAL.",
            "docs/protocol.md, Errors: INTERNAL",
            Severity.SHOULD,
        ),
        FAULTY,
        plays_on("INTERNAL, twice", struck),
    ),
    AgentRule(
        Rule(
            "call-rate",
            "The agent copes with a low limit of calls per second.",
            "agent.proto, Limits.max_calls_per_second",
            Severity.SHOULD,
        ),
        PACED,
        both(plays_on(f"max_calls_per_second {_PER_SECOND}, which is enforced"), _few_refused),
    ),
)


# --- When the agent has to leave

_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_LONG = (EpisodeScript(steps=40),) * 3


def _changed(change: ScriptedChange) -> SceneScript:
    """A scene with a change in the first turn, and a pause in the next one."""
    faults = (
        SceneFault(FaultMoment.TURN, at=0, change=change),
        SceneFault(FaultMoment.TURN, at=1, delay=0.3),
    )
    return SceneScript(episodes=_LONG, faults=faults)


def _met(played: PlayedScene) -> bool:
    marks = played.journal.marks
    return any(mark in marks for mark in ("draining", "revoked", "superseded"))


def _goes(sent: str, mark: str, *methods: str) -> Judge:
    return both(leaves(sent, _met), calls_little(sent, MOST_CALLS, since(mark, *methods)))


def _ends_when_asked(played: PlayedScene) -> Judgement:
    if not struck(played) or played.stopping is None:
        return NO_SUCH_CALL
    if played.ending is None or played.ending.code in _KILLED:
        expected = f"that the agent ends within {STOP_SECONDS:g} s"
        return failure("SIGTERM, while a step runs", expected, "it had to be killed")
    return ()


LEAVING_RULES = (
    AgentRule(
        Rule(
            "draining",
            "An agent whose service drains may finish its episode, begins no other, and leaves.",
            "agent.proto, Draining",
        ),
        ConformanceScene("draining", _changed(ScriptedChange.DRAIN), waits=2.0),
        _goes("Draining, then UNAVAILABLE DRAINING", "draining", "BeginEpisode"),
    ),
    AgentRule(
        Rule(
            "revoked",
            "An agent whose session is revoked stops calling, and leaves.",
            "agent.proto, Revoked",
        ),
        ConformanceScene("revoked", _changed(ScriptedChange.REVOKE)),
        _goes("Revoked, then FAILED_PRECONDITION SESSION_REPLACED", "revoked"),
    ),
    AgentRule(
        Rule(
            "superseded",
            "An agent whose session another holder resumed stops calling, and leaves.",
            "docs/protocol.md, Errors: SESSION_SUPERSEDED",
        ),
        ConformanceScene("superseded", _changed(ScriptedChange.SUPERSEDE)),
        _goes("ABORTED SESSION_SUPERSEDED", "superseded"),
    ),
    AgentRule(
        Rule(
            "ends-when-asked",
            "The agent ends within five seconds after SIGTERM.",
            "docs/conformance.md, Leaving",
        ),
        ConformanceScene(
            "ends-when-asked",
            SceneScript(
                faults=(
                    SceneFault(
                        FaultMoment.TURN, at=1, delay=60.0, change=ScriptedChange.STOP_GUEST
                    ),
                )
            ),
            managed=True,
        ),
        _ends_when_asked,
    ),
)
