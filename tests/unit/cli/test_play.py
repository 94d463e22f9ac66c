"""What ``houseguest play`` reads from its command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import pytest

from env_service.cli import play
from env_service.cli.play import play_command
from env_service.cli.play_session import PlayOptions


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., PlayOptions]:
    """What a command line comes to, without playing it."""

    def read(*words: str) -> PlayOptions:
        found: list[PlayOptions] = []
        real: Any = play._read

        def keep(options: Any) -> None:
            found.append(real(options))
            raise click.exceptions.Exit(0)

        with monkeypatch.context() as patch:
            patch.setattr(play, "_read", keep)
            play_command.main(list(words), standalone_mode=False)
        return found[0]

    return read


def test_a_person_plays_all_tasks_by_default_with_time_to_think(
    asked: Callable[..., PlayOptions],
) -> None:
    options = asked("babyai")
    request = options.request
    assert (request.suite, request.tasks, request.limit) == ("babyai", (), 0)
    assert (request.agent, request.sessions) == ("human", 1)
    assert (options.step_budget, request.episode_budget) == (3600.0, 14400.0)
    assert options.command[-1].endswith("agent.py")


def test_who_plays_is_part_of_the_identity_and_how_is_not(
    asked: Callable[..., PlayOptions],
) -> None:
    words = ("babyai", "GoToLocal/2,Open", "PutNext", "--player", " ada  l ", "--browser")
    options = asked(*words, "--port", "8123", "--no-open", "--set", "view=partial")
    request = options.request
    assert request.agent == "human ada l"
    assert request.tasks == ("GoToLocal/2", "Open", "PutNext")
    assert request.condition == {"view": "partial"}
    given = options.command[options.command.index("--player") :]
    assert given == ("--player", "ada l", "--browser", "--page-port", "8123", "--no-open")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--player", "x" * 61], "not a name of up to 60"),
        (["--player", "a\x1b[2J"], "printable"),
        (["--port", "80"], "need --browser"),
        (["--step-budget", "0"], "not above 0 and up to"),
        (["--port", "70000", "--browser"], "70000"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: list[str], told: str) -> None:
    with pytest.raises(click.UsageError, match=told):
        play_command.main(["babyai", *words], standalone_mode=False)
