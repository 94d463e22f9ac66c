"""When the link is slow, loses answers, or breaks."""

from __future__ import annotations

from env_service.conformance.agent.judging import (
    NO_SUCH_CALL,
    answered,
    both,
    calls_little,
    keeps,
    plays_on,
    struck,
)
from env_service.conformance.agent.scene import AgentRule, Played, Scene
from env_service.conformance.agent.script import Change, EpisodeScript, Fault, Moment, Script
from env_service.conformance.judgement import Judgement
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule, Severity
from env_service.domain.english import counted
from env_service.domain.reasons import Reason

STORM = 40
"""Calls within one second of refusals: a guest that waits between them makes far fewer."""

_PER_SECOND = 20

LATE = Scene(
    "late-answers",
    Script(
        faults=(
            Fault(Moment.BEGIN, at=0, delay=1.5),
            Fault(Moment.TURN, at=1, delay=2.5),
        )
    ),
    waits=4.0,
    both_ways=True,
)
LOST = Scene(
    "lost-answers",
    Script(
        faults=(
            Fault(Moment.BEGIN, at=1, lost=True),
            Fault(Moment.TURN, at=1, lost=True, times=2),
        )
    ),
    waits=2.0,
    both_ways=True,
)
BROKEN = Scene(
    "broken-link", Script(faults=(Fault(Moment.TURN, at=1, change=Change.CUT),)), waits=2.0
)
EXPIRED = Scene(
    "expired-lease",
    Script(faults=(Fault(Moment.TURN, at=1, change=Change.CUT_AND_EXPIRE),)),
    waits=2.0,
)
LOST_GRANT = Scene(
    "lost-grant",
    Script(
        faults=(
            Fault(Moment.TURN, at=1, change=Change.CUT_AND_EXPIRE),
            Fault(Moment.RESUME, at=0, lost=True),
        )
    ),
    waits=2.0,
)
BROKEN_STREAM = Scene(
    "broken-stream",
    Script(
        faults=(
            Fault(Moment.TURN, at=1, change=Change.DROP_ATTACH),
            Fault(Moment.TURN, at=2, delay=1.5),
        )
    ),
    waits=2.0,
)
LIMITED = Scene(
    "rate-limited",
    Script(faults=(Fault(Moment.TURN, at=1, reason=Reason.RATE_LIMITED, seconds=0.6),)),
    waits=2.0,
    both_ways=True,
)
GONE = Scene(
    "unavailable", Script(faults=(Fault(Moment.TURN, at=1, lost=True, seconds=1.0),)), waits=3.0
)
FAULTY = Scene(
    "internal-error",
    Script(faults=(Fault(Moment.TURN, at=1, reason=Reason.INTERNAL, times=2),)),
    waits=2.0,
)
PACED = Scene(
    "call-rate",
    Script(episodes=(EpisodeScript(steps=15),) * 2, calls_per_second=_PER_SECOND),
    waits=5.0,
)


def _repeats(played: Played) -> Judgement:
    """Every call whose answer was lost is followed by its repeat."""
    turns = played.journal.of("BeginEpisode", "Step", "EndEpisode")
    for call, following in zip(turns, [*turns[1:], None], strict=True):
        same = (
            following is not None
            and following.method == call.method
            and (following.key == call.key)
        )
        if call.answer.startswith("UNAVAILABLE") and not same:
            return failure(
                f"UNAVAILABLE in answer to {call.method} {call.key}, which was done",
                "the same call, with the same key",
                played.how_it_went(),
            )
    return plays_on("UNAVAILABLE in place of answers", struck)(played)


def _repeats_alike(played: Played) -> Judgement:
    repeated = any(call.repeat and call.method == "Step" for call in played.journal.calls)
    return () if repeated else NO_SUCH_CALL


def _resumes(played: Played) -> Judgement:
    if not played.struck:
        return NO_SUCH_CALL
    if "resumed" not in played.journal.marks:
        sent = "a broken Attach stream"
        return failure(sent, "an Attach with the resume token", played.how_it_went())
    return ()


def _few_refused(played: Played) -> Judgement:
    calls = [call for call in played.journal.calls if call.method in ("Step", "BeginEpisode")]
    refused = [call for call in calls if call.answer == Reason.RATE_LIMITED.name]
    if len(refused) > 3 * (len(calls) - len(refused)):
        sent = f"max_calls_per_second {_PER_SECOND}"
        others = counted(len(calls) - len(refused), "other")
        came = f"{counted(len(refused), 'refused call')}, {others}"
        return failure(sent, "that most calls keep to the limit", came)
    return ()


RULES = (
    AgentRule(
        Rule(
            "late-answers",
            "The guest waits seconds for an answer; what it repeats meanwhile is the same call.",
            "docs/protocol.md, Repeating a call",
        ),
        LATE,
        plays_on("answers that come 1.5 and 2.5 s late"),
    ),
    AgentRule(
        Rule(
            "repeats",
            "The guest repeats a call that failed with UNAVAILABLE, under the same key.",
            "docs/protocol.md, Repeating a call",
        ),
        LOST,
        _repeats,
    ),
    AgentRule(
        Rule(
            "same-action",
            "A repeated step carries the action that it carried first.",
            "agent.proto, Step: STEP_CONFLICT",
        ),
        LOST,
        _repeats_alike,
    ),
    AgentRule(
        Rule(
            "broken-link",
            "The guest connects again after the connection broke, and goes on.",
            "docs/protocol.md, Leases, resuming, epochs",
        ),
        BROKEN,
        plays_on("an executed step, then a connection that breaks for 0.2 s"),
    ),
    AgentRule(
        Rule(
            "resumes",
            "A guest whose lease ran out resumes the session, and goes on under the new epoch.",
            "docs/protocol.md, Errors: LEASE_EXPIRED",
        ),
        EXPIRED,
        both(plays_on("a broken connection, then ABORTED LEASE_EXPIRED"), _resumes),
    ),
    AgentRule(
        Rule(
            "resume-token",
            "After its first call under a grant, the guest attaches again with the newest resume"
            " token only.",
            "agent.proto, AttachRequest.resume_token",
        ),
        BROKEN,
        keeps(struck),
    ),
    AgentRule(
        Rule(
            "lost-grant",
            "A guest that resumed, but never got the grant, resumes with the same token again.",
            "agent.proto, AttachRequest.resume_token: good once",
        ),
        LOST_GRANT,
        plays_on("an Attach with the resume token that fails before its grant", struck),
    ),
    AgentRule(
        Rule(
            "attaches-again",
            "The guest attaches again when the Attach stream alone breaks.",
            "docs/protocol.md, Leases, resuming, epochs",
            Severity.SHOULD,
        ),
        BROKEN_STREAM,
        both(plays_on("an Attach stream that fails with UNAVAILABLE", struck), _resumes),
    ),
    AgentRule(
        Rule(
            "rate-limited",
            "A guest whose call is refused with RATE_LIMITED waits, then repeats it.",
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
            "The guest waits between its repeats of a call that fails again and again.",
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
            "The guest repeats a call that failed with INTERNAL.",
            "docs/protocol.md, Errors: INTERNAL",
            Severity.SHOULD,
        ),
        FAULTY,
        plays_on("INTERNAL, twice", struck),
    ),
    AgentRule(
        Rule(
            "call-rate",
            "The guest gets along with a low limit of calls in a second.",
            "agent.proto, Limits.max_calls_per_second",
            Severity.SHOULD,
        ),
        PACED,
        both(plays_on(f"max_calls_per_second {_PER_SECOND}, which is enforced"), _few_refused),
    ),
)
