"""The plan that ``houseguest init`` writes."""

from __future__ import annotations

import re
import tomllib

from env_service.cli.new import _plain_agent
from env_service.sandbox.agents import agent_folders
from env_service.sweep.template import plan_template


def test_a_new_plan_has_no_agent_that_waits_for_somebody() -> None:
    text = plan_template("plan.toml")
    assert [each["agent"] for each in tomllib.loads(text)["agents"]] == ["random"]
    # Also in comments, where the other agents are.
    named = set(re.findall(r'^#? ?agent = "(\w+)"', text, re.MULTILINE))
    assert set(agent_folders()) - named == {"human", "mcp"}


def test_the_agent_of_the_next_commands_is_one_that_plays_by_itself() -> None:
    assert _plain_agent() == "random"
