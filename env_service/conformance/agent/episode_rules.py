"""Rules of episodes: the order of calls, every kind of episode and every way it ends."""

from __future__ import annotations

from typing import Any

from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1 import observation_pb2
from houseguest.agent.v1.action_pb2 import Parameter, Skill

from env_service.conformance.agent.judges import Reached, answered_with, keeps, plays_on, stepped
from env_service.conformance.agent.scene import (
    AgentRule,
    ConformanceScene,
    EpisodeScript,
    Judge,
    PlayedScene,
    SceneScript,
    ScriptedView,
)
from env_service.conformance.report import Judgement, NotApplicable, Rule, Severity, failure
from env_service.domain.text import counted

# --- Every kind of episode, and every way it ends

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


def _script(**first: Any) -> SceneScript:
    """A scene with this episode, followed by an ordinary one."""
    return SceneScript(episodes=(EpisodeScript(**first), EpisodeScript()))


def _played_in_kind(sent: str) -> Judge:
    def judge(played: PlayedScene) -> Judgement:
        judgement = plays_on(sent)(played)
        if judgement or stepped(played):
            return judgement
        return NotApplicable("the agent gave the episode up")

    return judge


EPISODE_RULES = (
    AgentRule(
        Rule(
            "truncated",
            "The agent begins the next episode after one that was truncated.",
            "agent.proto, EPISODE_STATUS_TRUNCATED",
        ),
        ConformanceScene("truncated", _script(steps=1, ending=pb.EPISODE_STATUS_TRUNCATED)),
        plays_on("a StepResponse with status TRUNCATED", answered_with("TRUNCATED")),
    ),
    AgentRule(
        Rule(
            "voided",
            "The agent begins the next episode after one that was voided, whose last answer has"
            " neither outcomes nor an observation.",
            "docs/protocol.md, Voided episodes",
        ),
        ConformanceScene("voided", _script(steps=1, ending=pb.EPISODE_STATUS_VOIDED)),
        plays_on("a StepResponse with status VOIDED and nothing else", answered_with("VOIDED")),
    ),
    AgentRule(
        Rule(
            "closed",
            "The agent treats a step that was not executed, because the service had closed the"
            " episode, as the end of the episode.",
            "agent.proto, Step: closed between two steps",
        ),
        ConformanceScene("closed", _script(closed_at=1, ending=pb.EPISODE_STATUS_TRUNCATED)),
        plays_on(
            "a StepResponse with status TRUNCATED, without outcomes and observation",
            answered_with("codes []"),
        ),
    ),
    AgentRule(
        Rule(
            "refused-actions",
            "The agent continues through an episode in which every action is refused.",
            "action.proto, ActionOutcome",
        ),
        ConformanceScene(
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
            "The agent continues through an episode in which no action is understood.",
            "action.proto, OutcomeCode",
        ),
        ConformanceScene(
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
            "The agent continues when the step limit and the remaining steps are disclosed.",
            "agent.proto, Episode.max_steps and Budget",
        ),
        ConformanceScene(
            "limit-told",
            _script(steps=4, limit_disclosed=True, ending=pb.EPISODE_STATUS_TRUNCATED),
        ),
        plays_on("max_steps 4, and 3, 2, 1 and 0 steps left"),
    ),
    AgentRule(
        Rule(
            "instructions",
            "The agent accepts instructions in any language, from one letter to 100 KB.",
            "agent.proto, Episode.instruction",
        ),
        ConformanceScene(
            "instructions",
            SceneScript(
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
            "The agent plays with any action space: one skill, three parameters, a single choice,"
            " free text, names in any script.",
            "action.proto, ActionSpace",
        ),
        ConformanceScene(
            "action-spaces",
            SceneScript(
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
            "The agent plays with a hundred skills.",
            "action.proto, ActionSpace",
        ),
        ConformanceScene(
            "many-skills", _script(skills=HUNDRED, steps=5, instruction="Do anything.")
        ),
        plays_on("an action space of 100 skills"),
    ),
    AgentRule(
        Rule(
            "plan-mode",
            "In MODE_PLAN the agent sends one plan within the limits, or gives the episode up.",
            "agent.proto, MODE_PLAN",
        ),
        ConformanceScene("plan-mode", _script(mode=pb.MODE_PLAN)),
        _played_in_kind("an episode in MODE_PLAN"),
    ),
    AgentRule(
        Rule(
            "answer-mode",
            "In MODE_ANSWER the agent answers in words, or gives the episode up.",
            "agent.proto, MODE_ANSWER",
        ),
        ConformanceScene(
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


PLAIN = ConformanceScene("plain", SceneScript())
NO_EPISODES = ConformanceScene("no-episodes", SceneScript(episodes=()))
LONG = ConformanceScene(
    "two-hundred-steps", SceneScript(episodes=(EpisodeScript(steps=200),)), waits=30.0
)


def _leaves_well(played: PlayedScene) -> Judgement:
    """The agent exits with status 0 after AllDone."""
    if not played.journal.told_all_done:
        expected = "that the agent plays all of them, until AllDone"
        return failure("three short episodes", expected, played.how_it_went())
    if played.well:
        return ()
    expected = "that the agent leaves by itself, with exit status 0"
    return failure("AllDone", expected, played.how_it_went())


def _leaves_at_once(played: PlayedScene) -> Judgement:
    if played.journal.told_all_done and played.well:
        return ()
    expected = "that the agent leaves by itself, with exit status 0"
    return failure("AllDone in answer to the first BeginEpisode", expected, played.how_it_went())


def _steps(number: int) -> Judgement:
    return NotApplicable(f"the agent itself ended the episode after {counted(number, 'step')}")


def _goes_far(played: PlayedScene) -> Judgement:
    judgement = plays_on("an episode of 200 steps")(played)
    if judgement or len(played.journal.steps) >= 200:
        return judgement
    return _steps(len(played.journal.steps))


PLAYING_RULES = (
    AgentRule(
        Rule(
            "finishes",
            "The agent plays episodes until AllDone, then leaves by itself with exit status 0.",
            "docs/protocol.md, The life of a session",
        ),
        PLAIN,
        _leaves_well,
    ),
    AgentRule(
        Rule(
            "hello-first",
            "The agent calls Hello before anything else.",
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
            "BeginEpisode carries the ordinals 0, 1, 2, …, and is sent while no episode is open.",
            "agent.proto, BeginEpisode",
        ),
        PLAIN,
        keeps(),
    ),
    AgentRule(
        Rule(
            "step-order",
            "Step carries the indices 0, 1, 2, …, each sent after the previous answer.",
            "agent.proto, Step",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "after-the-end",
            "The agent takes no step in an episode that has ended.",
            "agent.proto, StepResponse.status",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "action-kind",
            "Every action is set, and its kind is one that the episode's mode allows.",
            "action.proto, Action",
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "action-fits",
            "A skill call names a skill of the action space, with its parameters in order and"
            " values from their choices.",
            "action.proto, SkillCall",
            Severity.SHOULD,
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "keeps-attached",
            "The agent keeps the Attach stream open while it plays.",
            "docs/protocol.md, The life of a session",
            Severity.SHOULD,
        ),
        PLAIN,
        keeps(stepped),
    ),
    AgentRule(
        Rule(
            "no-episodes",
            "The agent leaves with exit status 0 if there is nothing to play at all.",
            "agent.proto, AllDone",
        ),
        NO_EPISODES,
        _leaves_at_once,
    ),
    AgentRule(
        Rule(
            "long-episodes",
            "The agent plays an episode of two hundred steps.",
            "agent.proto, Step",
        ),
        LONG,
        _goes_far,
    ),
)


# --- Pictures: which ones the agent has to read

NOT_SEEN = NotApplicable("the agent asked for no such pictures")

_VIEWS = (
    ScriptedView(),
    ScriptedView(12, 9, observation_pb2.IMAGE_ROLE_VIEW, "sink"),
    ScriptedView(5, 5, observation_pb2.IMAGE_ROLE_VIEW, "overview"),
)
_SIZES = ((1, 1), (2000, 7), (7, 2000), (640, 480), (301, 211))


def _seen(sent: str, shown: Reached) -> Judge:
    """A judge: the agent continues; not applicable if ``shown`` is false."""

    def judge(played: PlayedScene) -> Judgement:
        return plays_on(sent)(played) if shown(played) else NOT_SEEN

    return judge


def _any_picture(played: PlayedScene) -> bool:
    return any(grant.observation.images for grant in played.journal.granted)


def _granted(encoding: int) -> Reached:
    return lambda played: any(
        encoding in image.encodings
        for grant in played.journal.granted
        for image in grant.observation.images
    )


def _encoded(name: str, encoding: int, requirement: str, sent: str) -> AgentRule:
    return AgentRule(
        Rule(name, requirement, "observation.proto, ImageEncoding"),
        ConformanceScene(name, SceneScript(encoding=encoding)),
        _seen(sent, _granted(encoding)),
    )


PICTURE_RULES = (
    AgentRule(
        Rule(
            "no-pictures",
            "The agent plays episodes whose observations hold no pictures.",
            "observation.proto, Observation.images: may be empty",
        ),
        ConformanceScene(
            "no-pictures", SceneScript(episodes=(EpisodeScript(views=()), EpisodeScript()))
        ),
        plays_on("observations without pictures"),
    ),
    AgentRule(
        Rule(
            "several-views",
            "The agent continues when an observation holds several views of a channel.",
            "observation.proto, ImageRole",
        ),
        ConformanceScene(
            "several-views", SceneScript(episodes=(EpisodeScript(views=_VIEWS), EpisodeScript()))
        ),
        _seen("three pictures of each channel: the current one, and two views", _any_picture),
    ),
    AgentRule(
        Rule(
            "picture-sizes",
            "The agent accepts pictures of any size, from one pixel up.",
            "observation.proto, Image: the sizes are the suite's",
        ),
        ConformanceScene(
            "picture-sizes",
            SceneScript(
                episodes=tuple(
                    EpisodeScript(steps=2, views=(ScriptedView(width, height),))
                    for width, height in _SIZES
                )
            ),
        ),
        _seen("pictures of 1 × 1, 2000 × 7, 7 × 2000, 640 × 480, 301 × 211 pixels", _any_picture),
    ),
    _encoded(
        "raw-pictures",
        observation_pb2.IMAGE_ENCODING_RAW,
        "An agent that asks for RAW pictures reads them.",
        "pictures as RAW",
    ),
    _encoded(
        "png-pictures",
        observation_pb2.IMAGE_ENCODING_PNG,
        "An agent that asks for PNG files reads them.",
        "pictures as PNG files",
    ),
    _encoded(
        "webp-pictures",
        observation_pb2.IMAGE_ENCODING_WEBP_LOSSLESS,
        "An agent that asks for lossless WebP files reads them.",
        "pictures as WebP files",
    ),
    AgentRule(
        Rule(
            "unchanged-pictures",
            "An agent that requires FEATURE_FRAME_REFERENCE accepts references to earlier"
            " pictures.",
            "observation.proto, Image.same_as_observation",
        ),
        ConformanceScene(
            "unchanged-pictures", SceneScript(episodes=(EpisodeScript(steps=5, still=True),) * 2)
        ),
        _seen("references in place of pictures", lambda played: played.referred),
    ),
    AgentRule(
        Rule(
            "large-messages",
            "The agent receives messages of up to 16 MiB; gRPC's own limit is 4 MiB.",
            "agent.proto, Limits.max_message_bytes",
        ),
        ConformanceScene(
            "large-messages",
            SceneScript(episodes=(EpisodeScript(steps=2, large=True),)),
            waits=10.0,
        ),
        _seen("a StepResponse of 16,000,000 bytes", lambda played: played.sent_large),
    ),
)
