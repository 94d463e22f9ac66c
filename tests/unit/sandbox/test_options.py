"""The folder that a sandboxed agent finds its service in."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.options import socket_of


def test_a_socket_in_a_folder_of_its_own_is_found(tmp_path: Path) -> None:
    (tmp_path / "agent.sock").touch()
    assert socket_of(f"unix:{tmp_path}/agent.sock") == tmp_path / "agent.sock"


def test_a_folder_that_holds_more_is_not_given_to_an_agent(tmp_path: Path) -> None:
    (tmp_path / "agent.sock").touch()
    (tmp_path / "id_rsa").touch()
    with pytest.raises(AgentStartError, match=r"contains more than the socket .*id_rsa.*--listen"):
        socket_of(f"unix:{tmp_path}/agent.sock")


def test_a_port_is_out_of_reach() -> None:
    with pytest.raises(AgentStartError, match="Unix socket"):
        socket_of("127.0.0.1:7000")
