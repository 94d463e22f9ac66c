"""The experimental settings, and conditions that have a name."""

from collections.abc import Mapping

from env_service.suites.babybench.formatters import FORMATTERS
from env_service.suites.base import Setting

SETTINGS: tuple[Setting, ...] = (
    Setting("formatter", "How a level is described.", tuple(FORMATTERS)),
    Setting(
        "scoring",
        "How answers are parsed and scored: leniently, or as in the released code.",
        ("fixed", "compat"),
    ),
    Setting(
        "prompter",
        "How the agent's prompt asks for the answer.",
        ("tot", "zero-shot", "few-shot", "cot"),
    ),
    Setting(
        "observation",
        "Whether the level is described in words, shown as a picture, or both.",
        ("text", "text+picture", "picture"),
    ),
    Setting(
        "view",
        "The whole grid, or the 7 × 7 cells in front of the agent: in pictures, and in the task"
        " set interactive also in text.",
        ("full", "partial"),
    ),
    Setting(
        "feedback",
        "Feedback on an action or answer: whether it worked, also why not, or nothing.",
        ("simple", "detailed", "none"),
    ),
    Setting("step_limit", "Whether the agent gets the step limit.", ("told", "hidden")),
)
"""``prompter`` affects only the agent's prompt: the service records it and shows it to the agent.

The service enforces all others. ``formatter``, ``scoring`` and ``prompter`` change nothing in
levels that are played.
"""

_PAPER = {"formatter": "structured", "scoring": "compat", "prompter": "tot"}

NAMED: Mapping[str, Mapping[str, str]] = {
    "paper": _PAPER,
    "paper-narrative": {**_PAPER, "formatter": "narrative"},
    "paper-json": {**_PAPER, "formatter": "json"},
    "paper-zero-shot": {**_PAPER, "prompter": "zero-shot"},
    "paper-few-shot": {**_PAPER, "prompter": "few-shot"},
    "paper-cot": {**_PAPER, "prompter": "cot"},
    "vision": {"observation": "text+picture"},
}
"""The paper's main results, its studies of formatters and prompters, and one for vision models."""
