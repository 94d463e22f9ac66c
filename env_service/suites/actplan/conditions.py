"""The experimental settings."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.outcome import FeedbackMode
from env_service.suites.base import Condition, ConditionError, Setting
from env_service.worlds.activity.commonsense import PROFILES, CommonsenseProfile

PLAN, STEPS = "plan", "steps"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "play",
        "Whether a whole plan is answered at once, as in the paper, or a step at a time.",
        (PLAN, STEPS),
    ),
    Setting(
        "pictures",
        "Whether the agent is shown the activity's pictures, where there are any, or has its"
        " description alone.",
        ("on", "off"),
    ),
    Setting(
        "feedback",
        "Feedback on a step, where steps are played: none, whether it worked, or why not.",
        ("none", "simple", "detailed"),
    ),
    Setting(
        "commonsense",
        "The profile by which preconditions count: how many hands, what is near.",
        tuple(PROFILES),
    ),
    Setting(
        "corrections",
        "Whether known defects of published definitions are mended before plans are judged.",
        ("on", "off"),
    ),
)
"""The service enforces all of them."""

NAMED: Mapping[str, Mapping[str, str]] = {
    "text-only": {"pictures": "off"},
    "interactive": {"play": STEPS, "feedback": "detailed"},
}
"""Conditions that have a name: what each changes of the default."""


def check_condition(condition: Condition) -> None:
    """Raises ConditionError for settings that exclude each other: a plan that is carried out at
    once gets no feedback on its steps."""
    if condition["play"] == PLAN and condition["feedback"] != "none":
        raise ConditionError(
            f"feedback={condition['feedback']} reports on steps as they are taken, but play=plan"
            " answers once; set play=steps, or feedback=none"
        )


def profile_of(condition: Condition) -> CommonsenseProfile:
    """The commonsense profile of a condition."""
    return PROFILES[condition["commonsense"]]


def feedback_of(condition: Condition) -> FeedbackMode:
    """The feedback that an agent gets on its steps under a condition."""
    return FeedbackMode(condition["feedback"])
