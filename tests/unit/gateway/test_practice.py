"""What is practised where little was said."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.gateway.background import HelperProcesses
from env_service.gateway.engine_pool import EnginePool
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.practice import PracticeRequest, open_practice
from env_service.gateway.session_queue import SessionQueue
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.drafts import choose_task_set
from tests.support.lab import LabSuite


class NeedySuite(LabSuite):
    """Its first task set reads data, and its last is played in one world alone."""

    def data(self, task_set: str, world: str) -> dict[str, tuple[str, ...]]:
        return {"pack": ("*",)} if task_set == "lab" else {}

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        return ("heavy",) if task_set == "answers" else ("light",)


def test_the_first_task_set_without_data_is_the_default() -> None:
    assert choose_task_set(BabyAiSuite(), "", "").name == "evaluation"
    assert choose_task_set(NeedySuite(), "", "").name == "plans"


def test_a_named_world_chooses_among_the_task_sets_played_in_it() -> None:
    assert choose_task_set(NeedySuite(), "", "heavy").name == "answers"


def test_a_named_task_set_is_taken() -> None:
    assert choose_task_set(NeedySuite(), "lab", "").name == "lab"


def test_an_unknown_one_gives_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'plans'"):
        choose_task_set(NeedySuite(), "plan", "")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sessions": 0}, "sessions is 0; it has to be from 1 to 1024"),
        ({"sessions": 5000}, "sessions is 5000; it has to be from 1 to 1024"),
        ({"seed": -1}, "seed is -1; it has to be from 0 to"),
        ({"unused_seconds": 0.0}, "unused_for is 0; it has to be above 0"),
        ({"suite": "babay"}, "Did you mean 'babyai'"),
        ({"tasks": ("GoToLocl",)}, "Did you mean 'GoToLocal'"),
        ({"tasks": ("dataset", "GoToLocl")}, "task set 'dataset' named 'GoToLocl'"),
        ({"world": "babyay"}, "Did you mean 'babyai'"),
        ({"condition": {"vew": "full"}}, "Did you mean 'view'"),
    ],
)
def test_what_cannot_be_practised_is_said_before_anything_starts(
    wrong: dict[str, object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    request = PracticeRequest(**{"suite": "babyai", **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=said):
        asyncio.run(
            open_practice(
                request, EnginePool(None), ServiceLimits(), SessionQueue(1), HelperProcesses(0)
            )
        )
    assert not list(tmp_path.iterdir())
