"""A level on which the published expert hangs."""

from importlib import import_module

import pytest

from env_service.worlds.babyai.omnibot.records import ExpertMode, ProblemKind
from env_service.worlds.babyai.simulator import make_environment


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        (ExpertMode.COMPAT, ProblemKind.RUNS_IN_CIRCLES, "more than 500 subgoals"),
        (ExpertMode.FIXED, ProblemKind.UNREACHABLE, "every green key is out of reach"),
    ],
)
def test_where_the_published_expert_hangs_ours_gives_up(mode, kind, words):
    # The only green key lies behind the green door, the only door of its room.
    environment = make_environment("BabyAI-Unlock-v0", 63)
    bot = import_module("env_service.worlds.babyai.omnibot.bot").OmniBot(environment, mode)
    bot.translate_mission()
    play = import_module("env_service.worlds.babyai.omnibot.player").play_mission(bot)
    assert play.problem.kind is kind
    assert words in play.problem.message
    assert len(play.actions) < 100
