"""The guest `local` in ALFRED: weights that choose among the 214 skills, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest
from houseguest_agent import SkillCall
from model_guest.budget import SpendingAccount
from model_guest.decision import Decider
from model_guest.model import Reply, Request
from model_guest.options import Settings, SpendingBudget
from model_guest.weights import Score, WeightsOptions, open_model

from env_service.suites.alfred.skills.vocabulary import SKILLS
from tests.support.tiny_models import text_model
from tests.unit.agents.model_guest.alfred_episodes import STEPS, alfred_episode, converse
from tests.unit.agents.model_guest.episodes import advance

SMALL = {"num_hidden_layers": 1, "hidden_size": 32, "intermediate_size": 32}


class Listening:
    """A model that keeps what it was asked and what it said."""

    def __init__(self, options: WeightsOptions) -> None:
        self._model = open_model(options)
        self.name, self.sees_pictures = self._model.name, False
        self.configuration, self.close = self._model.configuration, self._model.close
        self.heard: list[tuple[Request, Reply]] = []

    def reply(self, request: Request) -> Reply:
        said = self._model.reply(request)
        self.heard.append((request, said))
        return said


@pytest.mark.parametrize("score", list(Score))
def test_each_step_is_the_likeliest_of_lota_benchs_strings(tmp_path: Path, score: Score) -> None:
    model = Listening(WeightsOptions(str(text_model(tmp_path / "model", **SMALL)), score=score))
    playing = alfred_episode(STEPS, ask="on")
    conversation = converse(playing, choosing=True)
    settings = Settings(choose=True)
    decider = Decider(model, settings, SpendingAccount(SpendingBudget()), playing, conversation)
    try:
        for _ in range(2):
            decision = decider.decide(None)
            assert isinstance(decision.answer.action, SkillCall)
            conversation.record(decision.answer, advance(playing, ""))
    finally:
        model.close()
    for request, said in model.heard:
        assert sorted(request.candidates) == sorted(SKILLS)
        assert len(said.scores) == len(SKILLS)
        assert said.text == request.candidates[said.scores.index(max(said.scores))]
    first = model.heard[0][1].text
    prompt = model.heard[1][0].messages[-1].parts[-1]
    assert f"# The steps so far\n\n1. {first}\n\nStep 2:" in str(prompt)
