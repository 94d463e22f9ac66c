"""How an agent says that it is done."""

from __future__ import annotations

import pytest

from env_service.domain.action import Action, Plan, SkillCall, Text
from env_service.suites.actplan.finishing import is_done, step_space


@pytest.mark.parametrize(
    "action",
    [Text("done"), Text(" Done().\n"), SkillCall("done"), Plan((SkillCall("DONE"),))],
)
def test_it_is_understood_however_it_is_said(action: Action) -> None:
    assert is_done(action)


@pytest.mark.parametrize(
    "action",
    [
        Text("done grab(cup)"),
        Text(""),
        SkillCall("grab", (("object", "done"),)),
        Plan((SkillCall("done"), SkillCall("wait"))),
    ],
)
def test_anything_else_is_a_step(action: Action) -> None:
    assert not is_done(action)


def test_it_is_a_skill_like_others() -> None:
    assert "done" in [each.name for each in step_space().skills]
