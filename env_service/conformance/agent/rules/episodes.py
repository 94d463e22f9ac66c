"""Episodes of every kind, and all their ways to end."""

from __future__ import annotations

from typing import Any

from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1.action_pb2 import Parameter, Skill

from env_service.conformance.agent.judging import answered_with, plays_on, stepped
from env_service.conformance.agent.scene import AgentRule, Judge, Played, Scene
from env_service.conformance.agent.script import EpisodeScript, Script
from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.rules import Rule

REFUSED, UNPARSABLE, UNKNOWN_SKILL = 2, 4, 5

_THREE = [
    Parameter(name="object", description="What.", choices=["mug", "key", "red apple"]),
    Parameter(name="place", description="Where to.", choices=["sink"]),
    Parameter(name="remark", description="Anything, in words."),
]
SPACES: tuple[tuple[Skill, ...], ...] = (
    (Skill(name="wait", description="Do nothing."),),
    (
        Skill(name="look", description="Look around."),
        Skill(name="put", description="Put a thing somewhere.", parameters=_THREE),
    ),
    (
        Skill(
            name="open",
            description="Open it.",
            parameters=[Parameter(name="object", description="What.", choices=["fridge"])],
        ),
    ),
    (
        Skill(
            name="say",
            description="Say something.",
            parameters=[Parameter(name="words", description="Anything, in words.")],
        ),
    ),
    (
        Skill(
            name="拿起 «чашку»",
            description="Nimm die Tasse. 🫖",
            parameters=[Parameter(name="objet à prendre", description="Quoi.", choices=["🍵"])],
        ),
    ),
)
HUNDRED = tuple(
    Skill(
        name=f"skill {number}",
        description=f"Does the {number}th thing.",
        parameters=[
            Parameter(name=f"argument_{place}", description="One of two.", choices=["a", "b"])
            for place in range(number % 3)
        ],
    )
    for number in range(100)
)
INSTRUCTIONS = (
    ("x", "en"),
    ("Stelle die Schüssel in den Kühlschrank – aber vorsichtig!", "de"),
    ("把杯子放进水槽里。然后关灯。", "zh-Hans"),
    ("ضع الكوب في الحوض ثم أطفئ الضوء", "ar"),
    ('Put "the mug" {there};\nthen\t<stop>\\ 100% \N{ROBOT FACE}\u200d', "en"),
    ("Bring the mug to the table. " * 4000, "en"),
)


def _script(**first: Any) -> Script:
    """An episode like this, and an ordinary one after it."""
    return Script(episodes=(EpisodeScript(**first), EpisodeScript()))


def _played_in_kind(sent: str) -> Judge:
    def judge(played: Played) -> Judgement:
        judgement = plays_on(sent)(played)
        if judgement or stepped(played):
            return judgement
        return NotApplicable("the guest gave the episode up")

    return judge


RULES = (
    AgentRule(
        Rule(
            "truncated",
            "The guest begins the next episode after one that was truncated.",
            "agent.proto, EPISODE_STATUS_TRUNCATED",
        ),
        Scene("truncated", _script(steps=1, ending=pb.EPISODE_STATUS_TRUNCATED)),
        plays_on("a StepResponse with status TRUNCATED", answered_with("TRUNCATED")),
    ),
    AgentRule(
        Rule(
            "voided",
            "The guest begins the next episode after one that was voided, whose last answer has"
            " neither outcomes nor an observation.",
            "docs/protocol.md, Voided episodes",
        ),
        Scene("voided", _script(steps=1, ending=pb.EPISODE_STATUS_VOIDED)),
        plays_on("a StepResponse with status VOIDED and nothing else", answered_with("VOIDED")),
    ),
    AgentRule(
        Rule(
            "closed",
            "The guest takes a step that was not executed, because the house had closed the"
            " episode, for the episode's end.",
            "agent.proto, Step: closed between two steps",
        ),
        Scene("closed", _script(closed_at=1, ending=pb.EPISODE_STATUS_TRUNCATED)),
        plays_on(
            "a StepResponse with status TRUNCATED, without outcomes and observation",
            answered_with("codes []"),
        ),
    ),
    AgentRule(
        Rule(
            "refused-actions",
            "The guest gets through an episode in which every action is refused.",
            "action.proto, ActionOutcome",
        ),
        Scene(
            "refused-actions",
            _script(
                steps=25,
                ending=pb.EPISODE_STATUS_TRUNCATED,
                outcomes=(REFUSED,),
                feedback="That did not work.",
            ),
        ),
        plays_on("outcome REFUSED, 25 times", stepped),
    ),
    AgentRule(
        Rule(
            "not-understood",
            "The guest gets through an episode in which no action is understood.",
            "action.proto, OutcomeCode",
        ),
        Scene(
            "not-understood",
            _script(
                steps=25,
                ending=pb.EPISODE_STATUS_TRUNCATED,
                outcomes=(UNPARSABLE, UNKNOWN_SKILL),
                feedback="No such skill.",
            ),
        ),
        plays_on("outcomes UNPARSABLE and UNKNOWN_SKILL, 25 times", stepped),
    ),
    AgentRule(
        Rule(
            "limit-told",
            "The guest plays on where the step limit and what is left of it are told.",
            "agent.proto, Episode.max_steps and Budget",
        ),
        Scene(
            "limit-told",
            _script(steps=4, told=True, ending=pb.EPISODE_STATUS_TRUNCATED),
        ),
        plays_on("max_steps 4, and 3, 2, 1 and 0 steps left"),
    ),
    AgentRule(
        Rule(
            "instructions",
            "The guest reads instructions in any language, of one letter or of 100 KB.",
            "agent.proto, Episode.instruction",
        ),
        Scene(
            "instructions",
            Script(
                episodes=tuple(
                    EpisodeScript(steps=2, instruction=text, language=language)
                    for text, language in INSTRUCTIONS
                )
            ),
        ),
        plays_on("instructions of one letter, in several languages, and of 112,000 letters"),
    ),
    AgentRule(
        Rule(
            "action-spaces",
            "The guest plays with any action space: one skill, three parameters, a single choice,"
            " free text, names in any script.",
            "action.proto, ActionSpace",
        ),
        Scene(
            "action-spaces",
            Script(
                episodes=tuple(
                    EpisodeScript(steps=4, skills=skills, instruction=f"Do something. ({number})")
                    for number, skills in enumerate(SPACES)
                )
            ),
        ),
        plays_on("five action spaces of one or two skills each"),
    ),
    AgentRule(
        Rule(
            "many-skills",
            "The guest plays with a hundred skills.",
            "action.proto, ActionSpace",
        ),
        Scene("many-skills", _script(skills=HUNDRED, steps=5, instruction="Do anything.")),
        plays_on("an action space of 100 skills"),
    ),
    AgentRule(
        Rule(
            "plan-mode",
            "In MODE_PLAN the guest sends one plan within the limits, or gives the episode up.",
            "agent.proto, MODE_PLAN",
        ),
        Scene("plan-mode", _script(mode=pb.MODE_PLAN)),
        _played_in_kind("an episode in MODE_PLAN"),
    ),
    AgentRule(
        Rule(
            "answer-mode",
            "In MODE_ANSWER the guest answers in words, or gives the episode up.",
            "agent.proto, MODE_ANSWER",
        ),
        Scene(
            "answer-mode",
            _script(
                mode=pb.MODE_ANSWER,
                instruction="How many cups are on the table?",
                answer_format="One number.",
            ),
        ),
        _played_in_kind("an episode in MODE_ANSWER, without skills"),
    ),
)
