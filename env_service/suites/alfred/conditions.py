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
        "How the command is worded: refined (B), its paraphrases (P1, P2), contextual with and"
        " without its context, Korean (K), or as the crowd wrote it.",
        tuple(each.value for each in Wording),
    ),
    Setting(
        "play",
        "Whether a whole plan is answered at once, or a step at a time.",
        (PLAN, STEPS),
    ),
    Setting(
        "feedback",
        "Feedback on each step of play=steps: nothing, whether it worked, or why not.",
        ("none", "simple", "detailed"),
    ),
    Setting("pictures", "Whether the agent is shown what the robot sees.", ("off", "on")),
    Setting(
        "ask",
        "Whether it may ask one question, and is answered with the sentence that was left out.",
        ("off", "on"),
    ),
    Setting(
        "synonyms",
        "Whether words as couch, sponge or table are read as the skills' own.",
        ("off", "on"),
    ),
    Setting(
        "rules",
        "Which rules decide: exact ones, or those of LoTa-Bench's code with its bugs.",
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
