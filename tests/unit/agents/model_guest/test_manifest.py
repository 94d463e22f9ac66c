"""agents/vlm/agent.toml declares what the program takes."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from model_guest.endpoint.options import add_endpoint_options
from model_guest.options import agent_parser

from env_service.sandbox.agent_manifest import AgentOption, read_manifest

MANIFEST = read_manifest(Path(__file__).resolve().parents[4] / "agents" / "vlm")
BY_HAND = {"--help", "--check", "--max-cost", "--max-tokens"}
"""Options that a run of the house does not pass on: it has its own, or no use for them."""


def actions() -> dict[str, argparse.Action]:
    """The program's options by their long names."""
    parser = agent_parser("vlm", "d", "e")
    add_endpoint_options(parser)
    return {action.option_strings[-1]: action for action in parser._actions}


def test_every_option_is_declared() -> None:
    assert {option.name for option in MANIFEST.options} == set(actions()) - BY_HAND


@pytest.mark.parametrize("option", MANIFEST.options, ids=lambda option: option.name)
def test_an_option_is_what_it_is_declared_to_be(option: AgentOption) -> None:
    action = actions()[option.name]
    assert option.required == (action.required or bool(option.variables))
    assert option.choices == tuple(action.choices or ())
    assert option.multiple == isinstance(action, argparse._AppendAction)
    if option.default:
        kind = {"int": int, "float": float}.get(option.type, str)
        assert kind(option.default) == action.default
    else:
        assert not action.default
    if action.metavar:
        assert option.metavar == action.metavar
