"""How AI2-THOR is run, as environment variables say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.settings import Deadlines, Lifetime, Platform, ThorSettings


def read(**variables: str) -> ThorSettings:
    """The settings that these variables make; HOUSEGUEST_THOR_ goes before their names."""
    return ThorSettings.from_environment(
        {f"HOUSEGUEST_THOR_{name}": text for name, text in variables.items()}
    )


def test_what_is_not_set_keeps_its_default() -> None:
    assert ThorSettings.from_environment({"PATH": "/bin"}) == ThorSettings()
    assert read(PLATFORM="", GPU=" ", CPUS="", STEP_SECONDS="") == ThorSettings()


def test_everything_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/users/me")
    settings = read(
        PLATFORM="linux64",
        EXECUTABLE="/opt/thor 'a b'",
        HOME="~/thor",
        GPU="3",
        DISPLAY=":7.1",
        CPUS="0-2,8, 6",
        START_SECONDS="30",
        RESET_SECONDS="20.5",
        STEP_SECONDS="1e1",
        STOP_SECONDS="2",
        EPISODES="9",
        SECONDS="3600",
        MEMORY_BYTES="1000000",
        WARM="0",
    )
    assert settings == ThorSettings(
        platform=Platform.LINUX64,
        executable="/opt/thor 'a b'",
        home=Path("/users/me/thor"),
        gpu=3,
        display=":7.1",
        cpus=(0, 1, 2, 6, 8),
        deadlines=Deadlines(start=30.0, reset=20.5, step=10.0, stop=2.0),
        lifetime=Lifetime(episodes=9, seconds=3600.0, memory_bytes=1_000_000),
        warm=0,
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("PLATFORM", "vulkan", "one of auto, CloudRendering, Linux64, executable"),
        ("HOME", "thor", "an absolute path"),
        ("GPU", "-1", "a whole number of 0 or more"),
        ("GPU", "0,1", "a whole number of 0 or more"),
        ("GPU", "²", "a whole number of 0 or more"),
        ("CPUS", "0-", 'processors such as "0-3,8"'),
        ("CPUS", "a", 'processors such as "0-3,8"'),
        ("CPUS", "1-2-3", 'processors such as "0-3,8"'),
        ("CPUS", "3-1", "rising and below"),
        ("CPUS", "0-99999999999", "rising and below"),
        ("START_SECONDS", "0", "a number of seconds above 0"),
        ("RESET_SECONDS", "-3", "a number of seconds above 0"),
        ("STEP_SECONDS", "nan", "a number of seconds above 0"),
        ("STOP_SECONDS", "inf", "a number of seconds above 0"),
        ("SECONDS", "1h", "a number of seconds above 0"),
        ("EPISODES", "0", "a whole number of 1 or more"),
        ("MEMORY_BYTES", "6 GB", "a whole number of 1 or more"),
        ("WARM", "two", "a whole number of 0 or more"),
    ],
)
def test_a_wrong_value_is_named_with_what_it_may_be(name: str, text: str, told: str) -> None:
    with pytest.raises(ValueError, match="HOUSEGUEST_THOR_") as caught:
        read(**{name: text})
    assert str(caught.value).startswith(f"HOUSEGUEST_THOR_{name} is {text!r}; it has to be ")
    assert told in str(caught.value)


def test_an_executable_has_to_be_named() -> None:
    with pytest.raises(ValueError, match="HOUSEGUEST_THOR_EXECUTABLE is not set"):
        read(PLATFORM="executable")


def test_a_worker_with_a_place_runs_its_player_there() -> None:
    chosen = {"HOUSEGUEST_THOR_GPU": "7", "HOUSEGUEST_THOR_CPUS": "0"}
    place = {"HOUSEGUEST_WORKER_GPU": "3", "HOUSEGUEST_WORKER_CPUS": "4,5"}
    placed = ThorSettings.from_environment({**chosen, **place})
    assert (placed.gpu, placed.cpus) == (3, (4, 5))
    nowhere = ThorSettings.from_environment({**chosen, **dict.fromkeys(place, "")})
    assert (nowhere.gpu, nowhere.cpus) == (None, ())
