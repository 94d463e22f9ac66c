"""Whoever hosts a world waits longer than the world itself does."""

from __future__ import annotations

import pytest

from env_service.worlds.ai2thor_unity.settings import Deadlines, ThorSettings
from env_service.worlds.base import HostingLimits, WorldUnavailableError, hosting_limits


def of_ai2thor(facts: dict[str, str] | None = None, /, **environment: str) -> HostingLimits:
    variables = {f"HOUSEGUEST_THOR_{name}": value for name, value in environment.items()}
    found = hosting_limits("ai2thor", facts or {}, variables)
    assert found is not None
    return found


def test_ai2thor_gives_up_before_its_host_does() -> None:
    own, found = Deadlines(), of_ai2thor()
    assert found.begin > own.start + 2 * own.reset + own.stop
    assert found.step > 3 * own.step + own.stop
    assert found.finish > own.step + own.stop
    assert found.pause == 2.0


@pytest.mark.parametrize(
    ("variable", "longer"),
    [
        ("START_SECONDS", {"begin"}),
        ("RESET_SECONDS", {"begin"}),
        ("STEP_SECONDS", {"begin", "step", "finish"}),
    ],
)
def test_who_lengthens_a_deadline_of_ai2thor_lengthens_the_hosts(
    variable: str, longer: set[str]
) -> None:
    plain, found = of_ai2thor(), of_ai2thor(**{variable: "1000"})
    names = ("begin", "step", "finish")
    assert {name for name in names if getattr(found, name) > getattr(plain, name)} == longer


def test_all_processes_run_the_platform_that_was_found_at_first() -> None:
    found = of_ai2thor({"platform": "Linux64"})
    assert found.environment == {"HOUSEGUEST_THOR_PLATFORM": "Linux64"}
    assert ThorSettings.from_environment(found.environment).platform == "Linux64"


def test_a_variable_that_makes_no_sense_is_named() -> None:
    with pytest.raises(WorldUnavailableError, match="HOUSEGUEST_THOR_STEP_SECONDS"):
        of_ai2thor(STEP_SECONDS="soon")


@pytest.mark.parametrize("world", ["household", "babyai", "light"])
def test_light_worlds_need_nothing_out_of_the_ordinary(world: str) -> None:
    assert hosting_limits(world, {"renderer": "loops"}, {"HOUSEGUEST_THOR_GPU": "what?"}) is None
