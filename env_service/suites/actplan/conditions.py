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
        "Whether the agent sends the whole plan at once, as in the paper, or one step per turn.",
        (PLAN, STEPS),
    ),
    Setting(
        "pictures",
        "Whether the agent gets the activity's pictures, if there are any, or only its"
        " description.",
        ("on", "off"),
    ),
    Setting(
        "feedback",
        "With play=steps, the feedback on each step: none, whether it worked, or also why not.",
        ("none", "simple", "detailed"),
    ),
    Setting(
        "commonsense",
        "The profile of preconditions: how many hands the agent has, and what it can reach.",
        tuple(PROFILES),
    ),
    Setting(
        "corrections",
        "Whether known defects of published definitions are corrected before judging.",
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
