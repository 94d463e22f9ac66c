"""What the protocol's codes and statuses are called to a person's face."""

from __future__ import annotations

from houseguest_agent import (
    Channel,
    EpisodeStatus,
    Image,
    ImageRole,
    OutcomeCode,
    Plan,
    SkillCall,
    Text,
)

Action = SkillCall | Text | Plan

OUTCOMES = {
    OutcomeCode.SUCCEEDED: "done",
    OutcomeCode.REFUSED: "refused",
    OutcomeCode.WITHHELD: "",
    OutcomeCode.UNPARSABLE: "not understood",
    OutcomeCode.UNKNOWN_SKILL: "no such action",
    OutcomeCode.UNKNOWN_OBJECT: "no such object",
    OutcomeCode.PRECONDITION_FAILED: "not possible now",
    OutcomeCode.PHYSICALLY_BLOCKED: "something is in the way",
}

ENDINGS = {
    EpisodeStatus.TERMINATED: (
        "This episode is over",
        "It is recorded. Nobody who plays is told whether the goal was reached.",
    ),
    EpisodeStatus.TRUNCATED: (
        "This episode was cut short",
        "The steps or the time that it allows are used up, or too many actions failed. It is"
        " recorded. Nobody who plays is told whether the goal was reached.",
    ),
    EpisodeStatus.VOIDED: (
        "This episode does not count",
        "The house failed, through no fault of yours. Its task comes back later.",
    ),
}

_TITLES = {
    "answer_rules": "Answers in your own words",
    "available_objects": "Objects",
    "world_rules": "Rules of the world",
}


def title_of(name: str) -> str:
    """The heading of a context text: ``world_rules`` is "Rules of the world"."""
    return _TITLES.get(name) or name.replace("_", " ").strip().capitalize() or "Text"


def caption_of(image: Image) -> str:
    """What a picture shows, in a few words."""
    if image.role is ImageRole.PREVIOUS:
        shown = "Before your last action"
    elif image.role is ImageRole.VIEW:
        shown = image.view or "View"
    else:
        shown = "Now"
    kind = "" if image.channel is Channel.RGB else image.channel.name.lower().replace("_", " ")
    return f"{shown} ({kind})" if kind else shown


def describe_call(call: SkillCall) -> str:
    """``FIND Mirror``; arguments are parted by commas."""
    return f"{call.name} {', '.join(call.arguments.values())}".rstrip()


def describe(action: Action) -> str:
    """An action in one text; a plan has a line for each step."""
    if isinstance(action, SkillCall):
        return describe_call(action)
    if isinstance(action, Plan):
        return "\n".join(map(describe_call, action.steps)) or "(an empty plan)"
    return action.text or "(no words)"


def clean(text: str) -> str:
    """The text without control characters, which a terminal would obey."""
    return "".join(each for each in text if each.isprintable() or each in "\n\t")
