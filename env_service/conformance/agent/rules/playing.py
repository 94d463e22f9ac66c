"""What holds in every scene: the order of calls, and what they carry."""

from __future__ import annotations

from env_service.conformance.agent.judging import keeps, plays_on, stepped
from env_service.conformance.agent.scene import AgentRule, Played, Scene
from env_service.conformance.agent.script import EpisodeScript, Script
from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule, Severity
from env_service.domain.english import counted

PLAIN = Scene("plain", Script())
NO_EPISODES = Scene("no-episodes", Script(episodes=()))
LONG = Scene("two-hundred-steps", Script(episodes=(EpisodeScript(steps=200),)), waits=30.0)


def _leaves_well(played: Played) -> Judgement:
    """Leaves with status 0 once it was told AllDone."""
    if not played.journal.told_all_done:
        expected = "that the guest plays all of them, until AllDone"
        return failure("three short episodes", expected, played.how_it_went())
    if played.well:
        return ()
    expected = "that the guest leaves by itself, with exit status 0"
    return failure("AllDone", expected, played.how_it_went())


def _leaves_at_once(played: Played) -> Judgement:
    if played.journal.told_all_done and played.well:
        return ()
    expected = "that the guest leaves by itself, with exit status 0"
    return failure("AllDone in answer to the first BeginEpisode", expected, played.how_it_went())


def _steps(number: int) -> Judgement:
    return NotApplicable(f"the agent ended the episode after {counted(number, 'step')} by itself")


def _goes_far(played: Played) -> Judgement:
    judgement = plays_on("an episode of 200 steps")(played)
    if judgement or len(played.journal.steps) >= 200:
        return judgement
    return _steps(len(played.journal.steps))


RULES = (
    AgentRule(
        Rule(
            "finishes",
            "The guest plays episodes until AllDone, then leaves by itself with exit status 0.",
            "docs/protocol.md, The life of a session",
        ),
        PLAIN,
        _leaves_well,
    ),
    AgentRule(
        Rule(
            "hello-first",
            "The guest calls Hello before anything else.",
            "agent.proto, Hello: call it first",
        ),
        PLAIN,
        keeps(),
    ),
    AgentRule(
        Rule(
            "token",
            "Every call carries the lease token as `authorization: Bearer` metadata.",
            "agent.proto, AgentService: Credentials",
        ),
        PLAIN,
        keeps(),
    ),
    AgentRule(
        Rule(
            "session",
            "Every call names the session and the epoch of the newest grant, and the episode that"
            " was begun last.",
            "agent.proto, Granted and StepRequest",
        ),
        PLAIN,
        keeps(),
    ),
    AgentRule(
        Rule(
            "episode-order",
            "BeginEpisode carries the ordinals 0, 1, 2, … and comes when no episode is open.",
            "agent.proto, BeginEpisode",
        ),
        PLAIN,
        keeps(),
    ),
    AgentRule(
        Rule(
            "step-order",
            "Step carries the indices 0, 1, 2, …, each after the answer to the one before.",
            "agent.proto, Step",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "after-the-end",
            "The guest takes no step in an episode that has ended.",
            "agent.proto, StepResponse.status",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "action-kind",
            "An action is set, and of a kind that the episode's mode allows.",
            "action.proto, Action",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "action-fits",
            "A skill call names a skill of the action space, with its parameters in order and"
            " values among their choices.",
            "action.proto, SkillCall",
            Severity.SHOULD,
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "keeps-attached",
            "The guest keeps the Attach stream open while it plays.",
            "docs/protocol.md, The life of a session",
            Severity.SHOULD,
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "no-episodes",
            "The guest leaves with exit status 0 when nothing at all is left to play.",
            "agent.proto, AllDone",
        ),
        NO_EPISODES,
        _leaves_at_once,
    ),
    AgentRule(
        Rule(
            "long-episodes",
            "The guest plays an episode of two hundred steps.",
            "agent.proto, Step",
        ),
        LONG,
        _goes_far,
    ),
)
