"""How an agent says that it is done."""

from __future__ import annotations

import pytest

from env_service.domain.action import Action, Plan, SkillCall, Text
from env_service.suites.actplan.episode import is_done, is_done_amid_words, step_space
from env_service.suites.actplan.plans.plan_reader import read_plan


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


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("All cups are put away.\n\ndone()", True),
        ("```\nDone()\n```", True),
        ("I am done with the cup: grab(plate)", False),
        ("done(cup)", False),
        ("grab(cup)\ndone()", False),
    ],
)
def test_thinking_aloud_before_it_does_no_harm(text: str, *, done: bool) -> None:
    assert is_done_amid_words(read_plan(text)) is done


def test_it_is_a_skill_like_others() -> None:
    assert "done" in [each.name for each in step_space().skills]
