"""The experimental settings."""

from collections.abc import Mapping

from env_service.domain.outcome import FeedbackMode
from env_service.suites.alfred.command_wordings import Wording
from env_service.suites.alfred.rules import RULES, Rules
from env_service.suites.base import Condition, ConditionError, Setting

PLAN, STEPS = "plan", "steps"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "wording",
        "The wording of the command: refined (B), its paraphrases (P1, P2), contextual with and"
        " without its context, Korean (K), or the original words of crowd workers.",
        tuple(each.value for each in Wording),
    ),
    Setting(
        "play",
        "Whether the agent sends the whole plan at once, or one skill per turn.",
        (PLAN, STEPS),
    ),
    Setting(
        "feedback",
        "With play=steps, the feedback on each step: none, whether it worked, or also why not.",
        ("none", "simple", "detailed"),
    ),
    Setting("pictures", "Whether the agent gets the robot's camera picture.", ("off", "on")),
    Setting(
        "ask",
        "Whether the agent may ask one question. The answer is the omitted sentence.",
        ("off", "on"),
    ),
    Setting(
        "synonyms",
        "Whether synonyms are accepted, such as couch for sofa.",
        ("off", "on"),
    ),
    Setting(
        "rules",
        "Corrected rules, or those of LoTa-Bench's code with its bugs.",
        tuple(RULES),
    ),
)
"""The service enforces all of them."""

NAMED: Mapping[str, Mapping[str, str]] = {
    **{each.value: {"wording": each.value} for each in Wording},
    "C-interactive": {"wording": Wording.WITHOUT_CONTEXT.value, "ask": "on"},
}
"""Conditions that have a name: what each changes of the default."""


def check_condition(condition: Condition) -> None:
    """Raises ConditionError if settings contradict each other: an agent can only ask for a sentence
    that was left out, and a plan that is executed at once gets no feedback."""
    if condition["ask"] == "on" and wording_of(condition) is not Wording.WITHOUT_CONTEXT:
        raise ConditionError(
            f"ask=on answers with the sentence that was left out, but wording="
            f"{condition['wording']} leaves none out; set wording=C-without-context, as the"
            " condition C-interactive does"
        )
    if condition["play"] == PLAN and condition["feedback"] != "none":
        raise ConditionError(
            f"feedback={condition['feedback']} reports on steps as they are taken, but play=plan"
            " answers once; set play=steps, or feedback=none"
        )


def wording_of(condition: Condition) -> Wording:
    """How commands are worded under a condition."""
    return Wording(condition["wording"])


def rules_of(condition: Condition) -> Rules:
    """The rules that decide under a condition."""
    return RULES[condition["rules"]]


def feedback_of(condition: Condition) -> FeedbackMode:
    """The feedback on its steps that an agent gets under a condition."""
    return FeedbackMode(condition["feedback"])
