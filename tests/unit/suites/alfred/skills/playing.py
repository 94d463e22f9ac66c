"""A robot in a house on paper, told what to do in words."""

from __future__ import annotations

from typing import Any

from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import SkillResult
from env_service.suites.alfred.skills.vocabulary import parse_skill
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, place

UNSEEN = "Target object not found within the specified visibility."


def robot(world: PaperWorld, rules: Rules = EXACT, **aliases: str) -> Robot:
    return Robot(world, rules, aliases)  # type: ignore[arg-type] # as much of one as skills use


def does(player: Robot, *said: str) -> SkillResult:
    """The result of the last of some steps."""
    results = []
    for each in said:
        step = parse_skill(each)
        results.append(player.do_unknown(each) if step is None else player.do(step))
    return results[-1]


def table(x: float = 2.0, *contents: dict[str, Any]) -> dict[str, Any]:
    return place("DiningTable", (x, 0.7, 1.0), *contents)
