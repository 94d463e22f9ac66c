"""Whose a container is, and whether its service still runs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from env_service.sandbox.docker.owner import OWNER_LABEL, Owner


def test_an_owner_is_read_as_it_was_written() -> None:
    owner = Owner.myself()
    assert Owner.parse(owner.labels[OWNER_LABEL]) == owner
    assert owner.pid == os.getpid()


def test_two_sandboxes_of_one_process_own_apart() -> None:
    assert Owner.myself() != Owner.myself()


@pytest.mark.parametrize("text", ["", "someone", "a/b/c/d/e/f", "a/b/1/2/3", "a/b/1/2/3/n/more"])
def test_what_is_no_owner_is_nobody_s(text: str) -> None:
    assert Owner.parse(text) is None


def test_a_process_that_runs_is_not_gone() -> None:
    assert not Owner.myself().is_gone()


def test_a_process_that_ended_is_gone() -> None:
    ended = subprocess.run([sys.executable, "-c", ""], check=True)
    assert ended.returncode == 0
    owner = replace(Owner.myself(), pid=2**22 + 1)
    assert owner.is_gone()


def test_another_process_with_the_same_number_is_no_excuse() -> None:
    mine = Owner.myself()
    assert replace(mine, started=mine.started + 1).is_gone()


def test_after_a_restart_of_the_machine_all_are_gone() -> None:
    assert replace(Owner.myself(), boot="another-boot").is_gone()


@pytest.mark.parametrize(
    "hidden",
    [{"namespace": "pid:[1]"}, {"namespace": ""}, {"user": os.geteuid() + 1}, {"boot": ""}],
)
def test_who_cannot_be_seen_from_here_may_still_run(hidden: dict[str, object]) -> None:
    owner = replace(Owner.myself(), pid=2**22 + 1, **hidden)
    assert not owner.is_gone()
