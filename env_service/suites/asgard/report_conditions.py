"""Views of asgard's runs by the paper's conditions: pictures or none, feedback, and what is left
out (its figures 2, 4, 10, 13 and 15)."""

from __future__ import annotations

from env_service.suites.asgard.conditions import NAMED
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.scoring import OTHER, by_rules, condition_labels
from env_service.suites.reporting import Bars, Classes, Field, Label, Only

CONDITION = Label("condition", "condition")
PICTURES = "pictures"
"""The figure that published scores stand in."""
SHOWN, READ = "with pictures", "text only"
"""Its series."""


def every_condition() -> Classes:
    """The paper's conditions: those with published scores first, and all others last."""
    names = list(dict.fromkeys(("baseline", "text-only-simple", *NAMED)))
    return Classes(
        CONDITION,
        "condition",
        tuple((label, (label,)) for label in condition_labels(*names, OTHER)),
    )


def _series(heading: str, *kinds: tuple[str, str]) -> Classes:
    """Conditions, by the one rules and by the other."""
    classes = tuple(
        (by_rules(called, rules), condition_labels(condition, rules=(rules,)))
        for rules in RULES
        for called, condition in kinds
    )
    return Classes(CONDITION, heading, classes)


def _contrast(name: str, title: str, heading: str, *kinds: tuple[str, str]) -> Bars:
    """Bars by agent of conditions beside each other; ``kinds`` are (what it is called, its name
    in the paper)."""
    return Bars(
        id=name,
        title=title,
        by=Field.AGENT,
        series=_series(heading, *kinds),
        only=Only(CONDITION, condition_labels(*(condition for _, condition in kinds))),
        contrast=True,
        note="Pictures of any size are taken together. `houseguest compare` tests a difference.",
    )


BY_CONDITION = (
    Bars(
        id=PICTURES,
        title="With pictures, and text only",
        by=Field.AGENT,
        series=_series("observation", (SHOWN, "baseline"), (READ, "text-only-simple")),
        only=Only(CONDITION, condition_labels("baseline", "text-only-simple")),
        note=(
            "Simple feedback, all else as in the baseline. Pictures of any size are taken together."
        ),
    ),
    _contrast(
        "feedback",
        "Success by feedback, with pictures",
        "feedback",
        ("none", "no-feedback"),
        ("simple", "baseline"),
        ("detailed", "detailed"),
    ),
    _contrast(
        "feedback-text-only",
        "Success by feedback, text only",
        "feedback",
        ("none", "text-only-none"),
        ("simple", "text-only-simple"),
        ("detailed", "text-only-detailed"),
    ),
    _contrast(
        "hand",
        "Without the drawn hand",
        "hand",
        ("drawn", "baseline"),
        ("not drawn", "no-hand"),
    ),
    _contrast(
        "memory",
        "Without the agent's notes",
        "memory",
        ("with notes", "baseline"),
        ("without", "no-memory"),
    ),
    _contrast(
        "previous-image",
        "Without the picture before the last action",
        "previous picture",
        ("shown", "baseline"),
        ("not shown", "no-previous-image"),
    ),
)
