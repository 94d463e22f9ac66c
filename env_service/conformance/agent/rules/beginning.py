"""From the first call to the grant."""

from __future__ import annotations

from env_service.conformance.agent.judging import (
    answered_with,
    both,
    calls_little,
    leaves,
    plays_on,
    since,
    stepped,
    struck,
)
from env_service.conformance.agent.scene import AgentRule, Scene
from env_service.conformance.agent.script import (
    Change,
    EpisodeScript,
    Fault,
    Moment,
    Script,
)
from env_service.conformance.rules import Rule
from env_service.domain.reasons import Reason

MOST_CALLS = 20
"""Calls of a guest that was told that no call of its own will ever do."""

_STRANGE = 99

RULES = (
    AgentRule(
        Rule(
            "token-refused",
            "A guest whose lease token is refused leaves with an error, and calls no more.",
            "docs/protocol.md, Errors: TOKEN_INVALID",
        ),
        Scene("token-refused", Script(refused=Reason.TOKEN_INVALID), managed=True),
        both(
            leaves("UNAUTHENTICATED TOKEN_INVALID", with_error=True),
            calls_little("UNAUTHENTICATED TOKEN_INVALID", MOST_CALLS, since("refused")),
        ),
    ),
    AgentRule(
        Rule(
            "revision-refused",
            "A guest whose revision is not served leaves with an error, and calls no more.",
            "docs/protocol.md, Errors: REVISION_NOT_SERVED",
        ),
        Scene("revision-refused", Script(refused=Reason.REVISION_NOT_SERVED), managed=True),
        both(
            leaves("FAILED_PRECONDITION REVISION_NOT_SERVED", with_error=True),
            calls_little("FAILED_PRECONDITION REVISION_NOT_SERVED", MOST_CALLS, since("refused")),
        ),
    ),
    AgentRule(
        Rule(
            "queue",
            "The guest waits in the queue for its seat.",
            "agent.proto, Queued",
        ),
        Scene("queue", Script(queue=3), waits=1.0),
        plays_on("the places 3, 2 and 1 in the queue, then the grant"),
    ),
    AgentRule(
        Rule(
            "features",
            "The guest requires and uses nothing but what Hello lists.",
            "docs/protocol.md, The life of a session: Hello",
        ),
        Scene("no-features", Script(features=())),
        plays_on("a HelloResponse without any feature"),
    ),
    AgentRule(
        Rule(
            "later-revision",
            "The guest ignores fields, features, channels and roles that it does not know.",
            "docs/protocol.md, How the contract changes",
        ),
        Scene("later-revision", Script(strange=True)),
        plays_on("answers with unknown fields, an unknown feature, pictures of unknown channels"),
    ),
    AgentRule(
        Rule(
            "unknown-outcomes",
            "The guest goes on after an outcome code that it does not know.",
            "docs/protocol.md, How the contract changes",
        ),
        Scene(
            "unknown-outcomes",
            Script(episodes=(EpisodeScript(outcomes=(_STRANGE,)), EpisodeScript())),
        ),
        plays_on("a StepResponse with outcome code 99", stepped),
    ),
    AgentRule(
        Rule(
            "unknown-events",
            "The guest ignores events on the Attach stream that it does not know.",
            "agent.proto, AttachResponse",
        ),
        Scene(
            "unknown-events",
            Script(
                faults=(
                    Fault(Moment.TURN, at=0, change=Change.NEWS),
                    Fault(Moment.TURN, at=1, delay=0.3),
                )
            ),
        ),
        plays_on("AttachResponses with an unknown event, and with none", struck),
    ),
    AgentRule(
        Rule(
            "withheld-outcomes",
            "The guest goes on where it is told neither outcomes nor feedback.",
            "docs/protocol.md, What an agent is told",
        ),
        Scene(
            "withheld-outcomes",
            Script(episodes=(EpisodeScript(outcomes=(3,), feedback=""), EpisodeScript())),
        ),
        plays_on("outcomes WITHHELD, without feedback", answered_with("[3]")),
    ),
)
