import pytest

from env_service.worlds.babyai import simulator
from env_service.worlds.babyai.levels import LEVELS, PLAN_LEVELS
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.omnibot.solver import assist, solve
from env_service.worlds.babyai.simulator import CHANGES, ChangedEnvironmentError, is_published
from env_service.worlds.babyai.world import BabyAiWorld


@pytest.fixture
def newer(monkeypatch):
    """Makes minigrid pass for 3.2."""
    monkeypatch.setattr(simulator, "installed_version", lambda: (3, 2))


def test_before_3_2_all_is_as_published(monkeypatch):
    monkeypatch.setattr(simulator, "installed_version", lambda: (3, 1))
    assert all(is_published(change.level, change.seed) for change in CHANGES)


def test_with_3_2_five_environments_are_others(newer):
    others = [
        (level, seed)
        for level in (*LEVELS, *PLAN_LEVELS)
        for seed in range(501)
        if not is_published(level, seed)
    ]
    assert others == [(change.level, change.seed) for change in CHANGES]
    assert len(others) == 5


def test_compat_refuses_what_is_not_published_and_tells_the_cure(newer):
    change = CHANGES[0]
    level = LEVELS[change.level]
    with pytest.raises(ChangedEnvironmentError) as raised:
        solve(level, change.seed, mode=ExpertMode.COMPAT)
    for part in ("SynthLoc with seed 3", "minigrid 3.2", change.since, "<3.2"):
        assert part in str(raised.value)
    with pytest.raises(ChangedEnvironmentError):
        assist(level, change.seed, [], mode=ExpertMode.COMPAT)
    assert solve(level, 4, mode=ExpertMode.COMPAT).published


def test_fixed_marks_what_is_not_published(newer):
    change = CHANGES[0]
    level = LEVELS[change.level]
    assert not solve(level, change.seed).published
    assert not assist(level, change.seed, []).published
    assert solve(level, 4).published


def test_a_world_refuses_it_unless_told_otherwise(newer):
    change = CHANGES[0]
    with pytest.raises(ChangedEnvironmentError):
        BabyAiWorld(LEVELS[change.level], change.seed)
    world = BabyAiWorld(LEVELS[change.level], change.seed, published_only=False)
    assert not world.published
