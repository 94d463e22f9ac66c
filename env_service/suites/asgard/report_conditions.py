"""Views of asgard's runs by the paper's conditions (its figures 2, 4, 10, 13 and 15), and the
paper's numbers for comparison.
"""

from env_service.suites.asgard.conditions import NAMED
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.scoring import OTHER, by_rules, condition_labels
from env_service.suites.reporting import AgentSettings, Bars, Classes, Field, Label, Only, Reference

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
    """Bars by agent that compare conditions; ``kinds`` are pairs of a label and the condition's
    name in the paper."""
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


# --- The paper's numbers, for comparison (docs/asgard.md, "Conditions")

_SCORES = (
    ("Claude Opus 4.5", 0.765, 0.361),
    ("Gemini 3 Pro", 0.725, 0.352),
    ("GPT-5.2", 0.713, 0.250),
    ("Kimi-K2.5", 0.688, 0.219),
    ("Qwen3-VL-235B", 0.324, 0.139),
    ("GLM-4.6V", 0.306, 0.083),
    ("GPT-4o", 0.234, 0.042),
    ("Mistral-Large-3", 0.074, 0.079),
    ("Llama-4 Maverick", 0.058, 0.067),
)
"""Success of the baseline, and of text only with simple feedback: medians over runs."""

_ONE_RUN = "GPT-5.2"
"""Of this agent the paper has one run, so that it is known how many episodes are behind it."""

_TASKS = 108

_SHORT_REPLIES = ("GPT-4o", "Mistral-Large-3", "Llama-4 Maverick")
"""Their replies were bounded to 4096 tokens, all others' to 16384."""

_PAPER = "arXiv 2603.15888"


def scores(table: str, with_pictures: str, text_only: str) -> tuple[Reference, ...]:
    """The nine models' scores in a table or figure; the other two are its columns."""
    return tuple(
        Reference(
            table=table,
            row="",
            column=column,
            value=value,
            n=_TASKS if agent == _ONE_RUN else None,
            source=f"{_PAPER}, Table 6, official tasks ({_runs(agent)})",
            world="ai2thor",
            rules="upstream (released code)",
            agent=agent,
        )
        for agent, *values in _SCORES
        for column, value in zip((with_pictures, text_only), values, strict=True)
    )


def _runs(agent: str) -> str:
    return "one run" if agent == _ONE_RUN else "median"


def agents() -> tuple[AgentSettings, ...]:
    """How the nine models were run."""
    return tuple(
        AgentSettings(
            agent=agent,
            settings=(
                ("temperature", "0"),
                ("most tokens a reply", "4096" if agent in _SHORT_REPLIES else "16384"),
            ),
            source=f"{_PAPER}, Table 5; where a model reasons, its effort is high",
        )
        for agent, *_ in _SCORES
    )
