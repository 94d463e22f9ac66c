import pytest

from env_service.worlds.babyai import simulator
from env_service.worlds.babyai.simulator import (
    UnsupportedSimulatorError,
    check_version,
    make_environment,
)


@pytest.mark.parametrize("version", ["2.5.0", "3.0.0", "3.1.0", "3.1.7rc1", "3.2.0"])
def test_versions_with_known_levels_are_accepted(version):
    assert check_version(version) == tuple(map(int, version.split(".")[:2]))


@pytest.mark.parametrize("version", ["2.3.1", "2.4.9", "3.3.0", "4.0", "unknown"])
def test_other_versions_are_refused_by_name_with_the_cure(version):
    with pytest.raises(UnsupportedSimulatorError) as raised:
        check_version(version)
    assert version in str(raised.value)
    assert "pip install 'minigrid>=2.5,<3.2'" in str(raised.value)


def test_the_flag_that_changes_minigrids_rules_is_refused(monkeypatch):
    monkeypatch.setenv("BABYAI_DONE_ACTIONS", "1")
    simulator.load_simulator.cache_clear()
    with pytest.raises(UnsupportedSimulatorError, match="BABYAI_DONE_ACTIONS"):
        make_environment("BabyAI-GoToObj-v0", 1)


def test_rejected_layouts_are_not_announced_on_standard_output(capfd):
    # Without silencing, minigrid prints a line for each of the layouts that it rejects here.
    for seed in range(1, 6):
        make_environment("BabyAI-Pickup-v0", seed)
    assert capfd.readouterr().out == ""
