"""Which rules read and score answers: the setting ``scoring``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from env_service.suites.babybench.answers import (
    compat,
    fixed_actions,
    fixed_state,
    fixed_subgoals,
)
from env_service.suites.babybench.answers.reading import ActionList, Reading, State, SubgoalList
from env_service.worlds.babyai.omnibot.records import ExpertMode


@dataclass(frozen=True, slots=True)
class Rules:
    """How answers are read, and which expert they are measured by.

    ``published`` is whether these are the rules of LLM-BabyBench's released code.
    """

    published: bool
    mode: ExpertMode
    read_state: Callable[[str], Reading[State]]
    read_actions: Callable[[str], Reading[ActionList]]
    read_subgoals: Callable[[str], Reading[SubgoalList]]


RULES: Mapping[str, Rules] = {
    "fixed": Rules(
        published=False,
        mode=ExpertMode.FIXED,
        read_state=fixed_state.read_state,
        read_actions=fixed_actions.read_actions,
        read_subgoals=fixed_subgoals.read_subgoals,
    ),
    "compat": Rules(
        published=True,
        mode=ExpertMode.COMPAT,
        read_state=compat.read_state,
        read_actions=compat.read_actions,
        read_subgoals=compat.read_subgoals,
    ),
}
"""By the values of the setting ``scoring``."""
