"""What is said where bubblewrap cannot be used."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.bwrap import sandbox
from env_service.sandbox.bwrap.sandbox import find_support, open_bwrap
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.options import AgentLimits, SandboxOptions


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where programs come from one folder, which is empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    return tmp_path


def install(folder: Path, version: str, trial: str = "exit 0") -> None:
    """A bubblewrap of some version that does something else when it is tried."""
    script = folder / "bwrap"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit 0\n{trial}\n')
    script.chmod(0o755)


def test_where_it_is_not_installed(machine: Path) -> None:
    with pytest.raises(AgentStartError, match="apt install bubblewrap"):
        find_support()


@pytest.mark.parametrize("version", ["bubblewrap 0.6.1", "bubblewrap 0.4", "what", ""])
def test_where_it_is_too_old(machine: Path, version: str) -> None:
    install(machine, version)
    with pytest.raises(AgentStartError, match=r"needs 0\.8 or newer"):
        find_support()


@pytest.mark.parametrize("version", ["0.8.0", "0.11.0", "1.0"])
def test_where_it_is_new_enough(machine: Path, version: str) -> None:
    install(machine, f"bubblewrap {version}")
    assert find_support().version == version


def test_where_namespaces_are_not_allowed(machine: Path) -> None:
    install(
        machine, "bubblewrap 0.8.0", "echo 'No permissions to create a new namespace' >&2; exit 1"
    )
    with pytest.raises(AgentStartError, match="No permissions to create a new namespace"):
        find_support()


def test_the_switch_that_forbids_it_is_named(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch = machine / "switch"
    switch.write_text("0\n")
    install(machine, "bubblewrap 0.8.0", "exit 1")
    monkeypatch.setattr(sandbox, "_SWITCHES", ((str(switch), "0", "sysctl the.switch=1"),))
    with pytest.raises(AgentStartError, match=r"enable them with sysctl the\.switch=1"):
        find_support()


def test_on_another_kind_of_machine(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(AgentStartError, match="not of riscv64; use --sandbox docker"):
        find_support()


def test_elsewhere_than_on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(AgentStartError, match="needs Linux"):
        find_support()


def test_gpus_are_refused_with_the_reason() -> None:
    limits = replace(AgentLimits(), gpus="all")
    with pytest.raises(AgentStartError, match=r"gets no GPU, because .* --model-server"):
        open_bwrap(AgentCommand(("true",)), SandboxOptions(limits=limits))
