"""The experimental settings, by the paper's names, and the release's codes for them (spec 5.7)."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.names import UnknownNameError
from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.rules import RULES, Rules
from env_service.suites.base import Condition, ConditionError, Setting

_OPACITIES = ("60", "0", "10", "20", "30", "40", "50", "70", "80", "90", "100")

SETTINGS: tuple[Setting, ...] = (
    Setting("text_only", "Whether the agent is shown no pictures at all.", ("off", "on")),
    Setting(
        "feedback",
        "What it is told of an action: whether it worked, also why not, or nothing.",
        ("simple", "detailed", "none"),
    ),
    Setting(
        "hand",
        "How opaque the drawn hand is, in percent, while it holds something; 0 draws none.",
        _OPACITIES,
    ),
    Setting(
        "previous_image",
        "How the picture before the last action is shown beside the present one.",
        ("color", "grayscale", "none"),
    ),
    Setting("memory", "Whether the agent's notes to itself come back to it.", ("on", "off")),
    Setting("full_plan", "Whether it writes down all of its plan every turn.", ("on", "off")),
    Setting("common_sense", "Whether it is told rules that common sense has.", ("off", "on")),
    Setting(
        "rules",
        "Which rules decide: the paper's, or those of the released code with its bugs.",
        tuple(RULES),
    ),
)
"""``memory`` and ``full_plan`` concern the prompt alone: the agent keeps them and the service only
records them. It enforces all others, ``common_sense`` in what it says of the house's rules."""

_TEXT_ONLY = {"text_only": "on", "previous_image": "none", "hand": "0"}

NAMED: Mapping[str, Mapping[str, str]] = {
    "baseline": {},
    "detailed": {"feedback": "detailed"},
    "no-feedback": {"feedback": "none"},
    "no-hand": {"hand": "0"},
    "no-memory": {"memory": "off"},
    "no-previous-image": {"previous_image": "none"},
    "text-only-simple": _TEXT_ONLY,
    "text-only-detailed": {**_TEXT_ONLY, "feedback": "detailed"},
    "text-only-none": {**_TEXT_ONLY, "feedback": "none"},
}
"""The conditions of the paper: what each changes of the baseline."""


def named_condition(name: str) -> dict[str, str]:
    """A full condition by the name that the paper's table has for it. Raises UnknownNameError."""
    if name not in NAMED:
        raise UnknownNameError("condition of asgard", name, NAMED)
    return {setting.name: setting.default for setting in SETTINGS} | dict(NAMED[name])


def condition_name(condition: Condition) -> str | None:
    """The paper's name of a condition, whatever its rules are; None if it has none."""
    asked = {**condition, "rules": ""}
    found = (name for name in NAMED if {**named_condition(name), "rules": ""} == asked)
    return next(found, None)


def check_condition(condition: Condition) -> None:
    """Raises ConditionError where settings do not go together: text only shows neither a hand nor a
    picture from before."""
    if condition["text_only"] == "off":
        return
    wrong = {name: value for name, value in _TEXT_ONLY.items() if condition[name] != value}
    if wrong:
        asked = " and ".join(f"{name}={condition[name]}" for name in wrong)
        mended = " and ".join(f"{name}={value}" for name, value in wrong.items())
        raise ConditionError(
            f"text_only=on shows no pictures, but {asked}; set {mended} as well, as the condition"
            " text-only-simple does"
        )


def rules_of(condition: Condition) -> Rules:
    """The rules that decide under a condition."""
    return RULES[condition["rules"]]


def feedback_of(condition: Condition) -> FeedbackMode:
    """What an agent is told of its actions under a condition."""
    return FeedbackMode(condition["feedback"])
