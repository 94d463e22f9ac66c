"""Which settings go together, and the conditions that have a name."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.conditions import NAMED, SETTINGS, check_condition
from env_service.suites.base import ConditionError

DEFAULT = {setting.name: setting.default for setting in SETTINGS}


def test_every_named_condition_can_be_played() -> None:
    for changes in NAMED.values():
        check_condition({**DEFAULT, **changes})
        check_condition({**DEFAULT, **changes, "play": "steps", "feedback": "detailed"})


def test_the_default_is_the_refined_command_answered_by_a_whole_plan() -> None:
    assert (DEFAULT["wording"], DEFAULT["play"], DEFAULT["rules"]) == ("B", "plan", "exact")


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"ask": "on"}, "set wording=C-without-context"),
        ({"ask": "on", "wording": "C"}, "set wording=C-without-context"),
        ({"feedback": "simple"}, "set play=steps, or feedback=none"),
    ],
)
def test_what_does_not_go_together_is_told_with_its_remedy(
    changes: dict[str, str], remedy: str
) -> None:
    with pytest.raises(ConditionError, match=remedy):
        check_condition({**DEFAULT, **changes})
