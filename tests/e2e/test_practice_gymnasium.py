"""Practice as Gymnasium environments, over a real service."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import houseguest_agent.gymnasium as practice_envs
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Client, Episode, HouseguestError, SetupError
from houseguest_agent.gymnasium import HouseguestEnv
from houseguest_agent.gymnasium import env as env_module

from env_service.domain.episode import EpisodeResult
from env_service.gateway import agent_service
from env_service.gateway import practice as practice_gateway
from env_service.gateway.practice import Practice
from env_service.wire.episodes import practice_result_to_wire
from tests.support.practice import practising, pupil, reset, tokens
from tests.support.service import LAB, OpenService, RawAgent, open_service

BABYAI, ASGARD = "houseguest/BabyAI-v0", "houseguest/Asgard-v0"
ALFRED = "houseguest/Alfred-v0"


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture(scope="module")
def grid(service: OpenService) -> Iterator[Practice]:
    """A room in which one turn to the left finds the ball, in pictures and words."""
    shown = {"observation": "text+picture"}
    with practising(service, "babyai", tasks=("GoToLocal",), condition=shown, sessions=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def lab(service: OpenService) -> Iterator[Practice]:
    with practising(service, LAB, condition={"steps": "3", "step_limit": "told"}) as opened:
        yield opened


@contextmanager
def made(
    service: OpenService, practice: Practice, env_id: str = "", **settings: Any
) -> Iterator[gymnasium.Env[Any, Any]]:
    given = {"address": service.address, "token": tokens(service, practice), **settings}
    env = gymnasium.make(env_id, **given) if env_id else HouseguestEnv(**given)
    try:
        yield env
    finally:
        env.close()


def checked(env: gymnasium.Env[Any, Any]) -> list[str]:
    """What Gymnasium's own check has to say about it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    return [str(each.message) for each in said if "gymnasium" in each.filename]


def number(env: gymnasium.Env[Any, Any], skill: str, **arguments: str) -> int:
    return int(env.unwrapped.actions.number(skill, **arguments))  # type: ignore[attr-defined]


class TestBabyAi:
    def test_gymnasiums_check_finds_nothing(self, service: OpenService, grid: Practice) -> None:
        with made(service, grid, BABYAI) as env:
            assert checked(env) == []
            assert env.action_space == gymnasium.spaces.Discrete(6)
            assert isinstance(env.observation_space, gymnasium.spaces.Dict)
            assert list(env.observation_space) == ["image", "instruction", "text"]

    def test_nor_where_there_are_words_alone(self, service: OpenService) -> None:
        # Gymnasium's check makes a second one.
        with (
            practising(service, "babyai", tasks=("GoToLocal",), sessions=2) as practice,
            made(service, practice, BABYAI) as env,
        ):
            assert list(env.observation_space) == ["instruction", "text"]
            assert checked(env) == []

    def test_pictures_are_what_the_agent_sees(self, service: OpenService, grid: Practice) -> None:
        with made(service, grid, BABYAI, render_mode="rgb_array") as env:
            observation, _ = env.reset()
            assert "ball" in observation["instruction"] or observation["instruction"]
            picture = env.render()
            assert isinstance(picture, np.ndarray)
            assert np.array_equal(picture, observation["image"])
            after = env.step(number(env, "left"))[0]
            assert not np.array_equal(after["image"], observation["image"])
            observation["image"][:] = 0
            assert env.render().any()  # type: ignore[union-attr]

    def test_words_are_actions_too(self, service: OpenService, grid: Practice) -> None:
        with made(service, grid, BABYAI, actions="text") as env:
            env.reset()
            assert env.step("left")[4]["outcome"] == "SUCCEEDED"
            assert env.step("I would rather not")[4]["outcome"] == "REFUSED"

    def test_a_process_for_each_token(self, service: OpenService, grid: Practice) -> None:
        envs = practice_envs.vector(BABYAI, tokens(service, grid), address=service.address)
        try:
            observations, _ = envs.reset(seed=[1, 2])
            assert observations["image"].shape[0] == 2
            assert all(" " in each for each in observations["instruction"])
            left = np.zeros(2, np.int64)
            after, rewards, *_, infos = envs.step(left)
            assert after["text"] != observations["text"]
            assert rewards.tolist() == [0.0, 0.0]
            assert list(infos["outcome"]) == ["SUCCEEDED", "SUCCEEDED"]
        finally:
            envs.close()

    def test_a_seat_that_another_one_takes_at_the_same_time_is_left_to_it(
        self, service: OpenService, grid: Practice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begin = env_module._begin
        others: list[RawAgent] = []

        def late(client: Client) -> Episode | None:
            if not others:
                others.append(pupil(service, grid))
                reset(others[0])
            return begin(client)

        monkeypatch.setattr(env_module, "_begin", late)
        with made(service, grid, BABYAI) as env:
            env.reset(seed=1)
            env.step(0)
        others[0].close()

    def test_gymnasiums_own_vectors_share_the_tokens(
        self, service: OpenService, grid: Practice
    ) -> None:
        given = {"address": service.address, "token": ",".join(tokens(service, grid))}
        envs = gymnasium.make_vec(BABYAI, 2, vectorization_mode="sync", **given)
        try:
            observations, _ = envs.reset(seed=1)
            assert observations["image"].shape[0] == 2
        finally:
            envs.close()

    def test_a_fork_is_refused_instead_of_hanging(
        self, service: OpenService, grid: Practice
    ) -> None:
        with made(service, grid, BABYAI):
            pass
        given = {"address": service.address, "token": tokens(service, grid)}
        fork = multiprocessing.get_context("fork")
        ours, theirs = fork.Pipe()
        child = fork.Process(target=_make, args=(theirs, given))
        child.start()
        assert ours.poll(60), "the forked process hangs"
        assert "context='spawn'" in ours.recv()
        child.join()


class TestAsgard:
    def test_an_action_is_a_number(self, service: OpenService) -> None:
        words = {"condition": "text-only-simple"}
        with (
            warnings.catch_warnings(),
            practising(service, "asgard", task_set="builtin-1", condition=words) as practice,
            made(service, practice, ASGARD) as env,
        ):
            # Of gymnasium.make's own checks, of the first reset and the first step.
            warnings.simplefilter("error")
            kitchen = env.unwrapped.skills[0].parameters[0].choices  # type: ignore[attr-defined]
            assert env.action_space == gymnasium.spaces.Discrete(12 * len(kitchen))
            env.reset(seed=1)
            mug = number(env, "FIND", object="Mug")
            assert env.unwrapped.describe(mug) == "FIND Mug"  # type: ignore[attr-defined]
            observation, reward, *over, info = env.step(mug)
            assert "Mug" in observation["text"]
            assert (reward, over, info["outcome"]) == (0.0, [False, False], "SUCCEEDED")


class TestRewards:
    def test_an_agent_that_says_nothing_gains_nothing(self, service: OpenService) -> None:
        plain = {"condition": "text-only-simple"}
        paid = {}
        for reward in ("goal_conditions_gained", "goal_conditions"):
            with (
                practising(service, "asgard", task_set="builtin-1", condition=plain) as practice,
                made(service, practice, ASGARD, actions="text", reward=reward) as env,
            ):
                env.reset(seed=1)
                paid[reward], info = played_out(env, "")
        assert paid["goal_conditions_gained"] == 0.0
        # Most of its goal conditions hold before anybody acts.
        assert info["goal_conditions_met"] > 0
        assert info["goal_conditions_gained"] == 0.0
        assert paid["goal_conditions"] == (
            info["goal_conditions_met"] / info["goal_conditions_total"]
        )

    def test_success_gains_all(self, service: OpenService, lab: Practice) -> None:
        with made(service, lab, actions="text", reward="goal_conditions_gained") as env:
            env.reset()
            assert env.step("noop")[1] == 0.0
            _, reward, _, _, info = env.step("win")
            assert (reward, info["goal_conditions_gained"]) == (1.0, 1.0)

    def test_a_task_in_which_nothing_is_open_pays_nothing(
        self, service: OpenService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(practice_gateway, "practice_result_to_wire", told_before_revision_4)
        with (
            practising(service, LAB) as practice,
            made(service, practice, actions="text", reward="goal_conditions_gained") as env,
        ):
            env.reset()
            _, reward, _, _, info = env.step("win")
            assert (reward, info["success"]) == (0.0, True)
            assert "goal_conditions_gained" not in info

    def test_a_service_that_does_not_tell_them_is_named(
        self, service: OpenService, lab: Practice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(agent_service, "PROTOCOL_REVISION", 3)
        with (
            pytest.raises(SetupError, match=r"needs a service of protocol revision 4.*has 3"),
            made(service, lab, actions="text", reward="goal_conditions_gained"),
        ):
            pass
        with made(service, lab, actions="text", reward="goal_conditions") as env:
            env.reset()
            assert env.step("win")[1] == 1.0


class TestAlfred:
    def test_actions_are_lota_benchs_skills(self, service: OpenService) -> None:
        steps = {"play": "steps"}
        with (
            practising(service, "alfred", task_set="builtin-1", condition=steps) as practice,
            made(service, practice, ALFRED) as env,
        ):
            assert env.action_space == gymnasium.spaces.Discrete(214)
            env.reset(seed=1)
            apple = number(env, "find", object="an apple")
            assert env.unwrapped.describe(apple) == "find an apple"  # type: ignore[attr-defined]
            _, reward, *over, _ = env.step(apple)
            assert (reward, over) == (0.0, [False, False])

    def test_a_plan_at_once_is_no_environment(self, service: OpenService) -> None:
        with (
            practising(service, "alfred", task_set="builtin-1") as practice,
            pytest.raises(SetupError, match="PLAN are not played step by step"),
            made(service, practice, ALFRED),
        ):
            pass


class TestEpisodes:
    def test_success_is_one_and_everything_else_nothing(
        self, service: OpenService, lab: Practice
    ) -> None:
        with made(service, lab, actions="text") as env:
            env.reset()
            _, reward, terminated, truncated, info = env.step("noop")
            assert (reward, terminated, truncated, info["remaining"]) == (0.0, False, False, 2)
            _, reward, terminated, truncated, info = env.step("win")
            assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
            env.reset()
            _, reward, terminated, truncated, info = env.step("lose")
            assert (reward, terminated, info["failure"]) == (0.0, True, "goal_not_reached")

    def test_running_out_of_steps_truncates(self, service: OpenService, lab: Practice) -> None:
        with made(service, lab, actions="text", reward="goal_conditions") as env:
            env.reset()
            *_, (_, reward, terminated, truncated, info) = [env.step("noop") for _ in range(3)]
            assert (reward, terminated, truncated) == (0.0, False, True)
            assert (info["goal_conditions_met"], info["goal_conditions_total"]) == (0, 1)

    def test_an_episode_that_the_service_lost_is_truncated(
        self, service: OpenService, lab: Practice
    ) -> None:
        with made(service, lab, actions="text") as env:
            env.reset()
            _, reward, terminated, truncated, info = env.step("crash")
            assert (reward, terminated, truncated, info["voided"]) == (0.0, False, True, True)
            env.reset()
            assert env.step("win")[1] == 1.0

    def test_equal_seeds_give_equal_episodes_to_the_end_of_time(
        self, service: OpenService, lab: Practice
    ) -> None:
        def play(env: gymnasium.Env[Any, Any], seed: int) -> list[str]:
            shown = [env.reset(seed=seed)[0]["text"]]
            for _ in range(3):
                shown += [env.step("noop")[0]["text"], env.reset()[0]["text"]]
            return shown

        with made(service, lab, actions="text") as env:
            first = play(env, 5)
            assert len(set(first)) == len(first)
        with made(service, lab, actions="text") as env:
            assert play(env, 5) == first != play(env, 6)

    def test_a_closed_environment_leaves_its_seat(
        self, service: OpenService, lab: Practice
    ) -> None:
        for _ in range(3):
            with made(service, lab, actions="text") as env:
                env.reset()
            env.close()
            with pytest.raises(SetupError, match="closed"):
                env.reset()

    def test_a_seat_that_is_held_is_told(
        self, service: OpenService, lab: Practice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("houseguest_agent.gymnasium.env._PATIENCE", 0.0)
        with (
            made(service, lab, actions="text"),
            pytest.raises(SetupError, match="Another environment holds the session"),
            made(service, lab, actions="text"),
        ):
            pass


class TestWhatCannotBeMade:
    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"actions": "words"}, "actions must be 'discrete' or 'text'"),
            ({"reward": "shaped"}, "'goal_conditions_gained' or 'goal_conditions', not 'shaped'"),
            ({"render_mode": "human"}, "render_mode must be None or 'rgb_array'"),
            ({"render_mode": "rgb_array", "actions": "text"}, "needs pictures"),
            ({"suite": "asgard"}, "for lab, not for asgard"),
            ({}, 'accepts any text.*actions="text"'),
            ({"token": "guess"}, "refused the lease token"),
            ({"address": "unix:/nowhere"}, "No service answers"),
        ],
    )
    def test_it_says_what_is_wrong(
        self, service: OpenService, lab: Practice, settings: dict[str, str], said: str
    ) -> None:
        with pytest.raises(HouseguestError, match=said), made(service, lab, **settings):
            pass

    def test_a_scored_lease(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        token = service.token(run)
        with pytest.raises(SetupError, match=r"scored and played once.*houseguest practice"):
            HouseguestEnv(address=service.address, token=token, actions="text")
        assert run.counts().playing == 0

    def test_a_task_that_is_not_played_step_by_step(self, service: OpenService) -> None:
        with (
            practising(service, task_set="answers") as practice,
            pytest.raises(SetupError, match="mode ANSWER"),
            made(service, practice),
        ):
            pass


def played_out(env: gymnasium.Env[Any, Any], words: str) -> tuple[float, dict[str, Any]]:
    """The last reward and info of an agent that always says the same."""
    over = False
    while not over:
        _, reward, terminated, truncated, info = env.step(words)
        over = terminated or truncated
    return float(reward), info


def told_before_revision_4(result: EpisodeResult) -> agent_pb2.PracticeResult:
    told = practice_result_to_wire(result)
    told.ClearField("goal_conditions_gained")
    return told


def _make(pipe: Any, given: dict[str, Any]) -> None:
    try:
        gymnasium.make(BABYAI, **given)
        pipe.send("made")
    except HouseguestError as error:
        pipe.send(str(error))
