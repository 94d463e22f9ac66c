"""Options that say how a guest is held in, as a user types them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import click
import pytest
from click.testing import CliRunner

from env_service.cli.main import run
from env_service.cli.sandbox_options import (
    read_sandbox,
    read_size,
    read_time,
    refuse_sandbox,
    sandbox_options,
)
from env_service.sandbox.options import GIB, MIB, AgentLimits, ReadOnlyMount, SandboxOptions


def read(*arguments: str) -> SandboxOptions:
    """What a command with these arguments asks for."""
    found: list[SandboxOptions] = []

    @click.command()
    @sandbox_options
    def command(**given: Any) -> None:
        found.append(read_sandbox(given))

    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return found[0]


def test_nothing_given_is_nothing_asked() -> None:
    assert read() == SandboxOptions()


def test_what_was_given_is_kept_and_remembered() -> None:
    options = read(
        *("--sandbox", "docker", "--guest-memory", "512m", "--guest-cpus", "0.5"),
        *("--guest-pids", "64", "--guest-gpus", "device=0,1", "--time-limit", "90m"),
        *("--runtime", "runc", "--network", "models", "--model-server", "http://h:1"),
    )
    assert options.limits == AgentLimits(
        memory=512 * MIB, cpus=0.5, pids=64, seconds=5400, gpus="device=0,1"
    )
    assert (options.kind, options.runtime, options.network) == ("docker", "runc", "models")
    assert options.asked == {
        *("--guest-memory", "--guest-cpus", "--guest-pids", "--guest-gpus", "--time-limit"),
        *("--runtime", "--network", "--model-server"),
    }


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512m", 512 * MIB),
        ("2g", 2 * GIB),
        ("1.5GiB", 3 * GIB // 2),
        ("1048576", MIB),
        ("4KB", 4096),
    ],
)
def test_a_size(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("0.5d", 43200)]
)
def test_a_time(text: str, seconds: float) -> None:
    assert read_time(text) == seconds


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sandbox", "jail"),
        ("--guest-memory", "much"),
        ("--guest-memory", "1m"),
        ("--guest-cpus", "0"),
        ("--guest-cpus", "nan"),
        ("--guest-pids", "0"),
        ("--guest-gpus", "none"),
        ("--time-limit", "0"),
        ("--time-limit", "soon"),
        ("--env", "=x"),
        ("--env", "A-B=x"),
        ("--env", "NOT_SET_ANYWHERE"),
        ("--env", "HOUSEGUEST_TOKEN=x"),
        ("--mount", ":/x"),
        ("--mount", "/a:/x", "--mount", "/b:/x"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(click.BadParameter):
        read(*arguments)


def test_a_variable_is_passed_on_or_given_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "from-here")
    options = read("--env", "MY_KEY", "--env", "OTHER=a=b", "--env", "EMPTY=")
    assert options.environment == {"MY_KEY": "from-here", "OTHER": "a=b", "EMPTY": ""}
    assert options.asked == {"--env"}
    assert "from-here" not in repr(options)


def test_a_value_that_is_refused_is_not_shown() -> None:
    with pytest.raises(click.BadParameter) as refused:
        read("--env", "A-B=secret")
    assert "secret" not in str(refused.value)


def test_a_folder_is_mounted_at_its_own_path_or_another(tmp_path: Path) -> None:
    options = read("--mount", str(tmp_path), "--mount", "relative:/mnt/x")
    assert options.mounts == (
        ReadOnlyMount(tmp_path, PurePosixPath(tmp_path)),
        ReadOnlyMount(Path("relative").absolute(), PurePosixPath("/mnt/x")),
    )
    assert options.asked == {"--mount"}


def test_for_an_external_agent_all_of_them_would_do_nothing() -> None:
    refuse_sandbox(SandboxOptions())
    for asked in (("--sandbox", "docker"), ("--guest-memory", "1g")):
        with pytest.raises(click.UsageError, match=asked[0]):
            refuse_sandbox(read(*asked))


def test_limits_have_short_names() -> None:
    asked = read("--memory", "512m", "--cpus", "0.5", "--pids", "64")
    assert asked.limits == AgentLimits(memory=512 * MIB, cpus=0.5, pids=64)


def test_an_agents_own_option_goes_before_a_short_name(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "--suite", "babyai", "--agent", "vlm", "--model", "m"]
    assert run([*command, "--memory", "512m"]) == 2
    assert "'512m' is not one of 'on', 'off'" in capsys.readouterr().err
    assert run([*command, "--guest-memory", "tiny"]) == 2
    assert "'tiny' is not a size" in capsys.readouterr().err
